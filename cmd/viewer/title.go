package main

import (
	"time"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
)

// figures are what the title says about what is shown.
func (a *app) figures() inspect.Figures {
	l, r := &a.Shown.Left, &a.Shown.Right
	f := inspect.Figures{Plan: l.Plan, Order: l.Order, Stats: l.Stats, Timings: l.Timings, Frame: a.frameTime, Notice: a.notices.String()}
	if a.walked != nil {
		f.Walk, f.Stats, f.Timings = a.walked.Words(false)[0]+" | "+a.walked.Config.String(), a.walked.Stats, nil
	}
	f.At, f.Files = a.at, len(a.files)
	if r.Plan != nil {
		if r.Name() != l.Name() {
			f.Right = r.Name()
		}
		f.Against = "against " + r.Name() + " in " + r.Order + " order"
		if a.Shown.Compare == views.CompareBefore {
			f.Against = "before and after"
		}
		if a.Shown.Difference.Plan != nil {
			f.Against = "difference " + f.Against
		}
	}
	if a.loader.Busy {
		f.Loading, f.Making = a.loader.Name, a.loader.Making
	}
	if a.maker.BusyFor() > 0 && a.walked == nil {
		f.Doing = a.maker.Now.Choice.Doing()
	}
	return f
}

// windowTitle is what the title says.
var windowTitle = inspect.Title

// followTitle writes the title where it has changed: at once when something new is
// shown, now and then while only timings change.
func (a *app) followTitle() {
	f := a.figures()
	text := windowTitle(f)
	if text == a.titleText {
		return
	}
	f.Timings, f.Frame = nil, 0
	fixed := windowTitle(f)
	if fixed == a.titleFixed && time.Since(a.titleAt) < titleRest {
		return
	}
	a.setTitle(text)
	a.titleText, a.titleFixed, a.titleAt = text, fixed, time.Now()
}
