package app

import (
	"fmt"
	"image"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

const (
	// hoverRest is how long the cursor must rest before the viewer looks up what is under it.
	hoverRest = 80 * time.Millisecond
	// clickSlack is how far the cursor may move during a click, in pixels of a display of ordinary
	// density.
	clickSlack = 3
)

// Inspector looks things up about the picture, much of it in the background.
type Inspector struct {
	keeper   *inspect.Keeper
	Pickers  *inspect.Pickers
	searches *inspect.Searches
	Surveys  *inspect.Surveys
}

func newInspector(wake func()) Inspector {
	k := &inspect.Keeper{}
	return Inspector{k, inspect.NewPickers(k, wake), inspect.NewSearches(k, wake), inspect.NewSurveys(k, wake)}
}

// Hover is what is under the cursor.
type Hover struct {
	at     image.Point
	moved  time.Time   // when the cursor came there
	looked bool        // looked up since then
	Text   []string    // nil if there is nothing
	Side   *model.Half // one of App.Shown
	Plan   *plan.Plan
	other  *plan.Plan      // the difference's other plan, if the difference was shown
	Camera renderer.Camera // camera of the look-up
	Scene  *geometry.Scene // its vertices are where they are drawn; nil if nothing was found
	Found  inspect.Hit
}

// sideAt returns the side that a pixel of the window belongs to.
func (a *App) sideAt(at, size image.Point) *model.Half {
	if a.Split() && at.X >= a.DividerX(size.X) {
		return &a.Shown.Right
	}
	return &a.Shown.Left
}

// Inspects reports whether the viewer describes the vertex under the cursor.
func (a *App) Inspects() bool {
	return a.Panels && a.Shown.Left.Plan != nil && a.Drag.Kind == model.NoDrag
}

// moveHover notes that the cursor has moved. What is under it is looked up once it rests.
func (a *App) moveHover(at image.Point) {
	if a.Hover.Text != nil {
		a.Unshown = true
	}
	a.Hover = Hover{at: at, moved: time.Now()}
}

// hoverDue returns the time until the cursor has rested; negative means never, as over panels.
func (a *App) hoverDue() time.Duration {
	if !a.Inspects() || a.Hover.looked || a.Hover.moved.IsZero() || a.ui.TakesPointer() {
		return -1
	}
	return max(0, hoverRest-time.Since(a.Hover.moved))
}

// followHover looks up what is under the cursor when it rests or the picture has changed.
func (a *App) followHover(size image.Point) {
	h := &a.Hover
	a.followPickers(size)
	a.followSearch()
	if h.Side != nil && (h.Plan != h.Side.Plan || h.other != a.Shown.Difference.Plan || h.Camera != a.Shown.Left.Camera) {
		a.moveHover(h.at)
		return
	}
	if a.hoverDue() != 0 {
		return
	}
	h.looked = true
	d := a.sideAt(h.at, size)
	if a.Walked != nil {
		h.Side, h.Plan, h.other, h.Camera = d, d.Plan, a.Shown.Difference.Plan, a.Shown.Left.Camera
		h.Text = a.describeCell(h.at, size)
		a.Unshown, a.rest = true, guiRest
		return
	}
	if d.Plan == nil || !h.at.In(image.Rectangle{Max: size}) {
		return
	}
	h.Side, h.Plan, h.other, h.Camera = d, d.Plan, a.Shown.Difference.Plan, a.Shown.Left.Camera
	if !inspect.Followable(d.Plan) {
		why := inspect.WhyNotFollowed(d.Plan)
		if why == "" {
			return
		}
		h.Text = []string{why}
		a.Unshown, a.rest = true, guiRest
		return
	}
	p := a.Pickers.Of(d.Plan)
	if p == nil {
		return
	}
	found, ok := p.Pick(a.Shown.Left.Camera, size, h.at)
	if !ok {
		return
	}
	h.Scene, h.Found, h.Text = p.Scene, found, a.describeHit(d, &found)
	a.Unshown, a.rest = true, guiRest
}

// describeHit describes a vertex of a side.
func (a *App) describeHit(d *model.Half, h *inspect.Hit) []string {
	lines := []string{
		fmt.Sprintf("vertex %d", h.Vertex()),
		"shaded " + inspect.Times(d.TimesShaded(h.Draw, h.Vertex())),
	}
	if s := d.Plan.Frame.Scene; s.Origin != nil {
		offset := s.Draws[h.Draw].VertexOffset
		lines[0] += fmt.Sprintf(", in the file %d", s.Origin[offset+h.Vertex()]-offset)
	}
	lines[1] = d.Plan.Counting().What + lines[1]
	if a.Shown.Difference.Plan != nil { // the difference shows both sides
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

// waitingClick is a click that waits until its picker is made.
type waitingClick struct {
	at     image.Point
	camera renderer.Camera
	menu   bool // by the right button
}

// followPickers looks up what is under the cursor once that is possible, and handles a click that
// waited for it.
func (a *App) followPickers(size image.Point) {
	if !a.Pickers.Take(a.Shown.Left.Plan, a.Shown.Right.Plan) {
		return
	}
	a.Hover.looked = false
	c := a.waiting
	a.waiting = nil
	switch {
	case c == nil || c.camera != a.Shown.Left.Camera:
	case c.menu:
		a.rightClicked(c.at, size)
	default:
		a.clicked(c.at, size)
	}
}

// followSearch shows what a search found: in the text about the vertex under the cursor, and for
// the batch that was clicked.
func (a *App) followSearch() {
	if !a.searches.Take(a.Shown.Left.Plan, a.Shown.Right.Plan) {
		return
	}
	if h := &a.Hover; h.Text != nil && h.Scene != nil && h.Plan == h.Side.Plan {
		h.Text = a.describeHit(h.Side, &h.Found)
	}
	a.Unshown, a.rest = true, guiRest
	a.takeClicked()
}
