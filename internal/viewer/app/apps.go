package app

import (
	"cmp"
	"time"

	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
)

// appRequest returns the request for a side's result of the application.
func (a *App) appRequest(right bool) results.Request {
	left := &a.Shown.Left
	order, settings := a.IndexOrder, a.Want
	if right {
		order, settings = a.Other.Order, a.Other.Settings(settings)
	}
	r := results.Request{Choice: a.Doing}
	var err error
	r.Config, err = settings.Config()
	r.Config.Auto = false // applications' shading is expensive, so reuse pays
	if err != nil {
		r.Config = left.Plan.Frame.Reuse // the next frame returns the error for such settings
	}
	if a.OnMesh() {
		whole := a.orders.Get(left.Source, order)
		if whole == nil { // the order is still being made
			whole = left.Whole
		}
		r.Scene = a.Part(whole, a.Alone)
	}
	return r
}

// askApp asks for the application's result for each side.
func (a *App) askApp(w *model.Asked) {
	if !a.OnMesh() {
		return
	}
	w.Applied = a.maker.Get(a.appRequest(false))
	w.Waits = w.Applied == nil
	if a.comparesApp() {
		w.RightApplied = a.maker.Get(a.appRequest(true))
	}
}

// comparesApp reports whether the right side needs its own result and has its order.
func (a *App) comparesApp() bool {
	return a.ComparesSides() && a.OnMesh() && a.orders.Get(a.Shown.Left.Source, a.Other.Order) != nil
}

// followApp starts what is asked of the application, and takes finished results.
func (a *App) followApp() {
	if err, taken := a.maker.Take(); taken {
		a.Unshown = true // the progress bar goes
		if err != nil {
			a.say(err)
			a.backFromApp()
		}
	}
	if a.Shown.Left.Plan == nil || a.Next != nil {
		return
	}
	a.playWalk()
	var wanted []results.Request
	if a.Doing.App != results.None {
		wanted = append(wanted, a.appRequest(false))
		if a.comparesApp() {
			wanted = append(wanted, a.appRequest(true))
		}
	}
	if a.AllEdges {
		for _, h := range a.Shown.Halves() {
			if err := results.EdgesFit(h.Scene); err != nil {
				a.say(err)
				a.LargeEdges()
				break
			}
			wanted = append(wanted, results.Request{Scene: h.Scene, Edges: true})
		}
	}
	a.maker.Follow(load.ShowRest, wanted...)
	var walked *results.Result
	if a.Doing.App == results.Walk {
		if walked = a.maker.Get(wanted[0]); walked == nil && a.Walked != nil {
			walked = a.Walked // until the next step is made
		}
	}
	if walked != a.Walked {
		a.Walked, a.walkedAt = walked, time.Now()
		a.moveHover(a.Hover.at) // the text may have changed
		a.Unshown, a.rest = true, guiRest
		a.relegend()
	}
}

// playWalk takes a step if it is due.
func (a *App) playWalk() {
	if wait := a.walkDue(); wait != 0 {
		return
	}
	if a.Doing.Step == walk.MaxSteps {
		a.Play = false
		return
	}
	a.Doing.Step++
}

// walkDue returns the time until the next step of a playing walk; negative if no step is due
// before another event.
func (a *App) walkDue() time.Duration {
	if !a.Play || a.Walked == nil || !a.Walked.Choice.Same(a.Doing) {
		return -1
	}
	return max(0, time.Duration(float64(time.Second)/a.Speed)-time.Since(a.walkedAt))
}

// backFromApp returns to what is shown if something else could not be made.
func (a *App) backFromApp() {
	a.Play = false
	now := a.maker.Now
	if now.Edges {
		a.AllEdges = false
		return
	}
	if a.comparesApp() && now == a.appRequest(true) && now != a.appRequest(false) {
		a.Compare = model.CompareOff
		return
	}
	a.Want = a.Shown.Left.Settings
	shown := a.appShown()
	if shown == nil {
		a.Doing.App = results.None
		return
	}
	a.Doing = shown.Choice
}

// appShown returns the application's result that the window shows, or nil.
func (a *App) appShown() *results.Result {
	sides := a.Sides()
	return cmp.Or(sides[0].Applied, sides[len(sides)-1].Applied)
}

// Sides returns the sides on the screen; for a walk only the side that it is on.
func (a *App) Sides() []*model.Half {
	if a.Walked == nil {
		return a.Shown.Halves()
	}
	l := a.Shown.Left
	p := plan.Plan{Frame: l.Plan.Frame}
	p.Frame.Reuse, p.Frame.Cull = a.Walked.Config, false
	return []*model.Half{{Look: model.Look{Applied: a.Walked, Settings: l.Settings}, Plan: &p, Stats: a.Walked.Stats}}
}

// edgesOf returns the edges to draw over a side, or nil.
func (a *App) edgesOf(h *model.Half) *results.Result {
	if !a.AllEdges {
		return nil
	}
	return a.maker.Get(results.Request{Scene: h.Scene, Edges: true})
}

// appPending reports whether a result that will be shown is being made.
func (a *App) appPending() bool {
	walking := a.Doing.App == results.Walk && (a.Walked == nil || !a.Walked.Choice.Same(a.Doing))
	return a.maker.Busy || walking
}
