package main

import (
	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/internal/applications"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// guiAppWidth is the width of the panel of an application, and appHeights are the heights, in
// pixels of a display of ordinary density.
const guiAppWidth = 300

var appHeights = map[showing.App]float64{showing.Subdivide: 206, showing.Envelope: 232, showing.Walk: 258}

// appPanel holds the settings of the application that is shown.
func (a *app) appPanel() {
	if a.Doing.App != showing.None {
		a.panel("application", "Application: "+a.Doing.App.String(), nil, a.appControls)
	}
}

func (a *app) appControls() {
	a.label("show")
	shows := appShows[a.Doing.App]
	now := shows[min(int(a.Want.View), len(shows)-1)]
	a.choice("##show", now, shows, func(i int) {
		if a.Want.View, a.Turned = renderer.View(i), nil; i == len(shows)-1 {
			a.Want.View = renderer.Shaded
		}
	})
	switch c := &a.Doing; c.App {
	case showing.Subdivide:
		a.label("level (, .)")
		levels := int32(c.Levels)
		if imgui.SliderInt("##level", &levels, 0, showing.MaxLevels) {
			c.Levels = min(max(int(levels), 0), showing.MaxLevels)
		}
		a.checkbox("compute the last level while drawing", &c.Drawn)
		a.meshControls()
	case showing.Envelope:
		a.label("distance, %")
		a.slider("##distance", &c.Percent, .1, 10, "%.1f", imgui.SliderFlagsLogarithmic)
		a.label("side")
		a.choice("##side", c.Side, applications.SideNames, func(i int) { c.Side = applications.SideNames[i] })
		a.label("opacity")
		a.slider("##opacity", &a.opacity, 0, 1, "%.2f", imgui.SliderFlagsNone)
		a.meshControls()
	case showing.Walk:
		a.walkControls()
	}
}

// appShows name what the views show of an application, in the order of views.
var appShows = [][]string{
	showing.Subdivide: {"times shaded", "batches", "refined mesh"},
	showing.Envelope:  {"times shaded", "batches", "envelopes"},
	showing.Walk:      {"times shaded", "density"},
}

// meshControls are those of applications on meshes.
func (a *app) meshControls() {
	a.checkbox("wireframe (X)", &a.wireframe)
	before := a.Compare == views.CompareBefore
	if a.checkbox("before and after (B)", &before) {
		a.toggleBefore()
	}
	if a.split() {
		a.label("divider")
		a.slider("##divider", &a.divider, 0, 1, "%.2f", imgui.SliderFlagsNone)
	}
}

// walkControls play the walk, and set it up.
func (a *app) walkControls() {
	c := &a.Doing
	a.checkbox("play (Space)", &a.play)
	imgui.SameLine()
	if a.button("step (.)") {
		a.stepApp(1)
	}
	imgui.SameLine()
	if a.button("start (,)") {
		a.stepApp(-1)
	}
	a.number("step", &c.Step, 0, applications.MaxSteps)
	a.label("steps a second")
	a.slider("##steps a second", &a.speed, .5, maxSpeed, "%.1f", imgui.SliderFlagsLogarithmic)
	a.number("agents", &c.Agents, 1, walk.MaxAgents)
	a.number("grid", &c.Grid, 1, walk.MaxGrid)
	seed := int(c.Seed)
	a.number("seed", &seed, 0, 1<<31-1)
	c.Seed = uint32(seed)
	a.number("sort every", &c.SortEvery, 0, applications.MaxSteps)
}

// number edits a whole number.
func (a *app) number(name string, value *int, least, most int) {
	a.label(name)
	shown := int32(*value)
	if imgui.InputIntV("##"+name, &shown, 1, 100, imgui.InputTextFlagsEnterReturnsTrue) {
		*value = min(max(int(shown), least), most)
	}
}
