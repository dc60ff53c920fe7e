package panels

import (
	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// guiAppWidth is the width of the panel of an application, and appHeights are the heights, in
// pixels of a display of ordinary density.
const guiAppWidth = 300

var appHeights = map[results.App]float64{results.Subdivide: 206, results.Envelope: 232, results.Walk: 258}

// appPanel shows the settings of the running application.
func (ui *Panels) appPanel() {
	if ui.Doing.App != results.None {
		ui.panel("application", "Application: "+ui.Doing.App.String(), nil, ui.appControls)
	}
}

func (ui *Panels) appControls() {
	ui.label("show")
	shows := appShows[ui.Doing.App]
	now := shows[min(int(ui.Want.View), len(shows)-1)]
	ui.choice("##show", now, shows, func(i int) {
		if ui.Want.View, ui.Turned = renderer.View(i), nil; i == len(shows)-1 {
			ui.Want.View = renderer.Shaded
		}
	})
	switch ui.Doing.App {
	case results.Subdivide:
		ui.settings("level (, .)", "compute the last level while drawing")
	case results.Envelope:
		ui.settings("distance, %", "side", "opacity")
	case results.Walk:
		ui.walkControls()
		return
	}
	ui.settings("edges (X)", "before and after (B)")
	if ui.Split() {
		ui.settings("divider")
	}
}

// appShows names what the views show of an application, in the order of views.
var appShows = [][]string{
	results.Subdivide: {"times shaded", "batches", "refined mesh"},
	results.Envelope:  {"times shaded", "batches", "envelopes"},
	results.Walk:      {"times shaded", "density"},
}

// walkControls plays the walk, and sets it up.
func (ui *Panels) walkControls() {
	ui.settings("play (Space)")
	imgui.SameLine()
	if ui.button("step (.)") {
		ui.StepApp(1)
	}
	imgui.SameLine()
	if ui.button("start (,)") {
		ui.StepApp(-1)
	}
	ui.settings("step", "steps a second", "agents", "grid", "seed", "sort every")
}
