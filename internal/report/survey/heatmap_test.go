package survey

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/report"
)

// TestHeatmaps: a given scene of several draws has places in the world, indices of (draw, vertex) pairs, and counts in
// both orders. Scenes that are not given have none, and those that the page cannot hold a note.
func TestHeatmaps(t *testing.T) {
	t.Parallel()
	s := must.Get(assets.Make("city3"))
	require.Greater(t, len(s.Draws), 3)
	m := &survey{
		Options: Options{Open: func(path string) (*geometry.Scene, error) {
			require.Equal(t, "a.glb", path)
			return s, nil
		}},
		paths: map[string]string{"a": "a.glb"},
		report: &report.Report{Scenes: []report.Scene{
			{Name: "other"}, {Name: "large", Given: true, Triangles: report.HeatmapTriangles + 1}, {Name: "a", Given: true, Triangles: report.HeatmapTriangles},
		}},
	}
	m.heatmaps()
	require.Equal(t, []string{"large cannot be turned on this page, which holds 8 scenes of 200000 triangles at most; it has 200001: the viewer shows it."}, m.report.Notes)
	require.Len(t, m.report.Heatmaps, 1)
	h := m.report.Heatmaps[0]
	require.Equal(t, "a", h.Scene)
	first, at := 0, 0
	for i := range s.Draws {
		d := &s.Draws[i]
		for v, p := range s.Positions[d.VertexOffset:][:d.VertexCount] {
			world := d.Transform.Mul4x1(p.Vec4(1))
			require.Equal(t, world[:3], h.Positions[3*(first+v):][:3])
		}
		for _, id := range s.DrawIndices(i) {
			require.EqualValues(t, first+int(id), h.Indices[at])
			at++
		}
		first += int(d.VertexCount)
	}
	require.Len(t, h.Positions, 3*first)
	require.Len(t, h.Indices, at)
	c := must.Get(reuse.Resolve("claim", 0, 0))
	for i, name := range []string{"original", "forsyth"} {
		_, want := must.Get2(reuse.Analyze(must.Get(order.Apply(t.Context(), s, name)), c))
		require.Equal(t, want, h.Counts[i], name)
	}
	require.NotEqual(t, h.Counts[0], h.Counts[1])

	for range report.MostHeatmaps {
		m.report.Scenes = append(m.report.Scenes, report.Scene{Name: "a", Given: true})
	}
	m.report.Heatmaps = nil
	m.heatmaps()
	require.Len(t, m.report.Heatmaps, report.MostHeatmaps)
	require.Len(t, m.report.Notes, 3)
}
