package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// analyses runs analyze with --json; numbers keep their spelling.
func analyses(t testing.TB, args ...string) []map[string]any {
	t.Helper()
	r := fine(t, append([]string{"analyze", "--json"}, args...)...)
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

func TestAnalyzeEscapesNamesInTables(t *testing.T) {
	t.Parallel()
	r := fine(t, "analyze", writeFile(t, "a\x1b[2J\nb.obj", oneTriangle), "--backend", "cpu")
	require.Contains(t, r.out, `a\x1b[2J\nb.obj`)
	require.NotContains(t, r.out, "\x1b")
}

// A GPU's counts equal the reference's: the rows differ only in backend and device.
func TestAnalyzeOnTheGPUEqualsTheCPU(t *testing.T) {
	for i, flags := range [][]string{{}, {"--lanes", "8", "--batch", "30"}, {"--lanes", "64", "--subgroups", "virtual"}} {
		scenes := append([]string{"asset:soup", "asset:city2"}, flags...)
		if testing.Short() && i > 0 { // every strategy has to be compiled
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
	r := fine(t, onGPU("analyze", "asset:cube")...)
	require.Contains(t, r.out, "the counts of every vertex equal the CPU reference")
}

func TestUnknownDevice(t *testing.T) {
	for _, backend := range []string{"auto", "gpu"} {
		requireFailure(t, cli.ExitFailure, `no device "no such card"; there is 0: `,
			callRoot(newRoot(nil), "analyze", "asset:cube", "--backend", backend, "--device", "no such card"))
	}
}

// analyze succeeds with each hostile glTF file, or fails with one line.
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

func TestAnalyzeModelsAlone(t *testing.T) {
	r := finish(t, process(t, noDriver, "analyze", "asset:cube", "--strategy", "none", "--model", "lru:4,ideal"))
	requireFine(t, r) // no message about a GPU, since no pass runs
	lines := strings.Split(r.out, "\n")
	require.Equal(t, strings.Fields("asset:cube original lru:4 - - 12 24 0.3333 0.3333 2.000 1.000 - 100 0 0 0 0 0"), strings.Fields(lines[1]))
	require.Equal(t, strings.Fields("asset:cube original ideal - - 12 24 0.3333 0.3333 2.000 1.000 - 100 0 0 0 0 0"), strings.Fields(lines[2]))
	require.Contains(t, r.out, "models, of which no device promises anything")
	require.NotContains(t, r.out, "CPU reference")
	require.Equal(t, analyses(t, "asset:knot", "--backend", "cpu", "--strategy", "none", "--model", "all"),
		analyses(t, onGPU("asset:knot", "--strategy", "none", "--model", "all")...), "the backend has no part in it")
}

// TestAutoAsNamed: in bench, render, analyze and apps, auto gives the counts and pictures of the strategy that it
// picks, and a reason.
func TestAutoAsNamed(t *testing.T) {
	rows := func(args ...string) []map[string]any {
		r := fine(t, append(args, "--json")...)
		return decode(t, r.out)
	}
	same := func(auto, named map[string]any, fields string) {
		t.Helper()
		for _, field := range strings.Fields(fields) {
			require.Equal(t, named[field], auto[field], field)
		}
		require.Equal(t, "auto", auto["strategy"])
		require.Equal(t, named["strategy"], auto["picked"])
		require.Contains(t, auto["reason"], fmt.Sprintf("auto: %s: ", named["strategy"]))
		require.Empty(t, named["picked"])
		require.Empty(t, named["reason"])
	}
	const counts = "lanes batching batch unique invocations reuse"
	for _, load := range []string{"simple", "4096"} {
		auto := rows("bench", "asset:sphere3", "--strategy", "auto", "--load", load, "--runs", "1")[0]
		picked := fmt.Sprint(auto["picked"])
		named := rows("bench", "asset:sphere3", "--strategy", picked, "--load", load, "--runs", "1")[0]
		same(auto, named, counts)

		folder := t.TempDir()
		picture := func(strategy string) []byte {
			path := filepath.Join(folder, strategy+".png")
			r := fine(t, "render", "asset:sphere3", "--strategy", strategy, "--load", load, "--size", "64x48", "-o", path)
			require.Equal(t, strategy == "auto", strings.Contains(r.out, "auto: "+picked+": "), r.out)
			require.Regexp(t, "(?m)^--raster auto: (hardware|compute|fused): ", r.out, "why this host")
			return must.Get(os.ReadFile(path))
		}
		require.Equal(t, picture(picked), picture("auto"))
		same(rows("render", "asset:sphere3", "--strategy", "auto", "--load", load, "--size", "64x48", "--repeat", "1")[0],
			rows("render", "asset:sphere3", "--strategy", picked, "--load", load, "--size", "64x48", "--repeat", "1")[0], "batch raster raster_reason")
	}
	analyzed := rows("analyze", "asset:sphere3", "--strategy", "auto")[0]
	same(analyzed, rows("analyze", "asset:sphere3", "--strategy", fmt.Sprint(analyzed["picked"]))[0], counts)
	frame := rows("bench", "--frame", "asset:sphere3", "--strategy", "auto", "--raster", "auto", "--size", "64x48", "--runs", "1")[0]
	require.Equal(t, "auto", frame["strategy"])
	require.Contains(t, frame["raster_reason"], fmt.Sprintf("auto: %s: ", frame["raster"]))

	out := filepath.Join(t.TempDir(), "fine.ply")
	app := rows("apps", "subdivide", "asset:sphere3", "-o", out, "--strategy", "auto")[0]
	same(app, rows("apps", "subdivide", "asset:sphere3", "-o", out, "--strategy", fmt.Sprint(app["picked"]))[0], counts+" hash")
}

// If sizes do not fit the device's shared memory, the error names sizes that do fit.
func TestSizesThatFitAreNamed(t *testing.T) {
	render := func(unique string) result {
		return call("render", "asset:cube", "--plan", "--backend", "gpu", "--strategy", "hash", "--batch", "3072", "--queue", "expanded", "--unique", unique)
	}
	r := render("1024")
	if r.status == 0 {
		t.Skip("the device has shared memory for more than any batch takes")
	}
	requireFailure(t, cli.ExitUsage, "of shared memory, the device has", r)
	found := regexp.MustCompile(`at most (\d+) unique vertices per batch, or batches of at most (\d+) indices would fit`).FindStringSubmatch(r.errors)
	require.Len(t, found, 3, r.errors)
	requireFine(t, render(found[1]))
	most := must.Get(strconv.Atoi(found[1]))
	requireFailure(t, cli.ExitUsage, "would fit", render(strconv.Itoa(most+1)))
	requireFailure(t, cli.ExitUsage, "would fit", call("bench", "no such file", "--strategy", "hash", "--batch", "3072", "--queue", "expanded", "--unique", "1024"))
}
