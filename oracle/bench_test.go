package oracle

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// benchScene returns the Stanford bunny if it is available, else an asset of its size.
func benchScene(b *testing.B) *geometry.Scene {
	path, ok := shareddata.Find("meshes", "bun_zipper.ply")
	if !ok {
		return asset(b, "sphere6")
	}
	return must.Get(capture.Open(b.Context(), path))
}

// BenchmarkFrame draws the heatmap at 1280x720 as the viewer does: recorded once, executed for a
// turning camera. It reports the median frame time and the median of every pass.
func BenchmarkFrame(b *testing.B) {
	b.Setenv("SHADEONCE_VALIDATION", "0")
	b.Setenv("SHADEONCE_NO_VALIDATION", "1")
	s := benchScene(b)
	for _, strategy := range reuse.Names() {
		for _, lanes := range []int{8, 32} {
			b.Run(fmt.Sprintf("%s/%s/lanes=%d", s.Name, strategy, lanes), func(b *testing.B) {
				benchFrame(b, s, strategy, lanes)
			})
		}
	}
}

func benchFrame(b *testing.B, s *geometry.Scene, strategy string, lanes int) {
	backend := openOwn(b)
	c := must.Get(reuse.Resolve(strategy, lanes, 0))
	camera := renderer.FitCamera(s.Bounds(), 16.0/9)
	f := renderer.Frame{Scene: s, Reuse: c, Width: 1280, Height: 720}
	_, p, err := plan.Render(backend, f, camera, 0)
	require.NoError(b, err)
	var frames []time.Duration
	passes := map[string][]time.Duration{}
	for b.Loop() {
		camera.Azimuth++
		start := time.Now()
		out, err := backend.Exec(p, camera, 0)
		require.NoError(b, err)
		frames = append(frames, time.Since(start))
		for _, t := range out.Timings {
			passes[t.Pass] = append(passes[t.Pass], t.Duration)
		}
	}
	ms := median(frames).Seconds() * 1e3
	b.ReportMetric(ms, "ms/frame")
	b.ReportMetric(1e3/ms, "frames/s")
	for name, list := range passes {
		b.ReportMetric(median(list).Seconds()*1e3, name+"-ms")
	}
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkCustom times the geometry pass with our vertex shaders, built in and loaded as a user's, in
// turns. It reports medians in microseconds, and how much longer the user's takes.
func BenchmarkCustom(b *testing.B) {
	b.Setenv("SHADEONCE_NO_VALIDATION", "1")
	backend := openOwn(b)
	backend.Set(plan.Options{Keep: 2})
	scene := asset(b, "sphere6")
	if path, ok := shareddata.Find("meshes", "dragon_vrip.ply.zst"); ok {
		scene = must.Get(capture.Open(b.Context(), path))
	}
	for _, shader := range []renderer.VertexShader{renderer.Transform, renderer.Skin} {
		for _, strategy := range []string{"naive-index", "claim", "hash"} {
			b.Run(scene.Name+"/"+shader.String()+"/"+strategy, func(b *testing.B) {
				benchCustom(b, backend, scene, shader, strategy)
			})
		}
	}
}

func benchCustom(b *testing.B, backend plan.Backend, s *geometry.Scene, shader renderer.VertexShader, strategy string) {
	f := measure.GeometryFrame()
	c := must.Get(reuse.Params{FitBatch: true}.Resolve(strategy))
	f.Scene, f.Reuse, f.VertexShader = s, c, shader
	frames := []renderer.Frame{f, customLike(b, f)}
	if shader == renderer.Transform { // a shader without outputs, since only pictures need outputs
		frames[1].Shading.Programs[0].Vertex, frames[1].Shading.Programs[0].Inputs = customFile(b, "simple", nil), positionAndNormal[:1]
	}
	frames[0].Scene = frames[1].Scene // so that both share the pools
	camera := renderer.CountCamera(s.Bounds())
	plans, times := make([]*plan.Plan, len(frames)), make([][]time.Duration, len(frames))
	for i := range frames {
		var err error
		_, plans[i], err = plan.Render(backend, frames[i], camera, 0)
		require.NoError(b, err)
	}
	for b.Loop() {
		for i, p := range plans {
			out, err := backend.Exec(p, camera, 0)
			require.NoError(b, err)
			for _, t := range out.Timings {
				if t.Pass == "geometry:"+strategy {
					times[i] = append(times[i], t.Duration)
				}
			}
		}
	}
	own, user := median(times[0]).Seconds(), median(times[1]).Seconds()
	b.ReportMetric(own*1e6, "ours-us")
	b.ReportMetric(user*1e6, "users-us")
	b.ReportMetric((user/own-1)*100, "more-%")
}

// BenchmarkPlan plans a frame as the viewer does when a setting changes: of the largest captured
// frame, and of a mesh in one draw.
func BenchmarkPlan(b *testing.B) {
	limits := openGPU(b).Limits()
	scenes := []*geometry.Scene{asset(b, "terrain700")}
	if path, ok := shareddata.Find("captures", "stk_gl_abyss.geo.zip.xml.zst"); ok {
		frame := must.Get(capture.Open(b.Context(), path))
		scenes = append(scenes, frame)
	}
	for _, s := range scenes {
		for _, strategy := range reuse.Names() {
			b.Run(s.Name+"/"+strategy, func(b *testing.B) {
				c := must.Get(reuse.Resolve(strategy, 8, 0))
				for b.Loop() {
					_, err := plan.New(renderer.Frame{Scene: s, Reuse: c, Width: 1280, Height: 720}, limits)
					require.NoError(b, err)
				}
			})
		}
	}
}
