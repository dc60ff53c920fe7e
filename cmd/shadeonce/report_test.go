package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/report"
)

// readReport checks that a folder has a complete page and exactly the files that the page names. It returns a function
// that reads a CSV sheet.
func readReport(t *testing.T, folder string) (page string, sheet func(name string) []map[string]string) {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(folder, report.PageName)))
	own, ok := report.Owned(data)
	require.True(t, ok)
	requireEmpty(t, folder, own...)
	require.True(t, strings.HasSuffix(string(data), "</html>\n"))
	return string(data), func(name string) []map[string]string {
		return rowsOf(t, must.Get(os.ReadFile(filepath.Join(folder, name))))
	}
}

// matchesAnalyze compares the report's counts of the cube in Forsyth order with those that analyze prints.
func matchesAnalyze(t *testing.T, rows []map[string]string) {
	t.Helper()
	r := fine(t, "analyze", "asset:cube", "--order", "forsyth", "--strategy", "all", "--backend", "cpu", "--json")
	compared := 0
	for _, a := range decode(t, r.out) {
		for _, row := range rows {
			if row["scene"] == "cube" && row["order"] == "forsyth" && row["counter"] == a["strategy"] {
				require.Equal(t, fmt.Sprint(a["invocations"]), row["invocations"], row["counter"])
				require.Equal(t, fmt.Sprint(a["referenced"]), row["referenced"])
				compared++
			}
		}
	}
	require.Equal(t, len(decode(t, r.out)), compared)
}

func TestReport(t *testing.T) {
	parent := t.TempDir()
	folder := filepath.Join(parent, "report")
	builtIn, sphere := assets.All, "sphere6"
	if testing.Short() { // sphere6 takes seconds to time
		builtIn, sphere = slices.Clone(assets.All), "sphere2"
		builtIn[0].Default = 2
	}
	r := callRoot(newReport(devices.session, builtIn), onGPU("--quick", "asset:cube", "-o", folder, "--runs", "1", "--time-budget", "99h")...)
	requireFine(t, r)
	require.Regexp(t, `report: 2 scenes, \d+ counts, \d+ times and \d+ pictures in \d+ files, on .+\n$`, r.out)
	requireEmpty(t, parent, "report")
	page, sheet := readReport(t, folder)
	require.Contains(t, page, "--quick=true")
	require.Contains(t, page, "A quick report")

	matchesAnalyze(t, sheet("reuse.csv"))
	times := sheet("times.csv")
	require.NotEmpty(t, times)
	scenes := map[string]bool{}
	for _, row := range times {
		scenes[row["scene"]] = true
		require.Equal(t, "1", row["runs"])
		require.NotEqual(t, "0", row["ms_median"])
		if row["strategy"] == "naive" {
			require.Equal(t, "1", row["relative"])
		}
	}
	require.Equal(t, map[string]bool{sphere: true, "cube": true}, scenes)

	pictures := sheet("pictures.csv")
	require.NotEmpty(t, pictures)
	if strings.Contains(page, "its vertex shader counted") { // the device counts invocations, so pictures show its counts
		require.Equal(t, "hardware", pictures[0]["counters"])
	}
	again := filepath.Join(t.TempDir(), "again.png")
	fine(t, strings.Fields(strings.Replace(pictures[0]["command"], pictures[0]["file"], again, 1))[1:]...)
	require.True(t, bytes.Equal(must.Get(os.ReadFile(filepath.Join(folder, pictures[0]["file"]))), must.Get(os.ReadFile(again))), pictures[0]["command"])
	if strings.Contains(page, "llvmpipe") { // the counts of a CPU's graphics pipeline do not predict those of a GPU
		require.Contains(t, r.out, "by a GPU like the model nvidia-32-32-32")
	}
	for _, row := range pictures {
		require.Equal(t, 1080, readPicture(t, filepath.Join(folder, row["file"])).Bounds().Dx(), "the large one")
		require.Contains(t, page, `<a href="`+row["file"]+`"><img`)
	}
}

func TestReportOnCPU(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	folder := filepath.Join(parent, "report")
	made := func() result {
		return call("report", "--quick", "asset:cube", "--backend", "cpu", "-o", folder)
	}
	requireFine(t, made())
	page, sheet := readReport(t, folder)
	require.Contains(t, page, "Made without a Vulkan device")
	require.Empty(t, sheet("times.csv"))
	matchesAnalyze(t, sheet("reuse.csv"))

	// A new report replaces an earlier one as a whole, including files that the new one lacks.
	old := strings.Replace(page, " models.csv", " models.csv obsolete.csv", 1)
	require.NoError(t, os.WriteFile(filepath.Join(folder, report.PageName), []byte(old), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "obsolete.csv"), nil, 0o666))
	requireFine(t, made())
	readReport(t, folder)
	requireEmpty(t, parent, "report")

	// A folder with files that are not the report's is left alone.
	notes := filepath.Join(folder, "notes.txt")
	require.NoError(t, os.WriteFile(notes, []byte("mine"), 0o666))
	requireFailure(t, cli.ExitFailure, "not overwritten: beside a report it holds notes.txt", made())
	require.FileExists(t, notes)
}

func TestReportTimeBudget(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "report")
	args := onGPU("report", "--quick", "-o", folder, "--time-budget", "0s")
	if testing.Short() { // without a file, the report sweeps and draws the sphere, which takes longer
		args = append(args, "asset:cube")
	}
	fine(t, args...)
	page, sheet := readReport(t, folder)
	require.Empty(t, sheet("times.csv"))
	require.Regexp(t, "Times of sphere6(, cube)?: with 0s for timing", page)
	require.False(t, strings.Contains(page, "without a Vulkan device"))
	paper := map[string]string{}
	for _, row := range sheet("reuse.csv") {
		if row["scene"] == "sphere6" && row["paper_reuse"] != "" && row["reading"] == "" {
			paper[row["column"]] = row["paper_reuse"]
		}
	}
	require.Equal(t, map[string]string{"ideal": "0.833", "cache 16 KB": "0.063", "cache 32 KB": "0.065", "cache 64 KB": "0.069", "warp": "0.712", "dynamic": "0.795"}, paper)
}

// knownFrames are draws, triangles, referenced vertices and ideal reuse of frames and of their low-reuse
// sets. A script in another language computed them by collecting each draw's indices in a set.
var knownFrames = map[string][2]string{
	"oa":                  {"243 16412 16932 0.6561", "116 1033 2113 0.3182"},
	"stk_gl":              {"500 187812 242633 0.5694", "128 35116 70105 0.3345"},
	"stk_gl_abyss":        {"821 1101989 1073871 0.6752", "77 5960 11722 0.3444"},
	"stk_gl_black_forest": {"1875 980745 1251293 0.5747", "425 170164 339943 0.3341"},
	"wz":                  {"121 34130 23732 0.7682", "85 1938 4387 0.2454"},
}

// TestReportOfSharedFrames makes table 1 for every available captured frame.
func TestReportOfSharedFrames(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("counting some twenty frames takes seconds")
	}
	files := must.Get(filepath.Glob(filepath.Join(shareddata.Path(t, "captures"), "*.draws.zst")))
	require.NotEmpty(t, files)
	folder := filepath.Join(t.TempDir(), "report")
	fine(t, append([]string{"report", "--quick", "--backend", "cpu", "-o", folder}, files...)...)
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
		x := must.Get(strconv.ParseFloat(row["reuse"], 64))
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

// drawsTable writes a frame as a table of draws: a fan with shared vertices, and triangles without.
func drawsTable(t *testing.T) string {
	b := []byte("VRDRAW1\x00")
	word := func(values ...uint32) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	}
	vertices := func(n int) {
		for i := range n {
			word(math.Float32bits(float32(math.Cos(float64(i)))), math.Float32bits(float32(math.Sin(float64(i)))), math.Float32bits(float32(i)))
		}
	}
	word(2)
	word(1, 6, 12)
	vertices(6)
	word(0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5)
	word(2, 9, 9)
	vertices(9)
	word(0, 1, 2, 3, 4, 5, 6, 7, 8)
	path := filepath.Join(t.TempDir(), "frame.draws")
	require.NoError(t, os.WriteFile(path, b, 0o666))
	return path
}

// TestReportOfAFrame: in table 1 a captured frame and its low-reuse set have a table each. The set's table is next to
// the paper's tree.
func TestReportOfAFrame(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "report")
	r := fine(t, "report", "--quick", "asset:cube", drawsTable(t), "--backend", "cpu", "-o", folder)
	require.Contains(t, r.out, "report: 3 scenes,")
	page, sheet := readReport(t, folder)
	require.Contains(t, page, "Captured frames of games")
	require.Contains(t, page, "the draws with ideal reuse below .4, beside the paper&#39;s tree")
	found := idealRows(sheet("reuse.csv"))
	require.Equal(t, "2 6 18 0.0000", found["frame, draws with ideal reuse below 0.4"])
	require.Equal(t, "3 10 24 0.2000", found["frame"])
	require.Contains(t, page, "frame: where warp saves most, 2 of 2 draws")
	draws := sheet("draws.csv")
	require.Len(t, draws, 2*5)
	require.Equal(t, []string{"1", "18", "18"}, []string{draws[9]["draw"], draws[9]["referenced"], draws[9]["invocations"]}, "over both instances")
}

// idealRows are draws, triangles, referenced vertices and ideal reuse, by scene.
func idealRows(sheet []map[string]string) map[string]string {
	found := map[string]string{}
	for _, row := range sheet {
		if ideal, err := strconv.ParseFloat(row["reuse"], 64); err == nil && row["counter"] == "ideal" {
			found[row["scene"]] = fmt.Sprintf("%s %s %s %.4f", row["draws"], row["triangles"], row["referenced"], ideal)
		}
	}
	return found
}
