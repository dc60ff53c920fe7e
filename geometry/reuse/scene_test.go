package reuse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// plainDynamicBatches computes dynamic batches by their definition (paper, section 3.3), with one
// set per batch.
func plainDynamicBatches(s *geometry.Scene, c Config) (batches []Batch) {
	triangle := uint32(0)
	for i := range s.Draws {
		indices, first := s.DrawIndices(i), 0
		for first < len(indices) {
			seen, end := map[uint32]bool{}, first
			for ; end < len(indices) && end-first < c.Batch; end += 3 {
				for _, id := range indices[end : end+3] {
					seen[id] = true
				}
				if len(seen) > c.Unique {
					break
				}
			}
			batches = append(batches, Batch{s.Draws[i].FirstIndex + uint32(first), uint32(end - first), uint32(i), triangle})
			triangle += uint32(end-first) / 3
			first = end
		}
	}
	return batches
}

// TestWindowsAreTheTable cuts the stream into windows of random sizes, with a Cutter and with
// BatchesOf, and requires the batches of the whole stream.
func TestWindowsAreTheTable(t *testing.T) {
	t.Parallel()
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	same := func(want, got []Batch) {
		if !slices.Equal(want, got) {
			require.Equal(t, want, got) // fails with a message that says where the batches differ
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for seed := range seeds {
		s := indextest.ManyDraws(seed)
		type kind struct {
			batching      Batching
			batch, unique int
		}
		tables := map[kind][]Batch{}
		configs(t, func(c Config) {
			k := kind{c.Batching, c.Batch, c.Unique}
			want := Batches(s, c)
			if known := tables[k]; known != nil { // batches do not depend on strategy and lanes
				same(known, want)
				return
			}
			tables[k] = want
			if c.Batching == DynamicBatching {
				same(plainDynamicBatches(s, c), want)
			}
			var table, again []Batch
			cut := NewCutter(s, c)
			most := 1 + r.IntN(1<<r.IntN(13))
			for first := 0; first < s.Triangles(); {
				n := r.IntN(most + 1)
				window, next := BatchesOf(s, c, first, n)
				checkWindow(t, window, want, first, next, n)
				again = append(again, window...)
				before := len(table)
				table = cut.Window(table, n)
				same(window, table[before:])
				require.Equal(t, next, cut.Triangle())
				first = next
			}
			same(want, table)
			same(want, again)
			require.Empty(t, cut.Window(nil, 100))
			window, next := BatchesOf(s, c, s.Triangles(), 100)
			require.Empty(t, window)
			require.Equal(t, s.Triangles(), next)
		})
	}
}

// checkWindow requires that a window is as large as allowed.
func checkWindow(t *testing.T, window, all []Batch, first, next, triangles int) {
	if len(window) == 0 || int(window[0].FirstTriangle) != first { // require would be slow: this runs for every window
		require.Failf(t, "wrong window", "%v: want one from triangle %d", window, first)
	}
	if next-first > triangles {
		require.Len(t, window, 1, "no more than asked for, but for one batch")
	}
	behind, _ := slices.BinarySearchFunc(all, next, func(b Batch, at int) int { return int(b.FirstTriangle) - at })
	if behind < len(all) {
		b := all[behind]
		if int(b.FirstTriangle) == next {
			require.Greater(t, next+int(b.IndexCount)/3-first, triangles, "one more would have fitted")
		}
	}
}

// TestCutterOfNothing cuts empty scenes and draws without triangles.
func TestCutterOfNothing(t *testing.T) {
	configs(t, func(c Config) {
		for _, s := range []*geometry.Scene{{}, indextest.Scene(nil, nil), {Draws: make([]geometry.Draw, 5)}} {
			window, next := BatchesOf(s, c, 0, 10)
			require.Empty(t, window)
			require.Zero(t, next)
		}
	})
}

// TestCutterMemory: a Cutter's memory does not grow with the scene.
func TestCutterMemory(t *testing.T) {
	allocations := map[int]float64{}
	for _, n := range []int{1, 100} {
		s := &geometry.Scene{Indices: make([]uint32, 3*n*10000)}
		s.Draws = []geometry.Draw{{IndexCount: uint32(len(s.Indices)), VertexCount: 1 << 30}}
		for i := range s.Indices {
			s.Indices[i] = uint32(i) * 7 % (1 << 30)
		}
		c := must.Get(Params{Batching: "dynamic"}.Resolve("hash"))
		allocations[n] = testing.AllocsPerRun(1, func() {
			cut := NewCutter(s, c)
			for _, ok := cut.Next(); ok; _, ok = cut.Next() {
			}
		})
	}
	require.Equal(t, allocations[1], allocations[100])
	require.LessOrEqual(t, allocations[1], 6.0) // the Cutter, its set, and the memory of Check
}

// TestIDSet compares idSet with a map, also when the round counter wraps around.
func TestIDSet(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	set := &idSet{}
	for round := range 50 {
		if round == 25 {
			set.round = 1<<32 - 4
		}
		set.clear()
		want := map[uint32]uint16{}
		for len(want) < MaxUnique+3 {
			id := r.Uint32N(1 << (round/3 + 11))
			slot, fresh := set.add(id)
			number, known := want[id]
			if !known {
				number = uint16(len(want))
			}
			require.Equal(t, !known, fresh)
			require.Equal(t, number, slot)
			want[id] = number
			require.Equal(t, len(want), set.count)
		}
	}
}

func BenchmarkDynamicStripes(b *testing.B) {
	for _, wide := range []uint32{100, 3000} {
		s := indextest.Scene(indextest.Grid(wide, wide, wide))
		c := must.Get(Params{Batching: "dynamic"}.Resolve("hash"))
		b.Run(fmt.Sprint(wide), func(b *testing.B) {
			for b.Loop() {
				Batches(s, c)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.Indices)), "ns/index")
		})
	}
}

// TestBadScenesAreNamed: the error of a scene that cannot be counted names the bad draw, and what exists.
func TestBadScenesAreNamed(t *testing.T) {
	for _, c := range []struct {
		draw geometry.Draw
		want string
	}{
		{geometry.Draw{FirstIndex: 3, IndexCount: 3, VertexCount: 3}, ""},
		{geometry.Draw{FirstIndex: 3, IndexCount: 6, VertexCount: 3}, `draw 1 ("bad"): indices 3 to 8, and there are 6`},
		{geometry.Draw{FirstIndex: 2, IndexCount: 4, VertexCount: 3}, `draw 1 ("bad"): 4 indices: must be a multiple of 3 (Triples pads single corners)`},
		{geometry.Draw{FirstIndex: 3, IndexCount: 3, VertexCount: 2}, `draw 1 ("bad"): index 2 is 2, and there are 2 ids`},
		{geometry.Draw{VertexCount: math.MaxInt32 + 1}, `draw 1 ("bad"): 2147483648 ids: must be 0 to 2147483647`},
		{geometry.Draw{VertexCount: math.MaxInt32}, `all draws: 2147483650 ids: must be 0 to 2147483647`},
	} {
		c.draw.Name = "bad"
		got := ""
		if err := CheckScene(&geometry.Scene{Indices: []uint32{0, 1, 2, 0, 1, 2}, Draws: []geometry.Draw{{IndexCount: 6, VertexCount: 3}, c.draw}}); err != nil {
			got = err.Error()
		}
		require.Equal(t, c.want, got)
	}
	require.EqualError(t, CheckScene(nil), "no scene")
}
