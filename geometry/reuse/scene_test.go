package reuse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

// manyDraws is a scene of draws of all sizes, none at all included, that share
// index ranges and overlap.
func manyDraws(seed uint64) *geometry.Scene {
	r := rand.New(rand.NewPCG(seed, 7))
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, 3000), Indices: make([]uint32, 3*4000)}
	for i := range s.Indices {
		s.Indices[i] = min(uint32(i/7)+r.Uint32N(1+r.Uint32N(300)), 1999)
	}
	for range 40 {
		count := r.IntN(4)
		if count > 0 {
			count = r.IntN(1 << r.IntN(12))
		}
		first := r.IntN(len(s.Indices)/3 - count + 1)
		s.Draws = append(s.Draws, geometry.Draw{
			FirstIndex: uint32(3 * first), IndexCount: uint32(3 * count), VertexOffset: r.Uint32N(1000), VertexCount: 2000, Transform: mgl32.Ident4(),
		})
	}
	if seed%2 == 0 { // the stream begins and ends with nothing
		s.Draws[0].IndexCount, s.Draws[39].IndexCount = 0, 0
	}
	return s
}

// plainDynamicBatches is the definition (paper, section 3.3), with a set a batch.
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

// TestWindowsAreTheTable cuts in windows of random sizes, by a Cutter and by
// BatchesOf, and gets the table of the whole stream.
func TestWindowsAreTheTable(t *testing.T) {
	t.Parallel()
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	same := func(want, got []Batch) {
		t.Helper()
		if !slices.Equal(want, got) {
			require.Equal(t, want, got) // says where
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for seed := range seeds {
		s := manyDraws(seed)
		type kind struct {
			batching      Batching
			batch, unique int
		}
		tables := map[kind][]Batch{}
		configs(t, func(c Config) {
			k := kind{c.Batching, c.Batch, c.Unique}
			want := Batches(s, c)
			if known := tables[k]; known != nil { // strategy and lanes have no part in it
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

// checkWindow requires that a window is as large as it may be, and not larger.
func checkWindow(t *testing.T, window, all []Batch, first, next, triangles int) {
	t.Helper()
	if len(window) == 0 || int(window[0].FirstTriangle) != first { // asked too often for require
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

// TestCutterOfNothing has scenes and draws without triangles.
func TestCutterOfNothing(t *testing.T) {
	configs(t, func(c Config) {
		for _, s := range []*geometry.Scene{{}, scene(nil, nil), {Draws: make([]geometry.Draw, 5)}} {
			window, next := BatchesOf(s, c, 0, 10)
			require.Empty(t, window)
			require.Zero(t, next)
		}
	})
}

// TestCutterMemory: it does not grow with the scene.
func TestCutterMemory(t *testing.T) {
	for _, n := range []int{1, 100} {
		s := &geometry.Scene{Indices: make([]uint32, 3*n*10000)}
		s.Draws = []geometry.Draw{{IndexCount: uint32(len(s.Indices)), VertexCount: 1 << 30}}
		for i := range s.Indices {
			s.Indices[i] = uint32(i) * 7 % (1 << 30)
		}
		c, err := Params{Batching: "dynamic"}.Resolve("hash")
		require.NoError(t, err)
		allocations := testing.AllocsPerRun(1, func() {
			cut := NewCutter(s, c)
			for _, ok := cut.Next(); ok; _, ok = cut.Next() {
			}
		})
		require.LessOrEqual(t, allocations, 2.0)
	}
}

// TestIDSet holds it against a map, also where its rounds begin anew.
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
		s := scene(stripes(wide))
		c, err := Params{Batching: "dynamic"}.Resolve("hash")
		require.NoError(b, err)
		b.Run(fmt.Sprint(wide), func(b *testing.B) {
			for b.Loop() {
				Batches(s, c)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.Indices)), "ns/index")
		})
	}
}

// stripes are the indices of a square grid, row by row.
func stripes(wide uint32) (indices []uint32) {
	for y := range wide {
		for x := range wide {
			v := y*(wide+1) + x
			indices = append(indices, v, v+1, v+wide+1, v+wide+1, v+1, v+wide+2)
		}
	}
	return indices
}
