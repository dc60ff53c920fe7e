package oracle

import (
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
