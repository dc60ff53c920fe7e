package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/applications"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// appState is what the user wants of the applications.
type appState struct {
	wireframe bool
	opacity   float64 // of envelopes
	play      bool    // the walk
	speed     float64 // of it, in steps a second

	subdivide cli.SubdivideFlags // of every scene, the last level while it is drawn
}

// maxSpeed bounds the steps a second of a walk that is played.
const maxSpeed = 30

func (f *rawFlags) addApp(flags *pflag.FlagSet) {
	a, c := &f.plain.apps, &f.plain.doing
	*c = showing.Default
	flags.StringVar(&f.app, "app", showing.AppNames[0], "show what an application makes: "+strings.Join(showing.AppNames, ", "))
	flags.IntVar(&c.Levels, "levels", c.Levels, fmt.Sprintf("how often subdivision makes four triangles of each, 0 to %d", showing.MaxLevels))
	flags.BoolVar(&c.Drawn, "drawn", false, "compute the last level of a subdivision while it is drawn: it is never stored")
	flags.Float64Var(&c.Percent, "percent", c.Percent, "the envelopes' distance in percent of the diagonal of the scene's box")
	flags.StringVar(&c.Side, "side", c.Side, "which envelopes: "+strings.Join(applications.SideNames, ", "))
	flags.Float64Var(&a.opacity, "opacity", .45, "how much envelopes hide of what lies behind them, 0 to 1")
	flags.IntVar(&c.Agents, "agents", c.Agents, "agents of the walk")
	flags.IntVar(&c.Grid, "grid", c.Grid, "cells a side of the walk's grid")
	flags.Uint32Var(&c.Seed, "seed", c.Seed, "seed of the walk's random numbers")
	flags.IntVar(&c.SortEvery, "sort-every", c.SortEvery, "take the walk's agents in the order of their cells, sorted anew every `N` steps; 0 leaves them as they are")
	flags.IntVar(&c.Step, "step", c.Step, "step of the walk to begin with")
	flags.BoolVar(&a.play, "play", false, "play the walk")
	flags.Float64Var(&a.speed, "speed", 5, fmt.Sprintf("steps a second while the walk is played, up to %d", maxSpeed))
	a.subdivide.Add(flags)
	flags.BoolVar(&a.wireframe, "wireframe", false, "draw the edges of triangles")
	flags.BoolVar(&f.plain.before, "before", false, "compare the scene before and after the application")
}

// application reads the flags about applications.
func (f *rawFlags) application(o *options) (err error) {
	a := &o.apps
	if o.doing.App, err = showing.ParseApp(f.app); err != nil {
		return err
	}
	if !(a.opacity >= 0 && a.opacity <= 1) {
		return cli.Usagef("--opacity %v: must be 0 to 1", a.opacity)
	}
	if !(a.speed > 0 && a.speed <= maxSpeed) {
		return cli.Usagef("--speed %v: must be above 0, %d at most", a.speed, maxSpeed)
	}
	shader, _, err := cli.ParseLoad(o.settings.Load)
	if err := cmp.Or(err, a.subdivide.Check(false, shader)); err != nil {
		return err
	}
	if o.before && o.compare != views.CompareOff {
		return cli.Usagef("--before and --compare exclude each other")
	}
	if o.before {
		o.compare = views.CompareBefore
	}
	return o.doing.Check()
}

// appFlagValues adds the flags that lead to the state.
func (s *state) appFlagValues(values map[string]string) {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	values["subdivide"] = strconv.Itoa(s.subdivide.Levels)
	values["wireframe"], values["opacity"], values["speed"] = strconv.FormatBool(s.wireframe), number(s.opacity), number(s.speed)
	c := &s.Doing
	values["app"], values["levels"], values["percent"], values["side"] = c.App.String(), strconv.Itoa(c.Levels), number(c.Percent), c.Side
	values["agents"], values["grid"], values["seed"] = strconv.Itoa(c.Agents), strconv.Itoa(c.Grid), fmt.Sprint(c.Seed)
	values["sort-every"], values["step"] = strconv.Itoa(c.SortEvery), strconv.Itoa(c.Step)
	values["drawn"] = strconv.FormatBool(c.Drawn)
	values["before"] = strconv.FormatBool(s.Compare == views.CompareBefore)
}

// toggleBefore compares before and after, with refinement where there is no application.
func (s *state) toggleBefore() {
	if s.Compare == views.CompareBefore {
		s.Compare = views.CompareOff
		return
	}
	s.Compare = views.CompareBefore
	if s.Doing.App == showing.None {
		s.Doing.App = showing.Subdivide
	}
}

// stepApp moves on by a level, or by a step; a walk only goes back to its start.
func (s *state) stepApp(by int) {
	switch c := &s.Doing; {
	case c.App == showing.Subdivide:
		c.Levels = min(max(c.Levels+by, 0), showing.MaxLevels)
	case c.App == showing.Walk && by < 0:
		c.Step = 0
	case c.App == showing.Walk:
		c.Step = min(c.Step+by, applications.MaxSteps)
	}
}

// onMesh reports whether an application works on the scene.
func (s *state) onMesh() bool {
	return s.Doing.App == showing.Subdivide || s.Doing.App == showing.Envelope
}

// appRequest is what a side asks of the application.
func (a *app) appRequest(right bool) showing.Request {
	left := &a.Shown.Left
	order, settings := a.IndexOrder, a.Want
	if right {
		order, settings = a.Other.Order, a.Other.Settings(settings)
	}
	r := showing.Request{Choice: a.Doing}
	var err error
	r.Config, err = settings.Config()
	r.Config.Auto = false // what applications shade is dear: reuse pays
	if err != nil {
		r.Config = left.Plan.Frame.Reuse // such settings are refused before the next frame
	}
	if a.onMesh() {
		whole := a.orders.Get(left.Source, order)
		if whole == nil { // the order is being made
			whole = left.Whole
		}
		r.Scene = a.Part(whole, a.Alone)
	}
	return r
}

// askApp asks for what the application made for each side.
func (a *app) askApp(w *views.Asked) {
	if !a.onMesh() {
		return
	}
	w.Applied = a.maker.Get(a.appRequest(false))
	w.Waits = w.Applied == nil
	if a.comparesApp() {
		w.RightApplied = a.maker.Get(a.appRequest(true))
	}
}

// compares reports whether two strategies or orders are to be compared.
func (s *state) compares() bool {
	return s.Compare == views.CompareSplit || s.Compare == views.CompareDifference
}

// comparesApp reports whether the right side needs a result of its own, and its order is there.
func (a *app) comparesApp() bool {
	return a.compares() && a.onMesh() && a.orders.Get(a.Shown.Left.Source, a.Other.Order) != nil
}

// followApp has made what is asked for of the application, and takes what was made.
func (a *app) followApp() {
	if err, taken := a.maker.Take(); taken {
		a.unshown = true // the bar goes
		if err != nil {
			a.say(err)
			a.backFromApp()
		}
	}
	if a.Shown.Left.Plan == nil || a.next != nil {
		return
	}
	a.playWalk()
	var wanted []showing.Request
	if a.Doing.App != showing.None {
		wanted = append(wanted, a.appRequest(false))
		if a.comparesApp() {
			wanted = append(wanted, a.appRequest(true))
		}
	}
	if a.wireframe {
		for _, h := range a.Shown.Halves() {
			if err := showing.EdgesFit(h.Scene); err != nil {
				a.say(err)
				a.wireframe = false
				break
			}
			wanted = append(wanted, showing.Request{Scene: h.Scene, Edges: true})
		}
	}
	a.maker.Follow(loading.ShowRest, wanted...)
	var walked *showing.Result
	if a.Doing.App == showing.Walk {
		if walked = a.maker.Get(wanted[0]); walked == nil && a.walked != nil {
			walked = a.walked // until there is the next step
		}
	}
	if walked != a.walked {
		a.walked, a.walkedAt = walked, time.Now()
		a.moveHover(a.hover.at) // another text may be due
		a.unshown, a.rest = true, guiRest
		a.relegend()
	}
}

// playWalk takes a step where it is due.
func (a *app) playWalk() {
	if wait := a.walkDue(); wait != 0 {
		return
	}
	if a.Doing.Step == applications.MaxSteps {
		a.play = false
		return
	}
	a.Doing.Step++
}

// walkDue is how long it is until the next step of a walk that is played; negative where
// none is due before something else happens.
func (a *app) walkDue() time.Duration {
	if !a.play || a.walked == nil || !a.walked.Choice.Same(a.Doing) {
		return -1
	}
	return max(0, time.Duration(float64(time.Second)/a.speed)-time.Since(a.walkedAt))
}

// backFromApp asks for what is shown, where something else could not be made.
func (a *app) backFromApp() {
	a.play = false
	now := a.maker.Now
	if now.Edges {
		a.wireframe = false
		return
	}
	if a.comparesApp() && now == a.appRequest(true) && now != a.appRequest(false) {
		a.Compare = views.CompareOff
		return
	}
	a.Want = a.Shown.Left.Settings
	shown := a.appShown()
	if shown == nil {
		a.Doing.App = showing.None
		return
	}
	a.Doing = shown.Choice
}

// appShown is what the window shows of an application; nil for nothing.
func (a *app) appShown() *showing.Result {
	sides := a.sides()
	return cmp.Or(sides[0].Applied, sides[len(sides)-1].Applied)
}

// sides are the sides that there are; of a walk only its own.
func (a *app) sides() []*views.Half {
	if a.walked == nil {
		return a.Shown.Halves()
	}
	l := a.Shown.Left
	p := plan.Plan{Frame: l.Plan.Frame}
	p.Frame.Reuse, p.Frame.Cull = a.walked.Config, false
	return []*views.Half{{Look: views.Look{Applied: a.walked, Settings: l.Settings}, Plan: &p, Stats: a.walked.Stats}}
}

// edgesOf are the edges of what a side shows; nil where they are not drawn.
func (a *app) edgesOf(h *views.Half) *showing.Result {
	if !a.wireframe {
		return nil
	}
	return a.maker.Get(showing.Request{Scene: h.Scene, Edges: true})
}

// appPending reports whether something is made that is to be shown.
func (a *app) appPending() bool {
	walking := a.Doing.App == showing.Walk && (a.walked == nil || !a.walked.Choice.Same(a.Doing))
	return a.maker.Busy || walking
}
