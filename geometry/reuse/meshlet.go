package reuse

import (
	"context"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
)

// meshlet finds nothing on the fly: the host lists the vertices of each batch beforehand, and
// numbers the corners of its triangles by that list (Meshlets). It is not in the paper; engines do
// this with meshes that do not change. Compared with it, the other strategies show what their
// search costs.
//
// Its batches are dynamic, since slots have 8 bits. Most batches larger than the default would
// end at 256 vertices anyway.
var meshlet = Strategy{
	Name:             "meshlet",
	Listed:           true,
	Batchings:        []Batching{DynamicBatching},
	Workgroup:        128,
	DefaultBatch:     func(Config) int { return meshletBatch },
	LeastBatch:       func(c Config) int { return min(3*c.Workgroup/2, meshletBatch) },
	MaxUnique:        hashMaxUnique,
	FixedPlaces:      true,
	WorstInvocations: hash.WorstInvocations,
	SharedBytes: func(c Config, _ bool, vertexBytes int) int {
		return assemblyBytes(hashMaxUnique(c), vertexBytes)
	},
	Reference: hashReference,
}

const meshletBatch = 768 // indices

// maxListed is the number of vertices that 8 bits can number.
const maxListed = 1 << 8

// LargestUnique returns the upper bound of Config.Unique.
func (s *Strategy) LargestUnique() int {
	if s.Listed {
		return maxListed
	}
	return MaxUnique
}

// Streams reports whether the strategy finds vertices while the stream is read, without whole draws or lists.
func (s *Strategy) Streams() bool { return !s.WholeDraws && !s.Listed }

// ListBytes bounds the lists' size per index of the stream, in bytes: an id, a share of a
// triangle's word, and a third of a Meshlet. It is 0 for strategies without lists.
func (s *Strategy) ListBytes() int {
	if !s.Listed {
		return 0
	}
	const word, meshlet = 4, 12
	return 2*word + meshlet/3
}

// Meshlets are the lists of a stream's batches. Batches over one range of the index pool share a list.
type Meshlets struct {
	Table []Meshlet // one per batch
	Words []uint32  // each list: its ids in slot order, then one word per triangle with the slots of its corners, lowest byte first
}

// Meshlet locates a batch's list. Its layout matches the shader's `Meshlet`.
type Meshlet struct {
	FirstWord   uint32 // index into Meshlets.Words
	VertexCount uint32 // number of ids in the list
	FirstVertex uint32 // number of ids in the lists of all earlier batches
}

// MakeMeshlets lists the vertices of a scene's batches. It reads every index. The result is empty
// if the strategy has no lists, if a batch's indices are not in the scene, are not whole triangles or
// are more than MaxBatch, or if the context ends.
func MakeMeshlets(ctx context.Context, s *geometry.Scene, c Config, batches []Batch) Meshlets {
	outside := func(b Batch) bool {
		return !s.HasIndices(b.FirstIndex, b.IndexCount) || b.IndexCount%3 != 0 || b.IndexCount > MaxBatch
	}
	if s == nil || c.Strategy == nil || !c.Strategy.Listed || slices.ContainsFunc(batches, outside) {
		return Meshlets{}
	}
	type indices struct{ first, count uint32 }
	known := map[indices]Meshlet{}
	most := uint32(0) // bounds len(Words), so that Words never grows: Go stops all goroutines while it copies a large list
	for _, b := range batches {
		of := indices{b.FirstIndex, b.IndexCount}
		if _, ok := known[of]; !ok {
			known[of] = Meshlet{}
			most += min(b.IndexCount, maxListed) + b.IndexCount/3
		}
	}
	m := Meshlets{Table: make([]Meshlet, len(batches)), Words: make([]uint32, 0, most)}
	var set idSet
	var triangles, room []uint32
	vertices := uint32(0)
	for i, b := range batches {
		if i%(1<<10) == 0 && ctx.Err() != nil {
			return Meshlets{}
		}
		of := indices{b.FirstIndex, b.IndexCount}
		list := known[of]
		if list.VertexCount == 0 {
			list.FirstWord = uint32(len(m.Words))
			triangles = triangles[:0]
			set.clear()
			for triangle := range slices.Chunk(s.IndicesAt(b.FirstIndex, b.IndexCount, &room), 3) {
				word := uint32(0)
				for corner, id := range triangle {
					slot, fresh := set.add(id)
					if fresh {
						m.Words = append(m.Words, id)
					}
					word |= uint32(slot) << (8 * corner)
				}
				triangles = append(triangles, word)
			}
			list.VertexCount = uint32(set.count)
			m.Words = append(m.Words, triangles...)
			known[of] = list
		}
		list.FirstVertex = vertices
		vertices += list.VertexCount
		m.Table[i] = list
	}
	return m
}
