package reuse

import "github.com/shadeonce/shadeonce/geometry"

// This file counts instances once: draws of one shape, whatever their transforms.

// shape is what a draw's counts follow from.
type shape struct{ firstIndex, indexCount, vertexCount uint32 }

func shapeOf(d *geometry.Draw) shape { return shape{d.FirstIndex, d.IndexCount, d.VertexCount} }

// oncePerShape calls run once for all draws with the same indices and number of
// vertices, tells it how many there are, and returns the result of each draw.
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

// Shapes is the scene with the first draw of each shape.
func Shapes(s *geometry.Scene) *geometry.Scene {
	var first []int
	oncePerShape(s, func(i, _ int) struct{} {
		first = append(first, i)
		return struct{}{}
	})
	return s.Only(first)
}

// ShapeOffsets returns where each draw's shading counts begin where draws of one shape share
// theirs, laid out as those of Shapes, and how many counts there are.
func ShapeOffsets(s *geometry.Scene) (offsets []uint32, total int) {
	offsets = oncePerShape(s, func(i, _ int) uint32 {
		total += int(s.Draws[i].VertexCount)
		return uint32(total) - s.Draws[i].VertexCount
	})
	return offsets, total
}

// ShapeStats is NewStats of counts that draws of one shape share.
func ShapeStats(s *geometry.Scene, counts []uint32) Stats {
	st := Stats{Histogram: []int{0}}
	oncePerShape(s, func(i, times int) struct{} {
		own := counts[:s.Draws[i].VertexCount]
		counts = counts[len(own):]
		st.Add(StatsOf(s.DrawIndices(i), own), times)
		return struct{}{}
	})
	return st
}

// AnalyzeShapes returns the statistics of Analyze and a sum per draw, and the counts of
// one draw for each shape: of those that follow from the same indices. one is the scene
// of these draws, to whose vertices counts belong.
func AnalyzeShapes(s *geometry.Scene, c Config) (st Stats, sums []DrawSum, one *geometry.Scene, counts []uint32) {
	st = Stats{Histogram: []int{0}}
	sums = oncePerShape(s, func(i, times int) DrawSum {
		draw, own := c.Count(s.DrawIndices(i), int(s.Draws[i].VertexCount))
		st.Add(draw, times)
		counts = append(counts, own...)
		return DrawSum{draw.Invocations, draw.Referenced}
	})
	return st, sums, Shapes(s), counts
}

// ShapeIndices is how many indices the draws of a scene have, those of one shape once.
func ShapeIndices(s *geometry.Scene) (n int) {
	oncePerShape(s, func(i, _ int) struct{} {
		n += int(s.Draws[i].IndexCount)
		return struct{}{}
	})
	return n
}
