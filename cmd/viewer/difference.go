package main

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// difference is the picture of which vertices the right side shades more often.
type difference struct {
	inspect.Difference
	plan        *plan.Plan    // its Frame.Shown are the differences, by the left's vertices
	left, right *plan.Plan    // that it is of
	match       inspect.Match // between them
}

// followCulled brings the differences to what both sides shade for the camera that is
// drawn: with culling that follows from what is seen.
func (a *app) followCulled() error {
	if err := a.exec(a.drawn); err != nil {
		return err
	}
	a.log.add(a.timings)
	if err := a.right.exec(a.drawn); err != nil {
		return err
	}
	now, shown := inspect.Compare(&a.diff.match, a.counts, a.right.counts)
	a.legendDue = a.legendDue || now != a.diff.Difference
	a.diff.Difference = now
	if slices.Equal(shown, a.diff.plan.Frame.Shown) {
		return nil
	}
	copy(a.diff.plan.Frame.Shown, shown)
	return a.backend.Reshow(a.diff.plan)
}
