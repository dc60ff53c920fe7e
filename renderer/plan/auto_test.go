package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestAutoOnAnH200 has what was measured to be the fastest there, or within a twentieth of
// it. lanes and rounds are those of the reference on the mesh, in the batches that fit it.
func TestAutoOnAnH200(t *testing.T) {
	const multiprocessors = timedMultiprocessors
	plain := sample{1, 1, 3}
	for _, m := range []struct {
		mesh             string
		triangles, draws int
		claim            sample
		passes           map[int]string // by cycles
		frames           map[int]string // of 1920x1080
	}{
		{"camelhead.off", 22704, 1, sample{.54, .81, 1.2}, map[int]string{0: "naive-index", 1024: "claim", 4096: "claim"}, nil},
		{"stanford-bunny.obj", 69451, 1, sample{.66, .82, 2.5}, map[int]string{0: "naive-index", 1024: "naive-index"},
			map[int]string{0: "naive-index fused", 1024: "naive-index fused"}},
		{"stanford-bunny.obj, forsyth", 69451, 1, sample{.28, .33, 1}, map[int]string{0: "naive-index", 1024: "claim", 4096: "claim"}, nil},
		{"dragon_vrip_res2.ply", 202520, 1, sample{.53, .63, 3.8}, map[int]string{0: "naive-index", 1024: "naive-index"}, nil},
		{"dragon_vrip.ply", 871414, 1, sample{.41, .47, 4.2}, map[int]string{0: "claim", 1024: "claim", 4096: "claim"},
			map[int]string{0: "naive-index fused"}},
		{"stk_gl_abyss.draws", 1101989, 821, sample{.44, .5, 5.5}, map[int]string{0: "claim", 1024: "claim"}, map[int]string{0: "claim compute", 4096: "claim compute"}},
		{"asset:city32", 78088, 1120, sample{.38, .43, 1.3}, nil, map[int]string{0: "claim compute", 4096: "claim compute"}},
		{"asset:terrain1897, forsyth", 7197218, 1, sample{.24, .27, 3.3}, map[int]string{0: "claim", 4096: "claim"},
			map[int]string{0: "claim fused", 1024: "claim fused", 4096: "claim fused"}},
	} {
		fastest := func(ways []way, cycles int, name func(way) string) (found string) {
			least := -1.
			for _, w := range ways {
				of := plain
				if w.strategy == "claim" {
					of = m.claim
				}
				if micros := w.micros(m.triangles, m.draws, of, cycles, multiprocessors); least < 0 || micros < least {
					found, least = name(w), micros
				}
			}
			return found
		}
		for cycles, want := range m.passes {
			require.Equal(t, want, fastest(geometryWays, cycles, func(w way) string { return w.strategy }), "%s at %d", m.mesh, cycles)
		}
		for _, w := range frameWays {
			half, whole := w.micros(m.triangles, m.draws, m.claim, 0, 66)-w.launch, w.micros(m.triangles, m.draws, m.claim, 0, 132)-w.launch
			if m.draws > 1 {
				half, whole = half-w.draws, whole-w.draws
			}
			require.InEpsilon(t, 2*whole, half, 1e-9, "half the multiprocessors take twice as long")
		}
		for cycles, want := range m.frames {
			require.Equal(t, want, fastest(frameWays, cycles, func(w way) string { return w.strategy + " " + w.raster.String() }), "frame of %s at %d", m.mesh, cycles)
		}
	}
}

// TestAutoResolvesAgain: shading again what pixels show takes half the multiprocessors
// twice as long. Only fused does that, and not for the load.
func TestAutoResolvesAgain(t *testing.T) {
	f := renderer.Frame{Load: 1000, Width: 2000, Height: 500}
	fused, compute := way{raster: renderer.FusedRaster}, way{raster: renderer.ComputeRaster}
	require.InDelta(t, shadedAgain, fused.resolves(&f, 2000, 132), 1e-9)
	require.InDelta(t, 2*shadedAgain, fused.resolves(&f, 2000, 66), 1e-9)
	require.Zero(t, compute.resolves(&f, 2000, 132))
}

// TestAutoLeavesNothingOpen: every frame is planned with a strategy and a host that can draw
// it, and says why; what the frame names stays.
func TestAutoLeavesNothingOpen(t *testing.T) {
	auto, err := reuse.Resolve(reuse.Auto, 8, 0)
	require.NoError(t, err)
	large := testLimits
	large.Multiprocessors = timedMultiprocessors
	narrow := large
	narrow.Missing = []string{"Int64"}
	few, least := large, large
	few.Multiprocessors, least.Multiprocessors = leastMultiprocessors-1, leastMultiprocessors
	blind := testLimits
	blind.NativeLanes, blind.Missing = nil, []string{"GroupNonUniformBallot"}
	for name, c := range map[string]struct {
		limits           renderer.Limits
		change           func(*renderer.Frame)
		strategy, raster string
		why              []string
	}{
		"a CPU":             {testLimits, nil, "naive-index", "hardware", []string{"auto: naive-index: ", "auto: hardware: the device is a CPU"}},
		"a CPU at work":     {testLimits, func(f *renderer.Frame) { f.Load = 4096 }, "hash", "hardware", []string{"auto: hash: ", ", load 4096: naive-index would take about "}},
		"a GPU":             {large, nil, "naive-index", "fused", []string{"auto: fused: 1000 triangles on 64x32 pixels, load simple: compute would take about "}},
		"a GPU at work":     {large, func(f *renderer.Frame) { f.Load = 1 << 16 }, "claim", "compute", []string{"auto: claim: ", "auto: compute: "}},
		"a small GPU":       {few, nil, "claim", "hardware", []string{"auto: hardware: no other host is known to be faster here"}},
		"the smallest GPU":  {least, nil, "naive-index", "fused", nil},
		"no 64-bit numbers": {narrow, nil, "claim", "hardware", []string{"auto: hardware: "}},
		"dear vertices":     {large, func(f *renderer.Frame) { f.VertexShader, f.Width, f.Height = renderer.Displace, 1920, 1080 }, "claim", "compute", []string{"auto: compute: "}},
		"few pixels":        {large, func(f *renderer.Frame) { f.VertexShader = renderer.Displace }, "naive-index", "fused", []string{"auto: fused: "}},
		"culling":           {large, func(f *renderer.Frame) { f.Cull = true }, "naive-index", "fused", []string{"auto: fused: "}},
		"no ballot":         {blind, func(f *renderer.Frame) { f.Load = 4096 }, "hash", "hardware", nil},
		"no picture":        {large, func(f *renderer.Frame) { f.NoRaster = true }, "naive-index", "hardware", []string{"auto: naive-index: "}},
		"a named host":      {large, func(f *renderer.Frame) { f.Raster = renderer.ComputeRaster }, "naive-index", "compute", []string{"auto: naive-index: "}},
		"a named strategy":  {large, func(f *renderer.Frame) { f.Reuse, _ = reuse.Resolve("claim", 8, 96) }, "claim", "compute", []string{"auto: compute: "}},
		"multi":             {large, func(f *renderer.Frame) { f.Reuse, _ = reuse.Resolve("multi", 0, 0) }, "multi", "compute", []string{"auto: compute: "}},
	} {
		f := renderer.Frame{Scene: strip(1000), Reuse: auto, Raster: renderer.AutoRaster, Width: 64, Height: 32}
		if c.change != nil {
			c.change(&f)
		}
		p, err := New(f, c.limits)
		require.NoError(t, err, name)
		require.Equal(t, []string{c.strategy, c.raster}, []string{p.Frame.Reuse.Strategy.Name, p.Frame.Raster.String()}, "%s: %s", name, p.Choice)
		require.False(t, p.Frame.Reuse.Auto, name)
		for _, why := range c.why {
			require.Contains(t, p.String(), why, name)
		}
		require.Equal(t, f.Reuse.Auto, p.Choice.Strategy != "", name)
		require.Equal(t, f.Raster == renderer.AutoRaster && !f.NoRaster, p.Choice.Raster != "", name)
		again, why := Choose(p.Frame, c.limits)
		require.Equal(t, p.Frame.Reuse, again.Reuse, name)
		require.Equal(t, Choice{}, why, name)
	}
}

// TestAutoFallsBack: a scene that the fastest way cannot draw is drawn the next best way.
func TestAutoFallsBack(t *testing.T) {
	auto, err := reuse.Resolve(reuse.Auto, 8, 0)
	require.NoError(t, err)
	l := testLimits
	l.Multiprocessors = timedMultiprocessors
	f := renderer.Frame{Scene: strip(1500000), Reuse: auto, Raster: renderer.AutoRaster, Width: 64, Height: 32, QueueBudget: 1 << 20}
	f.DeviceBudget = 50 << 20 // in windows
	p, err := New(f, l)
	require.NoError(t, err)
	require.True(t, p.Windowed())
	require.Equal(t, renderer.FusedRaster, p.Frame.Raster)

	multi, err := reuse.Resolve("multi", 0, 0)
	require.NoError(t, err)
	f = renderer.Frame{Scene: strip(50000), Reuse: multi, Raster: renderer.AutoRaster, Width: 2048, Height: 2048}
	p, err = New(f, l)
	require.NoError(t, err)
	require.Equal(t, renderer.ComputeRaster, p.Frame.Raster)
	l.MaxGroups = 512 // fewer than raster:large may need
	p, err = New(f, l)
	require.NoError(t, err)
	require.Equal(t, renderer.HardwareRaster, p.Frame.Raster)
	require.Contains(t, p.Choice.Raster, "auto: hardware: ")
}
