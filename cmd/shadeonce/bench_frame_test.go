package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/cli"
)

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

func TestBenchFrameRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"--size 32x32", "--size is for whole frames and for culling: it needs --frame or --cull"},
		{"--camera near", "--camera is for whole frames and for culling: it needs --frame or --cull"},
		{"--frame --size 3", `"3": want WIDTHxHEIGHT`},
		{"--frame --camera nearr", "captured; or fit, near, far"},
		{"--frame --camera near,zoom=0", "camera zoom 0"},
		{"--frame --raster soft", "--raster soft excludes --backend gpu"},
		{"--frame --raster compute --backend cpu", "--raster compute excludes --backend cpu"},
		{"--frame --strategy hardware --backend cpu", "--strategy hardware excludes --backend cpu"},
		{"--frame --strategy hardware --load skin", "it excludes --load skin"},
		{"--frame --load simple,256", "takes one --load, got 2"},
		{"--frame --benchstat", "it excludes --frame"},
		{"--frame --hardware-share 1.5", "--hardware-share 1.5: want 0 to 1"},
		{"--frame --strategy warp,harware", "unknown"},
		{"--strategy hardware", "unknown"},
	} {
		r := call(append([]string{"bench", "asset:cube"}, strings.Fields(tt.args)...)...)
		require.Equal(t, cli.ExitUsage, r.status, tt.args)
		require.Contains(t, r.errors, tt.want, tt.args)
		require.Empty(t, r.out)
	}
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
