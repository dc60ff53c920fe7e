package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/internal/shareddata"
)

// knownFrames are draws, triangles, referenced vertices and ideal reuse of frames
// and of their low-reuse sets, known from a script of another language that
// collects each draw's indices in a set.
var knownFrames = map[string][2]string{
	"oa":                  {"243 16412 16932 0.6561", "116 1033 2113 0.3182"},
	"stk_gl":              {"500 187812 242633 0.5694", "128 35116 70105 0.3345"},
	"stk_gl_abyss":        {"821 1101989 1073871 0.6752", "77 5960 11722 0.3444"},
	"stk_gl_black_forest": {"1875 980745 1251293 0.5747", "425 170164 339943 0.3341"},
	"wz":                  {"121 34130 23732 0.7682", "85 1938 4387 0.2454"},
}

// TestReportOfSharedFrames makes table 1 of every captured frame that is there.
func TestReportOfSharedFrames(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("counting some twenty frames takes seconds")
	}
	files, err := filepath.Glob(filepath.Join(shareddata.Path(t, "captures"), "*.draws.zst"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	folder := filepath.Join(t.TempDir(), "report")
	requireFine(t, call(append([]string{"report", "--quick", "--backend", "cpu", "-o", folder}, files...)...))
	page, sheet := readReport(t, folder)
	rows := sheet("reuse.csv")
	found := idealRows(rows)
	for frame, want := range knownFrames {
		require.Equal(t, want, [2]string{found[frame], found[report.SetName(frame)]}, frame)
	}
	reuse := map[string]map[string]float64{} // by scene and column of the paper
	for _, row := range rows {
		if row["column"] == "" || row["reading"] != "" {
			continue
		}
		if reuse[row["scene"]] == nil {
			reuse[row["scene"]] = map[string]float64{}
		}
		x, err := strconv.ParseFloat(row["reuse"], 64)
		require.NoError(t, err)
		reuse[row["scene"]][row["column"]] = x
	}
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		require.Contains(t, page, ">"+name+"</td>")
		for _, scene := range []string{name, report.SetName(name)} {
			of := reuse[scene]
			require.Len(t, of, len(report.PaperColumns), scene)
			require.Less(t, of[report.ColumnCache64], of[report.ColumnWarp], scene)
			require.LessOrEqual(t, of[report.ColumnWarp], of[report.ColumnDynamic], scene)
			require.LessOrEqual(t, of[report.ColumnDynamic], of[report.ColumnIdeal], scene)
		}
	}
}
