package reuse

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/cores"
)

// Batch is the part of a scene's index stream that one subgroup or workgroup processes. It lies
// within one draw. Its layout matches the shader's `Batch`.
type Batch struct {
	FirstIndex    uint32 // position in the index pool
	IndexCount    uint32 // a multiple of 3, at most Config.Batch
	Draw          uint32
	FirstTriangle uint32 // position of its first triangle in the whole stream
}

// DrawSum is what a strategy shaded in one draw.
type DrawSum struct{ Invocations, Referenced int }

// Analyze runs Config.Count on every draw of a scene that CheckScene accepts. It returns the statistics of all draws and
// the shading counts: a number per (draw, vertex) pair, draw by draw, each with the vertices of
// its range (geometry.Scene.DrawVertices in all). If the counts are not needed, Summarize needs
// less memory.
func Analyze(s *geometry.Scene, c Config) (Stats, []uint32) {
	st := Stats{Histogram: []int{0}}
	counts := make([]uint32, 0, s.DrawVertices())
	for i := range s.Draws {
		draw, own := c.count(s.DrawIndices(i), int(s.Draws[i].VertexCount))
		st.Add(draw, 1)
		counts = append(counts, own...)
	}
	return st, counts
}

// Summarize returns the same statistics as Analyze, and a sum per draw instead of the counts of
// all vertices.
//
// Memory is a byte per vertex of the largest draw, and does not grow with the stream: batches are
// cut as they are needed, and a draw's counts are added to the histogram when the draw is done.
// (Not earlier: any vertex of a draw may be shaded again up to the draw's last index.) Vertices
// that are shaded 127 times or more take a map entry each; there is less than one per 127
// indices. Draws over the same ranges are run once. Large draws run on all cores.
func Summarize(s *geometry.Scene, c Config) (Stats, []DrawSum) {
	sum := summary{config: c, onAll: cores.OnAll}
	return SumDraws(s, sum.draw)
}

// SumDraws counts the draws of a scene one by one, those over the same ranges only once. It
// returns the statistics of all draws, and a sum per draw.
func SumDraws(s *geometry.Scene, count func(indices []uint32, vertices int) Stats) (Stats, []DrawSum) {
	st := Stats{Histogram: []int{0}}
	sums := oncePerShape(s, func(i, times int) DrawSum {
		draw := count(s.DrawIndices(i), int(s.Draws[i].VertexCount))
		st.Add(draw, times)
		return DrawSum{draw.Invocations, draw.Referenced}
	})
	return st, sums
}

// NewStats computes the statistics that follow from a scene's shading counts, laid out as Analyze
// returns them.
func NewStats(s *geometry.Scene, counts []uint32) Stats {
	st := Stats{Histogram: []int{0}}
	var named []bool // vertices of the draw that an index references
	for i, offset := range CountOffsets(s) {
		if i == 0 || shapeOf(&s.Draws[i]) != shapeOf(&s.Draws[i-1]) { // instances reference the same vertices
			named = make([]bool, s.Draws[i].VertexCount)
			s.EachIndices(i, func(indices []uint32) { name(named, indices) })
		}
		st.Add(statsOf(int(s.Draws[i].IndexCount), named, counts[offset:][:len(named)]), 1)
	}
	return st
}

// CountOffsets returns the position of each draw's first shading count: the prefix sum of the
// draws' vertex counts.
func CountOffsets(s *geometry.Scene) []uint32 {
	offsets := make([]uint32, len(s.Draws))
	sum := uint32(0)
	for i := range s.Draws {
		offsets[i] = sum
		sum += s.Draws[i].VertexCount
	}
	return offsets
}

// ReferencedOf returns how many vertices each draw's indices reference, in memory of one bit per
// vertex of the largest draw.
func ReferencedOf(s *geometry.Scene) []int {
	var seen []uint64
	return oncePerShape(s, func(i, _ int) (n int) {
		seen = cleared(seen, (int(s.Draws[i].VertexCount)+63)/64)
		for _, id := range s.DrawIndices(i) {
			if word, bit := &seen[id/64], uint64(1)<<(id%64); *word&bit == 0 {
				*word |= bit
				n++
			}
		}
		return n
	})
}

// VertexBatches cuts the vertices of every draw into ranges of at most MaxUnique, for a
// whole-draw strategy. FirstIndex and IndexCount are the range, relative to the draw's first
// vertex; FirstTriangle is 0.
func VertexBatches(s *geometry.Scene, c Config) []Batch {
	size := uint32(c.Strategy.MaxUnique(c))
	var batches []Batch
	for i := range s.Draws {
		for first := uint32(0); first < s.Draws[i].VertexCount; first += size {
			batches = append(batches, Batch{FirstIndex: first, IndexCount: min(size, s.Draws[i].VertexCount-first), Draw: uint32(i)})
		}
	}
	return batches
}

// sampledBatches is enough to tell a useful index order from a useless one, in time that does not
// depend on the scene's size.
const sampledBatches = 32

// Sample runs a sample of batches from all over the stream. It returns the mean and the largest
// of their invocations, each as a share of the worst case (WorstInvocations).
func Sample(s *geometry.Scene, c Config) (mean, most float64) {
	invocations, worst := 0, 0
	for _, batch := range SampleBatches(s, c) {
		n, bound := 0, c.Strategy.WorstInvocations(c, len(batch))
		c.Strategy.Reference(c, batch, func(it *Iteration) { n += len(it.Unique) })
		invocations, worst = invocations+n, worst+bound
		most = max(most, float64(n)/float64(max(1, bound)))
	}
	return float64(invocations) / float64(max(1, worst)), most
}

// SampleBatches returns batches from all over the stream, cut statically, since where a batch
// begins matters little for a sample. They are unevenly spaced, since meshes often repeat at even
// distances.
func SampleBatches(s *geometry.Scene, c Config) [][]uint32 {
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

// shape is what a draw's counts depend on. Instances have one shape, so they can be counted once.
type shape struct{ firstIndex, indexCount, vertexCount uint32 }

func shapeOf(d *geometry.Draw) shape { return shape{d.FirstIndex, d.IndexCount, d.VertexCount} }

// oncePerShape calls run once per shape, with the number of draws that have it, and returns the
// result for each draw.
func oncePerShape[T any](s *geometry.Scene, run func(draw, times int) T) []T {
	times := make(map[shape]int)
	for i := range s.Draws {
		times[shapeOf(&s.Draws[i])]++
	}
	done := make(map[shape]T, len(times))
	list := make([]T, len(s.Draws))
	for i := range s.Draws {
		key := shapeOf(&s.Draws[i])
		result, known := done[key]
		if !known {
			result = run(i, times[key])
			done[key] = result
		}
		list[i] = result
	}
	return list
}

// Shapes returns the scene with only the first draw of each shape.
func Shapes(s *geometry.Scene) *geometry.Scene {
	var first []int
	oncePerShape(s, func(i, _ int) struct{} {
		first = append(first, i)
		return struct{}{}
	})
	return s.Only(first)
}

// ShapeOffsets returns the position of each draw's first shading count, and the number of counts.
// Draws of one shape share counts, in the order of Shapes.
func ShapeOffsets(s *geometry.Scene) (offsets []uint32, total int) {
	offsets = oncePerShape(s, func(i, _ int) uint32 {
		total += int(s.Draws[i].VertexCount)
		return uint32(total) - s.Draws[i].VertexCount
	})
	return offsets, total
}

// ShapeStats is NewStats for counts that draws of one shape share.
func ShapeStats(s *geometry.Scene, counts []uint32) Stats {
	st, _ := SumDraws(s, func(indices []uint32, vertices int) Stats {
		own := counts[:vertices]
		counts = counts[vertices:]
		return StatsOf(indices, own)
	})
	return st
}

// AnalyzeShapes returns the statistics of Analyze and a sum per draw. counts are
// those of one draw per shape, and one is the scene of these draws.
func AnalyzeShapes(s *geometry.Scene, c Config) (st Stats, sums []DrawSum, one *geometry.Scene, counts []uint32) {
	st, sums = SumDraws(s, func(indices []uint32, vertices int) Stats {
		draw, own := c.count(indices, vertices)
		counts = append(counts, own...)
		return draw
	})
	return st, sums, Shapes(s), counts
}

// ShapeIndices returns the number of indices of a scene, counting draws of one shape once.
func ShapeIndices(s *geometry.Scene) (n int) {
	oncePerShape(s, func(i, _ int) struct{} {
		n += int(s.Draws[i].IndexCount)
		return struct{}{}
	})
	return n
}
