package plan

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

func rawFrame() renderer.Frame {
	return renderer.Frame{Raw: true, Scene: strip(100), View: renderer.Shaded, Width: 64, Height: 32}
}

func TestRawPlan(t *testing.T) {
	p := made(t)(New(rawFrame(), testLimits))
	require.Len(t, p.Passes, 1)
	require.Equal(t, []string{"raster/raw", "raster/view"}, p.Passes[0].Pipeline().Shaders)
	require.IsType(t, &Direct{}, p.Passes[0].Op)
	require.Nil(t, p.Buffer("QueueStates"))
	require.Nil(t, p.Buffer("Batches"))
	require.Contains(t, p.String(), "frame  strip, hardware,")
	require.Equal(t, "hardware", p.Frame.StrategyName())
	camera := renderer.FitCamera(p.Frame.Scene.Bounds(), 2)
	require.NoError(t, p.CheckExec(camera, renderer.WantColor|renderer.WantDepth))
	require.ErrorContains(t, p.CheckExec(camera, renderer.WantCounts), "a frame that keeps none")
	require.ErrorContains(t, p.CheckExec(camera, renderer.WantQueues), "a plan that fills none")
	require.ErrorContains(t, p.CheckExec(camera, renderer.WantVisible), "the hardware rasterizer")

	f := rawFrame()
	f.View, f.Shown = renderer.Counts, make([]uint32, f.Scene.DrawVertices())
	p = made(t)(New(f, testLimits))
	require.Equal(t, int64(4*102), p.Buffer("Counts").Bytes)
}

func TestRawPlanRefuses(t *testing.T) {
	warp, err := reuse.Resolve("warp", 0, 0)
	require.NoError(t, err)
	for want, change := range map[string]func(*renderer.Frame){
		"frame without a scene":          func(f *renderer.Frame) { f.Scene = nil },
		"picture of 0x32":                func(f *renderer.Frame) { f.Width = 0 },
		"draws without strategy warp":    func(f *renderer.Frame) { f.Reuse = warp },
		"always draws a picture":         func(f *renderer.Frame) { f.NoRaster = true },
		"not by compute":                 func(f *renderer.Frame) { f.Raster = renderer.ComputeRaster },
		"has no batches to show":         func(f *renderer.Frame) { f.View = renderer.Batches },
		"keeps no counts to show":        func(f *renderer.Frame) { f.View = renderer.Counts },
		"nothing can be drawn without":   func(f *renderer.Frame) { f.View = renderer.NoView },
		"has no vertex shader of ours":   func(f *renderer.Frame) { f.VertexShader = renderer.Skin },
		"of ours but the one that only":  func(f *renderer.Frame) { f.Load = 256 },
		"3 counts to show for 102 verti": func(f *renderer.Frame) { f.Shown = make([]uint32, 3) },
	} {
		f := rawFrame()
		change(&f)
		_, err := New(f, testLimits)
		require.ErrorContains(t, err, want)
	}
}

// TestDrawTable: consecutive draws of the same triangles become instances of
// the first draw, whatever their transforms; ClipData joins each transform with the camera.
func TestDrawTable(t *testing.T) {
	s := strip(4)
	whole := s.Draws[0]
	half, moved, empty := whole, whole, whole
	half.IndexCount = 3
	moved.Transform = mgl32.Translate3D(1, 2, 3)
	empty.IndexCount = 0
	s.Draws = []geometry.Draw{whole, moved, whole, half, empty, half, whole, whole}
	data := DrawData(&renderer.Frame{}, s, nil)
	var instances, first []uint32
	for _, d := range data {
		instances, first = append(instances, d.InstanceCount), append(first, d.FirstInstance)
	}
	require.Equal(t, []uint32{3, 0, 0, 1, 0, 1, 2, 0}, instances)
	require.Equal(t, []uint32{0, 1, 2, 3, 4, 5, 6, 7}, first)
	require.Equal(t, uint32(3), data[3].IndexCount)

	c := CameraData(renderer.FitCamera(s.Bounds(), 1), 1, 1)
	clips := make([][16]float32, len(s.Draws))
	ClipData(clips, c, s.Draws, nil)
	require.Equal(t, clips[0], c.ViewProj)
	require.Equal(t, clips[1], [16]float32(JoinCamera((*mgl32.Mat4)(&c.ViewProj), &moved.Transform)))
	require.NotEqual(t, clips[0], clips[1])
}
