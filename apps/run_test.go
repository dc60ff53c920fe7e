package apps

import (
	"testing"

	"github.com/stretchr/testify/require"
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
	}}
	var got [][2]float64
	for _, r := range run.Rows() {
		got = append(got, [2]float64{r.VsNaive, r.VsNaiveIndex})
	}
	require.Equal(t, [][2]float64{{1, 8. / 6}, {3, 4}, {0, 0}, {6. / 8, 1}, {0, 0}}, got)
}

func TestFits(t *testing.T) {
	t.Parallel()
	require.NoError(t, Fits(1<<20, 1<<20, "three levels"))
	require.EqualError(t, Fits(1<<20+1<<10, 1<<20, "three levels"), "three levels, which take about 1.001 MiB of memory: there is 1 MiB")
}
