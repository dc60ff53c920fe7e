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
	"github.com/shadeonce/shadeonce/renderer/soft"
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
		out := must.Get(b.Exec(p, camera, renderer.WantColor|renderer.WantDepth))
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
	must.Get(b.Exec(&nothing, camera, 0))
	require.NoError(t, b.Show())
	require.Equal(t, last, frontPixels(t, b), "a plan without a picture leaves the old one")
}

func frontPixels(t *testing.T, b *Backend) []byte {
	require.NotNil(t, b.Color())
	pixels := must.Get(b.device.ReadImage(b.Color()))
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

// TestReshow: if the counts to show change, a kept plan draws the new ones as if it were planned
// with them, whatever its chunks, windows and culling.
func TestReshow(t *testing.T) {
	b := newBackend(t)
	s := memoryScene(t, "terrain100")
	camera := renderer.FitCamera(s.Bounds(), 1.5)
	config := resolve(t, "warp", 8, 0)
	plain := renderer.Frame{Scene: s, Reuse: config, Raster: renderer.ComputeRaster, Palette: picture.DifferencePalette, Width: 96, Height: 64}
	for name, change := range map[string]func(*renderer.Frame){
		"whole":   func(*renderer.Frame) {},
		"culled":  func(f *renderer.Frame) { f.Cull = true },
		"chunks":  func(f *renderer.Frame) { f.QueueBudget = 64 << 10 },
		"both":    func(f *renderer.Frame) { f.Cull, f.QueueBudget = true, 128<<10 },
		"windows": func(f *renderer.Frame) { f.DeviceBudget, f.QueueBudget = 33500<<10, 64<<10 },
	} {
		t.Run(name, func(t *testing.T) {
			f := plain
			change(&f)
			fill := func(shift int) []uint32 {
				counts := make([]uint32, s.DrawVertices())
				for i := range counts {
					counts[i] = uint32((i/7+shift)%6 + 1)
				}
				return counts
			}
			f.Shown = fill(2)
			want, p := render(t, b, f, camera, renderer.WantColor)
			require.Equal(t, name == "windows", p.Windowed())
			require.Equal(t, name == "chunks" || name == "both", !p.Windowed() && len(p.Chunks) > 1)

			f.Shown = fill(0)
			first, p := render(t, b, f, camera, renderer.WantColor)
			copy(f.Shown, fill(2))
			if name != "windows" { // windows read Frame.Shown in every Exec
				stale := must.Get(b.Exec(p, camera, renderer.WantColor))
				require.Equal(t, first.Color.Pix, stale.Color.Pix, "not before it is told")
			}
			require.NoError(t, b.Reshow(p))
			got := must.Get(b.Exec(p, camera, renderer.WantColor))
			require.Equal(t, want.Color.Pix, got.Color.Pix)
			require.NotEqual(t, first.Color.Pix, got.Color.Pix)

			// The CPU backend reads Frame.Shown in every Exec.
			f.Raster, f.Shown = renderer.SoftRaster, fill(0)
			cpu := soft.New()
			before, p := render(t, cpu, f, camera, renderer.WantColor)
			copy(f.Shown, fill(2))
			after := must.Get(cpu.Exec(p, camera, renderer.WantColor))
			require.NotEqual(t, before.Color.Pix, after.Color.Pix)
		})
	}
	require.NoError(t, b.Reshow(&plan.Plan{Frame: renderer.Frame{Shown: []uint32{1}}}), "a plan that is not kept")
	require.Empty(t, b.Messages())
}

// TestWindowsCountEveryFrameAnew: windows add their counts on the host. The counts view stays the same when it is
// drawn again, whether or not the counts are read back.
func TestWindowsCountEveryFrameAnew(t *testing.T) {
	b := newBackend(t)
	s := memoryScene(t, "terrain100")
	camera := renderer.FitCamera(s.Bounds(), 1.5)
	f := renderer.Frame{Scene: s, Reuse: resolve(t, "warp", 8, 0), Raster: renderer.ComputeRaster, Width: 96, Height: 64, DeviceBudget: 33500 << 10, QueueBudget: 64 << 10}
	first, p := render(t, b, f, camera, renderer.WantColor|renderer.WantCounts)
	require.True(t, p.Windowed())
	for _, want := range []renderer.Want{renderer.WantColor, renderer.WantColor, renderer.WantColor | renderer.WantCounts} {
		again := must.Get(b.Exec(p, camera, want))
		require.Equal(t, first.Color.Pix, again.Color.Pix)
		if want&renderer.WantCounts != 0 {
			require.Equal(t, first.Counts, again.Counts)
		}
	}
}

// TestPoolsBeyondABinding: a device with a limit of 128 MiB cannot bind a pool of tens of millions of
// indices. The scene is then drawn in windows that the device can bind. Frames that cannot be drawn in
// windows are refused in one line, as are pictures too large to bind or too wide.
func TestPoolsBeyondABinding(t *testing.T) {
	b := ownBackend(t)
	s := memoryScene(t, "terrain100")
	camera := renderer.FitCamera(s.Bounds(), 1.5)
	config := resolve(t, "warp", 8, 0)
	f := renderer.Frame{Scene: s, Reuse: config, Raster: compute, Width: 96, Height: 64}
	const want = renderer.WantColor | renderer.WantDepth | renderer.WantCounts | renderer.WantVisible
	whole, p := render(t, b, f, camera, want)
	require.False(t, p.Windowed())

	limits := &b.device.Info.Limits
	binding := limits.StorageBufferBytes
	defer func() { limits.StorageBufferBytes = binding }()
	limits.StorageBufferBytes = 100 << 10 // below the two vertex pools of 119.5 KiB each, and 234 KiB of indices
	got, p := render(t, b, f, camera, want)
	require.True(t, p.Windowed() && p.Gathered)
	for _, buffer := range p.Buffers {
		require.LessOrEqual(t, buffer.Bytes, limits.StorageBufferBytes, buffer.Name)
	}
	require.Equal(t, whole.Visible, got.Visible)
	require.Equal(t, whole.Color.Pix, got.Color.Pix)
	require.Equal(t, whole.Depth, got.Depth)
	require.Equal(t, whole.Counts, got.Counts)

	for want, change := range map[string]func(f *renderer.Frame){
		"buffer Positions needs 119.5 KiB (10201 x float3), the device binds at most 100 KiB; multi takes the whole scene at once, the other strategies take it in windows": func(f *renderer.Frame) {
			f.Reuse = resolve(t, "multi", 0, 0)
		},
		"buffer Positions needs 119.5 KiB (10201 x float3), the device binds at most 100 KiB; the skeleton is made for the whole scene at once": func(f *renderer.Frame) {
			f.VertexShader = renderer.Skin
		},
		"buffer Positions needs 119.5 KiB (10201 x float3), the device binds at most 100 KiB": func(f *renderer.Frame) {
			*f = renderer.Frame{Scene: f.Scene, View: renderer.Shaded, Raw: true, Width: 8, Height: 8}
		},
		"buffer Visible needs 128 KiB (16384 x uint64 depth, triangle), the device binds at most 100 KiB": func(f *renderer.Frame) {
			f.Width, f.Height = 128, 128
		},
		"picture of 1000000x1: each side must be 1 to 16384": func(f *renderer.Frame) { f.Width, f.Height = 1000000, 1 },
	} {
		other := f
		change(&other)
		_, _, err := plan.Render(b, other, camera, 0)
		require.EqualError(t, err, want)
	}
}
