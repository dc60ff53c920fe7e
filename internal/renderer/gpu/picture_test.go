package gpu

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestColorOfComputedPictures: a window's image equals what Exec reads back, also after another
// frame and when it is requested twice.
func TestColorOfComputedPictures(t *testing.T) {
	b := newBackend(t)
	require.NoError(t, b.Show())
	require.Nil(t, b.Color(), "before the first picture")
	p := computePlan(t, b, false, [3]mgl32.Vec3{{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0, 0.5, 0}})
	camera := flatCamera
	var last []byte
	for _, zoom := range []float32{1, 2} {
		camera.Distance = zoom
		out, err := b.Exec(p, camera, renderer.WantColor|renderer.WantDepth)
		require.NoError(t, err)
		require.Len(t, out.Depth, 512*512)
		require.NotEqual(t, last, out.Color.Pix)
		last = out.Color.Pix
		require.Nil(t, b.recordings[0].target, "the graphics pipeline draws nothing here")
		for range 2 {
			require.NoError(t, b.Show())
			require.Equal(t, out.Color.Pix, frontPixels(t, b))
		}
	}

	nothing := *p
	nothing.Passes, nothing.Frame.NoRaster, nothing.Buffers = p.Passes[:2], true, nil
	for _, have := range p.Buffers {
		if have.Name != "PictureColor" {
			nothing.Buffers = append(nothing.Buffers, have)
		}
	}
	_, err := b.Exec(&nothing, camera, 0)
	require.NoError(t, err)
	require.NoError(t, b.Show())
	require.Equal(t, last, frontPixels(t, b), "a plan without a picture leaves the old one")
}

func frontPixels(t *testing.T, b *Backend) []byte {
	require.NotNil(t, b.Color())
	pixels, err := b.device.ReadImage(b.Color())
	require.NoError(t, err)
	picture.TakeSeen(pixels)
	return pixels.Pix
}

// TestColorStays: the shown image stays while another plan is executed, even at another size.
func TestColorStays(t *testing.T) {
	for _, raster := range []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster} {
		b := newBackend(t)
		f := sliceFrame(t, raster)
		camera := renderer.FitCamera(f.Scene.Bounds(), 1)
		shown, _ := render(t, b, f, camera, renderer.WantColor)
		require.NoError(t, b.Show())
		for _, size := range [][2]int{{80, f.Height}, {80, 40}, {80, 72}, {48, 72}} { // one side changes at a time
			f.Width, f.Height, f.View = size[0], size[1], renderer.Shaded
			next, _ := render(t, b, f, camera, renderer.WantColor)
			require.Equal(t, shown.Color.Pix, frontPixels(t, b))
			require.NoError(t, b.Show())
			require.Equal(t, next.Color.Pix, frontPixels(t, b), "%v", size)
			shown = next
		}
	}
}

// sliceFrame is a frame of several chunks; the camera does not affect some of its passes.
func sliceFrame(t *testing.T, raster renderer.RasterHost) renderer.Frame {
	s := must.Get(assets.Make("sphere4"))
	c := resolve(t, "warp", 8, 0)
	return renderer.Frame{Scene: s, Reuse: c, Width: 64, Height: 64, Raster: raster, QueueBudget: 64 << 10, Slice: 1024}
}

// TestStepwise: a plan that is submitted step by step, with other submissions in between, gives
// the same result as at once. Steps that the camera does not affect run once.
func TestStepwise(t *testing.T) {
	for _, raster := range []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster} {
		b := newBackend(t)
		f := sliceFrame(t, raster)
		camera := renderer.FitCamera(f.Scene.Bounds(), 1)
		want := renderer.WantColor | renderer.WantDepth | renderer.WantCounts
		reference, p := render(t, b, f, camera, want)
		require.Greater(t, len(p.Chunks), 2)
		require.Len(t, b.recordings[0].parts, 1)
		plain := len(reference.Timings)

		b.closeFrames()
		b.Set(plan.Options{Stepwise: true, KeepOnce: true})
		beside := must.Get(b.device.NewCommands("beside"))
		defer beside.Close()
		beside.Begin()
		require.NoError(t, beside.End())
		idle := 0
		hook := func(bool) {
			idle++
			require.NoError(t, beside.Run())
		}
		for i := range 3 {
			b.device.Idle = hook
			out, err := b.Exec(p, camera, want)
			b.device.Idle = nil
			require.NoError(t, err)
			require.Equal(t, reference.Counts, out.Counts)
			require.Equal(t, reference.Color.Pix, out.Color.Pix)
			require.Equal(t, reference.Depth, out.Depth)
			counted := slices.ContainsFunc(out.Timings, func(x renderer.Timing) bool { return x.Pass == "count:warp" })
			require.Equal(t, i == 0, counted, "counted at the first time alone")
			if i == 0 {
				require.Len(t, out.Timings, plain)
			}
		}
		require.Greater(t, len(b.recordings[0].parts), len(p.Chunks))
		require.Positive(t, idle)
	}
}

// TestAside: while work runs in the background, Idle is called, but not recursively. Without Idle
// the work runs all the same.
func TestAside(t *testing.T) {
	b := newBackend(t)
	var idle atomic.Int32
	b.device.Idle = func(submitted bool) {
		require.False(t, submitted)
		require.Nil(t, b.device.Idle)
		idle.Add(1)
	}
	b.device.Aside(func() {
		for idle.Load() < 2 {
			time.Sleep(idleEvery)
		}
	})
	b.device.Idle = nil
	done := false
	b.device.Aside(func() { done = true })
	require.True(t, done)
}

// TestAsideEnds: an error of Options.Progress ends the context of background work. Progress is
// called on the waiting thread.
func TestAsideEnds(t *testing.T) {
	b := newBackend(t)
	asked, idle, unwanted := 0, 0, errors.New("not wanted")
	b.Set(plan.Options{Progress: func(float64) error {
		if asked++; asked > 2 {
			return unwanted
		}
		return nil
	}})
	b.device.Idle = func(bool) { idle++ }
	var cause error
	b.Info().Aside(func(ctx context.Context) {
		<-ctx.Done()
		cause = context.Cause(ctx)
	})
	require.Equal(t, unwanted, cause)
	before := idle
	b.device.Idle(false)
	require.Equal(t, []int{3, before + 1}, []int{asked, idle}, "afterwards Idle asks nothing")
	b.device.Idle = nil
	b.Info().Aside(func(ctx context.Context) { require.NoError(t, ctx.Err()) })
}
