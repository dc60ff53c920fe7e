package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestBench(t *testing.T) {
	r := fine(t, "bench", "asset:sphere3", "--strategy", "naive-index,hash", "--load", "simple,256", "--order", "forsyth", "--runs", "2", "--json")
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
	// 5 batches of 768 indices; 3840 indices; a position and a queue slot per invocation; a record per triangle.
	require.Equal(t, fmt.Sprint(5*16+3840*4+3840*(12+16)+1280*8), fmt.Sprint(rows[0]["bytes"]))
	require.NotEqual(t, rows[0]["invocations"], rows[1]["invocations"])
	require.NotEqual(t, "0", fmt.Sprint(rows[1]["batching_ms"]))

	table := fine(t, "bench", "asset:cube", "--runs", "1", "--quiet")
	cpu := decode(t, fine(t, "devices", "--json").out)[0]["type"] == "cpu"
	require.Equal(t, []bool{cpu, cpu}, []bool{onCPU.MatchString(r.errors), strings.Contains(table.out, "this device is a CPU: its times say")})
	for _, name := range reuse.Names() {
		require.Contains(t, table.out, " "+name+" ")
	}
	require.Contains(t, table.out, "counts verified before timing")
}

func TestBenchFrame(t *testing.T) {
	rows := decode(t, fine(t, "bench", "--frame", "asset:sphere3", "--strategy", "multi,claim,hardware", "--size", "64x48,32x32", "--camera", "fit,far", "--runs", "2", "--json").out)
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
	require.Len(t, passes, 7*2*2, "compute and fused draw claim and multi")
	require.Contains(t, passes, key{"claim", "fused", "64x48", "fit"})
	raw := passes[key{"hardware", "hardware", "32x32", "far"}]
	require.Equal(t, []string{"camera", "raster:raw", "frame", "host"}, raw)
	computed := passes[key{"claim", "compute", "64x48", "fit"}]
	require.Contains(t, computed, "geometry:claim")
	require.Contains(t, computed, "raster:resolve")
	require.Equal(t, []string{"frame", "host"}, computed[len(computed)-2:])

	table := fine(t, "bench", "--frame", "asset:cube", "--strategy", "hash,hardware", "--size", "32x32", "--runs", "1")
	require.Contains(t, table.out, "pictures compared before timing")
	require.Contains(t, table.out, " 1.00  ", "the graphics pipeline against itself")
	csv := fine(t, "bench", "--frame", "asset:cube", "--backend", "cpu", "--strategy", "naive", "--size", "32x32", "--runs", "1", "--csv")
	require.Contains(t, csv.out, ",soft,frame,")
}

// TestFrameStrategies: "all" includes hardware, the graphics pipeline alone, if it can draw the frame.
func TestFrameStrategies(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{
		"--strategy all": "hardware and 8", "--strategy all --subdivide 1": "8", "--strategy all --load skin": "8", "--strategy all --load 64": "8",
		"--strategy all --backend cpu": "8", "--strategy warp": "1", "--strategy hardware": "hardware and 0", "--strategy warp,hardware,claim": "hardware and 2",
	} {
		var f benchFlags
		require.NoError(t, f.command(nil).ParseFlags(strings.Fields("--frame "+flags)))
		fs := f.wholeFrames(renderer.Frame{})
		got := fmt.Sprint(len(fs.Configs))
		if fs.Raw {
			got = "hardware and " + got
		}
		require.Equal(t, strings.Replace(want, "8", fmt.Sprint(len(reuse.Strategies)), 1), got, flags)
	}
}

func TestFrameCameras(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"fit", "near", "az=3,zoom=2", "near,az=3", "far"}, expandCameras([]string{"fit,near", "az=3,zoom=2", "near,az=3", "far"}))
	scene := must.Get(assets.Make("cube"))
	scene.Capture = &geometry.Capture{View: &geometry.View{Distance: 77, FovY: 50, Near: .5, Far: 400, Aspect: 1}}
	distance := func(text string, height int) float32 {
		return must.Get(shot(fmt.Sprintf("%dx%d", height, height), text).Camera(&renderer.Frame{Scene: scene})).Distance
	}
	fit := distance("fit", 720)
	require.InEpsilon(t, fit/nearZoom, distance("near", 720), 1e-6)
	require.InEpsilon(t, fit*20, distance("far", 720), 1e-5)
	require.InEpsilon(t, fit, distance("far", 20), 1e-6, "a picture that is small itself")
	require.Equal(t, float32(77), distance(cli.Captured, 720))
}
