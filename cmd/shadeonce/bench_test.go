package main

import (
	"fmt"
	"slices"
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

	table := call("bench", "asset:cube", "--runs", "1")
	requireFine(t, table)
	for _, name := range reuse.Names() {
		require.Contains(t, table.out, " "+name+" ")
	}
	require.Contains(t, table.out, "counts verified before timing")
}

func TestBenchCutsBatchesOnTheDevice(t *testing.T) {
	r := call("bench", "asset:sphere4", "--strategy", "naive-index,hash,sort", "--batching-on", "device", "--runs", "2", "--json")
	requireFine(t, r)
	rows := decode(t, r.out)
	require.Len(t, rows, 3)
	for i, row := range rows {
		require.Equal(t, []string{"host", "device", "device"}[i], row["batching_on"])
		require.NotEqual(t, "0", fmt.Sprint(row["batching_ms"]))
	}
	r = call("bench", "asset:sphere4", "--strategy", "hash", "--runs", "1", "--csv")
	requireFine(t, r)
	require.Contains(t, r.out, "batching_on,batching_ms")
	require.Contains(t, r.out, ",host,")
}

// TestBatchingOnTheDevice: every command that has a strategy takes the flag.
func TestBatchingOnTheDevice(t *testing.T) {
	requireFine(t, call("analyze", "asset:sphere4", "asset:city6", "--batching-on", "device"))
	r := call("render", "asset:sphere4", "--strategy", "phash", "--batching-on", "device", "--plan")
	requireFine(t, r)
	require.Contains(t, r.out, "pass   batch:next")
	r = call("render", "asset:sphere4", "--strategy", "hash", "--batching-on", "device", "--repeat", "2", "--csv")
	requireFine(t, r)
	require.Contains(t, r.out, ",batch:emit,")
	cut := call("render", "asset:terrain48", "--strategy", "hash", "--batching-on", "device", "--backend", "cpu", "--repeat", "1")
	requireFine(t, cut)
	require.Contains(t, cut.out, "batch:emit")
}

func TestCompareBatches(t *testing.T) {
	want := []reuse.Batch{{IndexCount: 6}, {FirstIndex: 6, IndexCount: 3, FirstTriangle: 2}}
	require.NoError(t, compareBatches(slices.Clone(want), want))
	require.EqualError(t, compareBatches(want[:1], want), "the device cut 1 batches, the host cuts 2")
	got := slices.Clone(want)
	got[1].FirstTriangle = 3
	require.EqualError(t, compareBatches(got, want), "batch 1 differs from the host's: the device cut "+
		"{FirstIndex:6 IndexCount:3 Draw:0 FirstTriangle:3}, the host cuts {FirstIndex:6 IndexCount:3 Draw:0 FirstTriangle:2}")
}

func TestBenchRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		`--load "heavy": want simple, skin, displace, or 0 to 1048576 cycles`: {"--load", "heavy"},
		`--load "-1"`:                                                     {"--load=-1"},
		"--runs 0: want 1 to":                                             {"--runs", "0"},
		`unknown queue form "flat"`:                                       {"--queue", "flat"},
		"4 probes: warp has no second tier":                               {"--strategy", "warp", "--probes", "4"},
		`unknown place of batching "gpu": have host, device`:              {"--batching-on", "gpu"},
		"--batching-on device cuts dynamic batches: warp has static ones": {"--strategy", "warp", "--batching-on", "device"},
		"--batching-on device cuts dynamic batches: hash has static ones": {"--strategy", "hash,sort", "--batching", "static", "--batching-on", "device"},
		"workgroup of 100: must be a power of":                            {"--strategy", "hash", "--workgroup", "100"},
	} {
		r := call(append([]string{"bench", "asset:cube"}, args...)...)
		require.Equal(t, cli.ExitUsage, r.status, strings.Join(args, " "))
		require.Contains(t, r.errors, want)
	}
}
