package app

import (
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// Selection is the picked vertex, with its triangle and one of the batches that shaded it.
type Selection struct {
	Plan  *plan.Plan      // nil if nothing is selected
	Scene *geometry.Scene // with vertices at the places where they are drawn; nil until these are known
	Hit   inspect.Hit
	Uses  []inspect.Use // the batches known to have shaded the vertex
	Batch int           // the batch's number in the stream, or -1
	At    reuse.Batch
	Slots []inspect.Slot
	Right bool // it is on the right side of a comparison
	Fresh bool // the batch's list must still be scrolled to the vertex
}

// into selects a batch, by its number in the stream, within a selection.
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

// hitBy returns the triangle that a click hits on a side. If the picker is not ready, the click waits for it.
func (a *App) hitBy(click waitingClick, d *model.Half, size image.Point) (found inspect.Hit, ok bool) {
	if d.Plan == nil || !inspect.Followable(d.Plan) {
		return found, false
	}
	if p := a.Pickers.Of(d.Plan); p != nil {
		return p.Pick(click.camera, size, click.at)
	}
	a.waiting = &click
	return found, false
}

func (a *App) Unselect() {
	a.Selection = Selection{}
	a.DrawList.choose(-1)
	a.searches.Unclick()
	a.Unshown, a.rest = true, guiRest
}

// Pick selects a vertex of a side. With it, it selects the batch of the triangle hit, and the row of its draw.
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

// reselect selects the same vertex in the plan that replaced the selection's plan. If the draws differ, it selects nothing.
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
			return // the new order has no such vertex: orders drop triangles without area
		}
	}
	a.Pick(now, s.Hit)
}

// StepBatch selects the batch that is `by` further in the list of batches that shaded the vertex, and wraps around.
func (s *Selection) StepBatch(by int) {
	if n := len(s.Uses); n > 0 {
		at := slices.IndexFunc(s.Uses, func(u inspect.Use) bool { return u.Batch == s.Batch })
		u := s.Uses[((at+by)%n+n)%n]
		s.Hit = inspect.InBatch(s.Plan, u.At, s.Hit.Vertex())
		s.into(u.Batch, u.At)
	}
}

// closed closes the first of these that is open: a panel that asks for something, the table of strategies, the
// selection. It reports whether any was open.
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

// followSelection performs the selection steps that keys asked for.
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

const (
	hoverRest = 80 * time.Millisecond // how long the cursor must rest before the viewer looks up what is under it
	// clickSlack is how far the cursor may move during a click, in pixels of a display of ordinary
	// density.
	clickSlack = 3
)

// Inspector looks up details of the picture, much of it in the background.
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
	moved  time.Time   // when the cursor came to this place
	looked bool        // the viewer has looked up what is there
	Text   []string    // nil if there is nothing
	Side   *model.Half // one of App.Shown
	Plan   *plan.Plan
	other  *plan.Plan      // the plan of the picture of differences, if that was shown
	Camera renderer.Camera // camera of the look-up
	Scene  *geometry.Scene // with vertices at the places where they are drawn; nil if nothing was found
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

// moveHover records that the cursor has moved. The viewer looks up the triangle under the cursor once the cursor rests.
func (a *App) moveHover(at image.Point) {
	if a.Hover.Text != nil {
		a.Unshown = true
	}
	a.Hover = Hover{at: at, moved: time.Now()}
}

// hoverDue returns the time until the cursor counts as resting; negative means never, for example over panels.
func (a *App) hoverDue() time.Duration {
	if !a.Inspects() || a.Hover.looked || a.Hover.moved.IsZero() || a.ui.TakesPointer() {
		return -1
	}
	return max(0, hoverRest-time.Since(a.Hover.moved))
}

// followHover looks up what is under the cursor once the cursor rests, and again when the picture has changed.
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
	if a.Walked == nil && (d.Plan == nil || !h.at.In(image.Rectangle{Max: size})) {
		return
	}
	h.Side, h.Plan, h.other, h.Camera = d, d.Plan, a.Shown.Difference.Plan, a.Shown.Left.Camera
	if a.Walked != nil {
		grid := a.walkGrid(size)
		if x, y, ok := grid.At(h.at); ok {
			h.Text = a.Walked.Cell(x, y)
		}
	} else if !inspect.Followable(d.Plan) {
		if why := inspect.WhyNotFollowed(d.Plan); why != "" {
			h.Text = []string{why}
		}
	} else if p := a.Pickers.Of(d.Plan); p != nil {
		if found, ok := p.Pick(h.Camera, size, h.at); ok {
			h.Scene, h.Found, h.Text = p.Scene, found, a.describeHit(d, &found)
		}
	}
	if h.Text != nil {
		a.Unshown, a.rest = true, guiRest
	}
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
	menu   bool // made with the right button
}

// followPickers looks up the triangle under the cursor once its picker is ready, and handles a click that
// waited for its picker.
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

// followSearch takes the batches that a search found: it adds them to the text about the vertex under the cursor,
// and to the selection if the vertex was clicked.
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
