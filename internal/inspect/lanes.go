package inspect

import (
	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Surveys finds how many lanes had a vertex to shade. Only the CPU reference knows,
// which runs over the whole scene in the background, for one plan at a time.
type Surveys struct {
	background[survey]
	busy bool
	done []survey
}

type survey struct {
	plan  *plan.Plan
	share float64
}

// NewSurveys returns Surveys that call wake, on another goroutine, when one has ended.
func NewSurveys(k *Keeper, wake func()) *Surveys {
	return &Surveys{background: newBackground[survey](k, wake)}
}

// Follow begins the surveys of plans that have none, takes what was found, and forgets
// what is of other plans. It reports whether anything was found. A nil plan counts for
// none. Plans that cull have no survey: the reference does not know what is seen.
func (s *Surveys) Follow(plans ...*plan.Plan) (found bool) {
	if l, ok := s.take(); ok {
		s.busy = false
		s.done = append(s.done, l)
		found = slices.Contains(plans, l.plan)
	}
	s.done = slices.DeleteFunc(s.done, func(l survey) bool { return !slices.Contains(plans, l.plan) })
	for _, p := range plans {
		known := slices.ContainsFunc(s.done, func(l survey) bool { return l.plan == p })
		if s.busy || known || p == nil || p.Frame.Cull {
			continue
		}
		s.busy = true
		s.start(func() survey {
			stats, _ := reuse.Summarize(p.Frame.Scene, p.Frame.Reuse)
			return survey{p, stats.LaneUtilization()}
		})
	}
	return found
}

// Utilization is the share of a plan's lanes that had a vertex to shade; 0 where it is
// not known, or not yet.
func (s *Surveys) Utilization(p *plan.Plan) float64 {
	for _, l := range s.done {
		if l.plan == p {
			return l.share
		}
	}
	return 0
}
