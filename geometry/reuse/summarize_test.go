package reuse

import (
	"runtime"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
	"github.com/shadeonce/shadeonce/internal/shape"
)

// checkSummary compares Summarize with the counts of Analyze.
func checkSummary(t *testing.T, s *geometry.Scene, c Config) {
	want, counts := must.Get2(Analyze(s, c))
	got, sums := must.Get2(Summarize(s, c))
	require.Equal(t, want, got, c.String())
	require.Len(t, sums, len(s.Draws))
	named := shape.Referenced(s)
	for i, offset := range CountOffsets(s) {
		sum, referenced := DrawSum{}, make([]bool, s.Draws[i].VertexCount)
		require.NoError(t, name(referenced, s.DrawIndices(i)))
		for v := range s.Draws[i].VertexCount {
			sum.Invocations += int(counts[offset+v])
			if referenced[v] {
				sum.Referenced++
			}
		}
		require.Equal(t, sum, sums[i])
		require.Equal(t, sum.Referenced, named[i])
	}
}

func TestSummarizeIsAnalyze(t *testing.T) {
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		s := indextest.ManyDraws(seed)
		for i := range 10 { // instances, and one that references fewer vertices
			s.Draws = append(s.Draws, s.Draws[3*i])
		}
		s.Draws = append(s.Draws, geometry.Draw{FirstIndex: 3, VertexCount: 7})
		configs(t, func(c Config) { checkSummary(t, s, c) })
	}
	configs(t, func(c Config) {
		for _, s := range []*geometry.Scene{{}, indextest.Scene(nil), indextest.Scene([]uint32{0, 0, 0})} {
			checkSummary(t, s, c)
		}
	})
}

// TestSummarizeOnAllCores summarizes a draw that several cores process, with a vertex that is shaded more often than
// the histogram distinguishes.
func TestSummarizeOnAllCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	indices := indextest.Grid(300, 300, 300)
	for k := range 3 * (histogramCap + 100) {
		indices = append(indices, uint32(k%7)*uint32(k%2))
	}
	s := indextest.Scene(indices)
	less := s.Draws[0] // a draw with fewer indices, whose counts must begin at zero again
	less.FirstIndex, less.IndexCount = less.FirstIndex+3, less.IndexCount-3
	s.Draws = append(s.Draws, s.Draws[0], less)
	for _, strategy := range Strategies {
		for _, c := range strategy.Variants() {
			if c.Lanes == 0 || c.Lanes == DefaultLanes {
				checkSummary(t, s, c)
			}
		}
	}
}

// TestSummarizeMemory: an instance takes less than 32 bytes, and a draw a byte per vertex for its counts. References take
// some memory per batch and free it.
func TestSummarizeMemory(t *testing.T) {
	s := indextest.Scene(indextest.Grid(100, 100, 100))
	c := must.Get(Resolve("multi", 0, 0)) // the strategy multi allocates nothing itself
	one := allocatedBy(func() { must.Get2(Summarize(s, c)) })
	require.Less(t, one, s.DrawVertices()+100_000)
	s.Draws = slices.Repeat(s.Draws, 1000)
	many := allocatedBy(func() { must.Get2(Summarize(s, c)) })
	require.Less(t, many, one+1000*32)
}

func allocatedBy(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestSummarizeCatchesAStrategyThatLeavesOut: a vertex that is referenced but not shaded shows up
// in the histogram.
func TestSummarizeCatchesAStrategyThatLeavesOut(t *testing.T) {
	broken := naive
	broken.Reference = func(Config, []uint32, func(*Iteration)) {}
	c := Config{Strategy: &broken, Lanes: 32, Batch: 96}
	s := indextest.Scene([]uint32{0, 1, 2})
	s.Draws[0].Transform = mgl32.Ident4()
	st, _ := must.Get2(Summarize(s, c))
	require.Equal(t, []int{3}, st.Histogram)
	require.Equal(t, 3, st.Referenced)
}

func BenchmarkSummarize(b *testing.B) {
	s := indextest.Scene(indextest.Grid(1000, 1000, 1000))
	for _, strategy := range Strategies {
		c := must.Get(Resolve(strategy.Name, 0, 0))
		for name, run := range map[string]func(){
			"Analyze": func() { must.Get2(Analyze(s, c)) }, "Summarize": func() { must.Get2(Summarize(s, c)) },
		} {
			b.Run(strategy.Name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					run()
				}
			})
		}
	}
}

// TestSummarizeNamesABadIndex: the error gives the index's place in the draw, as that of Analyze does.
func TestSummarizeNamesABadIndex(t *testing.T) {
	s := indextest.Scene(indextest.Grid(30, 30, 30))
	s.Indices[4321] = 1 << 20
	configs(t, func(c Config) {
		_, _, want := Analyze(s, c)
		_, _, got := Summarize(s, c)
		require.ErrorContains(t, want, "index 4321 is 1048576")
		require.EqualError(t, got, want.Error())
	})
}
