package survey

import (
	"context"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/report"
)

// heatmaps keeps given scenes for the page, as far as it holds them.
func (m *survey) heatmaps() {
	c := must.Get(reuse.Resolve(report.HeatmapStrategy, 0, 0))
	for _, s := range m.report.Scenes {
		switch {
		case !s.Given:
		case s.Triangles > report.HeatmapTriangles || len(m.report.Heatmaps) == report.MostHeatmaps:
			m.note("%s cannot be turned on this page, which holds %d scenes of %d triangles at most; it has %d: the viewer shows it.",
				s.Name, report.MostHeatmaps, report.HeatmapTriangles, s.Triangles)
		default:
			m.report.Heatmaps = append(m.report.Heatmaps, heatmap(s.Name, must.Get(m.open(s.Name)), c))
		}
	}
}

// heatmap counts a scene in its own order and in the paper's, which keeps vertices' numbers.
func heatmap(name string, s *geometry.Scene, c reuse.Config) report.Heatmap {
	h := report.Heatmap{Scene: name}
	for i := range s.Draws {
		h.Positions, h.Indices = s.AppendWorld(i, h.Positions, h.Indices)
	}
	ordered := must.Get(order.Apply(context.Background(), s, report.PaperOrder))
	_, h.Counts[0] = reuse.Analyze(s, c)
	_, h.Counts[1] = reuse.Analyze(ordered, c)
	return h
}
