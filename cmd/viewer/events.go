package main

import (
	"image"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/renderer"
)

// dividerGrip is how far beside the divider it can be taken, in pixels of a display
// of ordinary density.
const dividerGrip = 6

// listen routes the window's events to the viewer.
func (s *screen) listen(a *app) {
	w := s.window
	w.SetKeyCallback(func(_ *glfw.Window, key glfw.Key, code int, action glfw.Action, mods glfw.ModifierKey) {
		name := ""
		if key >= glfw.KeyA && key <= glfw.KeyZ {
			name = glfw.GetKeyName(key, code)
		}
		a.onKey(key, name, action, mods)
	})
	w.SetCharCallback(func(_ *glfw.Window, r rune) { a.onText(r) })
	w.SetMouseButtonCallback(func(_ *glfw.Window, b glfw.MouseButton, action glfw.Action, mods glfw.ModifierKey) {
		a.onButton(b, action == glfw.Press, mods)
	})
	w.SetCursorPosCallback(func(_ *glfw.Window, x, y float64) { a.onCursor(x, y) })
	w.SetScrollCallback(func(_ *glfw.Window, x, y float64) { a.onScroll(x, y) })
	w.SetFocusCallback(func(_ *glfw.Window, focused bool) {
		if !focused {
			clear(a.fly.held) // keys are let go elsewhere, and nobody says so
		}
	})
	w.SetDropCallback(func(_ *glfw.Window, names []string) { a.drop(names) })
	w.SetRefreshCallback(func(*glfw.Window) { a.unshown = true })
	w.SetFramebufferSizeCallback(func(*glfw.Window, int, int) { a.onResize() })
}

func (a *app) onText(r rune) {
	if a.panels && a.gui.io.WantTextInput() {
		a.gui.io.AddInputCharacters(string(r))
		a.guiInput()
	}
}

func (a *app) onScroll(x, y float64) {
	if a.overGUI(a.pixel()) {
		a.gui.io.AddMouseWheelDelta(float32(x), float32(y))
		a.guiInput()
		return
	}
	a.wheel(y)
}

func (a *app) onResize() { a.resizedAt, a.unshown, a.rest = time.Now(), true, guiRest }

// guiRest is how many frames the panels need after input: their sizes follow their
// contents one frame later.
const guiRest = 2

// guiInput has the panels take what was typed, clicked or scrolled.
func (a *app) guiInput() {
	a.guiFrame()
	a.rest = guiRest
}

// onKey takes a key. A letter comes with its name in the keyboard's layout, if that has one.
func (a *app) onKey(key glfw.Key, name string, action glfw.Action, mods glfw.ModifierKey) {
	typing := a.panels && (a.gui.io.WantTextInput() || a.gui.listOpen())
	if a.panels {
		a.gui.key(key, action != glfw.Release)
	}
	if typing {
		if key == glfw.KeyEscape && a.goTo {
			a.goTo = false
		}
		a.guiInput()
		return
	}
	if key >= glfw.KeyA && key <= glfw.KeyZ {
		key = layoutKey(key, name)
	}
	if action == glfw.Repeat || a.flyKey(key, action == glfw.Press) || action == glfw.Release {
		return
	}
	if key == glfw.KeyEscape && !a.help && (a.dismiss() || a.panels && a.closed()) {
		a.unshown, a.rest = true, guiRest
		return
	}
	if b := find(key, mods); b != nil {
		a.notices.drop(func(n notice) bool { return !n.until.IsZero() }) // it was seen
		before := a.choices()
		b.do(&a.state)
		a.history.note(before, a.choices())
		a.unshown, a.rest = true, guiRest
		if a.findDraw || a.goTo && !a.going.open { // what is typed next goes to a field that comes with them
			for range guiRest + 1 {
				a.guiFrame()
			}
		}
	}
}

// pixel returns where the cursor was at the current event, in pixels of the window. GLFW
// would return where it is now.
func (a *app) pixel() image.Point { return a.toPixels(a.drag.x, a.drag.y) }

// toPixels takes screen units, which on dense displays are larger than pixels.
func (a *app) toPixels(x, y float64) image.Point {
	units, size := a.units(), a.size()
	if units.X < 1 || units.Y < 1 {
		return image.Point{}
	}
	return image.Pt(floor(float32(x*float64(size.X)/float64(units.X))), floor(float32(y*float64(size.Y)/float64(units.Y))))
}

func (a *app) onButton(b glfw.MouseButton, down bool, mods glfw.ModifierKey) {
	at := a.pixel()
	taken := a.overGUI(at)
	if n := guiButton(b); n >= 0 && (a.panels || a.help || a.busyShown() || a.noticeShown()) {
		a.gui.io.SetMouseButtonDown(n, down)
		a.guiInput()
	}
	switch {
	case down && taken:
		return
	case down && b == glfw.MouseButtonLeft && a.onDivider(at):
		a.drag.kind, a.drag.button = dividerDrag, b
		return
	}
	if b == glfw.MouseButtonLeft && !taken {
		a.click(at, down)
	}
	a.press(b, down, mods)
	a.moveHover(at)
}

// click selects what lies under the cursor where the button goes up where it went down.
func (a *app) click(at image.Point, down bool) {
	if down {
		a.pressed = at
		return
	}
	moved := at.Sub(a.pressed)
	slack := int(clickSlack * a.gui.scale)
	if a.drag.kind != orbitDrag || max(moved.X, -moved.X) > slack || max(moved.Y, -moved.Y) > slack {
		return
	}
	if from, on := a.gizmoAt(at); on {
		a.Move(func(c *renderer.Camera) { c.LookFrom(from) })
		return
	}
	again := at.Sub(a.clickedAt)
	if time.Since(a.clickedTime) < doubleClick && max(again.X, -again.X) <= slack && max(again.Y, -again.Y) <= slack {
		a.clickedTime = time.Time{}
		a.turnAbout(at)
		return
	}
	a.clickedAt, a.clickedTime = at, time.Now()
	if a.panels {
		a.clicked(at, a.size())
	}
}

// doubleClick is the longest time between the two clicks.
const doubleClick = 400 * time.Millisecond

// turnAbout makes the point under a pixel the one that the camera turns about.
func (a *app) turnAbout(at image.Point) {
	size := a.size()
	d := a.sideAt(at, size)
	if d.Plan == nil || a.walked != nil || !inspect.Followable(d.Plan) {
		return
	}
	if p := a.pickers.Of(d.Plan); p != nil {
		if pivot, ok := p.Point(a.Shown.Left.Camera, size, at); ok {
			a.Move(func(c *renderer.Camera) { c.TurnAbout(a.Box, pivot) })
		}
	}
}

// onDivider reports whether the divider lies under the cursor.
func (a *app) onDivider(at image.Point) bool {
	if !a.split() {
		return false
	}
	d := at.X - a.dividerX(a.size().X)
	return max(d, -d) <= int(dividerGrip*a.gui.scale)
}

func (a *app) onCursor(x, y float64) {
	at := a.toPixels(x, y)
	if a.drag.kind == dividerDrag {
		from, wide := a.divided(a.size().X)
		a.divider = min(max(float64(at.X-from)/float64(max(wide, 1)), 0), 1)
		a.unshown = true
	}
	if a.panels && a.drag.kind == noDrag {
		before := a.gui.io.WantCaptureMouse()
		if a.overGUI(at) || before {
			a.rest = guiRest
		}
	}
	a.cursor(x, y, a.units().Y)
	a.moveHover(at)
	a.shapeCursor(at)
}

// shapeCursor shows where the divider can be taken.
func (a *app) shapeCursor(at image.Point) {
	over := a.drag.kind == dividerDrag || a.drag.kind == noDrag && a.onDivider(at) && !a.gui.io.WantCaptureMouse()
	if over == a.overDivider {
		return
	}
	a.overDivider = over
	a.setDivideCursor(over)
}
