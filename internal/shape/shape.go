// Package shape groups the draws of a scene with the same range of indices and number of vertices,
// such as instances. Such draws have one shape: what depends only on the shape is computed once for them.
package shape

import "github.com/shadeonce/shadeonce/geometry"

// key is what a draw's shading counts depend on.
type key struct{ firstIndex, indexCount, vertexCount uint32 }

func keyOf(d *geometry.Draw) key { return key{d.FirstIndex, d.IndexCount, d.VertexCount} }

// Same reports whether two draws have one shape.
func Same(a, b *geometry.Draw) bool { return keyOf(a) == keyOf(b) }

// Once calls `run` with the first draw of each shape and the number of draws that have the shape. It
// returns, for each draw, the result of its shape.
func Once[T any](s *geometry.Scene, run func(draw, times int) T) []T {
	times := make(map[key]int)
	for i := range s.Draws {
		times[keyOf(&s.Draws[i])]++
	}
	done := make(map[key]T, len(times))
	list := make([]T, len(s.Draws))
	for i := range s.Draws {
		of := keyOf(&s.Draws[i])
		result, known := done[of]
		if !known {
			result = run(i, times[of])
			done[of] = result
		}
		list[i] = result
	}
	return list
}

// Scene returns the scene with only the first draw of each shape.
func Scene(s *geometry.Scene) *geometry.Scene {
	var first []int
	Once(s, func(i, _ int) struct{} {
		first = append(first, i)
		return struct{}{}
	})
	return s.Only(first)
}

// Offsets returns the index of each draw's first shading count, and the number of all counts.
// Draws of one shape share their counts. The counts are in the order of the draws of Scene(s).
func Offsets(s *geometry.Scene) (offsets []uint32, total int) {
	offsets = Once(s, func(i, _ int) uint32 {
		total += int(s.Draws[i].VertexCount)
		return uint32(total) - s.Draws[i].VertexCount
	})
	return offsets, total
}

// Indices returns the number of indices of a scene, counting draws of one shape once.
func Indices(s *geometry.Scene) (n int) {
	Once(s, func(i, _ int) struct{} {
		n += int(s.Draws[i].IndexCount)
		return struct{}{}
	})
	return n
}

// Referenced returns how many vertices each draw's indices reference. It takes one bit of memory
// per vertex of the largest draw.
func Referenced(s *geometry.Scene) []int {
	var seen []uint64
	return Once(s, func(i, _ int) (n int) {
		words := (int(s.Draws[i].VertexCount) + 63) / 64
		if seen = seen[:min(len(seen), words)]; len(seen) < words {
			seen = make([]uint64, words)
		}
		clear(seen)
		for _, id := range s.DrawIndices(i) {
			if word, bit := &seen[id/64], uint64(1)<<(id%64); *word&bit == 0 {
				*word |= bit
				n++
			}
		}
		return n
	})
}
