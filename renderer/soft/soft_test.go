package soft

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestPictureShowsTheBall(t *testing.T) {
	f := frameOf(t, ball(24, false), "warp", 32, renderer.Shaded)
	out, p := render(t, New(), f)
	camera := fit(f)
	drawn := 0
	// The outline of a ball of radius r seen from distance d is a cone with half angle asin(r/d);
	// the mesh is slightly smaller, because of its facets.
	half := math.Asin(1 / float64(camera.Distance))
	for i, depth := range out.Depth {
		x := (float64(i%f.Width) + 0.5 - float64(f.Width)/2) / float64(f.Height) * 2
		y := (float64(i/f.Width)+0.5)/float64(f.Height)*2 - 1
		angle := math.Atan(math.Hypot(x, y) * math.Tan(float64(camera.FovY)*math.Pi/360))
		if depth < 1 {
			drawn++
			require.Less(t, angle, half*1.001, "pixel %d", i)
			require.NotEqual(t, []uint8{28, 31, 36, 255}, out.Color.Pix[4*i:4*i+4])
		} else {
			require.Greater(t, angle, half*0.97, "pixel %d", i)
			require.Equal(t, []uint8{28, 31, 36, 255}, out.Color.Pix[4*i:4*i+4])
		}
	}
	require.Greater(t, drawn, f.Width*f.Height/6)
	var names []string
	for _, timing := range out.Timings {
		names = append(names, timing.Pass)
	}
	require.Equal(t, []string{"clear", "camera:clips", "geometry:warp", "queue:finish", "raster:soft"}, names)
	require.Len(t, p.Chunks, 1)
}

func TestExecAgain(t *testing.T) {
	b := New()
	f := frameOf(t, balls(9), "warp", 32, renderer.Counts)
	first, p := must.Get2(plan.Render(b, f, fit(f), wantAll|renderer.WantVisible))
	kept := bytes.Clone(first.Color.Pix)
	other := fit(f)
	other.Azimuth += 100
	turned := must.Get(b.Exec(p, other, wantAll))
	require.NotEqual(t, kept, turned.Color.Pix)
	require.Equal(t, kept, first.Color.Pix)
	again := must.Get(b.Exec(p, fit(f), wantAll|renderer.WantVisible))
	samePicture(t, first, again, "again")
	require.Equal(t, first.Visible, again.Visible)
	require.Equal(t, first.Counts, again.Counts)
	require.Equal(t, first.Queues, again.Queues)
	require.Equal(t, first.Stats, again.Stats, "of one frame")

	small := f
	small.Width, small.Height = 20, 33
	resized, _ := render(t, b, small)
	require.Equal(t, small.Width, resized.Color.Rect.Dx())
	require.Len(t, resized.Depth, 20*33)
	b.Close()
}

// TestInstancesOfARange: batches of instances may begin at the same index as batches of a
// longer range.
func TestInstancesOfARange(t *testing.T) {
	s := ball(9, false)
	less := s.Draws[0]
	less.IndexCount = 96 + 3
	s.Draws = append(s.Draws, s.Draws[0], less, less)
	f := frameOf(t, s, "warp", 32, renderer.Counts)
	out, _ := render(t, New(), f)
	_, want := must.Get2(reuse.Analyze(s, f.Reuse))
	require.Equal(t, want, out.Counts)
}

func TestWantsAndFlags(t *testing.T) {
	f := frameOf(t, ball(8, false), "warp", 32, renderer.Shaded)
	p := must.Get(plan.New(f, New().Limits()))
	out := must.Get(New().Exec(p, fit(f), 0))
	require.Nil(t, out.Color)
	require.Nil(t, out.Depth)
	require.Nil(t, out.Counts)
	require.Nil(t, out.Queues)
	b, done := New(), 0.
	b.Set(plan.Options{Progress: func(part float64) error { done = part; return nil }})
	must.Get(b.Exec(p, fit(f), 0))
	require.EqualValues(t, 1, done)

	f.NoCounts = true
	p = must.Get(plan.New(f, New().Limits()))
	_, err := New().Exec(p, fit(f), renderer.WantCounts)
	require.EqualError(t, err, "counts are wanted of a frame that keeps none")

	f.NoCounts, f.NoRaster = false, true
	f.View = renderer.Counts
	f.QueueBudget = 16 << 10
	out, _ = render(t, New(), f)
	require.Nil(t, out.Color)
	require.Nil(t, out.Depth)
	wantStats, wantCounts := must.Get2(reuse.Analyze(f.Scene, f.Reuse))
	require.Equal(t, wantCounts, out.Counts)
	require.Equal(t, wantStats, out.Stats)

	f.Subgroups = renderer.NativeSubgroups
	_, err = plan.New(f, New().Limits())
	require.ErrorContains(t, err, "32 lanes are not native here")
}

func TestUnknownPassesAreErrors(t *testing.T) {
	f := frameOf(t, ball(4, false), "warp", 32, renderer.Shaded)
	for want, change := range map[string]func(*plan.Pass){
		"soft: pass geometry:warp: no shader geometry/other here": func(p *plan.Pass) { p.Pipeline().Shaders[0] = "geometry/other" },
		"soft: pass geometry:warp is of unknown kind <nil>":       func(p *plan.Pass) { p.Op = nil },
		"soft: buffer Other cannot be cleared":                    func(p *plan.Pass) { p.Op, p.Uses = &plan.Clear{}, []plan.Use{{Block: "Other"}} },
	} {
		p := must.Get(plan.New(f, New().Limits()))
		change(&p.Passes[2])
		_, err := New().Exec(p, fit(f), 0)
		require.EqualError(t, err, want)
	}
}

func TestDegenerateCameras(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	f := frameOf(t, balls(6), "warp", 32, renderer.Counts)
	p := must.Get(plan.New(f, New().Limits()))
	b := New()
	for name, change := range map[string]func(*renderer.Camera){
		"zero":          func(c *renderer.Camera) { *c = renderer.Camera{} },
		"NaN":           func(c *renderer.Camera) { c.Azimuth = nan },
		"infinite":      func(c *renderer.Camera) { c.Distance = inf },
		"no depth":      func(c *renderer.Camera) { c.Near = c.Far },
		"near zero":     func(c *renderer.Camera) { c.Near = 0 },
		"turned planes": func(c *renderer.Camera) { c.Near, c.Far = c.Far, c.Near },
		"eye within":    func(c *renderer.Camera) { c.Distance, c.Near = 0.1, 1e-30 },
		"flat view":     func(c *renderer.Camera) { c.FovY = 1e-30 },
		"wide view":     func(c *renderer.Camera) { c.FovY = 179.9999 },
		"far away":      func(c *renderer.Camera) { c.Distance, c.Far = 1e30, 3e38 },
	} {
		t.Run(name, func(t *testing.T) {
			camera := fit(f)
			change(&camera)
			out, err := b.Exec(p, camera, wantAll)
			if camera.Check() != nil {
				require.Equal(t, camera.Check(), err)
				return
			}
			require.NoError(t, err)
			for _, d := range out.Depth {
				require.True(t, d >= 0 && d <= 1)
			}
		})
	}
}

func BenchmarkFrame(b *testing.B) {
	s := ball(132, false) // 69,696 triangles
	for _, threads := range []int{1, New().threads} {
		for _, view := range []renderer.View{renderer.Counts, renderer.Shaded} {
			b.Run(fmt.Sprintf("%s/threads=%d", view, threads), func(b *testing.B) {
				f := frameOf(b, s, "warp", 32, view)
				f.Width, f.Height = 1280, 720
				backend := withThreads(threads)
				p := must.Get(plan.New(f, backend.Limits()))
				var out *renderer.Output
				for b.Loop() {
					out = must.Get(backend.Exec(p, fit(f), renderer.WantColor))
				}
				for _, timing := range out.Timings {
					b.ReportMetric(float64(timing.Duration.Microseconds())/1000, "ms_"+timing.Pass)
				}
			})
		}
	}
}

func TestExecRefusesADirectPlan(t *testing.T) {
	f := frameOf(t, ball(8, false), "warp", 32, renderer.Shaded)
	b := New()
	_, err := plan.NewDirect(f.Scene, b.Limits())
	require.ErrorContains(t, err, "the vertex reuse of a graphics pipeline cannot be counted here")
	able := b.Limits()
	able.VertexCounters = true
	p := must.Get(plan.NewDirect(f.Scene, able))
	_, err = b.Exec(p, fit(f), renderer.WantCounts)
	require.EqualError(t, err, "soft: pass raster:direct: the cpu backend has no graphics pipeline")
}

func TestExecRefusesTheComputeRasterizer(t *testing.T) {
	b := New()
	f := frameOf(t, ball(4, false), "warp", 32, renderer.Shaded)
	f.Raster = renderer.ComputeRaster
	p := must.Get(plan.New(f, b.Limits()))
	_, err := b.Exec(p, fit(f), renderer.WantColor)
	require.EqualError(t, err, "soft: the compute rasterizer runs on the gpu backend; soft draws the same triangles")
}

// TestVisibleTriangles: chunks and threads do not change which triangle a pixel shows, and exactly
// the pixels that were drawn show one.
func TestVisibleTriangles(t *testing.T) {
	f := frameOf(t, balls(16), "warp", 32, renderer.Shaded)
	whole, _ := must.Get2(plan.Render(New(), f, fit(f), renderer.WantVisible|renderer.WantDepth))
	f.QueueBudget = 20 << 10
	cut, p := must.Get2(plan.Render(withThreads(3), f, fit(f), renderer.WantVisible))
	require.Greater(t, len(p.Chunks), 2)
	require.Equal(t, whole.Visible, cut.Visible)
	for i, v := range whole.Visible {
		require.Equal(t, v != 0, whole.Depth[i] < 1, "pixel %d", i)
		require.LessOrEqual(t, int(v), f.Scene.Triangles())
	}
}

// TestDepthPlane compares the depth computed in integers with floating point.
func TestDepthPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 100000 {
		tri := triangle{z: [3]uint32{r.Uint32N(farDepth + 1), r.Uint32N(farDepth + 1), r.Uint32N(farDepth + 1)}}
		area := int64(1) << r.IntN(51)
		area += r.Int64N(area)
		p := newDepthPlane(&tri, area)
		e1 := r.Int64N(area + 1)
		e2 := r.Int64N(area - e1 + 1)
		b1, b2 := float64(e1)/float64(area), float64(e2)/float64(area)
		want := (1-b1-b2)*float64(tri.z[0]) + b1*float64(tri.z[1]) + b2*float64(tri.z[2])
		got := p.at(e1, e2)
		require.InDelta(t, want, float64(got), 16, "area %d, edges %d, %d, depths %v", area, e1, e2, tri.z)
		require.GreaterOrEqual(t, got, min(tri.z[0], tri.z[1], tri.z[2]))
		require.LessOrEqual(t, got, max(tri.z[0], tri.z[1], tri.z[2]))
	}
	require.Equal(t, uint32(farDepth), fixDepth(1))
	depths := (&raster{depth: []uint32{farDepth, farDepth - 1}}).depths()
	require.Equal(t, float32(1), depths[0])
	require.Less(t, depths[1], float32(1))
	require.Equal(t, uint32(0), fixDepth(float32(math.Copysign(1e-20, -1))))
}

// TestSubdividedFrames draws a mesh that is subdivided during drawing, with every strategy, in
// both queue forms and in chunks: but for times, the output equals that for the stored refined mesh.
func TestSubdividedFrames(t *testing.T) {
	s := must.Get(subdivide.NewScene(t.Context(), ball(7, true), 2))
	stored := s.Stored()
	vertices, _ := MovedCount(&renderer.Frame{Scene: s})
	require.Len(t, stored.Positions, vertices)
	for _, name := range reuse.Names() {
		for queue := range renderer.QueueForm(len(renderer.QueueFormNames)) {
			for _, budget := range []int64{0, 64 << 10} {
				f := frameOf(t, stored, name, 16, renderer.View(int(queue)+len(name)%2))
				f.Queue, f.QueueBudget, f.Cull = queue, budget, queue == renderer.Indexed && budget != 0
				want, _ := render(t, New(), f)
				f.Scene = s
				got, _ := render(t, New(), f)
				want.Timings, got.Timings, want.Elapsed, got.Elapsed = nil, nil, 0, 0
				require.Equal(t, want, got, "%s, %s", name, queue)
			}
		}
	}
}

func TestSubdividedRefusals(t *testing.T) {
	s := must.Get(subdivide.NewScene(t.Context(), ball(7, false), 1))
	f := renderer.Frame{Scene: s, Reuse: must.Get(reuse.Resolve("warp", 8, 0)), Width: 64, Height: 64}
	for want, change := range map[string]func(f *renderer.Frame, l *renderer.Limits){
		"vertex shader skin moves vertices of stored meshes, not of one that is subdivided while it is drawn": func(f *renderer.Frame, _ *renderer.Limits) {
			f.VertexShader = renderer.Skin
		},
		"the graphics pipeline alone draws stored meshes, not one that is subdivided while it is drawn": func(f *renderer.Frame, _ *renderer.Limits) {
			f.Raw, f.View, f.Reuse = true, renderer.Shaded, reuse.Config{}
		},
		"buffer Positions needs 2.812 KiB (240 x float3), the device binds at most 1.953 KiB; the mesh is subdivided while it is drawn, which takes the whole coarse one": func(_ *renderer.Frame, l *renderer.Limits) {
			l.MaxBufferBytes = 2000
		},
	} {
		other, limits := f, New().Limits()
		change(&other, &limits)
		_, err := plan.New(other, limits)
		require.EqualError(t, err, want, want)
	}
	_, err := plan.NewDirect(s, renderer.Limits{VertexCounters: true})
	require.EqualError(t, err, "the graphics pipeline alone draws stored meshes, not one that is subdivided while it is drawn")
}
