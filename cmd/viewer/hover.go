package main

import (
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

const (
	// hoverRest is how long the cursor must rest before what lies under it is looked up.
	hoverRest = 80 * time.Millisecond
	// clickSlack is how far a click may move, in pixels of a display of ordinary density.
	clickSlack = 3
)

// inspector looks things up about the picture, much of it in the background.
type inspector struct {
	keeper   *inspect.Keeper
	pickers  *inspect.Pickers
	searches *inspect.Searches
	surveys  *inspect.Surveys
}

func newInspector(wake func()) inspector {
	k := &inspect.Keeper{}
	return inspector{k, inspect.NewPickers(k, wake), inspect.NewSearches(k, wake), inspect.NewSurveys(k, wake)}
}

// hover is what lies under the cursor.
type hover struct {
	at     image.Point
	moved  time.Time   // when the cursor came there
	looked bool        // up, since then
	text   []string    // nil where there is nothing
	side   *views.Half // of app.shown
	plan   *plan.Plan
	other  *plan.Plan      // of the difference, where that was shown
	camera renderer.Camera // that it was looked up for
	scene  *geometry.Scene // whose vertices are where they are drawn; nil where nothing was found
	found  inspect.Hit
}

// sideAt is the side that a pixel of the window belongs to.
func (a *app) sideAt(at, size image.Point) *views.Half {
	if a.split() && at.X >= a.dividerX(size.X) {
		return &a.Shown.Right
	}
	return &a.Shown.Left
}

// inspects reports whether the viewer describes the vertex under the cursor.
func (a *app) inspects() bool {
	return a.panels && a.Shown.Left.Plan != nil && a.drag.kind == noDrag
}

// moveHover notes that the cursor has moved: what lies under it is looked up once it rests.
func (a *app) moveHover(at image.Point) {
	if a.hover.text != nil {
		a.unshown = true
	}
	a.hover = hover{at: at, moved: time.Now()}
}

// hoverDue is how long it is until the cursor has rested; negative for never, as over panels.
func (a *app) hoverDue() time.Duration {
	if !a.inspects() || a.hover.looked || a.hover.moved.IsZero() || a.gui.io.WantCaptureMouse() {
		return -1
	}
	return max(0, hoverRest-time.Since(a.hover.moved))
}

// followHover looks up what lies under the cursor, when it rests or the picture changed.
func (a *app) followHover(size image.Point) {
	h := &a.hover
	a.followPickers(size)
	a.followSearch()
	if h.text != nil && (h.plan != h.side.Plan || h.other != a.Shown.Difference.Plan || h.camera != a.Shown.Left.Camera) {
		a.moveHover(h.at)
		return
	}
	if a.hoverDue() != 0 {
		return
	}
	h.looked = true
	d := a.sideAt(h.at, size)
	if a.walked != nil {
		h.side, h.plan, h.other, h.camera = d, d.Plan, a.Shown.Difference.Plan, a.Shown.Left.Camera
		h.text = a.describeCell(h.at, size)
		a.unshown, a.rest = true, guiRest
		return
	}
	if d.Plan == nil || !h.at.In(image.Rectangle{Max: size}) {
		return
	}
	h.side, h.plan, h.other, h.camera = d, d.Plan, a.Shown.Difference.Plan, a.Shown.Left.Camera
	if f := &d.Plan.Frame; !inspect.Followable(d.Plan) {
		if f.Shading != nil { // a text wherever the cursor rests would only be in the way
			return
		}
		h.text = []string{fmt.Sprintf("%s vertices that %s moves are too many to be followed", inspect.Thousands(len(f.Scene.Positions)), f.VertexShader)}
		if f.Scene.Computed != nil {
			h.text = []string{inspect.Thousands(f.Scene.DrawVertices()) + " vertices that are computed while they are drawn are too many to be followed"}
		}
		a.unshown, a.rest = true, guiRest
		return
	}
	p := a.pickers.Of(d.Plan)
	if p == nil {
		return
	}
	found, ok := p.Pick(a.Shown.Left.Camera, size, h.at)
	if !ok {
		return
	}
	h.scene, h.found, h.text = p.Scene, found, a.describeHit(d, &found)
	a.unshown, a.rest = true, guiRest
}

// describeHit says what is known of a vertex of a side.
func (a *app) describeHit(d *views.Half, h *inspect.Hit) []string {
	lines := []string{
		fmt.Sprintf("vertex %d", h.Vertex()),
		"shaded " + inspect.Times(d.TimesShaded(h.Draw, h.Vertex())),
	}
	if s := d.Plan.Frame.Scene; s.Origin != nil {
		offset := s.Draws[h.Draw].VertexOffset
		lines[0] += fmt.Sprintf(", in the file %d", s.Origin[offset+h.Vertex()]-offset)
	}
	if d.Plan.Frame.Cull {
		lines[1] = "attributes " + lines[1]
	}
	if a.Shown.Difference.Plan != nil { // what is shown is of both sides
		other := a.Shown.Difference.Match.Vertex(h.Draw, h.Vertex())
		lines[1] += fmt.Sprintf(" by %s, %s by %s", d.Name(), inspect.Times(a.Shown.Right.TimesShaded(h.Draw, other)), a.Shown.Right.Name())
	}
	if d.Applied != nil {
		lines = append(lines[:1], d.Applied.Vertex(h.Vertex())...)
	} else {
		lines = append(lines, a.searches.Describe(d.Plan, *h))
	}
	lines = append(lines, fmt.Sprintf("triangle %d of draw %d", h.Triangle, a.Shown.Left.DrawNumber(h.Draw)))
	if name := d.Plan.Frame.Scene.Draws[h.Draw].Name; name != "" {
		lines = append(lines, inspect.OneLine(name))
	}
	return lines
}

// waitingClick is a click that came before its picker was made.
type waitingClick struct {
	at     image.Point
	camera renderer.Camera
}

// followPickers has what lies under the cursor looked up once that can be done, and
// takes a click that waited for it.
func (a *app) followPickers(size image.Point) {
	if !a.pickers.Take(a.Shown.Left.Plan, a.Shown.Right.Plan) {
		return
	}
	a.hover.looked = false
	c := a.waiting
	a.waiting = nil
	if c != nil && c.camera == a.Shown.Left.Camera {
		a.clicked(c.at, size)
	}
}

// followSearch shows what a search found: in the text about the vertex under the cursor,
// and of the batch that was clicked.
func (a *app) followSearch() {
	if !a.searches.Take(a.Shown.Left.Plan, a.Shown.Right.Plan) {
		return
	}
	if h := &a.hover; h.text != nil && h.scene != nil && h.plan == h.side.Plan {
		h.text = a.describeHit(h.side, &h.found)
	}
	a.unshown, a.rest = true, guiRest
	a.takeClicked()
}

// markHover draws the vertex under the cursor, and says what is known of it.
func (a *app) markHover(list imgui.DrawList, size image.Point) {
	h := &a.hover
	if h.text == nil || h.side.Plan != h.plan || h.camera != a.Shown.Left.Camera || !a.inspects() || a.gui.io.WantCaptureMouse() {
		return
	}
	s := a.gui.scale
	if h.scene != nil {
		projection := inspect.NewProjector(a.Shown.Left.Camera, h.scene, h.found.Draw, size)
		if x, y, ok := projection.Place(h.found.Vertex()); ok {
			list.AddCircleFilled(imgui.Vec2{X: x, Y: y}, 4*s, ink(255, 255, 255, 255))
			list.AddCircleFilled(imgui.Vec2{X: x, Y: y}, 2.5*s, ink(20, 90, 200, 255))
		}
	}
	imgui.SetTooltip(strings.Join(h.text, "\n"))
}
