package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// pasted runs a line in a shell in which shadeonce is this program.
func pasted(t *testing.T, folder, line string) []byte {
	t.Helper()
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", runVariable, must.Get(os.Executable()))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "shadeonce"), []byte(script), 0o777))
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env, cmd.Stderr = folder, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH")), new(bytes.Buffer)
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", line, cmd.Stderr)
	return out
}

// rowsOf reads CSV: a sheet, or the output of one or more runs of a command, each with the header.
func rowsOf(t *testing.T, data []byte) (rows []map[string]string) {
	r := csv.NewReader(bytes.NewReader(data))
	var head []string
	for _, line := range must.Get(r.ReadAll()) {
		if head == nil || line[0] == head[0] {
			head = line
			continue
		}
		row := map[string]string{}
		for i, cell := range line {
			row[head[i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// TestReportSaysWhatIsTrue pastes a page's commands into a shell: the verdict's command makes a mesh as
// good as the page says, and the commands of tables, a sweep and a picture print their figures.
func TestReportSaysWhatIsTrue(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	mesh, written := "it's a mesh.ply", filepath.Join(folder, "page")
	fine(t, "convert", "asset:sphere3", "--order", "random", "-o", filepath.Join(folder, mesh))
	said := pasted(t, folder, "shadeonce report --quick --backend cpu -o page \"it's a mesh.ply\"")
	page, sheet := readReport(t, written)
	page = html.UnescapeString(page)

	verdict := regexp.MustCompile(`every vertex is shaded ([\d.]+) times on average by a GPU like the model (\S+), in (\w+) order ([\d.]+) times\.(.*)</p>\n<p><code>(.*)</code>`).FindStringSubmatch(page)
	require.NotNil(t, verdict)
	require.Contains(t, string(said), verdict[6])
	pasted(t, folder, verdict[6])
	made := regexp.MustCompile(`-o '(.*)'$`).FindStringSubmatch(strings.ReplaceAll(verdict[6], `'\''`, "'"))
	for file, times := range map[string]string{mesh: verdict[1], made[1]: verdict[4]} {
		row := analyses(t, filepath.Join(folder, file), "--strategy", "none", "--model", verdict[2])[0]
		require.Equal(t, times, fmt.Sprintf("%.2f", number(t, row["atvr"])), file)
	}

	commands := func(id string) (lines []string) {
		_, section, _ := strings.Cut(page, `<section id="`+id+`">`)
		section, _, _ = strings.Cut(section, "</section>")
		for _, code := range regexp.MustCompile(`(?m)<code>(.*)</code><br/>$`).FindAllStringSubmatch(section, -1) {
			lines = append(lines, code[1])
		}
		require.NotEmpty(t, lines, id)
		return lines
	}
	for id, key := range map[string]string{"meshes": "atvr", "reuse": "invocations", "uniques": "invocations"} {
		lines, series := commands(id), ""
		if id == "uniques" && testing.Short() { // the program starts 7 times for each line
			lines, series = lines[:1], "384 indices"
		}
		printed := map[string]int{}
		for _, line := range lines {
			for _, row := range rowsOf(t, pasted(t, folder, strings.Replace(line, "asset:sphere6", "asset:sphere3", 1))) {
				if filepath.Base(row["file"]) == mesh {
					printed[row["order"]+" "+row[key]]++
				}
			}
		}
		for _, row := range sheet(id + ".csv") {
			order := row["order"]
			if order == "" {
				order = "forsyth"
			}
			if row["scene"] == mesh && (series == "" || row["series"] == series) && (id != "reuse" || order == "forsyth" && (row["kind"] == "strategy" || row["column"] != "" && row["reading"] == "")) {
				printed[order+" "+row[key]]--
				require.GreaterOrEqual(t, printed[order+" "+row[key]], 0, "%s: %v", id, row)
			}
		}
	}

	counted := map[string]string{}
	for _, row := range sheet("meshes.csv") {
		counted[row["scene"]+row["order"]+row["counter"]] = row["reuse"]
	}
	var drawn map[string]string
	for _, row := range sheet("pictures.csv") {
		for _, counter := range strings.Fields(row["counters"]) {
			require.Equal(t, counted[row["scene"]+row["order"]+counter], row["reuse"], "%s has the batches of the tables", counter)
			if counter == "dynamic" {
				drawn = row
			}
		}
	}
	pasted(t, folder, drawn["command"])
	require.Equal(t, readPicture(t, filepath.Join(written, drawn["file"])), readPicture(t, filepath.Join(folder, drawn["file"])))
}

// TestSameBytesEverywhere: rows of analyze, and all files of a deterministic report, do not depend
// on the folder, the path, or the number of cores.
func TestSameBytesEverywhere(t *testing.T) {
	t.Parallel()
	one, other := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(other, "meshes", "b"), 0o777))
	for folder, names := range map[string][]string{one: {"x.obj", "b/x.obj"}, filepath.Join(other, "meshes"): {"x.obj", "b/x.obj"}} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, "b"), 0o777))
		for i, name := range names {
			fine(t, "convert", fmt.Sprintf("asset:sphere%d", 2+i), "--order", "random", "-o", filepath.Join(folder, name))
		}
	}
	run := func(folder string, cores int, args ...string) []byte {
		cmd := process(t, []string{fmt.Sprint("GOMAXPROCS=", cores), "TMPDIR=" + t.TempDir()}, args...)
		cmd.Dir = folder
		r := finish(t, cmd)
		require.Zero(t, r.status, r.errors)
		return []byte(r.out)
	}
	analyze := []string{"analyze", "--json", "--backend", "cpu", "--order", "original,forsyth,hoppe", "--model", "all", "x.obj", "b/x.obj"}
	require.Equal(t, string(run(one, 1, analyze...)), string(run(filepath.Join(other, "meshes"), 3, analyze...)))

	made := func(folder string) map[string]string {
		files := map[string]string{}
		for _, e := range must.Get(os.ReadDir(folder)) {
			files[e.Name()] = string(must.Get(os.ReadFile(filepath.Join(folder, e.Name()))))
		}
		return files
	}
	said := run(one, 1, "report", "--deterministic", "--quick", "-o", "page", "./x.obj", "b/x.obj")
	require.Contains(t, string(said), "shadeonce convert ./x.obj --order", "a command for this folder")
	run(other, 3, "report", "-o", filepath.Join(other, "p"), "meshes/x.obj", filepath.Join(other, "meshes", "b", "x.obj"), "--quick", "--deterministic", "-q")
	first, second := made(filepath.Join(one, "page")), made(filepath.Join(other, "p"))
	require.Greater(t, len(first), 20)
	require.NotContains(t, first["index.html"], "<dt>date")
	for name, data := range first {
		require.True(t, data == second[name], name)
	}
	require.Len(t, second, len(first))
	require.Equal(t, "scan2/b.obj", fromCommonFolder([]string{"scan/a.obj", "scan2/b.obj"})("scan2/b.obj"), "scan holds only one of them")
}

// TestAnalyzeTakesOwnBatches: analyze does not fit the batches to the device.
func TestAnalyzeTakesOwnBatches(t *testing.T) {
	t.Parallel()
	var f analyzeFlags
	f.add(pflag.NewFlagSet("analyze", pflag.ContinueOnError))
	for _, c := range f.wanted().configs {
		require.False(t, c.FitBatch, c.String())
	}
}
