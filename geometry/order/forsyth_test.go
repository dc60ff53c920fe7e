package order

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomList has triangles over few vertices, some degenerate or repeated, with at most `offered`
// corners at a vertex.
func randomList(t *testing.T, r *rand.Rand, triangles int) List {
	indices := make([]uint32, 3*triangles)
	for k := range indices {
		// Mostly local ids, so that triangles share edges.
		indices[k] = uint32(k/6) + r.Uint32N(7)
	}
	numbers := numbering{number: make([]uint32, len(indices)+8)}
	for v := range numbers.number {
		numbers.number[v] = none
	}
	return numbers.list(t.Context(), indices)
}

// TestForsythIsGreedy compares the search with an exhaustive one: at every step, the triangle
// taken has the best score of all triangles of cached vertices.
func TestForsythIsGreedy(t *testing.T) {
	t.Parallel()
	rounds := 8
	if testing.Short() {
		rounds = 1
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, cache := range []int{MinCache, 12, 96, MaxCache} {
		for range rounds {
			l := randomList(t, r, 400)
			f := newForsyth(t.Context(), l, cache)
			done := make([]bool, l.Triangles())
			next := f.firstPick(t.Context())
			for ; next != none; next = f.search() {
				done[next] = true
				f.use(next)
				requireCache(t, f)
				best, pick := slowSearch(f, done)
				got := f.search()
				require.Equal(t, pick == none, got == none)
				if got != none {
					require.False(t, done[got])
					require.Equal(t, best, f.best)
					require.Equal(t, best, slowScore(f, got))
				}
			}
		}
	}
}

func requireCache(t *testing.T, f *forsythState) {
	cached := 0
	for place, v := range f.lru {
		if f.vertex[v].at != uint32(place) {
			t.Fatalf("vertex %d is at %d, not %d", v, f.vertex[v].at, place)
		}
	}
	for v := range f.vertex {
		if int(f.vertex[v].at) < f.size {
			cached++
		}
		if f.vertex[v].boost != f.boost(f.adj.live[v]) {
			t.Fatalf("vertex %d has boost %d", v, f.vertex[v].boost)
		}
	}
	require.Equal(t, len(f.lru), cached)
}

func slowScore(f *forsythState, t uint32) int32 {
	sum := int32(0)
	for _, v := range f.list.Indices[3*t : 3*t+3] {
		sum += f.vertex[v].boost + cacheScore(int(f.vertex[v].at), f.size)
	}
	return sum
}

func slowSearch(f *forsythState, done []bool) (int32, uint32) {
	best, pick := int32(noScore), none
	for t := range uint32(f.list.Triangles()) {
		in := false
		for _, v := range f.list.Indices[3*t : 3*t+3] {
			in = in || int(f.vertex[v].at) < f.size
		}
		if s := slowScore(f, t); in && !done[t] && s > best {
			best, pick = s, t
		}
	}
	return best, pick
}

func TestPairEdges(t *testing.T) {
	for _, c := range []struct {
		name    string
		indices []uint32
		across  []uint32
	}{
		{"quad", []uint32{0, 1, 2, 2, 1, 3}, []uint32{none, 3, none, 1, none, none}},
		{"same direction", []uint32{0, 1, 2, 1, 2, 3}, []uint32{none, none, none, none, none, none}},
		{"three on an edge", []uint32{0, 1, 2, 1, 0, 3, 1, 0, 4},
			[]uint32{3, none, none, 0, none, none, none, none, none}},
		{"no length", []uint32{0, 0, 1}, []uint32{none, 2, 1}},
		{"no area", []uint32{0, 0, 0}, []uint32{none, none, none}},
	} {
		t.Run(c.name, func(t *testing.T) {
			across := pairEdges(t.Context(), List{Indices: c.indices, Vertices: 5})
			require.Equal(t, c.across, across)
		})
	}
}

// TestHoppeNumbersWrapAround: a simulation whose number wraps around takes what the first one takes, and no triangle for good.
func TestHoppeNumbersWrapAround(t *testing.T) {
	h := newStrips(t.Context(), List{[]uint32{0, 1, 2, 2, 1, 3, 2, 3, 4}, 5}, 16)
	edge := h.firstEdge()
	misses, triangles := h.simulate(edge, 9) // leaves its number, 1, at the triangles
	h.run = processed - 1
	again, of := h.simulate(edge, 9)
	require.Equal(t, []int{5, 3, 5, 3}, []int{misses, triangles, again, of})
	require.NotContains(t, h.visited, int32(processed))
}
