package main

import (
	"encoding/csv"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/report"
)

// readReport checks that a folder holds a page and just the files that it
// names, whole, and returns a sheet reader.
func readReport(t *testing.T, folder string) (page string, sheet func(name string) []map[string]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, report.PageName))
	require.NoError(t, err)
	own, ok := report.Owned(data)
	require.True(t, ok)
	requireEmpty(t, folder, own...)
	require.True(t, strings.HasSuffix(string(data), "</html>\n"))
	return string(data), func(name string) []map[string]string {
		file, err := os.Open(filepath.Join(folder, name))
		require.NoError(t, err)
		defer file.Close()
		rows, err := csv.NewReader(file).ReadAll()
		require.NoError(t, err)
		var list []map[string]string
		for _, row := range rows[1:] {
			m := map[string]string{}
			for i, cell := range row {
				m[rows[0][i]] = cell
			}
			list = append(list, m)
		}
		return list
	}
}

// matchesAnalyze holds the report's counts to those that analyze prints.
func matchesAnalyze(t *testing.T, rows []map[string]string) {
	t.Helper()
	r := call("analyze", "asset:cube", "--order", "forsyth", "--strategy", "all", "--backend", "cpu", "--json")
	requireFine(t, r)
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
	if strings.Contains(page, "its vertex shader counted") { // a device that counts is drawn
		require.Equal(t, "hardware", pictures[0]["counters"])
	}
	for _, row := range pictures {
		file, err := os.Open(filepath.Join(folder, row["file"]))
		require.NoError(t, err)
		img, err := png.Decode(file)
		require.NoError(t, err)
		require.Equal(t, 1080, img.Bounds().Dx(), "the large one")
		require.Contains(t, page, `<a href="`+row["file"]+`"><img`)
		file.Close()
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

	// An earlier report is replaced as a whole, whatever its files were.
	old := strings.Replace(page, " models.csv", " models.csv obsolete.csv", 1)
	require.NoError(t, os.WriteFile(filepath.Join(folder, report.PageName), []byte(old), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "obsolete.csv"), nil, 0o666))
	requireFine(t, made())
	readReport(t, folder)
	requireEmpty(t, parent, "report")

	// What is not the report's is not thrown away with it.
	notes := filepath.Join(folder, "notes.txt")
	require.NoError(t, os.WriteFile(notes, []byte("mine"), 0o666))
	requireFailure(t, cli.ExitFailure, "not overwritten: beside a report it holds notes.txt", made())
	require.FileExists(t, notes)
}

func TestReportRefuses(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	folder := filepath.Join(parent, "report")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"report: no output: -o report", []string{"--quick"}},
		{"--runs -1: want 1 to", []string{"-o", folder, "--runs", "-1"}},
		{"--runs 0: want 1 to", []string{"-o", folder, "--runs", "0"}},
		{"--time-budget -1s: want a duration", []string{"-o", folder, "--time-budget", "-1s"}},
		{`invalid argument "soon" for "--time-budget"`, []string{"-o", folder, "--time-budget", "soon"}},
		{`unknown backend "foo"`, []string{"-o", folder, "--backend", "foo"}},
	} {
		requireFailure(t, cli.ExitUsage, c.want, call(append([]string{"report"}, c.args...)...))
	}
	for path, want := range brokenScenes(t) {
		requireFailure(t, cli.ExitFailure, want, call("report", "--quick", "--backend", "cpu", "-o", folder, path))
	}
	requireFailure(t, cli.ExitUsage, "a file name is empty", call("report", "--quick", "--backend", "cpu", "-o", folder, ""))
	requireEmpty(t, parent)

	file := writeFile(t, "mesh.obj", oneTriangle)
	for path, want := range map[string]string{
		file:                                   "mesh.obj: cannot write: it is a file, not a folder",
		filepath.Dir(file):                     "not overwritten: it is a folder with other content than a report",
		filepath.Join(parent, "none", "r"):     "cannot write into folder " + filepath.Join(parent, "none") + ": no such file or directory",
		filepath.Join(file, "r"):               "cannot write: not a directory",
		"/proc/report":                         "/proc/report: cannot write: ",
		filepath.Join(parent, "\x1b[31m", "r"): `\x1b[31m: no such file`,
	} {
		requireFailure(t, cli.ExitFailure, want, call("report", "--quick", "asset:cube", "--backend", "cpu", "-o", path))
	}
	requireEmpty(t, parent)
	requireEmpty(t, filepath.Dir(file), "mesh.obj")
}

// An empty folder that is there is taken, under a link too, and the link stays.
func TestReportIntoEmptyFolder(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	folder, link := filepath.Join(parent, "folder"), filepath.Join(parent, "link")
	require.NoError(t, os.Mkdir(folder, 0o777))
	require.NoError(t, os.Symlink(folder, link))
	files := []report.File{{Name: "a", Data: []byte("a")}}
	require.NoError(t, writeFolder(link, files))
	requireEmpty(t, folder, "a")
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	requireEmpty(t, parent, "folder", "link")
	require.ErrorContains(t, writeFolder(link, files), "other content than a report")

	// A file that cannot be written leaves neither it nor those before it.
	files = append(files, report.File{Name: filepath.Join("none", "b")})
	require.ErrorContains(t, writeFolder(filepath.Join(parent, "fresh"), files), "fresh: cannot write: no such file or directory")
	requireEmpty(t, parent, "folder", "link")
}

func TestReportTimeBudget(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "report")
	args := onGPU("report", "--quick", "-o", folder, "--time-budget", "0s")
	if testing.Short() { // where nothing is given, the sphere is swept and drawn
		args = append(args, "asset:cube")
	}
	requireFine(t, call(args...))
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
