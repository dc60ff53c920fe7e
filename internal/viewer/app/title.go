package app

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// figures returns what the title says about the picture.
func (a *App) figures() inspect.Figures {
	l, r := &a.Shown.Left, &a.Shown.Right
	f := inspect.Figures{Plan: l.Plan, Order: l.Order, Stats: l.Stats, Timings: l.Timings, Frame: a.frameTime, Notice: a.Notices.String()}
	if a.Walked != nil {
		f.Walk, f.Stats, f.Timings = a.Walked.Words(false)[0]+" | "+a.Walked.Config.String(), a.Walked.Stats, nil
	}
	f.At, f.Files = a.At, len(a.Files)
	if r.Plan != nil {
		if r.Name() != l.Name() {
			f.Right = r.Name()
		}
		f.Against = "against " + r.Name() + " in " + r.Order + " order"
		if a.Shown.Compare == model.CompareBefore {
			f.Against = "before and after"
		}
		if a.Shown.Difference.Plan != nil {
			f.Against = "difference " + f.Against
		}
	}
	switch {
	case a.loader.Busy:
		f.Loading, f.Making = a.loader.Name, a.loader.Making
	case a.Next != nil:
		f.Loading = filepath.Base(a.Next.Files[a.Next.At])
	}
	if a.maker.BusyFor() > 0 && a.Walked == nil {
		f.Doing = a.maker.Now.Choice.Doing()
	}
	return f
}

// Status says which device draws, and how long a frame takes.
func (a *App) Status() string {
	name := a.Device.Info.Name
	if a.frameTime == 0 {
		return name
	}
	return fmt.Sprintf("%.1f ms a frame, %s", inspect.Milliseconds(a.frameTime), name)
}

// followTitle updates the title: at once if something new is shown, and now and then while only
// timings change.
func (a *App) followTitle() {
	f := a.figures()
	text := a.Title(f)
	if text == a.titleText {
		return
	}
	f.Timings, f.Frame = nil, 0
	fixed := a.Title(f)
	if fixed == a.titleFixed && time.Since(a.titleAt) < titleRest {
		return
	}
	a.SetTitle(text)
	a.titleText, a.titleFixed, a.titleAt = text, fixed, time.Now()
}
