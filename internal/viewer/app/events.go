package app

import (
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// dividerGrip is the distance from the divider up to which it can be grabbed, in pixels of a display
// of ordinary density.
const dividerGrip = 6

func (a *App) OnText(r rune) {
	if a.Panels && a.ui.Typing() {
		a.ui.Text(r)
		a.guiInput()
	}
}

func (a *App) OnScroll(x, y float64) {
	if a.overGUI(a.pixel()) {
		a.ui.Wheel(x, y)
		a.guiInput()
		return
	}
	a.Wheel(y)
}

func (a *App) OnResize() { a.resizedAt, a.Unshown, a.rest = time.Now(), true, guiRest }

// guiRest is the number of frames that the panels need after input: their sizes follow their
// contents one frame later.
const guiRest = 2

// focus builds the panels until a field that has just opened has the keyboard focus, so that the next typed text goes to it.
func (a *App) focus() {
	for range guiRest + 1 {
		a.guiFrame()
	}
	a.rest = guiRest
}

// SettlePanels builds the panels again in the next frames, so that their sizes follow their contents.
func (a *App) SettlePanels() { a.rest = guiRest }

// guiInput draws the panels again after typing, clicks or scrolling.
func (a *App) guiInput() {
	a.guiFrame()
	a.rest = guiRest
}

// KeyEvent is a key that goes down or up, by its name in the table of settings. Letters
// follow the user's keyboard layout.
type KeyEvent struct {
	Key         string
	Down        bool
	Repeats     bool // the key is held down
	Ctrl, Shift bool
}

// name returns the key with its modifiers.
func (e KeyEvent) name() string {
	name := e.Key
	if e.Shift {
		name = "Shift+" + name
	}
	if e.Ctrl {
		name = "Ctrl+" + name
	}
	return name
}

func (a *App) OnKey(e KeyEvent) {
	typing := a.Panels && a.ui.Typing()
	if a.Panels {
		a.ui.Key(e.Key, e.Down)
	}
	if typing && e.name() != "Ctrl+Q" {
		if e.Key == "Esc" {
			a.GoTo, a.TypePath = false, false
		}
		a.guiInput()
		return
	}
	flies := !e.Ctrl || !e.Down // pressed with Ctrl, a key does not fly; its release always counts
	if e.Repeats || flies && a.FlyKey(e.Key, e.Down) || !e.Down {
		return
	}
	if e.Key == "Esc" && !a.Help && (a.Dismiss() || a.Panels && a.closed()) {
		a.Unshown, a.rest = true, guiRest
		return
	}
	if k, by := model.FindKey(e.name()); k != nil {
		a.Notices.drop(func(n notice) bool { return !n.until.IsZero() }) // the user has seen the notices that have a time limit
		before := a.Choices
		k.Press(&a.State, by)
		a.history.Note(before, a.Choices)
		a.Unshown, a.rest = true, guiRest
		if a.TypePath && !a.Typed.Open {
			a.typePath()
		}
		if a.FindDraw || a.GoTo && !a.Going.Open {
			a.focus()
		}
	}
}

// pixel returns the cursor's position at the current event, in pixels of the window. GLFW would return
// the cursor's latest position, which may belong to a later event.
func (a *App) pixel() image.Point { return a.toPixels(a.Drag.X, a.Drag.Y) }

// toPixels converts screen units to pixels; on dense displays a unit is several pixels.
func (a *App) toPixels(x, y float64) image.Point {
	units, size := a.Units(), a.Size()
	if units.X < 1 || units.Y < 1 {
		return image.Point{}
	}
	return image.Pt(Floor(float32(x*float64(size.X)/float64(units.X))), Floor(float32(y*float64(size.Y)/float64(units.Y))))
}

func (a *App) OnButton(b model.Button, down, shift bool) {
	at := a.pixel()
	taken := a.overGUI(at)
	if a.Panels || a.Help || a.BusyShown() || a.NoticeShown() {
		a.ui.Button(b, down)
		a.guiInput()
	}
	switch {
	case down && taken:
		return
	case down && b == model.LeftButton && a.onDivider(at):
		a.Drag.Kind, a.Drag.Button = model.DividerDrag, b
		return
	case taken:
	case down:
		a.pressed = at
	case b == model.LeftButton && a.Drag.Kind == model.OrbitDrag && a.still(at, a.pressed):
		a.click(at)
	case b == model.RightButton && a.Drag.Kind == model.ZoomDrag && a.still(at, a.pressed) && a.Panels:
		a.rightClicked(at, a.Size())
	}
	a.PressButton(b, down, shift)
	a.moveHover(at)
}

// still reports whether two places are so close that the cursor may have moved from one to the other during a click.
func (a *App) still(at, was image.Point) bool {
	moved, slack := at.Sub(was), int(clickSlack*a.ui.Scale())
	return max(moved.X, -moved.X, moved.Y, -moved.Y) <= slack
}

// click handles a click. A click on an axis of the gizmo makes the camera look along the axis. The second click of a
// double click makes the point under the cursor the camera's pivot. Any other click selects the vertex under the cursor,
// if the panels are shown.
func (a *App) click(at image.Point) {
	if from, on := a.ui.AxisAt(at); on {
		a.Move(func(c *renderer.Camera) { c.LookFrom(from) })
		return
	}
	if time.Since(a.clickedTime) < doubleClick && a.still(at, a.clickedAt) {
		a.clickedTime = time.Time{}
		a.turnAbout(at)
		return
	}
	a.clickedAt, a.clickedTime = at, time.Now()
	if a.Panels {
		a.clicked(at, a.Size())
	}
}

const doubleClick = 400 * time.Millisecond // the longest time between the two clicks

// turnAbout makes the scene's point under a pixel the pivot about which the camera turns.
func (a *App) turnAbout(at image.Point) {
	size := a.Size()
	d := a.sideAt(at, size)
	if d.Plan == nil || a.Walked != nil || !inspect.Followable(d.Plan) {
		return
	}
	if p := a.Pickers.Of(d.Plan); p != nil {
		if pivot, ok := p.Point(a.Shown.Left.Camera, size, at); ok {
			a.Move(func(c *renderer.Camera) { c.TurnAbout(a.Box, pivot) })
		}
	}
}

// onDivider reports whether the divider is under the cursor.
func (a *App) onDivider(at image.Point) bool {
	if !a.Split() {
		return false
	}
	d := at.X - a.DividerX(a.Size().X)
	return max(d, -d) <= int(dividerGrip*a.ui.Scale())
}

func (a *App) OnCursor(x, y float64) {
	at := a.toPixels(x, y)
	if a.Drag.Kind == model.DividerDrag {
		from, wide := a.divided(a.Size().X)
		a.Divider = min(max(float64(at.X-from)/float64(max(wide, 1)), 0), 1)
		a.Unshown = true
	}
	if a.Panels && a.Drag.Kind == model.NoDrag {
		if before := a.ui.TakesPointer(); a.overGUI(at) || before {
			a.rest = guiRest
		}
	}
	a.MoveCursor(x, y, a.Units().Y)
	a.moveHover(at)
	a.shapeCursor(at)
}

// OnLeave notes that the cursor left the window, so that nothing is under it. A drag continues outside.
func (a *App) OnLeave() {
	if a.Drag.Kind == model.NoDrag {
		a.OnCursor(-1, -1)
	}
}

// shapeCursor changes the cursor's shape when it comes over the divider or leaves it.
func (a *App) shapeCursor(at image.Point) {
	over := a.Drag.Kind == model.DividerDrag || a.Drag.Kind == model.NoDrag && a.onDivider(at) && !a.ui.TakesPointer()
	if over != a.overDivider {
		a.overDivider = over
		a.SetDivideCursor(over)
	}
}

// followUndo performs the undo and redo steps that keys asked for.
func (a *App) followUndo() {
	for ; a.Undo != 0; a.Undo -= min(max(a.Undo, -1), 1) {
		turn := a.history.Again
		if a.Undo < 0 {
			turn = a.history.Back
		}
		c, some := turn(a.Choices)
		if !some {
			a.done(map[bool]string{true: "nothing to undo", false: "nothing to do again"}[a.Undo < 0])
			a.Undo = 0
			return
		}
		a.Choose(c)
	}
}

// Menu is a draw's menu, opened by a right click.
type Menu struct {
	Draw     int
	Opens    bool // whether the next frame opens the menu
	InScene  bool // the click was on the scene, not in the list
	Unfolded bool // whether the next frame unfolds the list of draws
}

// OpenMenu selects a draw of the list and opens its menu.
func (a *App) OpenMenu(draw int) {
	a.selectDraw(draw)
	a.Menu = Menu{Draw: draw, Opens: true}
}

// rightClicked opens the menu of the draw at a pixel.
func (a *App) rightClicked(at, size image.Point) {
	a.waiting = nil
	d := a.sideAt(at, size)
	if !a.ListsDraws() {
		return
	}
	if found, ok := a.hitBy(waitingClick{at, a.Shown.Left.Camera, true}, d, size); ok {
		a.OpenMenu(d.DrawIndex(found.Draw))
		a.Menu.InScene = true
	}
}

// ShowListed shows a draw in the list, even if the search does not match it.
func (a *App) ShowListed(draw int) {
	l := &a.DrawList
	if !slices.ContainsFunc(l.Shown, func(i int) bool { return l.Rows[i].Draw == draw }) {
		l.Search = ""
		l.Arrange()
	}
	a.selectDraw(draw)
	a.Menu.Unfolded = true
}

// DrawTitle names a draw by its number: "event 195", or "draw 3" in files without events.
func (a *App) DrawTitle(draw int) string {
	s := a.Shown.Left.Whole
	return fmt.Sprintf("%s %d", map[bool]string{true: "event", false: "draw"}[s.Draws[draw].Event > 0], s.Number(draw))
}

// CopyNumber puts a draw's number on the clipboard.
func (a *App) CopyNumber(draw int) {
	a.copy(fmt.Sprint(a.Shown.Left.Whole.Number(draw)), a.DrawTitle(draw))
}
