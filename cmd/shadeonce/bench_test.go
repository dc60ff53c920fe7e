package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
)

func TestBench(t *testing.T) {
	r := call("bench", "asset:sphere3", "--strategy", "naive-index,hash", "--load", "simple,256", "--order", "forsyth", "--runs", "2", "--json")
	requireFine(t, r)
	rows := decode(t, r.out)
	require.Len(t, rows, 4)
	for i, row := range rows {
		require.Equal(t, []string{"naive-index", "hash", "naive-index", "hash"}[i], row["strategy"])
		require.Equal(t, []string{"simple", "simple", "256", "256"}[i], row["load"])
		require.Equal(t, "2", fmt.Sprint(row["runs"]))
		require.Equal(t, "1280", fmt.Sprint(row["triangles"]))
		for _, name := range []string{"ms_median", "ms_min", "ms_max", "mtriangles_s", "gb_s", "bandwidth_share"} {
			require.NotEqual(t, "0", fmt.Sprint(row[name]), name)
		}
	}
	require.Equal(t, "3840", fmt.Sprint(rows[0]["invocations"]))
	// 5 batches of 768 indices; 3840 indices; a position and a
	// place in the queue an invocation; a record a triangle.
	require.Equal(t, fmt.Sprint(5*16+3840*4+3840*(12+16)+1280*8), fmt.Sprint(rows[0]["bytes"]))
	require.NotEqual(t, rows[0]["invocations"], rows[1]["invocations"])
	require.NotEqual(t, "0", fmt.Sprint(rows[1]["batching_ms"]))

	table := call("bench", "asset:cube", "--runs", "1")
	requireFine(t, table)
	for _, name := range reuse.Names() {
		require.Contains(t, table.out, " "+name+" ")
	}
	require.Contains(t, table.out, "counts verified before timing")
}

func TestBenchRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		`--load "heavy": want simple, skin, displace, or 0 to 1048576 cycles`: {"--load", "heavy"},
		`--load "-1"`:                          {"--load=-1"},
		"--runs 0: want 1 to":                  {"--runs", "0"},
		`unknown queue form "flat"`:            {"--queue", "flat"},
		"4 probes: warp has no second tier":    {"--strategy", "warp", "--probes", "4"},
		"workgroup of 100: must be a power of": {"--strategy", "hash", "--workgroup", "100"},
	} {
		r := call(append([]string{"bench", "asset:cube"}, args...)...)
		require.Equal(t, cli.ExitUsage, r.status, strings.Join(args, " "))
		require.Contains(t, r.errors, want)
	}
}
