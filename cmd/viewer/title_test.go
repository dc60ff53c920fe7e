package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

func testPlan(t *testing.T, name string) *plan.Plan {
	config, err := reuse.Resolve("warp", 16, 0)
	require.NoError(t, err)
	return &plan.Plan{Frame: renderer.Frame{Scene: &geometry.Scene{Name: name}, Reuse: config, View: renderer.Shaded}}
}

func TestTitle(t *testing.T) {
	f := figures{
		plan:  testPlan(t, "bunny.ply"),
		stats: reuse.Stats{Invocations: 75, Indices: 100, Referenced: 40},
		timings: []renderer.Timing{
			{Pass: "clear", Duration: 10 * time.Microsecond},
			{Pass: "geometry:warp", Duration: 1500 * time.Microsecond},
			{Pass: "raster:hardware", Duration: 2490 * time.Microsecond},
		},
		frame: 20 * time.Millisecond,
	}
	require.Equal(t, "bunny.ply | warp, 16 virtual lanes, indexed, shaded | 75 invocations, reuse 0.2500 of 0.6000 | "+
		"geometry:warp 1.50, raster:hardware 2.49, all 4.00 ms | 50 fps", title(f))
	f.order = "forsyth"
	require.Contains(t, title(f), " | warp, 16 virtual lanes, indexed, shaded, forsyth order | ")
	f.making = "tipsify"
	require.True(t, strings.HasPrefix(title(f), "ordering by tipsify | bunny.ply | "), title(f))
	f.making = ""
	f.plan.Native = true
	f.notice, f.loading = "refused x\ny", "z.obj"
	require.True(t, strings.HasPrefix(title(f), "[refused x y] | loading z.obj | bunny.ply | warp, 16 native lanes"), title(f))
	require.Equal(t, "loading z.obj | shadeonce", title(figures{loading: "z.obj"}))
	require.Less(t, len(title(figures{notice: strings.Repeat("ä", 1e6)})), 1000)
}

func TestBenchmarkTellsTheMedian(t *testing.T) {
	ms := time.Millisecond
	require.Equal(t, "3 frames: median 20.000 ms/frame (50.0 fps), min 10.000, max 90.000", benchmark([]time.Duration{90 * ms, 10 * ms, 20 * ms}, pace{}))
	require.Equal(t, "0 frames", benchmark(nil, pace{}))
	var p pace
	for _, at := range []time.Duration{0, 100, 400, 500} {
		p.note(time.Unix(1, 0).Add(at * ms))
	}
	require.Equal(t, "1 frame: median 10.000 ms/frame (100.0 fps), min 10.000, max 10.000; window shown 6.0 times a second, at most 300 ms apart", benchmark([]time.Duration{10 * ms}, p))
}

func TestSmoothFollows(t *testing.T) {
	mean := smooth(0, 80)
	require.Equal(t, time.Duration(80), mean)
	require.Equal(t, time.Duration(90), smooth(mean, 160))
}
