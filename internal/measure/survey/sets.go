package survey

import (
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/report"
)

// setJobs are the low-reuse sets of frames that are being counted.
type setJobs struct{ sets []report.Set }

// countSet starts counting a frame's low-reuse set, where it has one and more
// draws beside, in the paper's order.
func (m *survey) countSet(p *pool, sets *setJobs, name string, s *geometry.Scene, counters []counter) {
	chosen, _, err := measure.Below(s, report.LowIdeal)
	if err != nil || len(chosen.Draws) == len(s.Draws) {
		return // there is none, or nothing beside
	}
	set := report.Scene{
		Name: report.SetName(name), Draws: len(chosen.Draws), Vertices: chosen.DrawVertices(), Triangles: chosen.Triangles(),
	}
	sets.sets = append(sets.sets, report.Set{Scene: set, Of: name})
	p.start(&job{scene: chosen, name: set.Name, order: report.PaperOrder, counters: counters})
}

// take moves the sets' rows into the report, and gives those that are left.
func (j *setJobs) take(rows []report.Reuse, to *report.Report) []report.Reuse {
	for i := range j.sets {
		set := &j.sets[i]
		rows = slices.DeleteFunc(rows, func(u report.Reuse) bool {
			mine := u.Scene == set.Scene.Name
			if mine {
				set.Reuse = append(set.Reuse, u)
				set.Scene.Referenced = u.Stats.Referenced
			}
			return mine
		})
	}
	to.Sets = j.sets
	return rows
}
