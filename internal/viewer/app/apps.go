package app

import (
	"cmp"
	"time"

	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// appRequest is what a side asks of the application.
func (a *App) appRequest(right bool) results.Request {
	left := &a.Shown.Left
	order, settings := a.IndexOrder, a.Want
	if right {
		order, settings = a.Other.Order, a.Other.Settings(settings)
	}
	r := results.Request{Choice: a.Doing}
	var err error
	r.Config, err = settings.Config()
	r.Config.Auto = false // what applications shade is dear: reuse pays
	if err != nil {
		r.Config = left.Plan.Frame.Reuse // such settings are refused before the next frame
	}
	if a.OnMesh() {
		whole := a.orders.Get(left.Source, order)
		if whole == nil { // the order is being made
			whole = left.Whole
		}
		r.Scene = a.Part(whole, a.Alone)
	}
	return r
}

// askApp asks for what the application made for each side.
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

// comparesApp reports whether the right side needs a result of its own, and its order is there.
func (a *App) comparesApp() bool {
	return a.ComparesSides() && a.OnMesh() && a.orders.Get(a.Shown.Left.Source, a.Other.Order) != nil
}

// followApp has made what is asked for of the application, and takes what was made.
func (a *App) followApp() {
	if err, taken := a.maker.Take(); taken {
		a.Unshown = true // the bar goes
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
	if a.Wireframe {
		for _, h := range a.Shown.Halves() {
			if err := results.EdgesFit(h.Scene); err != nil {
				a.say(err)
				a.Wireframe = false
				break
			}
			wanted = append(wanted, results.Request{Scene: h.Scene, Edges: true})
		}
	}
	a.maker.Follow(load.ShowRest, wanted...)
	var walked *results.Result
	if a.Doing.App == results.Walk {
		if walked = a.maker.Get(wanted[0]); walked == nil && a.Walked != nil {
			walked = a.Walked // until there is the next step
		}
	}
	if walked != a.Walked {
		a.Walked, a.walkedAt = walked, time.Now()
		a.moveHover(a.Hover.at) // another text may be due
		a.Unshown, a.rest = true, guiRest
		a.relegend()
	}
}

// playWalk takes a step where it is due.
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

// walkDue is how long it is until the next step of a walk that is played; negative where
// none is due before something else happens.
func (a *App) walkDue() time.Duration {
	if !a.Play || a.Walked == nil || !a.Walked.Choice.Same(a.Doing) {
		return -1
	}
	return max(0, time.Duration(float64(time.Second)/a.Speed)-time.Since(a.walkedAt))
}

// backFromApp asks for what is shown, where something else could not be made.
func (a *App) backFromApp() {
	a.Play = false
	now := a.maker.Now
	if now.Edges {
		a.Wireframe = false
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

// appShown is what the window shows of an application; nil for nothing.
func (a *App) appShown() *results.Result {
	sides := a.Sides()
	return cmp.Or(sides[0].Applied, sides[len(sides)-1].Applied)
}

// Sides are the sides that there are; of a walk only its own.
func (a *App) Sides() []*model.Half {
	if a.Walked == nil {
		return a.Shown.Halves()
	}
	l := a.Shown.Left
	p := plan.Plan{Frame: l.Plan.Frame}
	p.Frame.Reuse, p.Frame.Cull = a.Walked.Config, false
	return []*model.Half{{Look: model.Look{Applied: a.Walked, Settings: l.Settings}, Plan: &p, Stats: a.Walked.Stats}}
}

// edgesOf are the edges of what a side shows; nil where they are not drawn.
func (a *App) edgesOf(h *model.Half) *results.Result {
	if !a.Wireframe {
		return nil
	}
	return a.maker.Get(results.Request{Scene: h.Scene, Edges: true})
}

// appPending reports whether something is made that is to be shown.
func (a *App) appPending() bool {
	walking := a.Doing.App == results.Walk && (a.Walked == nil || !a.Walked.Choice.Same(a.Doing))
	return a.maker.Busy || walking
}
