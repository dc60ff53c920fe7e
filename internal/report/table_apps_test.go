package report

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/measure"
)

// TestApplications shows times beside the paper's tables 3 and 4, as ratios to naive.
func TestApplications(t *testing.T) {
	r := sample()
	row := func(app, scene, strategy string, ms float64) measure.ApplicationRow {
		return measure.ApplicationRow{App: app, File: scene, Part: "level 1", Strategy: strategy, Batching: "static", Batch: 96, Milliseconds: ms, VsNaive: 4 / ms, VsNaiveIndex: 2 / ms, Hash: "0123"}
	}
	r.Applications = []measure.ApplicationRow{
		row("subdivide", "bun.ply", "naive", 4), row("subdivide", "bun.ply", "sort", 2.5), row("walk", "300000 agents", "hash", 1), row("walk", "300000 agents", "claim", 1),
	}
	files := filesOf(t, r)
	read := func(name string) map[string][]string {
		rows, err := csv.NewReader(bytes.NewReader(files[name])).ReadAll()
		require.NoError(t, err)
		table := map[string][]string{}
		for column, title := range rows[0] {
			for _, cells := range rows[1:] {
				table[title] = append(table[title], cells[column])
			}
		}
		return table
	}
	subdivide, walk := read("subdivide.csv"), read("walk.csv")
	require.Equal(t, []string{"1", "1.6"}, subdivide["speed"])
	require.Equal(t, []string{"0.7", "0.57"}, subdivide["paper_ms"])
	require.Equal(t, "1.228", subdivide["paper_speed"][1][:5])
	require.Equal(t, []string{"0.09", ""}, walk["paper_ms"], "the paper has no claim")
	require.Contains(t, string(files[PageName]), "No scene of the paper&#39;s table 4")
}
