package app

import (
	"image"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// Selection is the picked vertex, with its triangle and one of the batches that shaded it.
type Selection struct {
	Plan  *plan.Plan      // nil if nothing is selected
	Scene *geometry.Scene // its vertices are where they are drawn; nil until they are known
	Hit   inspect.Hit
	Uses  []inspect.Use // the batches that shaded the vertex, as far as known
	Batch int           // the batch's number in the stream, or -1
	At    reuse.Batch
	Slots []inspect.Slot
	Right bool // it is on the right side of a comparison
	Fresh bool // scroll the batch's list to the vertex
}

// into sets the batch of a selection.
func (s *Selection) into(number int, at reuse.Batch) {
	s.Batch, s.At, s.Slots, s.Fresh = number, at, inspect.Slots(s.Plan, at), true
}

// clicked selects the vertex at a pixel, or nothing.
func (a *App) clicked(at, size image.Point) {
	a.Unselect()
	a.waiting = nil
	d := a.sideAt(at, size)
	if d.Applied != nil || a.Walked != nil {
		return
	}
	if found, ok := a.hitBy(waitingClick{at, a.Shown.Left.Camera, false}, d, size); ok {
		a.Pick(d, found)
	}
}

// hitBy returns what a click hits of a side. A click whose picker is not made yet waits for it.
func (a *App) hitBy(click waitingClick, d *model.Half, size image.Point) (found inspect.Hit, ok bool) {
	if d.Plan == nil || !inspect.Followable(d.Plan) {
		return found, false
	}
	p := a.Pickers.Of(d.Plan)
	if p == nil {
		a.waiting = &click
		return found, false
	}
	return p.Pick(click.camera, size, click.at)
}

func (a *App) Unselect() {
	a.Selection = Selection{}
	a.DrawList.choose(-1)
	a.searches.Unclick()
	a.Unshown, a.rest = true, guiRest
}

// Pick selects a vertex of a side, its triangle's batch and its draw's row.
func (a *App) Pick(d *model.Half, h inspect.Hit) {
	a.Unselect()
	a.Selection = Selection{Plan: d.Plan, Hit: h, Right: d == &a.Shown.Right, Batch: -1}
	s := &a.Selection
	a.DrawList.choose(d.DrawIndex(h.Draw))
	a.DimOthers(a.Want.Marks.Highlight != "")
	if d.Plan.Batchless() != "" {
		return
	}
	if inspect.TakesLong(d.Plan, h.Draw) {
		a.searches.Click(d.Plan, h)
		a.takeClicked()
	} else {
		s.Uses = inspect.BatchesOf(d.Plan, h.Draw, h.Vertex())
	}
	if n := inspect.BatchOf(d.Plan, h.Draw, h.Triangle); n >= 0 {
		s.into(n, d.Plan.Batches[n])
	}
}

// takeClicked takes the batches of the clicked vertex once they are found.
func (a *App) takeClicked() {
	found := a.searches.Clicked()
	if found == nil || !found.Done {
		return
	}
	a.Selection.Uses = found.Uses()
	if a.Selection.Batch < 0 {
		a.Selection.into(found.Number, found.Holder)
	}
	a.searches.Unclick()
}

// Selected returns the selection if its plan is still shown, else nil.
func (a *App) Selected() *Selection {
	s := &a.Selection
	if s.Plan == nil || s.Plan != a.Shown.Left.Plan && s.Plan != a.Shown.Right.Plan || s.Right && !a.Split() {
		return nil
	}
	if s.Scene == nil && inspect.Followable(s.Plan) {
		if p := a.Pickers.Of(s.Plan); p != nil {
			s.Scene = p.Scene
		}
	}
	return s
}

// reselect selects the same vertex again in another plan of the same file.
func (a *App) reselect(before, now *model.Half) {
	s := a.Selection
	if s.Plan == nil || s.Plan != before.Plan || s.Plan == now.Plan {
		return
	}
	a.Unselect()
	from, to := before.Scene, now.Scene
	if now.Plan == nil || now.Source != before.Source || now.Applied != nil || before.Applied != nil || !inspect.SameDraws(from, to) {
		return
	}
	if from != to {
		m := geometry.MatchVertices(from, to)
		var err error
		if s.Hit, err = inspect.FindVertex(to, s.Hit.Draw, m.Vertex(s.Hit.Draw, s.Hit.Vertex())); err != nil {
			return // orders keep all triangles except those without area
		}
	}
	a.Pick(now, s.Hit)
}

// useBatch selects another of the batches that shaded the vertex.
func (s *Selection) useBatch(u inspect.Use) {
	s.Hit = inspect.InBatch(s.Plan, u.At, s.Hit.Vertex())
	s.into(u.Batch, u.At)
}

// StepBatch selects the next of the batches that shaded the vertex, and wraps around.
func (s *Selection) StepBatch(by int) {
	if n := len(s.Uses); n > 0 {
		at := slices.IndexFunc(s.Uses, func(u inspect.Use) bool { return u.Batch == s.Batch })
		s.useBatch(s.Uses[((at+by)%n+n)%n])
	}
}

// closed closes what was opened last, and reports whether anything was open.
func (a *App) closed() bool {
	switch {
	case a.GoTo, a.TypePath:
		a.GoTo, a.TypePath = false, false
	case a.TablesStrategies():
		a.AllStrategies = false
	case a.Selected() != nil || a.DrawList.Selected >= 0:
		a.Unselect()
	default:
		return false
	}
	return true
}

// followSelection does what keys asked of the selection.
func (a *App) followSelection() {
	batches, draws := a.BatchStep, a.DrawStep
	a.BatchStep, a.DrawStep = 0, 0
	if s := a.Selected(); s != nil && batches != 0 {
		s.StepBatch(batches)
		a.Unshown, a.rest = true, guiRest
	}
	if draws != 0 && a.ListsDraws() {
		if row, ok := a.DrawList.beside(draws); ok {
			a.ChooseDraw(row.Draw)
		}
	}
}
