package reuse

import (
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
)

// Batching is how the index stream is cut.
type Batching int

// The ways to cut it.
const (
	StaticBatching  Batching = iota // every Config.Batch indices: no index is read
	DynamicBatching                 // where the next triangle would exceed Config.Unique vertices or Config.Batch indices
)

// BatchingNames are the flag values, in value order.
var BatchingNames = []string{"static", "dynamic"}

func (b Batching) String() string { return BatchingNames[b] }

func joinNames(list []Batching) string {
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = b.String()
	}
	return strings.Join(names, " or ") + " batches"
}

// Batch is the part of the index stream that one subgroup or workgroup takes.
// It lies within one draw. Its layout is the shader's `Batch`.
type Batch struct {
	FirstIndex    uint32 // into the index pool
	IndexCount    uint32 // a multiple of 3, at most Config.Batch
	Draw          uint32
	FirstTriangle uint32 // place of its first triangle in the whole stream
}

// Batches cuts the stream as the configuration says.
func Batches(s *geometry.Scene, c Config) []Batch {
	if c.Batching == DynamicBatching {
		return DynamicBatches(s, c)
	}
	return StaticBatches(s, c)
}

// StaticBatches cuts every draw into batches of c.Batch indices, the last of a
// draw shorter. No index is read: this needs no preprocessing.
func StaticBatches(s *geometry.Scene, c Config) []Batch {
	n := 0
	for i := range s.Draws {
		n += (int(s.Draws[i].IndexCount) + c.Batch - 1) / c.Batch
	}
	batches := make([]Batch, 0, n)
	triangle := uint32(0)
	for i := range s.Draws {
		d := &s.Draws[i]
		for k := uint32(0); k < d.IndexCount; k += uint32(c.Batch) {
			count := min(uint32(c.Batch), d.IndexCount-k)
			batches = append(batches, Batch{d.FirstIndex + k, count, uint32(i), triangle})
			triangle += count / 3
		}
	}
	return batches
}
