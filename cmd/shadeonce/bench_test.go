package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/tables"
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

// TestBenchOfSeveralFiles: means come last, in every form, and only where there are
// several files.
func TestBenchOfSeveralFiles(t *testing.T) {
	args := []string{"bench", "asset:cube", "asset:sphere3", "--strategy", "naive-index,hash", "--order", "original,random", "--runs", "1"}
	r := call(append(args, "--json")...)
	requireFine(t, r)
	rows := decode(t, r.out)
	require.Len(t, rows, 2*2*2+2*2)
	for i, row := range rows {
		speed, err := row["speed"].(json.Number).Float64()
		require.NoError(t, err)
		require.Positive(t, speed)
		if i < 8 {
			require.Equal(t, []any{"time", "1", ""}, []any{row["kind"], fmt.Sprint(row["files"]), row["worst_file"]})
			continue
		}
		require.Equal(t, []any{"mean", "2", ""}, []any{row["kind"], fmt.Sprint(row["files"]), row["file"]})
		require.Contains(t, []any{"asset:cube", "asset:sphere3"}, row["worst_file"])
		require.Equal(t, []string{"original", "original", "random", "random"}[i-8], row["order"])
	}
	one := call("bench", "asset:cube", "--strategy", "naive-index,hash", "--order", "original,random", "--runs", "1", "--json")
	requireFine(t, one)
	require.Len(t, decode(t, one.out), 4)
	table := call(args...)
	requireFine(t, table)
	require.Regexp(t, `(?m)^random +simple +hash +2 +\S+ +\S+ +asset:`, table.out)
	lines := call(append(args, "--benchstat")...)
	requireFine(t, lines)
	require.NotContains(t, lines.out, "mean")
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

// TestVsNaive: times are shown relative to the fastest form without reuse of the same
// file, order and load; above 1 is slower.
func TestVsNaive(t *testing.T) {
	var rows []measure.GeometryRow
	add := func(order, strategy, load string, ms float64) {
		rows = append(rows, measure.GeometryRow{File: "a", Order: order, Strategy: strategy, Load: load, MsMedian: ms, Runs: 1})
	}
	add("original", "naive", "simple", 8)
	add("original", "naive-index", "simple", 4)
	add("original", "hash", "simple", 3)
	add("original", "sort", "simple", 6)
	add("original", "naive", "skin", 100)
	add("forsyth", "naive-index", "simple", 1)
	add("forsyth", "hash", "simple", 2)
	add("original", "hash", "displace", 5)
	var text strings.Builder
	require.NoError(t, tables.WriteBench(&text, rows))
	lines := strings.Split(text.String(), "\n")
	column := func(line string) string {
		at := strings.Index(lines[0], "vs no reuse") + len("vs no reuse") // right-aligned
		fields := strings.Fields(line[:at])
		return fields[len(fields)-1]
	}
	require.Equal(t, "reuse", column(lines[0]))
	var relative []string
	for _, line := range lines[1 : 1+len(rows)] {
		relative = append(relative, column(line))
	}
	require.Equal(t, []string{"2.00", "1.00", "0.75", "1.50", "1.00", "1.00", "2.00", "-"}, relative)
}
