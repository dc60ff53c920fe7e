package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// analyses runs analyze with --json; numbers keep their spelling.
func analyses(t testing.TB, args ...string) []map[string]any {
	t.Helper()
	r := call(append([]string{"analyze", "--json"}, args...)...)
	requireFine(t, r)
	return decode(t, r.out)
}

func decode(t testing.TB, text string) []map[string]any {
	t.Helper()
	var rows []map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&rows))
	require.False(t, d.More(), "one array")
	require.NotNil(t, rows)
	return rows
}

func TestAnalyzeJSONFields(t *testing.T) {
	t.Parallel()
	rows := analyses(t, "asset:cube", "--backend", "cpu")
	require.Len(t, rows, len(reuse.Strategies))
	for _, row := range rows {
		var names []string
		for name := range row {
			names = append(names, name)
		}
		require.ElementsMatch(t, strings.Fields("schema file order strategy lanes batching batch unique backend device draws vertices referenced "+
			"triangles indices invocations reuse ideal acmr atvr lane_utilization histogram kind picked reason version commit"), names)
	}
	naive := rows[0]
	for name, want := range map[string]string{
		"schema": "1", "file": "asset:cube", "order": "original", "strategy": "naive", "lanes": "32", "batch": "96", "unique": "96",
		"backend": "cpu", "draws": "1", "vertices": "24", "referenced": "24", "triangles": "12", "indices": "36",
		"invocations": "36", "reuse": "0", "ideal": "0.33333333333333337", "acmr": "3", "atvr": "1.5", "histogram": "[0 12 12]",
	} {
		require.Equal(t, want, fmt.Sprint(naive[name]), name)
	}
	require.Equal(t, "24", fmt.Sprint(rows[slices.Index(reuse.Names(), "warp")]["invocations"]))
	require.Equal(t, "[0 24]", fmt.Sprint(rows[slices.Index(reuse.Names(), "warp")]["histogram"]))
}

func TestAnalyzeCSVEqualsJSON(t *testing.T) {
	t.Parallel()
	args := []string{"asset:soup", "asset:tree3", "--backend", "cpu", "--lanes", "8"}
	r := call(append([]string{"analyze", "--csv"}, args...)...)
	requireFine(t, r)
	records, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	require.NoError(t, err)
	rows := analyses(t, args...)
	require.Len(t, records, 1+len(rows))
	for i, row := range rows {
		require.Len(t, records[0], len(row))
		for k, name := range records[0] {
			want := strings.Trim(fmt.Sprint(row[name]), "[]")
			require.Equal(t, want, records[i+1][k], "row %d, %s", i, name)
		}
	}
}

func TestAnalyzeTable(t *testing.T) {
	t.Parallel()
	r := call("analyze", "asset:sphere4", "--backend", "cpu", "--batching", "dynamic")
	requireFine(t, r)
	lines := strings.Split(r.out, "\n")
	require.Equal(t, []string{"file", "order", "strategy", "lanes", "batch", "triangles", "invocations", "ideal", "reuse", "ACMR", "ATVR", "used",
		"1x", "2x", "3x", "4x", "5x", "6x+"}, strings.Fields(lines[0]))
	warp := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, " warp ") })
	require.Positive(t, warp)
	require.Equal(t, []string{"asset:sphere4", "original", "warp", "32", "96", "5120", "4320", "0.8332", "0.7188", "0.844", "1.686", "84%",
		"47", "47", "0", "5", "0", "1"}, strings.Fields(lines[warp]))
	require.Contains(t, r.out, " 1023/256 ", "dynamic batches show both bounds")
	for _, line := range lines[:3] {
		require.LessOrEqual(t, len(line), 140)
		require.Len(t, line, len(lines[0]), "numbers end in one column")
	}
}

func TestAnalyzeOrdersAndBatching(t *testing.T) {
	t.Parallel()
	rows := analyses(t, "asset:terrain24", "--backend", "cpu", "--strategy", "warp,hash", "--order", "random,forsyth+fetch", "--unique", "64", "--batching", "dynamic")
	require.Len(t, rows, 4)
	reuseOf := map[string]float64{}
	for _, row := range rows {
		key := fmt.Sprint(row["order"], " ", row["strategy"], " ", row["batching"], " ", row["unique"])
		number, err := row["reuse"].(json.Number).Float64()
		require.NoError(t, err)
		reuseOf[key] = number
	}
	require.Len(t, reuseOf, 4)
	require.Greater(t, reuseOf["forsyth+fetch hash dynamic 64"], .6)
	require.Greater(t, reuseOf["forsyth+fetch hash dynamic 64"], reuseOf["random hash dynamic 64"])
	require.Greater(t, reuseOf["forsyth+fetch warp static 32"], reuseOf["random warp static 32"])
}

func TestAnalyzeEscapesNamesInTables(t *testing.T) {
	t.Parallel()
	r := call("analyze", writeFile(t, "a\x1b[2J\nb.obj", oneTriangle), "--backend", "cpu")
	requireFine(t, r)
	require.Contains(t, r.out, `a\x1b[2J\nb.obj`)
	require.NotContains(t, r.out, "\x1b")
}

func TestAnalyzeStrategiesLanesAndBatches(t *testing.T) {
	t.Parallel()
	pick := func(rows []map[string]any, name string) (list []string) {
		for _, row := range rows {
			list = append(list, fmt.Sprint(row[name]))
		}
		return list
	}
	all := analyses(t, "asset:knot24", "--backend", "cpu", "--strategy", "all")
	require.Equal(t, reuse.Names(), pick(all, "strategy"))
	require.Equal(t, all, analyses(t, "asset:knot24", "--backend", "cpu"), "all is the default")
	require.Equal(t, []string{"warp", "naive"}, pick(analyses(t, "asset:cube", "--backend", "cpu", "--strategy", "warp,naive"), "strategy"))
	for _, lanes := range reuse.LaneCounts {
		row := analyses(t, "asset:knot24", "--backend", "cpu", "--strategy", "warp", "--lanes", fmt.Sprint(lanes))[0]
		require.Equal(t, fmt.Sprint(lanes), fmt.Sprint(row["lanes"]))
		require.Equal(t, fmt.Sprint(3*lanes), fmt.Sprint(row["batch"]))
	}
	few := analyses(t, "asset:knot24", "--backend", "cpu", "--strategy", "warp", "--batch", "3")[0]
	require.Equal(t, "3", fmt.Sprint(few["batch"]))
	require.Equal(t, few["indices"], few["invocations"], "a batch of one triangle has nothing to reuse")
}

func TestAnalyzeSeveralFiles(t *testing.T) {
	t.Parallel()
	file := writeFile(t, "one.obj", oneTriangle)
	rows := analyses(t, "asset:cube", file, "asset:cube", "--backend", "cpu", "--strategy", "warp")
	require.Len(t, rows, 3)
	require.Equal(t, rows[0], rows[2])
	require.Equal(t, file, rows[1]["file"])
	require.Equal(t, "1", fmt.Sprint(rows[1]["triangles"]))
}

// A GPU's counts are those of the reference: but for who says so, both rows are one.
func TestAnalyzeOnTheGPUEqualsTheCPU(t *testing.T) {
	for i, flags := range [][]string{{}, {"--lanes", "8", "--batch", "30"}, {"--lanes", "64", "--subgroups", "virtual"}} {
		scenes := append([]string{"asset:soup", "asset:city2"}, flags...)
		if testing.Short() && i > 0 { // each strategy is compiled anew
			scenes = append(scenes, "--strategy", "warp,hash")
		}
		onCPU, gpu := analyses(t, append(scenes, "--backend", "cpu")...), analyses(t, onGPU(scenes...)...)
		for i := range gpu {
			require.Equal(t, "gpu", gpu[i]["backend"])
			require.NotEqual(t, onCPU[i]["device"], gpu[i]["device"])
			gpu[i]["backend"], gpu[i]["device"] = onCPU[i]["backend"], onCPU[i]["device"]
		}
		require.Equal(t, onCPU, gpu)
	}
	r := call(onGPU("analyze", "asset:cube")...)
	requireFine(t, r)
	require.Contains(t, r.out, "the counts of every vertex equal the CPU reference")
}

func TestUnknownDevice(t *testing.T) {
	for _, backend := range []string{"auto", "gpu"} {
		requireFailure(t, cli.ExitFailure, `no device "no such card"; there is 0: `,
			callRoot(newRoot(nil), "analyze", "asset:cube", "--backend", backend, "--device", "no such card"))
	}
}

// Every file of the folder of hostile files ends in success or one line.
func TestHostileFolder(t *testing.T) {
	t.Parallel()
	folder := shareddata.Path(t, "hostile", "gltf")
	seen := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen++
		r := call("analyze", "--backend", "cpu", "--strategy", "naive", "--json", path)
		if r.status != 0 {
			requireFailure(t, cli.ExitFailure, d.Name(), r)
		} else {
			require.Len(t, decode(t, r.out), 1)
		}
		return nil
	}))
	require.Positive(t, seen)
}

// draws is an OBJ of three draws: a strip that is reused well, two triangles
// that share an edge, and two that share nothing.
func draws(t testing.TB) string {
	t.Helper()
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "v %d 0 0\nv %d 1 0\n", i, i)
	}
	text.WriteString("g apart\nf 1 2 3\nf 4 5 6\ng strip\n")
	for i := 1; i < 38; i++ {
		fmt.Fprintf(&text, "f %d %d %d\n", i, i+1, i+2)
	}
	text.WriteString("g edge\nf 1 2 3\nf 2 3 4\n")
	path := filepath.Join(t.TempDir(), "draws.obj")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
	return path
}

func TestPerDraw(t *testing.T) {
	t.Parallel()
	path := draws(t)
	rows := analyses(t, path, "--per-draw", "--strategy", "naive,warp", "--backend", "cpu")
	require.Len(t, rows, 6)
	for i, want := range []string{
		"1 strip 1 37 naive 111 72 0", "1 strip 1 37 warp 43 4 0.61",
		"0 apart 1 2 naive 6 0 0", "0 apart 1 2 warp 6 0 0",
		"2 edge 1 2 naive 6 2 0", "2 edge 1 2 warp 4 0",
	} {
		r := rows[i]
		got := fmt.Sprint(r["draw"], " ", r["name"], " ", r["instances"], " ", r["triangles"], " ", r["strategy"], " ", r["invocations"], " ", r["lost"], " ", r["reuse"])
		require.True(t, strings.HasPrefix(got, want), "row %d is %s", i, got)
		require.Equal(t, path, r["file"])
	}
	// Of the strip, iterations of 32 and 4 vertices, and a second batch of 7.
	// What the draws add up to is what the file has.
	whole := analyses(t, path, "--strategy", "warp", "--backend", "cpu")
	require.Equal(t, "53", fmt.Sprint(whole[0]["invocations"]))
	require.Equal(t, "49", fmt.Sprint(whole[0]["referenced"]))
}

func TestPerDrawSort(t *testing.T) {
	t.Parallel()
	path := draws(t)
	for by, want := range map[string]string{"triangles": "strip apart edge", "reuse": "apart edge strip", "lost": "strip apart edge"} {
		rows := analyses(t, path, "--per-draw", "--strategy", "warp", "--backend", "cpu", "--sort", by)
		var names []string
		for _, r := range rows {
			names = append(names, r["name"].(string))
		}
		require.Equal(t, want, strings.Join(names, " "), by)
	}
}

func TestPerDrawTable(t *testing.T) {
	t.Parallel()
	path := draws(t)
	r := call("analyze", path, "--per-draw", "--strategy", "naive,warp", "--backend", "cpu")
	requireFine(t, r)
	lines := strings.Split(r.out, "\n")
	require.Equal(t, strings.Fields("draw name instances triangles ideal naive warp lost"), strings.Fields(lines[0]))
	require.Equal(t, strings.Fields("1 strip 1 37 0.6486 0.0000 0.6126 72"), strings.Fields(lines[1]))
	require.Contains(t, r.out, path+", order original: 3 draws, 41 triangles, 74 invocations lost\nlost: invocations of naive")
	two := call("analyze", path, "asset:cube", "--per-draw", "--strategy", "warp", "--backend", "cpu")
	requireFine(t, two)
	require.Equal(t, "file", strings.Fields(two.out)[0])
	require.Contains(t, two.out, "\nasset:cube ")
}

func TestPerDrawCSVAndModels(t *testing.T) {
	t.Parallel()
	r := call("analyze", draws(t), "--per-draw", "--strategy", "none", "--model", "ideal,lru:4", "--csv")
	requireFine(t, r)
	records, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 1+6)
	require.Equal(t, strings.Fields("schema file order draw name instances triangles indices referenced ideal strategy kind lanes batch invocations lost reuse placed residual shader steps saved vertex_ns simple_ns naive_us us picked reason version commit"), records[0])
	require.Equal(t, "ideal", records[1][10])
	require.Equal(t, "0", records[1][15], "nothing is lost")
}

// TestPerDrawInstances has a draw twice: one row.
func TestPerDrawInstances(t *testing.T) {
	t.Parallel()
	rows := analyses(t, "asset:city", "--per-draw", "--strategy", "warp", "--backend", "cpu")
	sum, most := 0.0, 0.0
	for _, r := range rows {
		n := number(t, r["triangles"])
		sum += n
		most = max(most, number(t, r["instances"]))
	}
	require.Greater(t, most, 1.0)
	whole := analyses(t, "asset:city", "--strategy", "warp", "--backend", "cpu")
	require.Equal(t, number(t, whole[0]["triangles"]), sum)
}

func TestMaxIdeal(t *testing.T) {
	t.Parallel()
	path := draws(t)
	rows := analyses(t, path, "--per-draw", "--max-ideal", "0.4", "--strategy", "warp", "--backend", "cpu")
	require.Len(t, rows, 2)
	require.Equal(t, "0 apart", fmt.Sprint(rows[0]["draw"], " ", rows[0]["name"]))
	require.Equal(t, "2 edge", fmt.Sprint(rows[1]["draw"], " ", rows[1]["name"]), "numbers are those in the file")
	whole := analyses(t, path, "--max-ideal", "0.4", "--strategy", "warp", "--backend", "cpu")
	require.Equal(t, "4 2", fmt.Sprint(whole[0]["triangles"], " ", whole[0]["draws"]))
	require.Equal(t, "1", fmt.Sprint(analyses(t, path, "--max-ideal", "0.3333", "--strategy", "warp", "--backend", "cpu")[0]["draws"]), "below, not at")
	requireFailure(t, 1, "no draw has an ideal reuse below 0", call("analyze", path, "--max-ideal", "0", "--backend", "cpu"))
}

func TestPerDrawUsage(t *testing.T) {
	t.Parallel()
	requireFailure(t, 2, "did you mean lost", call("analyze", "asset:cube", "--per-draw", "--sort", "last"))
	requireFailure(t, 2, "--per-draw", call("analyze", "asset:cube", "--sort", "lost"))
	requireFailure(t, 2, "--max-ideal", call("analyze", "asset:cube", "--max-ideal", "NaN"))
	requireFailure(t, 2, "--max-ideal", call("analyze", "asset:cube", "--max-ideal", "2"))
}
