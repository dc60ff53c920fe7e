package model

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/indextest"
)

// strip returns n triangles, each of which uses one vertex that the previous triangle does not use.
func strip(n int) []uint32 {
	var indices []uint32
	for i := range uint32(n) {
		indices = append(indices, i, i+1, i+2)
	}
	return indices
}

// twice returns the vertices that were shaded twice, and requires all others to have been shaded
// once.
func twice(t *testing.T, counts []uint32) (ids []int) {
	for id, n := range counts {
		if n == 2 {
			ids = append(ids, id)
		} else {
			require.EqualValues(t, 1, n, "vertex %d", id)
		}
	}
	return ids
}

// TestTriplesByHand sends a strip of 129 triangles. 30 triangles use 32 vertices and 62 use 64; after
// that many the cache is emptied, so the next triangle shades all three of its vertices.
func TestTriplesByHand(t *testing.T) {
	t.Parallel()
	list := strip(129)
	require.Equal(t, []int{30, 31, 60, 61, 90, 91, 120, 121}, twice(t, count(t, "nvidia-32-32-32", Params{}, list...)))
	require.Equal(t, []int{62, 63, 124, 125}, twice(t, count(t, "amd-14-64-128", Params{}, list...)))
	require.Empty(t, twice(t, count(t, "intel-128-0-0", Params{}, list...)))
	for triangles, want := range map[int]uint32{128: 1, 129: 2} { // of one triangle, which only the end of a group makes shade again
		require.Equal(t, want, count(t, "amd-14-64-128", Params{}, slices.Repeat([]uint32{0, 1, 2}, triangles)...)[0])
	}
}

// TestTriplesAgainstQueues compares with a FIFO that is a plain slice.
func TestTriplesAgainstQueues(t *testing.T) {
	t.Parallel()
	slow := func(m triple, indices []uint32) []uint32 {
		counts := make([]uint32, slices.Max(indices)+1)
		var queue []uint32
		warp, group := uint32(0), uint32(0)
		for triangle := range slices.Chunk(indices, 3) {
			missing := uint32(0)
			for _, id := range triangle {
				if !slices.Contains(queue, id) {
					missing++
				}
			}
			if m.group > 0 && group == m.group || m.warp > 0 && warp+missing > m.warp {
				queue, warp, group = nil, 0, 0
			}
			for _, id := range triangle {
				if !slices.Contains(queue, id) {
					counts[id]++
					warp++
					queue = append(queue, id)
					queue = queue[max(0, len(queue)-int(m.cache)):]
				}
			}
			group++
		}
		return counts
	}
	for name, stream := range indextest.Streams() {
		for _, m := range []triple{{32, 32, 32}, {14, 64, 128}, {128, 0, 0}, {3, 3, 1}, {3, 5, 0}, {4, 0, 2}, {1, 0, 0}} {
			one := Model{draw: m.countDraw}
			require.Equal(t, slow(m, stream), one.Count(stream, int(slices.Max(stream))+1, Params{}), "%v: %s", m, name)
		}
	}
}

// TestNV96Window puts 0 at position 0, and again within the window or one position after it; each
// use in between, shaded or found, restarts the window.
func TestNV96Window(t *testing.T) {
	t.Parallel()
	stream := func(at ...int) []uint32 {
		list := make([]uint32, 60)
		for i := range list {
			list[i] = 1 + uint32(i%3)
		}
		for _, k := range append(at, 0) {
			list[k] = 0
		}
		return list
	}
	for _, tt := range []struct {
		want   uint32
		window int
		list   []uint32
	}{
		{1, 42, stream(42)}, {2, 42, stream(43)}, {1, 42, stream(30, 59)}, {2, 42, stream(43, 59)},
		{1, 43, stream(43)}, {2, 1, stream(2)}, {1, 1, stream(1)}, {1, 96, stream(59)},
	} {
		require.Equal(t, tt.want, count(t, "nv-96-32", Params{Window: tt.window}, tt.list...)[0], "%+v", tt)
	}
	require.Empty(t, twice(t, count(t, "nv-96-32", Params{}, append(strip(29), 30, 31, 31)...)), "a vertex that a triangle uses twice takes one place")
}

// TestNV96IsDynamicBatching: if the window covers the whole batch, batches close as the paper's
// dynamic ones do, at 96 indices and 32 vertices.
func TestNV96IsDynamicBatching(t *testing.T) {
	t.Parallel()
	all := indextest.Streams()
	all["few"] = indextest.Random(3, 3*400, 12)
	for name, stream := range all {
		counts := make([]uint32, slices.Max(stream)+1)
		batch, length := map[uint32]bool{}, 0
		for triangle := range slices.Chunk(stream, 3) {
			grown := map[uint32]bool{triangle[0]: true, triangle[1]: true, triangle[2]: true}
			for id := range batch {
				grown[id] = true
			}
			if len(grown) > 32 || length == 96 {
				batch, length = map[uint32]bool{}, 0
			}
			for _, id := range triangle {
				if !batch[id] {
					counts[id]++
				}
				batch[id] = true
			}
			length += 3
		}
		require.Equal(t, counts, count(t, "nv-96-32", Params{Window: 96}, stream...), name)
	}
}
