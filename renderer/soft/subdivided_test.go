package soft

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

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
