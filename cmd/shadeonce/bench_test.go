package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
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

// TestBenchTable has fixed rows in, and the whole text out: "vs naive" is the
// median relative to the fastest strategy without reuse for the same file, order
// and load.
func TestBenchTable(t *testing.T) {
	t.Parallel()
	row := func(file, strategy, load string, ms float64) measure.GeometryRow {
		return measure.GeometryRow{
			File: file, Order: "original", Strategy: strategy, Batch: 96, Unique: 32, Load: load, Triangles: 1000, Invocations: 1500,
			Reuse: .5, MsMedian: ms, MsMin: ms - .5, MsMax: ms + .5, Runs: 3, TrianglesMsS: 1 / ms, GBs: 10, BandwidthShare: .25, BatchingMs: .125,
			On: measure.On{Backend: "gpu", Device: "D", Driver: "1"},
		}
	}
	var text strings.Builder
	require.NoError(t, writeBench(&text, []measure.GeometryRow{
		row("a", "naive", "simple", 8), row("a", "naive-index", "simple", 4), row("a", "hash", "simple", 2), row("a", "warp", "simple", 6),
		row("a", "naive", "256", 16), row("a", "hash", "256", 4), row("b", "hash", "simple", 2),
	}))
	var lines []string
	for line := range strings.Lines(text.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	require.Equal(t, []string{
		"file  order     strategy     batch    load  invocations   reuse      ms     min     max  vs naive  Mtri/s  of copy  batching",
		"a     original  naive        96/32  simple         1500  0.5000   8.000   7.500   8.500      2.00       0      25%      0.12",
		"a     original  naive-index  96/32  simple         1500  0.5000   4.000   3.500   4.500      1.00       0      25%      0.12",
		"a     original  hash         96/32  simple         1500  0.5000   2.000   1.500   2.500      0.50       0      25%      0.12",
		"a     original  warp         96/32  simple         1500  0.5000   6.000   5.500   6.500      1.50       0      25%      0.12",
		"a     original  naive        96/32     256         1500  0.5000  16.000  15.500  16.500      1.00       0      25%      0.12",
		"a     original  hash         96/32     256         1500  0.5000   4.000   3.500   4.500      0.25       0      25%      0.12",
		"b     original  hash         96/32  simple         1500  0.5000   2.000   1.500   2.500         -       0      25%      0.12",
	}, lines[:8])
	require.Contains(t, text.String(), "\nGPU milliseconds of the geometry pass, median of 3; vs naive: relative to the fastest form without reuse here\n")
	require.Contains(t, text.String(), "against the 40 GB/s that a copy moves here\n")
	require.Contains(t, text.String(), "D, driver 1; counts verified before timing\n")
}
