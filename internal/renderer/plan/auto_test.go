package plan

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestAutoOnAnH200: auto picks the way measured to be fastest there, or one within a sixteenth of it.
// The samples are what the CPU reference gives for the mesh, in batches fitted to it.
func TestAutoOnAnH200(t *testing.T) {
	multiprocessors := GPUCosts.Multiprocessors
	plain := sample{1, 1, 3}
	for _, m := range []struct {
		mesh             string
		triangles, draws int
		vertices         int
		box              int // pixels
		claim            sample
		passes           map[int]string // fastest strategy of the geometry stage alone, by cycles of load
		frames           map[int]string // fastest strategy and host of a frame of 1920x1080, by cycles of load
	}{
		{"camelhead.off", 22704, 1, 11381, 512, sample{.54, .81, 1.2}, map[int]string{0: "naive-index", 1024: "claim", 4096: "multi"}, nil},
		{"stanford-bunny.obj", 69451, 1, 35947, 165, sample{.66, .82, 2.5}, map[int]string{0: "naive-index", 1024: "naive-index"},
			map[int]string{0: "naive-index fused", 1024: "naive-index fused"}},
		{"stanford-bunny.obj, forsyth", 69451, 1, 35947, 165, sample{.28, .33, 1}, map[int]string{0: "claim", 1024: "claim", 4096: "claim"}, nil},
		{"dragon_vrip_res2.ply", 202520, 1, 100250, 89, sample{.53, .63, 3.8}, map[int]string{0: "naive-index", 1024: "multi"}, nil},
		{"dragon_vrip.ply", 871414, 1, 437645, 84, sample{.41, .47, 4.2}, map[int]string{0: "multi", 1024: "multi", 4096: "multi"},
			map[int]string{1024: "multi fused", 4096: "multi fused"}}, // simple, it takes 1.005 times as long as naive-index fused
		{"stk_gl_abyss.draws", 1101989, 821, 1073871, 0, sample{.44, .5, 5.5}, map[int]string{0: "multi", 1024: "multi"}, map[int]string{4096: "multi fused"}}, // simple, three ways take 1.00 to 1.03 times as long
		{"stk_gl_black_forest.draws", 980745, 1875, 1251293, 0, sample{.49, .54, 5.2}, nil, map[int]string{0: "naive-index fused", 1024: "multi fused"}},
		{"asset:sphere6", 81920, 1, 40962, 46, sample{.34, .51, 1.5}, nil, map[int]string{0: "naive-index fused", 1024: "naive-index fused"}},
		{"kitten.obj", 28944, 1, 14472, 169, sample{.6, .8, 1.2}, nil, map[int]string{0: "naive-index fused", 1024: "naive-index fused"}},
		{"photon_dragon.obj", 100000, 1, 50000, 230, sample{.76, .92, 2.75}, nil, map[int]string{0: "multi compute", 1024: "multi compute"}},
		{"asset:city32", 78088, 1120, 64285, 0, sample{.38, .43, 1.3}, nil, map[int]string{0: "claim compute", 1024: "claim compute"}},
		{"asset:terrain1897, forsyth", 7197218, 1, 3602404, 20, sample{.24, .27, 3.3}, map[int]string{0: "multi", 4096: "multi"},
			map[int]string{0: "multi fused", 1024: "multi fused", 4096: "multi fused"}},
	} {
		fastest := func(cycles int, passes bool) (found string) {
			least := math.Inf(1)
			for _, host := range hosts {
				once := float64(m.vertices) / float64(3*m.triangles)
				for strategy, of := range map[string]sample{"naive-index": plain, "claim": m.claim, "multi": {once, once, 1}} {
					f := renderer.Frame{Raster: host, NoRaster: passes, Scene: &geometry.Scene{Draws: []geometry.Draw{{IndexCount: uint32(3 * m.triangles)}}}}
					f.Reuse, _ = reuse.Resolve(strategy, 0, 0)
					pixels := 1920 * 1080 / 1e6
					if passes {
						pixels = 0
					}
					x, parts := propertiesOf(m.triangles, m.draws, of, cycles, pixels), Parts(&f, &renderer.Limits{Multiprocessors: multiprocessors})
					if x[renderer.Box] = float64(m.box) / 1e3; strings.HasPrefix(parts[0], "together:") {
						x[renderer.Box] /= reuse.TriangleLanes
					}
					if took := micros(&GPUCosts, parts, x, multiprocessors); took < least {
						found, least = strategy+" "+host.String(), took
					}
				}
			}
			return found
		}
		for cycles, want := range m.passes {
			require.Equal(t, want+" hardware", fastest(cycles, true), "%s at %d", m.mesh, cycles)
		}
		for part := range GPUCosts.Parts {
			x := propertiesOf(m.triangles, m.draws, m.claim, 1024, 2)
			x[renderer.Sifted], x[renderer.Box] = x[renderer.Triangle], .1
			fixed := GPUCosts.Parts[part].Of(renderer.Cost{renderer.Launch: 1, renderer.Box: .1, renderer.Wait: x[renderer.Wait]})
			half, whole := micros(&GPUCosts, []string{part}, x, 66)-fixed, micros(&GPUCosts, []string{part}, x, 132)-fixed
			require.InEpsilon(t, 2*whole, half, 1e-9, "half the multiprocessors take twice as long")
			measured := GPUCosts
			measured.Multiprocessors = 0
			require.InEpsilon(t, whole+fixed, micros(&measured, []string{part}, x, 66), 1e-9, "costs of the device itself are not scaled")
		}
		for cycles, want := range m.frames {
			require.Equal(t, want, fastest(cycles, false), "frame of %s at %d", m.mesh, cycles)
		}
	}
}

// propertiesOf returns the properties of a frame by which costs on a GPU are multiplied.
func propertiesOf(triangles, draws int, of sample, cycles int, pixels float64) renderer.Cost {
	millions, thousands := float64(triangles)/1e6, float64(cycles)/1e3
	return renderer.Cost{
		renderer.Launch: 1, renderer.Draws: pixels * float64(min(draws-1, 1)), renderer.Pixels: pixels, renderer.Triangle: millions, renderer.Shading: 3 * millions * of.shaded,
		renderer.Wait: thousands * of.rounds, renderer.Work: 3 * millions * thousands * of.lanes,
	}
}

// TestAutoMeasures: costs are multiplied by the frame's properties. Only fused takes time to shade
// visible vertices again, without their load.
func TestAutoMeasures(t *testing.T) {
	l := testLimits
	f := renderer.Frame{Scene: strip(1000), VertexShader: renderer.Displace, Load: 1000, Width: 2000, Height: 500, Raster: renderer.ComputeRaster}
	f.Reuse, _ = reuse.Resolve("claim", 8, 96)
	of := sample{.5, .75, 3}
	want := propertiesOf(1000, 1, of, f.VertexCycles(), 1)
	want[renderer.Box] = largestBox(&f) / 1e3
	l.Multiprocessors = 132
	require.InDeltaSlice(t, want[:], cost(measures(&f, &l, of, largestBox(&f))), 1e-12)
	f.Raster = renderer.FusedRaster
	want[renderer.Work] += shadedAgain * float64(f.VertexCycles()-1000) / 1e3
	require.InDeltaSlice(t, want[:], cost(measures(&f, &l, of, largestBox(&f))), 1e-12)
	f.Raster = renderer.ComputeRaster
	s := *f.Scene
	s.Draws = append(s.Draws, s.Draws[0])
	f.Scene = &s
	require.EqualValues(t, 1, measures(&f, &l, of, 0)[renderer.Draws], "a million pixels of several draws")
	f.NoRaster, f.Scene, l.Multiprocessors = true, strip(1000), 0
	want = propertiesOf(1000, 1, sample{.5, .5, 3}, f.VertexCycles(), 0)
	require.InDeltaSlice(t, want[:], cost(measures(&f, &l, of, largestBox(&f))), 1e-12, "idle lanes of a CPU take no time")
}

// TestCostsOfACPU: a device with an unknown number of multiprocessors has the costs as they are.
func TestCostsOfACPU(t *testing.T) {
	c := renderer.Costs{Multiprocessors: 132, Parts: map[string]renderer.Cost{"a": {renderer.Triangle: 3, renderer.Launch: 1}}}
	for multiprocessors, want := range map[int]float64{0: 7, 132: 7, 66: 13} {
		require.Equal(t, want, micros(&c, []string{"a"}, renderer.Cost{renderer.Triangle: 2, renderer.Launch: 1}, multiprocessors))
	}
}

func cost(c renderer.Cost) []float64 { return c[:] }

// TestLargestBox: the fitted camera sees the whole strip, so the more triangles a strip has, the smaller they appear.
func TestLargestBox(t *testing.T) {
	of := func(triangles, width, height int) float64 {
		return largestBox(&renderer.Frame{Scene: strip(triangles), Width: width, Height: height})
	}
	one := of(1, 400, 400)
	require.Greater(t, one, .05*400*400)
	require.Less(t, one, .8*400*400)
	require.InEpsilon(t, 4*one, of(1, 800, 800), 1e-3)
	require.InEpsilon(t, of(100, 1920, 1080)/100, of(1000, 1920, 1080), .2, "a tenth of the length and height")
	s := strip(4)
	s.Positions[5] = mgl32.Vec3{100, 100, 0} // the others are small beside the last triangle
	require.Greater(t, largestBox(&renderer.Frame{Scene: s, Width: 400, Height: 400}), 20*of(200, 400, 400))
	turned := strip(1)
	turned.Draws[0].Transform = mgl32.Scale3D(100, 100, 100)
	turned.Positions, turned.Draws[0].VertexOffset = append([]mgl32.Vec3{{50, 0, 0}}, turned.Positions...), 1
	require.InEpsilon(t, one, largestBox(&renderer.Frame{Scene: turned, Width: 400, Height: 400}), 1e-3, "the camera is as far away")
	require.Zero(t, largestBox(&renderer.Frame{Scene: strip(0), Width: 4, Height: 4}))
	// Measures bounds the box, and divides it by the number of invocations that draw a triangle.
	f, l := frame(t, 1, "naive-index", 0), renderer.Limits{Multiprocessors: 132}
	f.Raster, f.Width, f.Height = renderer.FusedRaster, 1920, 1080
	require.EqualValues(t, 2*MostAtOnce/1e3, Measures(&f, &l)[renderer.Box])
	f.Width, f.Height = 20, 20
	require.InEpsilon(t, largestBox(&f)/reuse.TriangleLanes/1e3, Measures(&f, &l)[renderer.Box], 1e-9)
	f.Raster = renderer.ComputeRaster
	require.InEpsilon(t, largestBox(&f)/1e3, Measures(&f, &l)[renderer.Box], 1e-9)
}

// TestAutoLeavesNothingOpen: every frame is planned with a strategy and a host that can draw it,
// and with reasons; choices that the frame makes are kept.
func TestAutoLeavesNothingOpen(t *testing.T) {
	auto := must.Get(reuse.Resolve(reuse.Auto, 8, 0))
	many := func(f *renderer.Frame) { f.Scene = strip(300_000) }
	streaming := func(f *renderer.Frame) { f.Reuse, _ = reuse.Resolve(reuse.AutoStreaming, 8, 0) }
	calibrated := testLimits
	calibrated.Costs = &renderer.Costs{Source: "by calibration", Parts: map[string]renderer.Cost{
		"geometry:phash": {renderer.Launch: 20, renderer.Triangle: 1}, "raster:compute": {}, "raster:hardware": {renderer.Launch: 40}, "geometry:claim": {renderer.Launch: 25},
		"fused:claim": {renderer.Launch: 22},
	}}
	large := testLimits
	large.Multiprocessors = GPUCosts.Multiprocessors
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
		"a CPU":             {testLimits, nil, "multi", "hardware", []string{"auto: multi: 67 % of the indices name a vertex again, ", "auto: hardware: the device is a CPU", ", by times of Mesa 22's CPU driver, which stand for every CPU that is not calibrated"}},
		"a CPU's stream":    {testLimits, func(f *renderer.Frame) { streaming(f); f.NoRaster = true }, "naive-index", "hardware", []string{"auto:streaming: naive-index: "}},
		"no room for all":   {testLimits, func(f *renderer.Frame) { f.QueueBudget = 16 << 10 }, "hash", "hardware", []string{"auto: hash: "}},
		"bounded memory":    {testLimits, func(f *renderer.Frame) { f.DeviceBudget = 64 << 20 }, "hash", "hardware", []string{"auto: hash: "}},
		"counts by shape":   {testLimits, func(f *renderer.Frame) { f.Shown, f.ShownByShape = make([]uint32, 1002), true }, "hash", "hardware", nil},
		"a CPU at work":     {testLimits, func(f *renderer.Frame) { streaming(f); f.Load = 4096 }, "hash", "hardware", []string{"auto:streaming: hash: ", ", load 4096: naive-index would take about "}},
		"Go's rasterizer":   {testLimits, func(f *renderer.Frame) { f.Raster = renderer.SoftRaster; streaming(f) }, "naive-index", "soft", []string{"auto:streaming: naive-index: "}},
		"fused on a CPU":    {testLimits, func(f *renderer.Frame) { f.Raster = renderer.FusedRaster; f.Load = 4096 }, "multi", "fused", []string{"auto: multi: "}},
		"calibrated":        {calibrated, nil, "phash", "compute", []string{"auto: phash: 66 % of the indices repeat within batches of 384, load simple: claim would take about 1.10 times as long, by calibration"}},
		"calibrated, named": {calibrated, func(f *renderer.Frame) { f.Reuse, _ = reuse.Resolve("claim", 8, 96) }, "claim", "fused", []string{"auto: fused: ", "compute would take about 1.14 times as long, by calibration"}},
		"not timed, named":  {calibrated, func(f *renderer.Frame) { f.Reuse, _ = reuse.Resolve("warp", 8, 96) }, "warp", "compute", []string{"auto: compute: ", "hardware would"}},
		"a GPU":             {large, nil, "naive-index", "fused", []string{"auto: fused: 1000 triangles on 64x32 pixels, load simple: compute would take about "}},
		"large triangles":   {large, func(f *renderer.Frame) { f.Scene, f.Width, f.Height = strip(10), 1920, 1080 }, "claim", "compute", []string{"auto: compute: 10 triangles on 1920x1080 pixels, load simple: fused would take about "}},
		"many triangles":    {large, many, "naive-index", "fused", []string{"auto: fused: 300000 triangles on 64x32 pixels, load simple: compute would take about "}},
		"a GPU at work":     {large, func(f *renderer.Frame) { f.Load = 1 << 16 }, "multi", "fused", []string{"auto: multi: ", "auto: fused: "}},
		"a small GPU":       {few, nil, "claim", "hardware", []string{"auto: hardware: no other host is known to be faster here"}},
		"the smallest GPU":  {least, nil, "naive-index", "fused", nil},
		"no 64-bit numbers": {narrow, nil, "claim", "hardware", []string{"auto: hardware: "}},
		"dear vertices": {large, func(f *renderer.Frame) {
			many(f)
			streaming(f)
			f.VertexShader, f.Width, f.Height = renderer.Displace, 1920, 1080
		}, "claim", "compute", []string{"auto: compute: "}},
		"few pixels":       {large, func(f *renderer.Frame) { many(f); streaming(f); f.VertexShader = renderer.Displace }, "naive-index", "fused", []string{"auto: fused: "}},
		"culling":          {large, func(f *renderer.Frame) { many(f); f.Cull = true }, "naive-index", "fused", []string{"auto: fused: "}},
		"no ballot":        {blind, func(f *renderer.Frame) { streaming(f); f.Load = 4096 }, "hash", "hardware", nil},
		"no picture":       {large, func(f *renderer.Frame) { f.NoRaster = true }, "claim", "hardware", []string{"auto: claim: "}},
		"a named host":     {large, func(f *renderer.Frame) { f.Raster = renderer.ComputeRaster }, "claim", "compute", []string{"auto: claim: "}},
		"a named strategy": {large, func(f *renderer.Frame) { f.Reuse, _ = reuse.Resolve("claim", 8, 96) }, "claim", "fused", []string{"auto: fused: "}},
		"multi":            {large, func(f *renderer.Frame) { f.Reuse, _ = reuse.Resolve("multi", 0, 0) }, "multi", "fused", []string{"auto: fused: "}},
	} {
		f := renderer.Frame{Scene: strip(1000), Reuse: auto, Raster: renderer.AutoRaster, Width: 64, Height: 32}
		if c.change != nil {
			c.change(&f)
		}
		p := made(t)(New(f, c.limits))
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

// TestAutoFallsBack: a scene that the fastest way cannot draw is drawn in the next fastest way.
func TestAutoFallsBack(t *testing.T) {
	auto := must.Get(reuse.Resolve(reuse.Auto, 8, 0))
	l := testLimits
	l.Multiprocessors = GPUCosts.Multiprocessors
	f := renderer.Frame{Scene: strip(1500000), Reuse: auto, Raster: renderer.AutoRaster, Width: 64, Height: 32, QueueBudget: 1 << 20}
	f.DeviceBudget = 50 << 20 // too little for the whole scene, which is then drawn in windows
	p := made(t)(New(f, l))
	require.True(t, p.Windowed())
	require.Equal(t, renderer.FusedRaster, p.Frame.Raster)

	multi := must.Get(reuse.Resolve("multi", 0, 0))
	f = renderer.Frame{Scene: strip(50000), Reuse: multi, Raster: renderer.AutoRaster, Width: 2048, Height: 2048}
	p = made(t)(New(f, l))
	require.Equal(t, renderer.FusedRaster, p.Frame.Raster)
	f.Cull = true // which multi does not do there
	p = made(t)(New(f, l))
	require.Equal(t, renderer.ComputeRaster, p.Frame.Raster)
	l.MaxGroups = 512 // fewer than raster:large may need
	p = made(t)(New(f, l))
	require.Equal(t, renderer.HardwareRaster, p.Frame.Raster)
	require.Contains(t, p.Choice.Raster, "auto: hardware: ")
}

// TestCalibrationsKeepWhatIsClose: a calibrated GPU departs from an H200's choice only for a candidate
// more than a twentieth faster.
func TestCalibrationsKeepWhatIsClose(t *testing.T) {
	l := testLimits
	l.Multiprocessors = GPUCosts.Multiprocessors
	f := renderer.Frame{Scene: strip(5000), Width: 640, Height: 360, Raster: renderer.ComputeRaster}
	f.Reuse, _ = reuse.Resolve(reuse.Auto, 8, 0)
	base := maps.Clone(GPUCosts.Parts)
	base["raster:compute"] = renderer.Cost{} // left out because all candidates have it: slower below then scales a candidate's whole time
	l.Costs = &renderer.Costs{Parts: base}
	list := timed(f, l)
	usual := list[0]
	next := list[slices.IndexFunc(list, func(c candidate) bool { return c.parts[0] != usual.parts[0] })]
	for _, slower := range []float64{1.04, 1.06} {
		costs := renderer.Costs{Source: "by this device's calibration", Parts: maps.Clone(base)}
		of := costs.Parts[usual.parts[0]]
		for i := range of {
			of[i] *= slower * next.micros / usual.micros
		}
		costs.Parts[usual.parts[0]], l.Costs = of, &costs
		for i := range of {
			of[i] *= 9
		}
		costs.Parts["geometry:hash"] = of // which the H200's table lacks
		chosen, why := Choose(f, l)
		want, text := usual, "times as long, too little to leave what an H200 chooses, by this device's calibration"
		if slower > 1.05 {
			want, text = next, "times as long, by this device's calibration"
		}
		require.Equal(t, want.frame.Reuse.Strategy.Name, chosen.Reuse.Strategy.Name)
		require.Contains(t, why.Strategy, text)
	}
}
