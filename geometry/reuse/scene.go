package reuse

import (
	"cmp"
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/shape"
)

// Batch is the part of a scene's index stream that one subgroup or workgroup processes. It lies
// within one draw. Its layout matches the shader's `Batch`.
type Batch struct {
	FirstIndex    uint32 // position in the index pool
	IndexCount    uint32 // a multiple of 3, at most Config.Batch
	Draw          uint32
	FirstTriangle uint32 // position of the batch's first triangle in the scene's stream, in triangles
}

// DrawSum has a strategy's shader invocations in one draw, and the number of vertices that the draw references.
type DrawSum struct{ Invocations, Referenced int }

// Analyze runs Config.Count on every draw of a scene. It returns the statistics of all draws and
// the shading counts: one per (draw, vertex) pair, draw by draw, for each draw in the order of its
// vertices (geometry.Scene.DrawVertices in all). If the counts are not needed, Summarize needs less
// memory. NewStats computes the statistics of counts from elsewhere.
func Analyze(s *geometry.Scene, c Config) (Stats, []uint32, error) {
	if err := cmp.Or(c.Check(), checkDraws(s)); err != nil {
		return Stats{}, nil, err
	}
	st := Stats{Histogram: []int{0}}
	counts := make([]uint32, s.DrawVertices())
	for i, offset := range CountOffsets(s) {
		draw, err := c.count(s.DrawIndices(i), counts[offset:][:s.Draws[i].VertexCount])
		if err != nil {
			return Stats{}, nil, inDraw(s, i, err)
		}
		st.Add(draw, 1)
	}
	return st, counts, nil
}

// Summarize returns the same statistics as Analyze, and a sum per draw instead of the counts of
// all vertices.
//
// It takes a byte of memory per vertex of the largest draw. A longer stream takes no more, since batches are
// cut as they are needed, and a draw's counts are added to the histogram when the draw is done.
// (Not earlier: any vertex of a draw may be shaded again up to the draw's last index.) A vertex
// that is shaded more than 127 times takes a map entry; there is less than one such vertex per 127
// indices. Draws over the same ranges are run once. Large draws run on all cores.
func Summarize(s *geometry.Scene, c Config) (Stats, []DrawSum, error) {
	err := cmp.Or(c.Check(), checkDraws(s))
	if err != nil {
		return Stats{}, nil, err
	}
	sum := summary{config: c}
	st := Stats{Histogram: []int{0}}
	sums := shape.Once(s, func(i, times int) DrawSum {
		draw, bad := sum.draw(s.DrawIndices(i), int(s.Draws[i].VertexCount))
		if bad != nil && err == nil {
			err = inDraw(s, i, bad)
		}
		st.Add(draw, times)
		return DrawSum{draw.Invocations, draw.Referenced}
	})
	return st, sums, err
}

// NewStats computes the statistics that follow from a scene's shading counts, laid out as Analyze
// returns them.
func NewStats(s *geometry.Scene, counts []uint32) (Stats, error) {
	if err := checkDraws(s); err != nil {
		return Stats{}, err
	}
	if n := s.DrawVertices(); n != len(counts) {
		return Stats{}, fmt.Errorf("%d counts for %d vertices", len(counts), n)
	}
	st := Stats{Histogram: []int{0}}
	var named []bool // vertices of the draw that an index references
	for i, offset := range CountOffsets(s) {
		if i == 0 || !shape.Same(&s.Draws[i], &s.Draws[i-1]) { // instances reference the same vertices
			named = make([]bool, s.Draws[i].VertexCount)
			var err error
			s.EachIndices(i, func(indices []uint32) { err = cmp.Or(err, name(named, indices)) })
			if err != nil {
				return Stats{}, inDraw(s, i, err)
			}
		}
		st.Add(statsOf(int(s.Draws[i].IndexCount), named, counts[offset:][:len(named)]), 1)
	}
	return st, nil
}

// CountOffsets returns the position of each draw's first shading count: the prefix sum of the
// draws' vertex counts.
func CountOffsets(s *geometry.Scene) []uint32 {
	if s == nil {
		return nil
	}
	offsets := make([]uint32, len(s.Draws))
	sum := uint32(0)
	for i := range s.Draws {
		offsets[i] = sum
		sum += s.Draws[i].VertexCount
	}
	return offsets
}

// VertexBatches cuts the vertices of every draw into ranges of at most MaxUnique, for a
// whole-draw strategy. FirstIndex and IndexCount are the range, relative to the draw's first
// vertex; FirstTriangle is 0. There are none if the configuration or a draw's range is wrong.
func VertexBatches(s *geometry.Scene, c Config) []Batch {
	if c.Check() != nil || checkDraws(s) != nil {
		return nil
	}
	size := uint32(c.Strategy.MaxUnique(c))
	var batches []Batch
	for i := range s.Draws {
		for first := uint32(0); first < s.Draws[i].VertexCount; first += size {
			batches = append(batches, Batch{FirstIndex: first, IndexCount: min(size, s.Draws[i].VertexCount-first), Draw: uint32(i)})
		}
	}
	return batches
}

// sampledBatches is how many batches a sample has: enough to tell an order with much reuse from one
// with little, in time that does not depend on the scene's size.
const sampledBatches = 32

// SampleBatches returns batches from all over the stream, cut statically, since where a batch
// begins matters little for a sample. They are unevenly spaced, since meshes often repeat at even
// distances. There are none if the configuration or a draw's range is wrong.
func SampleBatches(s *geometry.Scene, c Config) [][]uint32 {
	if c.Check() != nil || checkDraws(s) != nil {
		return nil
	}
	var sample [][]uint32
	step := max(1, s.IndexStreamLen()/sampledBatches)
	next := func() int {
		n := uint32(len(sample))
		return int(n)*step + int(uint64(n*goldenMultiplier)*uint64(step)>>32)
	}
	at := 0
	for i := range s.Draws {
		d := &s.Draws[i]
		for next() < at+int(d.IndexCount) && len(sample) < sampledBatches {
			first := uint32(next()-at) / 3 * 3
			count := min(uint32(c.Batch), d.IndexCount-first)
			sample = append(sample, s.IndicesAt(d.FirstIndex+first, count, new([]uint32)))
		}
		at += int(d.IndexCount)
	}
	return sample
}
