package inspect

import (
	"maps"
	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Surveys finds how many lanes had a vertex to shade. Only the CPU reference knows,
// which runs over the whole scene in the background, for one plan at a time.
type Surveys struct {
	background[survey]
	busy bool
	done map[*plan.Plan]float64
}

type survey struct {
	plan  *plan.Plan
	share float64
}

// NewSurveys returns Surveys that call wake, on another goroutine, when one has ended.
func NewSurveys(k *Keeper, wake func()) *Surveys {
	return &Surveys{background: newBackground[survey](k, wake), done: map[*plan.Plan]float64{}}
}

// Follow begins the surveys of plans that have none, takes what was found, and forgets
// what is of other plans. It reports whether anything was found. A nil plan counts for
// none. Plans that cull have no survey: the reference does not know what is seen.
func (s *Surveys) Follow(plans ...*plan.Plan) (found bool) {
	if l, ok := s.take(); ok {
		s.busy, s.done[l.plan] = false, l.share
		found = slices.Contains(plans, l.plan)
	}
	maps.DeleteFunc(s.done, func(p *plan.Plan, _ float64) bool { return !slices.Contains(plans, p) })
	for _, p := range plans {
		if _, known := s.done[p]; s.busy || known || p == nil || p.Frame.Cull {
			continue
		}
		s.busy = true
		s.start(p.Frame.Scene, survey{plan: p}, func() survey {
			stats, _ := reuse.Summarize(p.Frame.Scene, p.Frame.Reuse)
			return survey{p, stats.LaneUtilization()}
		})
	}
	return found
}

// Utilization is the share of a plan's lanes that had a vertex to shade; 0 where it is
// not known, or not yet.
func (s *Surveys) Utilization(p *plan.Plan) float64 { return s.done[p] }
