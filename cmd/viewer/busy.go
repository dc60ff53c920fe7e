package main

import (
	"fmt"
	"image"
	"time"

	"github.com/inkyblackness/imgui-go/v4"
)

const (
	// busyRest is how long work must take before it is shown.
	busyRest = 300 * time.Millisecond
	// busyStep is the time between two pictures of work under way.
	busyStep = 66 * time.Millisecond
)

// busyFor is how long a file has been opened or an order made; 0 where none is, or
// it was given up.
func (l *loader) busyFor() time.Duration {
	if !l.busy || l.givenUp {
		return 0
	}
	return time.Since(l.since)
}

// giveUp lets go of what is under way: its result is dropped, and what is asked for
// next begins when it has ended.
func (l *loader) giveUp() bool {
	if !l.busy || l.givenUp {
		return false
	}
	l.givenUp, l.waiting = true, nil
	return true
}

// cancel gives up what is loaded or ordered; what is on the screen stays.
func (a *app) cancel() {
	what := a.loader.name + a.loader.making
	if !a.loader.giveUp() {
		return
	}
	if a.loader.making != "" {
		a.indexOrder = a.shownOrder
		if a.compare != compareOff && a.orders.get(a.source, a.other.order) == nil {
			a.compare = compareOff
		}
	}
	a.target = a.at
	a.notice = "gave up " + what
	a.unshown, a.rest = true, guiRest
}

// busyShown reports whether work under way is shown.
func (a *app) busyShown() bool { return a.loader.busyFor() >= busyRest }

// busyPanel tells what is under way, and lets it be given up. How much is left is
// not known: the bar only says that it goes on.
func (a *app) busyPanel(size image.Point) {
	if !a.busyShown() {
		return
	}
	s := float32(a.gui.scale)
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) / 2, Y: guiMargin * s}, imgui.ConditionAlways, imgui.Vec2{X: 0.5})
	imgui.BeginV("##busy", nil, imgui.WindowFlagsAlwaysAutoResize|imgui.WindowFlagsNoDecoration|imgui.WindowFlagsNoNav|imgui.WindowFlagsNoFocusOnAppearing)
	text := "loading " + a.loader.name
	if a.loader.making != "" {
		text = "ordering by " + a.loader.making
	}
	passed := a.loader.busyFor()
	imgui.Text(fmt.Sprintf("%s, %.1f s", oneLine(text), passed.Seconds()))
	origin, wide, high := imgui.CursorScreenPos(), 220*s, 8*s
	imgui.Dummy(imgui.Vec2{X: wide, Y: high})
	list := imgui.WindowDrawList()
	list.AddRectFilled(origin, imgui.Vec2{X: origin.X + wide, Y: origin.Y + high}, ink(40, 60, 90, 255))
	phase := float32(passed%(2*time.Second)) / float32(2*time.Second)
	left := origin.X + phase*(wide-wide/4)
	list.AddRectFilled(imgui.Vec2{X: left, Y: origin.Y}, imgui.Vec2{X: left + wide/4, Y: origin.Y + high}, ink(90, 170, 255, 255))
	if imgui.Button("cancel (Backspace)") {
		a.stop = true
	}
	imgui.End()
}

// noticePanel says what the title says: what went wrong or was done last.
func (a *app) noticePanel(size image.Point) {
	if a.notice == "" || a.busyShown() {
		return
	}
	s := float32(a.gui.scale)
	wide := min(420*s, float32(size.X))
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) / 2, Y: float32(size.Y) - guiLegend*s}, imgui.ConditionAlways, imgui.Vec2{X: 0.5, Y: 1})
	imgui.BeginV("##notice", nil, imgui.WindowFlagsAlwaysAutoResize|imgui.WindowFlagsNoDecoration|imgui.WindowFlagsNoNav|imgui.WindowFlagsNoFocusOnAppearing|imgui.WindowFlagsNoInputs)
	imgui.PushTextWrapPosV(wide)
	imgui.Text(oneLine(a.notice))
	imgui.PopTextWrapPos()
	imgui.End()
}

// showBusy shows that the first file is opened, while there is no picture.
func (a *app) showBusy(size image.Point) error {
	if !a.busyShown() {
		return nil
	}
	a.guiFrame()
	picture, err := a.overlay.Compose(size, nil, a.gui.mesh)
	if err != nil {
		return err
	}
	_, err = a.screen.swapchain.Present(picture, size)
	return err
}
