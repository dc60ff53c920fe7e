package gpu

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// TestLeanFrames: a frame shows nothing of the previous one, even if the previous one was left unfinished, kept its
// visibility buffer or had another size. Lists are drawn in the frame that fills them.
func TestLeanFrames(t *testing.T) {
	scene := must.Get(assets.Make("sphere3"))
	const before = 5 // vertices that no draw has
	scene.Positions = append(make([]mgl32.Vec3, before), scene.Positions...)
	scene.Normals = append(make([]mgl32.Vec3, before), scene.Normals...)
	scene.Draws[0].VertexOffset, scene.Draws[0].Transform = before, mgl32.Scale3D(1.5, 1, 0.8)
	fit := renderer.FitCamera(scene.Bounds(), 61.0/97)
	aside, near := fit, fit
	aside.Target = fit.Target.Add(mgl32.Vec3{0.7, 0.3, 0})
	near.FovY /= 12 // so that triangles are not small
	reference := soft.New()
	defer reference.Close()
	for i, raster := range []renderer.RasterHost{renderer.FusedRaster, renderer.ComputeRaster, renderer.FusedRaster} {
		config := resolve(t, []string{"claim", "claim", "multi"}[i], 0, 0)
		b := newBackend(t)
		var plans []*plan.Plan
		recorded := map[*plan.Plan]bool{}
		for _, size := range [][2]int{{61, 97}, {40, 24}} {
			f := renderer.Frame{Scene: scene, Reuse: config, View: renderer.Shaded, Width: size[0], Height: size[1], Raster: raster}
			plans = append(plans, must.Get(plan.New(f, b.Limits())))
			require.True(t, plans[len(plans)-1].Sole)
		}
		keep, stop := plan.Options{Keep: 2}, errors.New("stop")
		b.Set(keep)
		for i, step := range []struct {
			plan   int
			camera renderer.Camera
			want   renderer.Want
			stops  bool
		}{
			{camera: fit}, {camera: aside}, {camera: near}, {camera: aside}, {camera: near}, {plan: 1, camera: fit}, {camera: aside},
			{camera: near, want: renderer.WantVisible}, {camera: aside}, {camera: fit, want: renderer.WantDepth}, {camera: aside}, {camera: aside},
			{camera: near, stops: true}, {camera: aside}, {plan: 1, camera: aside}, {plan: 1, camera: fit}, {camera: aside}, {camera: near}, {camera: aside},
		} {
			p := plans[step.plan]
			options := keep
			if step.stops {
				options.Progress = func(done float64) error { // stops as soon as a submission has run
					if done > 0 {
						return stop
					}
					return nil
				}
			}
			b.Set(options)
			for _, r := range b.recordings {
				r.lean.listed = i % 2 // lists are drawn by a second submission in even steps, by the first in odd ones
			}
			got, err := b.Exec(p, step.camera, renderer.WantColor|renderer.WantCounts|step.want)
			if step.stops {
				require.ErrorIs(t, err, stop)
				continue
			}
			require.NoError(t, err)
			f := p.Frame
			f.Raster = renderer.SoftRaster
			want := must.Get(reference.Exec(must.Get(plan.New(f, reference.Limits())), step.camera, renderer.WantColor|renderer.WantCounts|renderer.WantDepth|renderer.WantVisible))
			require.Equal(t, want.Counts, got.Counts)
			if step.want&renderer.WantVisible != 0 {
				require.Equal(t, want.Visible, got.Visible)
			}
			if step.want&renderer.WantDepth != 0 {
				require.Equal(t, want.Depth, got.Depth)
			}
			for pixel := 0; pixel < len(want.Color.Pix); pixel++ { // light has 64 levels, and may differ by one
				require.InDelta(t, want.Color.Pix[pixel], got.Color.Pix[pixel], 4, "frame %d, %v, byte %d", i, raster, pixel)
			}
			lists := slices.ContainsFunc(got.Timings, func(x renderer.Timing) bool { return x.Pass == "raster:clipped" })
			require.Equal(t, i%2 == 1 && recorded[p] || step.camera == near, lists, "frame %d leaves out what has no work", i)
			recorded[p] = true
		}
	}
}

// TestTrianglesDrawnAtOnce: after a frame that listed triangles, triangles with more than plan.FewAtOnce pixels
// in their box are listed; every triedFrames-th frame tries plan.MostAtOnce again.
func TestTrianglesDrawnAtOnce(t *testing.T) {
	right := func(side float32) [3]mgl32.Vec3 { // side in pixels of a picture of 64
		return [3]mgl32.Vec3{{-.5, -.5, 0}, {-.5 + side/32, -.5, 0}, {-.5, -.5 + side/32, 0}}
	}
	small := slices.Repeat([][3]mgl32.Vec3{right(3)}, 70) // with fewer triangles, plan would assume that many are large
	b := newBackend(t)
	f := renderer.Frame{Reuse: resolve(t, "naive", 0, 0), View: renderer.Shaded, Width: 64, Height: 64, Raster: renderer.FusedRaster}
	listed := func(p *plan.Plan, c renderer.Camera) uint32 {
		must.Get(b.Exec(p, c, 0))
		lists := must.Get(Download[shaders.RasterList](b.device, b.recordings[0].buffer("RasterLists"), shaders.RasterClasses))
		return lists[shaders.ListMedium].Count
	}
	f.Scene = triangleScene(t, append(small, right(12), right(20))...)
	p := must.Get(plan.New(f, b.Limits()))
	far := flatCamera
	far.Distance *= 1.5
	for frame := range 2*triedFrames + 2 {
		require.Equal(t, map[bool]uint32{true: 1, false: 2}[frame%triedFrames == 0], listed(p, flatCamera), "frame %d", frame)
	}
	for range triedFrames {
		listed(p, far) // seen from far, all are smaller than plan.MostAtOnce
	}
	require.Zero(t, listed(p, far))
	require.Zero(t, b.recordings[0].lean.listed)
	require.EqualValues(t, 1, listed(p, flatCamera), "what is listed is known by the frame before")

	f.Scene = triangleScene(t, append(small, right(12))...)
	p = must.Get(plan.New(f, b.Limits()))
	for range 3 {
		require.Zero(t, listed(p, flatCamera))
	}
}

// TestLeanFramesTimeTheFirstPass: no barrier precedes the first pass of a lean frame, yet its time is its own: after
// a frame of the graphics pipeline, Mesa's CPU driver writes a timestamp at the next barrier only.
func TestLeanFramesTimeTheFirstPass(t *testing.T) {
	b := newBackend(t)
	b.Set(plan.Options{Keep: 2})
	scene := must.Get(assets.Make("sphere4"))
	f := renderer.Frame{Scene: scene, Reuse: resolve(t, "claim", 0, 0), View: renderer.Shaded, Width: 16, Height: 16, NoCounts: true, Load: 1 << 16}
	longest := false
	for range 10 { // other programs may hold up a frame, but not every one
		var out *renderer.Output
		for _, f.Raster = range []renderer.RasterHost{renderer.ComputeRaster, renderer.HardwareRaster, renderer.ComputeRaster} { // the first compiles
			out = must.Get(b.Exec(must.Get(plan.New(f, b.Limits())), renderer.FitCamera(scene.Bounds(), 1), 0))
		}
		require.Equal(t, "geometry:claim", out.Timings[0].Pass)
		var rest time.Duration
		for _, x := range out.Timings[1:] {
			rest += x.Duration
		}
		if longest = out.Timings[0].Duration > rest; longest {
			break
		}
	}
	require.True(t, longest, "nearly all of the work is the load of the geometry pass")
}
