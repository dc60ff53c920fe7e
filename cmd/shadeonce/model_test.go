package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse/model"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// labels are the models of --model all, as rows show them.
func labels() (list []string) {
	for _, m := range model.All {
		for _, p := range m.Variants {
			list = append(list, m.Label(p))
		}
	}
	return list
}

func TestAnalyzeModels(t *testing.T) {
	rows := analyses(t, "asset:cube", "asset:sphere2", "--backend", "cpu", "--strategy", "warp,hash", "--order", "original,forsyth", "--model", "all")
	want := append([]string{"warp", "hash"}, labels()...)
	require.Len(t, rows, 4*len(want))
	for i, row := range rows {
		name := want[i%len(want)]
		require.Equal(t, name, row["strategy"])
		require.Equal(t, []string{"asset:cube", "asset:sphere2"}[i/len(want)/2], row["file"])
		require.Equal(t, []string{"original", "forsyth"}[i/len(want)%2], row["order"])
		if i%len(want) < 2 {
			require.Equal(t, "strategy", row["kind"])
			continue
		}
		require.Equal(t, "model", row["kind"])
		for field, want := range map[string]string{"backend": "model", "device": "", "lanes": "0", "batch": "0", "unique": "0", "lane_utilization": "0", "batching": ""} {
			require.Equal(t, want, fmt.Sprint(row[field]), field)
		}
		if name == "ideal" {
			require.Equal(t, row["ideal"], row["reuse"])
			require.Equal(t, row["referenced"], row["invocations"])
		}
	}
}

func TestAnalyzeModelsAlone(t *testing.T) {
	r := finish(t, process(t, noDriver, "analyze", "asset:cube", "--strategy", "none", "--model", "lru:4,ideal"))
	requireFine(t, r) // without a word of a GPU: nothing has to run
	lines := strings.Split(r.out, "\n")
	require.Equal(t, strings.Fields("asset:cube original lru:4 - - 12 24 0.3333 0.3333 2.000 1.000 - 100 0 0 0 0 0"), strings.Fields(lines[1]))
	require.Equal(t, strings.Fields("asset:cube original ideal - - 12 24 0.3333 0.3333 2.000 1.000 - 100 0 0 0 0 0"), strings.Fields(lines[2]))
	require.Contains(t, r.out, "models, of which no device promises anything")
	require.NotContains(t, r.out, "CPU reference")
	require.Equal(t, analyses(t, "asset:knot", "--backend", "cpu", "--strategy", "none", "--model", "all"),
		analyses(t, onGPU("asset:knot", "--strategy", "none", "--model", "all")...), "the backend has no part in it")
}

// TestAutoAsNamed: in every command auto does what the strategy does that it says it
// picked, and says why.
func TestAutoAsNamed(t *testing.T) {
	rows := func(args ...string) []map[string]any {
		r := call(append(args, "--json")...)
		requireFine(t, r)
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
			r := call("render", "asset:sphere3", "--strategy", strategy, "--load", load, "--size", "64x48", "-o", path)
			requireFine(t, r)
			require.Equal(t, strategy == "auto", strings.Contains(r.out, "auto: "+picked+": "), r.out)
			require.Regexp(t, "(?m)^auto: (hardware|compute|fused): ", r.out, "why this host")
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			return data
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

// TestAutoSetsItsSizes: with several strategies the sizes are for the others, alone they
// are refused.
func TestAutoSetsItsSizes(t *testing.T) {
	both := analyses(t, "asset:cube", "--backend", "cpu", "--strategy", "claim,auto", "--batch", "96", "--lanes", "8")
	require.EqualValues(t, "96", fmt.Sprint(both[0]["batch"]))
	require.Equal(t, "auto", both[1]["strategy"])
	all := analyses(t, "asset:cube", "--backend", "cpu", "--strategy", "all,auto")
	require.Equal(t, "auto", all[len(all)-1]["strategy"])
}

// TestSizesThatCannotWork goes through every flag that takes a size, on each
// command that has it: refused as bad usage, in one line that names the range,
// before the file is looked for.
func TestSizesThatCannotWork(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	strategies := []string{"analyze", "bench", "render"}
	const (
		batches = "must be a multiple of 3 from 3 to 3072"
		unique  = "unique vertices per batch: must be 3 to 1024"
		groups  = "must be a power of two from 32 to 1024"
		lanes   = "lanes: must be one of 4 8 16 32 64"
		probes  = "probes: must be 0 to 1024"
		table   = "entries per vertex: must be 1 to 4"
		budget  = "want bytes, or a whole number with KiB, MiB or GiB, from 1 to 1024GiB"
		loads   = "want simple, skin, displace, or 0 to 1048576 cycles"
		pixels  = "want WIDTHxHEIGHT, each 1 to 16384 pixels"
	)
	for _, c := range []struct {
		commands []string
		flag     string
		values   []string
		want     string
	}{
		{strategies, "batch", []string{"0", "1", "95", "-3", "3075", "3000000000"}, batches},
		{strategies, "unique", []string{"0", "2", "-1", "1025"}, unique},
		{strategies, "workgroup", []string{"0", "1", "16", "100", "2048", "-256"}, groups},
		{strategies, "lanes", []string{"0", "5", "128", "-4"}, lanes},
		{strategies, "probes", []string{"-1", "1025"}, probes},
		{strategies, "table", []string{"0", "-1", "5"}, table},
		{strategies, "batching", []string{"dinamic"}, "did you mean dynamic? have static, dynamic"},
		{[]string{"bench"}, "load", []string{"-1", "1048577", "simpel", "1e3", "99999999999999999999"}, loads},
		{[]string{"bench"}, "load", []string{"simple,,256", "simpel"}, loads},
		{[]string{"bench"}, "load", []string{""}, "no --load given: want simple, skin, displace, or 0 to 1048576 cycles"},
		{[]string{"bench"}, "runs", []string{"0", "-1", "100001"}, "want 1 to 100000"},
		{[]string{"bench", "render"}, "queue-budget", []string{"0", "-1MiB", "64MB", "1025GiB", "1.5GiB", ""}, budget},
		{[]string{"bench", "render"}, "device-budget", []string{"0", "-1MiB", "64MB", "1025GiB", "1.5GiB"}, budget},
		{[]string{"render"}, "size", []string{"640", "0x480", "640x-1", "16385x1", ""}, pixels},
		{[]string{"render"}, "repeat", []string{"-1", "100001"}, "want 1 to 100000 frames"},
		{[]string{"analyze"}, "model", []string{"lru:0"}, "must be a number from 1"},
		{[]string{"analyze"}, "model", []string{"lru:1073741825"}, "is out of range 1..1073741824"},
	} {
		for _, command := range c.commands {
			for _, value := range c.values {
				args := []string{command, "no such file", "--" + c.flag + "=" + value}
				t.Run(strings.Join(args, " "), func(t *testing.T) {
					if command == "render" {
						args = append(args, "-o", filepath.Join(folder, "x.png"))
					}
					// Also where the strategy has no use for the size.
					for _, strategy := range []string{"naive", "hash", "claim"} {
						requireFailure(t, cli.ExitUsage, c.want, call(append(args, "--strategy", strategy)...))
					}
					requireEmpty(t, folder)
				})
			}
		}
	}
}

// What does not fit the device's shared memory is told what does, which is true.
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
	most, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	requireFailure(t, cli.ExitUsage, "would fit", render(strconv.Itoa(most+1)))
	requireFailure(t, cli.ExitUsage, "would fit", call("bench", "no such file", "--strategy", "hash", "--batch", "3072", "--queue", "expanded", "--unique", "1024"))
}

func TestSizesAtTheirBounds(t *testing.T) {
	t.Parallel()
	for _, flags := range []string{
		"--strategy naive --batch 3072", "--strategy hash --unique 3 --batch 3", "--strategy hash --workgroup 32", "--strategy hash --workgroup 1024",
		"--strategy hash --batch 1023", "--strategy hash --batch 3072", "--strategy hash --table 1", "--strategy all --table 4",
		"--strategy phash --probes 0", "--strategy phash --probes 1024",
		"--strategy warp --lanes 4", "--strategy warp --lanes 64", "--strategy hash --batching static --batch 1023", "--strategy all --probes 3",
		"--strategy meshlet --unique 256 --batch 3072", "--strategy meshlet --unique 3", "--strategy all --unique 1024",
	} {
		requireFine(t, call(strings.Fields("analyze asset:cube --backend cpu "+flags)...))
	}
	require.Equal(t, cli.ExitFailure, call("analyze", "asset:cube", "--backend", "cpu", "no such file").status)
}
