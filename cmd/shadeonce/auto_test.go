package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
	for _, flag := range []string{"--batch=96", "--unique=64", "--workgroup=64", "--table=1", "--probes=2", "--batching=static"} {
		requireFailure(t, 2, "auto picks batches, workgroup and table with the strategy", call("analyze", "asset:cube", "--strategy", "auto", flag))
	}
	both := analyses(t, "asset:cube", "--backend", "cpu", "--strategy", "claim,auto", "--batch", "96", "--lanes", "8")
	require.EqualValues(t, "96", fmt.Sprint(both[0]["batch"]))
	require.Equal(t, "auto", both[1]["strategy"])
	all := analyses(t, "asset:cube", "--backend", "cpu", "--strategy", "all,auto")
	require.Equal(t, "auto", all[len(all)-1]["strategy"])
}
