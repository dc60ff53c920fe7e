package main

import (
	"time"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
)

// figures are what the title says about what is shown.
func (a *app) figures() inspect.Figures {
	l, r := &a.Shown.Left, &a.Shown.Right
	f := inspect.Figures{Plan: l.Plan, Order: l.Order, Stats: l.Stats, Timings: l.Timings, Frame: a.frameTime, Notice: a.notice}
	if a.walked != nil {
		f.Walk, f.Stats, f.Timings = a.walked.Words(false)[0]+" | "+a.walked.Config.String(), a.walked.Stats, nil
	}
	if r.Plan != nil {
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

// setTitle writes the title where it has changed: at once when something new is
// shown, now and then while only timings change.
func (a *app) setTitle() {
	f := a.figures()
	text := inspect.Title(f)
	if text == a.titleText {
		return
	}
	f.Timings, f.Frame = nil, 0
	fixed := inspect.Title(f)
	if fixed == a.titleFixed && time.Since(a.titleAt) < titleRest {
		return
	}
	a.screen.window.SetTitle(text)
	a.titleText, a.titleFixed, a.titleAt = text, fixed, time.Now()
}
