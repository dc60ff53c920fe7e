package app

import (
	"image"
	"time"

	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// busyStep is the least time between two pictures of a progress bar. A part of a drawing takes up to some 40 ms
// more, and the bar has to move at least every 100 ms.
const busyStep = 50 * time.Millisecond

// drawRest is how long a picture for another camera must take before the progress bar is shown. The bar
// would flicker if it came with pictures that take less.
const drawRest = time.Second

// cancel cancels what the progress bar shows; the picture on the screen stays.
func (a *App) cancel() {
	what := a.loader.Name + a.loader.Making
	if !a.loader.GiveUp() {
		switch {
		case a.maker.GiveUp():
			a.done("gave up " + a.maker.Now.Choice.Doing())
			a.backFromApp()
			a.Unshown, a.rest = true, guiRest
		case a.Drawing != nil:
			a.Drawing.GivenUp = true
		}
		if a.turn.begun {
			a.done("gave up " + a.turn.words())
			a.turn = turntable{}
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
	b := a.Busy()
	return b.Passed > 0 && b.Passed >= b.rest
}

// Busy is work that is under way.
type Busy struct {
	What   string
	Passed time.Duration // since it began; 0 if nothing is under way
	Done   float64       // the share that is done; 0 if that is unknown

	rest time.Duration // that must pass before it is shown
}

// Busy returns what the progress bar shows.
func (a *App) Busy() Busy {
	switch d := a.Drawing; {
	case a.loader.BusyFor() > 0 && a.loader.Making != "":
		return Busy{"ordering by " + a.loader.Making, a.loader.BusyFor(), a.loader.Done(), load.ShowRest}
	case a.loader.BusyFor() > 0:
		return Busy{"loading " + a.loader.Name, a.loader.BusyFor(), a.loader.Done(), load.ShowRest}
	case a.maker.BusyFor() > 0 && !(a.Play && a.Walked != nil):
		return Busy{a.maker.Now.Choice.Doing(), a.maker.BusyFor(), a.maker.Done(), load.ShowRest}
	case a.turn.begun && d != nil:
		return Busy{a.turn.words(), time.Since(a.turn.since), float64(a.turn.done) / float64(a.turn.frames), load.ShowRest}
	case d == nil || a.quota > 0 || a.turn.frames > 0:
		return Busy{}
	case d.GivenUp:
		return Busy{"giving up " + d.What, time.Since(d.Since), 0, 0}
	case d.Plain:
		return Busy{d.What, time.Since(d.Since), d.Share, drawRest}
	default:
		return Busy{d.What, time.Since(d.Since), d.Share, load.ShowRest}
	}
}

// showBusy shows that the first file is being opened or drawn, or was cancelled, while there is no
// picture.
func (a *App) showBusy(size image.Point) error {
	if !a.BusyShown() && (a.Busy().Passed > 0 || !a.Unshown) {
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
	a.Unshown, a.shownAt = !shown, time.Now()
	return err
}
