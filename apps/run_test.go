package apps

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// TestRows: rows are compared only with the rows of the naive strategies for the same work.
func TestRows(t *testing.T) {
	t.Parallel()
	run := Run{rows: []Row{
		{Part: "level 1", Strategy: "naive", Milliseconds: 6},
		{Part: "level 1", Strategy: "hash", Milliseconds: 2},
		{Part: "level 2", Strategy: "hash", Milliseconds: 2},
		{Part: "level 1", Strategy: "naive-index", Milliseconds: 8},
		{Part: "level 1", Strategy: "warp"},
		{Part: "level 1", Strategy: "hash", Milliseconds: 2, Order: "random"},
		{Part: "level 1", Strategy: "hash", Milliseconds: 2, File: "other"},
	}}
	var got [][2]float64
	for _, r := range run.Rows() {
		got = append(got, [2]float64{r.VsNaive, r.VsNaiveIndex})
	}
	require.Equal(t, [][2]float64{{1, 8. / 6}, {3, 4}, {0, 0}, {6. / 8, 1}, {0, 0}, {0, 0}, {0, 0}}, got)
}

func TestFits(t *testing.T) {
	t.Parallel()
	require.NoError(t, Fits(1<<20, 1<<20, "three levels"))
	require.EqualError(t, Fits(1<<20+1<<10, 1<<20, "three levels"), "three levels, which take about 1.001 MiB of memory: there is 1 MiB")
	require.Equal(t, bytesize.FreeMemory() > 0, Fits(math.MaxInt64, 0, "three levels") != nil, "the limit is the free memory, if it is known")
}

// TestAddRow: a row has the sums of the streams' statistics. A configuration that Check refuses adds none.
func TestAddRow(t *testing.T) {
	t.Parallel()
	var run Run
	c := must.Get(reuse.Params{Batch: 192, Unique: 64}.Resolve("hash"))
	st := reuse.Stats{Vertices: 10, Referenced: 6, Indices: 24, Invocations: 12}
	run.AddRow(Row{Part: "level 1"}, c, 3*time.Millisecond, st, st)
	run.AddRow(Row{}, reuse.Config{}, time.Second, st)
	require.Equal(t, []Row{{
		Schema: measure.Schema, Program: buildinfo.By(), Part: "level 1", Strategy: "hash", Batches: measure.Batches{Batching: "dynamic", Batch: 192, Unique: 64},
		Milliseconds: 3, IDs: 20, Referenced: 12, Indices: 48, Invocations: 24, Reuse: .5, Ideal: .75,
	}}, run.Rows())
	c.Auto = true
	run.AddRow(Row{}, c, time.Millisecond, st)
	require.Equal(t, [2]string{"auto", "hash"}, [2]string{run.rows[1].Strategy, run.rows[1].Picked})
}

// TestChoose: sizes replace only what they list, and only for the paper the table has the paper's size.
func TestChoose(t *testing.T) {
	t.Parallel()
	sizes := map[string]reuse.Params{"hash": {Batch: 192, Workgroup: 64}}
	hash, claim := must.Get(sizes["hash"].Resolve("hash")), must.Get(reuse.Resolve("claim", 0, 60))
	multi := must.Get(reuse.Params{FitBatch: true}.Resolve("multi"))
	multi.Auto = true
	given := []reuse.Config{must.Get(reuse.Resolve("hash", 0, 0)), claim, must.Get(reuse.Resolve(reuse.Auto, 0, 0))}
	var run, paper Run
	require.NoError(t, run.Choose(given, "multi", sizes, false))
	require.Equal(t, []reuse.Config{hash, claim, multi}, run.Configs)
	require.NoError(t, paper.Choose(given, "hash", sizes, true))
	require.Equal(t, []int{2, 1, 1, 192}, []int{hash.Room, paper.Configs[0].Room, paper.Configs[2].Room, paper.Configs[2].Batch})
	_, err := PaperRun(nil, sizes)
	require.EqualError(t, err, "apps: no device")
	b := &gpu.Backend{}
	run = must.Get(PaperRun(b, sizes))
	require.Same(t, b, run.GPU())
}

// TestSortValues sorts lists that are sorted by comparison and lists that are sorted byte by byte.
func TestSortValues(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1 << 10, 1<<10 + 1, 5000} {
		got := make([]uint64, n)
		for i := range got {
			got[i] = random.Uint64() >> random.IntN(64)
		}
		want := slices.Sorted(slices.Values(got))
		sortValues(got)
		require.True(t, slices.Equal(want, got), n)
	}
}

// TestBadCallsAreErrors: bad arguments are errors, not panics.
func TestBadCallsAreErrors(t *testing.T) {
	t.Parallel()
	ctx, key := t.Context(), func(i int) (uint32, uint64) { return 1, 0 }
	_, few := GroupBy(ctx, 1, 1, key)
	_, none := GroupBy(ctx, -1, 2, key)
	_, bad := NewEdges(ctx, &Mesh{Triangles: []uint32{0, 1, 2}})
	_, _, idle := Pass[int]{}.Run(ctx, reuse.Stream{}, must.Get(reuse.Resolve("warp", 0, 0)))
	for want, err := range map[string]error{
		"no function to call": OnEach(ctx, 1, nil), "groups of -1 items by 2 keys": none, "key 1, and there are 1 keys": few,
		"index 0 is 0, and there are 0 ids": bad, "Pass without Shade": idle,
	} {
		require.ErrorContains(t, err, want)
	}
}
