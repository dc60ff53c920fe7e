package main

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// laneSurvey is what only the CPU reference knows of a plan: how many lanes the
// rounds of shading occupied.
type laneSurvey struct {
	plan  *plan.Plan
	share float64
}

// utilization is the share of lanes that had a vertex to shade; 0 where it is not
// known, or not yet.
func (l laneSurvey) utilization(p *plan.Plan) float64 {
	if l.plan != p {
		return 0
	}
	return l.share
}

// surveyor runs the reference beside the frame loop, for one plan at a time.
type surveyor struct {
	wake    func()
	results chan laneSurvey
	busy    *plan.Plan
	retired []*geometry.Scene // to be released once no reference runs over them
	held    int               // others that read what is shown, or was
}

// hold keeps scenes from being released until letGo is called.
func (s *surveyor) hold() { s.held++ }

func (s *surveyor) letGo() {
	s.held--
	s.release()
}

func newSurveyor(wake func()) *surveyor {
	return &surveyor{wake: wake, results: make(chan laneSurvey, 1)}
}

// retire releases a scene that is not shown any more, as soon as the reference does
// not run: it may lie in a mapped file.
func (s *surveyor) retire(scene *geometry.Scene) {
	if scene != nil {
		s.retired = append(s.retired, scene)
	}
	s.release()
}

func (s *surveyor) release() {
	if s.busy != nil || s.held > 0 {
		return
	}
	for _, scene := range s.retired {
		scene.Release()
	}
	s.retired = nil
}

// follow has the sides' plans surveyed, and takes what was found; it reports
// whether anything was.
func (s *surveyor) follow(sides ...*side) (found bool) {
	select {
	case l := <-s.results:
		s.busy = nil
		for _, d := range sides {
			if d.plan == l.plan {
				d.lanes, found = l, true
			}
		}
	default:
	}
	s.release()
	for _, d := range sides {
		if p := d.plan; s.busy == nil && p != nil && d.lanes.plan != p && !p.Frame.Cull {
			s.busy = p
			go func() {
				stats, _ := reuse.Summarize(p.Frame.Scene, p.Frame.Reuse)
				s.results <- laneSurvey{p, stats.LaneUtilization()}
				s.wake()
			}()
		}
	}
	return found
}
