package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

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
