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
