package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/measure/print"
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

// TestVsNaive: times are shown relative to the fastest form without reuse of the same
// file, order and load; above 1 is slower.
func TestVsNaive(t *testing.T) {
	var rows []measure.GeometryRow
	add := func(order, strategy, load string, ms float64) {
		rows = append(rows, measure.GeometryRow{Source: measure.Source{File: "a", Order: order}, Strategy: strategy, Load: load, MsMedian: ms, Runs: 1})
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
	require.NoError(t, print.WriteBench(&text, rows))
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

func TestBenchFrame(t *testing.T) {
	r := call("bench", "--frame", "asset:sphere3", "--strategy", "multi,claim,hardware", "--size", "64x48,32x32", "--camera", "fit,far", "--runs", "2", "--json")
	requireFine(t, r)
	rows := decode(t, r.out)
	type key struct{ strategy, raster, size, camera string }
	passes := map[key][]string{}
	for _, row := range rows {
		text := func(name string) string { return fmt.Sprint(row[name]) }
		k := key{text("strategy"), text("raster"), text("width") + "x" + text("height"), text("camera")}
		passes[k] = append(passes[k], text("pass"))
		require.Equal(t, "2", text("runs"))
		require.NotEqual(t, "0", text("ms_median"), text("pass"))
		require.NotEmpty(t, text("commit"))
		require.NotEmpty(t, text("driver"))
	}
	require.Len(t, passes, 5*2*2)
	raw := passes[key{"hardware", "hardware", "32x32", "far"}]
	require.Equal(t, []string{"camera", "raster:raw", "frame", "host"}, raw)
	computed := passes[key{"claim", "compute", "64x48", "fit"}]
	require.Contains(t, computed, "geometry:claim")
	require.Contains(t, computed, "raster:resolve")
	require.Equal(t, []string{"frame", "host"}, computed[len(computed)-2:])

	table := call("bench", "--frame", "asset:cube", "--strategy", "hash,hardware", "--size", "32x32", "--runs", "1")
	requireFine(t, table)
	require.Contains(t, table.out, "pictures compared before timing")
	require.Contains(t, table.out, " 1.00  ", "the graphics pipeline against itself")
	csv := call("bench", "--frame", "asset:cube", "--backend", "cpu", "--strategy", "naive", "--size", "32x32", "--runs", "1", "--csv")
	requireFine(t, csv)
	require.Contains(t, csv.out, ",soft,frame,")
}

func TestFrameCameras(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"fit", "near", "az=3,zoom=2", "near,az=3", "far"}, expandCameras([]string{"fit,near", "az=3,zoom=2", "near,az=3", "far"}))
	box := geometry.Box{Min: mgl32.Vec3{-1, -1, -1}, Max: mgl32.Vec3{1, 1, 1}}
	distance := func(text string, height int) float32 {
		c, err := frameCamera(text, box, height, height)
		require.NoError(t, err)
		return c.Distance
	}
	fit := distance("fit", 720)
	require.InEpsilon(t, fit/nearZoom, distance("near", 720), 1e-6)
	require.InEpsilon(t, fit*20, distance("far", 720), 1e-5)
	require.InEpsilon(t, fit, distance("far", 20), 1e-6, "a picture that is small itself")
}
