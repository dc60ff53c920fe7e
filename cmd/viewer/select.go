package main

import (
	"image"
	"slices"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// selection is the vertex that was picked, with its triangle and one of the batches that
// shaded it.
type selection struct {
	plan  *plan.Plan      // nil for none
	scene *geometry.Scene // whose vertices are where they are drawn; nil until that is known
	hit   inspect.Hit
	uses  []inspect.Use // the batches that shaded the vertex, as far as is known
	batch int           // its number in the stream; -1 where none is known
	at    reuse.Batch
	slots []inspect.Slot
	right bool // of the right side of a comparison
	fresh bool // the list of the batch is to show the vertex
}

// into sets the batch of a selection.
func (s *selection) into(number int, at reuse.Batch) {
	s.batch, s.at, s.slots, s.fresh = number, at, inspect.Slots(s.plan, at), true
}

// clicked selects the vertex at a pixel, or none.
func (a *app) clicked(at, size image.Point) {
	a.unselect()
	d := a.sideAt(at, size)
	a.waiting = nil
	if d.Plan == nil || d.Applied != nil || a.walked != nil || !inspect.Followable(d.Plan) {
		return
	}
	p := a.pickers.Of(d.Plan)
	if p == nil {
		a.waiting = &waitingClick{at, a.Shown.Left.Camera}
		return
	}
	if found, ok := p.Pick(a.Shown.Left.Camera, size, at); ok {
		a.pick(d, found)
	}
}

func (a *app) unselect() {
	a.selection = selection{}
	a.drawList.choose(-1)
	a.searches.Unclick()
	a.unshown, a.rest = true, guiRest
}

// pick selects a vertex of a side, the batch of its triangle and its draw's row.
func (a *app) pick(d *views.Half, h inspect.Hit) {
	a.unselect()
	a.selection = selection{plan: d.Plan, hit: h, right: d == &a.Shown.Right, batch: -1}
	s := &a.selection
	a.drawList.choose(d.DrawNumber(h.Draw))
	a.dimOthers(a.Want.Marks.Highlight != "")
	if d.Plan.Frame.Reuse.Strategy.WholeDraws {
		return
	}
	if inspect.TakesLong(d.Plan, h.Draw) {
		a.searches.Click(d.Plan, h)
		a.takeClicked()
	} else {
		s.uses = inspect.BatchesOf(d.Plan, h.Draw, h.Vertex())
	}
	if n := inspect.BatchOf(d.Plan, h.Draw, h.Triangle); n >= 0 {
		s.into(n, d.Plan.Batches[n])
	}
}

// takeClicked takes the batches of what was clicked, once they are found.
func (a *app) takeClicked() {
	found := a.searches.Clicked()
	if found == nil || !found.Done {
		return
	}
	a.selection.uses = found.Uses()
	if a.selection.batch < 0 {
		a.selection.into(found.Number, found.Holder)
	}
	a.searches.Unclick()
}

// selected returns the selection if its plan is still shown, else nil.
func (a *app) selected() *selection {
	s := &a.selection
	if s.plan == nil || s.plan != a.Shown.Left.Plan && s.plan != a.Shown.Right.Plan || s.right && !a.split() {
		return nil
	}
	if s.scene == nil && inspect.Followable(s.plan) {
		if p := a.pickers.Of(s.plan); p != nil {
			s.scene = p.Scene
		}
	}
	return s
}

// reselect picks the vertex anew that was picked in another plan of the same file.
func (a *app) reselect(before, now *views.Half) {
	s := a.selection
	if s.plan == nil || s.plan != before.Plan || s.plan == now.Plan {
		return
	}
	a.unselect()
	from, to := before.Scene, now.Scene
	if now.Plan == nil || now.Source != before.Source || now.Applied != nil || before.Applied != nil || !inspect.SameDraws(from, to) {
		return
	}
	if from != to {
		m := inspect.MatchVertices(from, to)
		var err error
		if s.hit, err = inspect.FindVertex(to, s.hit.Draw, m.Vertex(s.hit.Draw, s.hit.Vertex())); err != nil {
			return // orders keep all triangles, but those without an area may go
		}
	}
	a.pick(now, s.hit)
}

// useBatch shows another of the batches that shaded the vertex.
func (s *selection) useBatch(u inspect.Use) {
	s.hit = inspect.InBatch(s.plan, u.At, s.hit.Vertex())
	s.into(u.Batch, u.At)
}

// stepBatch shows the next of the batches that shaded the vertex, around the ends.
func (s *selection) stepBatch(by int) {
	if n := len(s.uses); n > 0 {
		at := slices.IndexFunc(s.uses, func(u inspect.Use) bool { return u.Batch == s.batch })
		s.useBatch(s.uses[((at+by)%n+n)%n])
	}
}

// closed closes what was opened last, and reports whether anything was open.
func (a *app) closed() bool {
	switch {
	case a.goTo:
		a.goTo = false
	case a.selected() != nil || a.drawList.selected >= 0:
		a.unselect()
	default:
		return false
	}
	return true
}

// followSelection does what keys asked for.
func (a *app) followSelection() {
	batches, draws := a.batchStep, a.drawStep
	a.batchStep, a.drawStep = 0, 0
	if s := a.selected(); s != nil && batches != 0 {
		s.stepBatch(batches)
		a.unshown, a.rest = true, guiRest
	}
	if draws != 0 && a.listsDraws() {
		if row, ok := a.drawList.beside(draws); ok {
			a.chooseDraw(row.Draw)
		}
	}
}

// part is the part of the window that a side takes, in pixels.
func (a *app) part(right bool, size image.Point) (from, to imgui.Vec2) {
	to = imgui.Vec2{X: float32(size.X), Y: float32(size.Y)}
	if a.split() {
		x := float32(a.dividerX(size.X))
		if right {
			from.X = x
		} else {
			to.X = x
		}
	}
	return from, to
}

// markSelection draws the selected batch, triangle and vertex over the picture.
func (a *app) markSelection(list imgui.DrawList, size image.Point) {
	s := a.selected()
	if s == nil || s.scene == nil {
		return
	}
	from, to := a.part(s.right, size)
	list.PushClipRect(from, to)
	defer list.PopClipRect()
	scale := a.gui.scale
	projection := inspect.NewProjector(a.Shown.Left.Camera, s.scene, s.hit.Draw, size)
	triangle := func(corners [3]uint32, draw func(a, b, c imgui.Vec2)) {
		var places [3]imgui.Vec2
		for i, v := range corners {
			x, y, ok := projection.Place(v)
			if !ok { // what reaches behind the eye is left out
				return
			}
			places[i] = imgui.Vec2{X: x, Y: y}
		}
		draw(places[0], places[1], places[2])
	}
	if s.batch >= 0 {
		indices := inspect.Indices(s.plan, s.at)
		for k := 0; k+2 < len(indices); k += 3 {
			triangle([3]uint32(indices[k:]), func(p, q, r imgui.Vec2) {
				list.AddTriangleFilled(p, q, r, ink(90, 170, 255, 90))
				list.AddTriangle(p, q, r, ink(235, 245, 255, 200))
			})
		}
	}
	triangle(s.hit.Corners, func(p, q, r imgui.Vec2) {
		list.AddTriangleV(p, q, r, ink(0, 0, 0, 255), 4*scale)
		list.AddTriangleV(p, q, r, ink(255, 255, 255, 255), 2*scale)
	})
	if x, y, ok := projection.Place(s.hit.Vertex()); ok {
		ring(list, imgui.Vec2{X: x, Y: y}, scale)
	}
}

// ring marks a place so that it is seen on any colour: in black and white by turns.
func ring(list imgui.DrawList, at imgui.Vec2, scale float32) {
	at = imgui.Vec2{X: float32(floor(at.X)) + .5, Y: float32(floor(at.Y)) + .5} // sharp in whole pixels
	for _, r := range []struct {
		radius float32
		color  imgui.PackedColor
	}{{9, ink(0, 0, 0, 255)}, {7.5, ink(255, 255, 255, 255)}, {5, ink(0, 0, 0, 255)}, {3, ink(255, 255, 255, 255)}} {
		list.AddCircleFilled(at, r.radius*scale, r.color)
	}
}
