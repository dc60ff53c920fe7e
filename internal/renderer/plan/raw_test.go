package plan

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shape"
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
	warp := must.Get(reuse.Resolve("warp", 0, 0))
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

func TestDirectPlan(t *testing.T) {
	l := testLimits
	l.VertexCounters, l.PipelineStatistics = true, true
	p := made(t)(NewDirect(strip(100), l))
	require.Equal(t, []string{"clear", "raster:direct"}, []string{p.Passes[0].Name, p.Passes[1].Name})
	require.Equal(t, int64(4*102), p.Buffer("Counts").Bytes)
	require.Equal(t, []string{"raster/direct-count"}, p.Passes[1].Pipeline().Shaders)
	require.Nil(t, p.Buffer("QueueStates"))
	require.NoError(t, p.CheckExec(renderer.FitCamera(p.Frame.Scene.Bounds(), 1), renderer.WantCounts))
	require.Contains(t, p.String(), "frame  strip, direct,")
	require.Contains(t, p.String(), "pass   raster:direct    direct   1 indexed draw\n")
	require.Zero(t, p.GeometryBytes(reuse.Stats{Invocations: 7}))

	l.VertexCounters = false
	p = made(t)(NewDirect(strip(100), l))
	require.Len(t, p.Passes, 1)
	require.Equal(t, []string{"raster/direct"}, p.Passes[0].Pipeline().Shaders)
	require.Nil(t, p.Buffer("Counts"))
	require.ErrorContains(t, p.CheckExec(renderer.FitCamera(p.Frame.Scene.Bounds(), 1), renderer.WantCounts), "a frame that keeps none")
}

func TestDirectPlanRefuses(t *testing.T) {
	able := testLimits
	able.VertexCounters = true
	small := able
	small.MaxBufferBytes = 1000
	bare := strip(100)
	bare.Normals = nil
	for want, tt := range map[string]struct {
		scene  *geometry.Scene
		limits renderer.Limits
	}{
		"direct plan without a scene":             {nil, able},
		"scene with 0 normals for 102 vertices":   {bare, able},
		"neither a query of pipeline statistics":  {strip(100), testLimits},
		"buffer Positions needs 1.195 KiB (102 x": {strip(100), small},
	} {
		_, err := NewDirect(tt.scene, tt.limits)
		require.ErrorContains(t, err, want)
	}
}

// TestShownCounts: no pass writes or clears the counts in Frame.Shown, and counts of another scene are refused.
func TestShownCounts(t *testing.T) {
	f := frame(t, 5000, "warp", 8)
	f.QueueBudget = 4096 // several chunks, whose own counts would need a counting round first
	f.Shown = make([]uint32, f.Scene.DrawVertices())
	p := made(t)(New(f, testLimits))
	require.Greater(t, len(p.Chunks), 1)
	for _, pass := range p.Passes {
		require.Zero(t, spec(pass, "COUNT"), pass.Name)
		if isA[*Clear](pass) {
			require.Equal(t, []string{"QueueStates", "QueueStates#2"}, touching(p, pass, Write))
		}
	}
	f.Shown = f.Shown[1:]
	_, err := New(f, testLimits)
	require.EqualError(t, err, "5001 counts to show for 5002 vertices")
}

// TestCountsByShapeLeaveTheRasterOpen: auto chooses the same host as for other counts.
func TestCountsByShapeLeaveTheRasterOpen(t *testing.T) {
	f, l := frame(t, 5000, "claim", 32), testLimits
	f.Raster, l.Multiprocessors = renderer.AutoRaster, GPUCosts.Multiprocessors
	own := made(t)(New(f, l))
	_, counts := shape.Offsets(f.Scene)
	f.Shown, f.ShownByShape = make([]uint32, counts), true
	p := made(t)(New(f, l))
	require.Equal(t, own.Choice, p.Choice)
	require.NotEqual(t, renderer.HardwareRaster, p.Frame.Raster)
}
