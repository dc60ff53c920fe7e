package inspect

import (
	"maps"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// Survey names a scene and how it is shaded.
type Survey struct {
	Scene  *geometry.Scene
	Config reuse.Config
}

// SurveyOf returns the survey of what a plan draws.
func SurveyOf(p *plan.Plan) Survey { return Survey{p.Frame.Scene, p.Frame.Reuse} }

// Surveyed is a survey's result: the figures of all draws together, and of each.
type Surveyed struct {
	reuse.Stats
	Draws []reuse.DrawSum
}

// Surveys use the CPU reference in the background to find how often scenes are shaded, and how
// many lanes had a vertex to shade, which only the reference knows. One runs at a time.
type Surveys struct {
	background[survey]
	busy bool
	done map[Survey]Surveyed
}

type survey struct {
	of    Survey
	found Surveyed
}

// NewSurveys returns Surveys that call wake, on another goroutine, when a survey has ended.
func NewSurveys(k *Keeper, wake func()) *Surveys {
	return &Surveys{background: newBackground[survey](k, wake), done: map[Survey]Surveyed{}}
}

// Follow stores a finished survey, drops unwanted ones, and starts the first wanted one that is
// missing. It reports whether a wanted one has finished.
func (s *Surveys) Follow(wanted ...Survey) (found bool) {
	if l, ok := s.take(); ok {
		s.busy, s.done[l.of] = false, l.found
		found = slices.Contains(wanted, l.of)
	}
	maps.DeleteFunc(s.done, func(of Survey, _ Surveyed) bool { return !slices.Contains(wanted, of) })
	for _, of := range wanted {
		if _, known := s.done[of]; s.busy || known {
			continue
		}
		s.busy = true
		s.start(of.Scene, survey{of, Surveyed{Draws: make([]reuse.DrawSum, len(of.Scene.Draws))}}, func() survey {
			stats, draws := reuse.Summarize(of.Scene, of.Config)
			return survey{of, Surveyed{stats, draws}}
		})
	}
	return found
}

// Get returns a survey's result, and false if it is not known yet.
func (s *Surveys) Get(of Survey) (Surveyed, bool) {
	found, ok := s.done[of]
	return found, ok
}
