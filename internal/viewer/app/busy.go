package app

import (
	"image"
	"time"

	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// busyStep is the time between two pictures of a progress bar.
const busyStep = 66 * time.Millisecond

// cancel cancels what is being loaded or ordered; the picture on the screen stays.
func (a *App) cancel() {
	what := a.loader.Name + a.loader.Making
	if !a.loader.GiveUp() {
		if a.maker.GiveUp() {
			a.done("gave up " + a.maker.Now.Choice.Doing())
			a.backFromApp()
			a.Unshown, a.rest = true, guiRest
		}
		return
	}
	if a.loader.Making != "" {
		a.IndexOrder = a.Shown.Left.Order
		if a.Compare != model.CompareOff && a.orders.Get(a.Shown.Left.Source, a.Other.Order) == nil {
			a.Compare = model.CompareOff
		}
	}
	a.Target = a.At
	if a.Shown.Left.Plan == nil {
		a.Notices.add("gave up "+what+": "+openHint, time.Time{})
	} else {
		a.done("gave up " + what)
	}
	a.Unshown, a.rest = true, guiRest
}

// BusyShown reports whether the progress bar is shown.
func (a *App) BusyShown() bool {
	_, passed, _ := a.Busy()
	return passed >= load.ShowRest
}

// Busy returns what is being done, for how long, and the share that is done, or 0 if that is
// unknown.
func (a *App) Busy() (what string, passed time.Duration, done float64) {
	switch {
	case a.loader.BusyFor() == 0 && a.maker.BusyFor() > 0 && !(a.Play && a.Walked != nil):
		return a.maker.Now.Choice.Doing(), a.maker.BusyFor(), a.maker.Done()
	case a.loader.Making != "":
		what = "ordering by " + a.loader.Making
	default:
		what = "loading " + a.loader.Name
	}
	return what, a.loader.BusyFor(), a.loader.Done()
}

// showBusy shows that the first file is being opened, or was cancelled, while there is no
// picture.
func (a *App) showBusy(size image.Point) error {
	if !a.BusyShown() && (a.loader.BusyFor() > 0 || !a.Unshown) {
		return nil
	}
	for range guiRest { // the notice's size follows its text one frame later
		a.guiFrame()
	}
	picture, err := a.overlay.Compose(size, nil, a.ui.Mesh())
	if err != nil {
		return err
	}
	shown, err := a.Present(picture, size, nil)
	a.Unshown = !shown
	return err
}
