package main

import (
	"fmt"
	"image"
	"time"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/views"
)

// busyStep is the time between two pictures of work under way.
const busyStep = 66 * time.Millisecond

// cancel gives up what is loaded or ordered; what is on the screen stays.
func (a *app) cancel() {
	what := a.loader.Name + a.loader.Making
	if !a.loader.GiveUp() {
		if a.maker.GiveUp() {
			a.done("gave up " + a.maker.Now.Choice.Doing())
			a.backFromApp()
			a.unshown, a.rest = true, guiRest
		}
		return
	}
	if a.loader.Making != "" {
		a.IndexOrder = a.Shown.Left.Order
		if a.Compare != views.CompareOff && a.orders.Get(a.Shown.Left.Source, a.Other.Order) == nil {
			a.Compare = views.CompareOff
		}
	}
	a.target = a.at
	if a.Shown.Left.Plan == nil {
		a.notices.add("gave up "+what+": "+openHint, time.Time{})
	} else {
		a.done("gave up " + what)
	}
	a.unshown, a.rest = true, guiRest
}

// busyShown reports whether work under way is shown.
func (a *app) busyShown() bool {
	_, passed, _ := a.busy()
	return passed >= loading.ShowRest
}

// busy is what is under way, for how long, and how much of it is done, which is 0 where
// that is not known.
func (a *app) busy() (what string, passed time.Duration, done float64) {
	switch {
	case a.loader.BusyFor() == 0 && a.maker.BusyFor() > 0 && !(a.play && a.walked != nil):
		return a.maker.Now.Choice.Doing(), a.maker.BusyFor(), a.maker.Done()
	case a.loader.Making != "":
		what = "ordering by " + a.loader.Making
	default:
		what = "loading " + a.loader.Name
	}
	return what, a.loader.BusyFor(), a.loader.Done()
}

// busyPanel tells what is under way and how much of it is done, and lets it be given
// up. Where that is not known, the bar only says that it goes on.
func (a *app) busyPanel(size image.Point) {
	if !a.busyShown() {
		return
	}
	s := a.gui.scale
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) / 2, Y: guiMargin * s}, imgui.ConditionAlways, imgui.Vec2{X: 0.5})
	imgui.BeginV("##busy", nil, imgui.WindowFlagsAlwaysAutoResize|imgui.WindowFlagsNoDecoration|imgui.WindowFlagsNoNav|imgui.WindowFlagsNoFocusOnAppearing)
	text, passed, share := a.busy()
	text = fmt.Sprintf("%s, %.1f s", inspect.OneLine(text), passed.Seconds())
	done := float32(share)
	if done > 0 {
		text += fmt.Sprintf(", %d %%", int(100*done))
	}
	imgui.Text(text)
	origin, wide, high := imgui.CursorScreenPos(), 220*s, 8*s
	imgui.Dummy(imgui.Vec2{X: wide, Y: high})
	list := imgui.WindowDrawList()
	list.AddRectFilled(origin, imgui.Vec2{X: origin.X + wide, Y: origin.Y + high}, ink(40, 60, 90, 255))
	phase := float32(passed%(2*time.Second)) / float32(2*time.Second)
	left, right := origin.X+phase*(wide-wide/4), origin.X+phase*(wide-wide/4)+wide/4
	if done > 0 {
		left, right = origin.X, origin.X+done*wide
	}
	list.AddRectFilled(imgui.Vec2{X: left, Y: origin.Y}, imgui.Vec2{X: right, Y: origin.Y + high}, ink(90, 170, 255, 255))
	if a.button("cancel (Backspace)") {
		a.stop = true
	}
	imgui.End()
}

// showBusy shows that the first file is opened, or was given up, while there is no
// picture.
func (a *app) showBusy(size image.Point) error {
	if !a.busyShown() && (a.loader.BusyFor() > 0 || !a.unshown) {
		return nil
	}
	for range guiRest { // the notice's size follows its text one frame later
		a.guiFrame()
	}
	picture, err := a.overlay.Compose(size, nil, a.gui.mesh)
	if err != nil {
		return err
	}
	shown, err := a.present(picture, size, nil)
	a.unshown = !shown
	return err
}
