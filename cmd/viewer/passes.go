package main

import (
	"fmt"
	"slices"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/inspect"
)

// passesPanel draws graphs of the passes, of both sides where two are compared.
func (a *app) passesPanel() {
	if a.Shown.Right.Plan == nil || a.walked != nil {
		a.passGraphs("left", &a.log)
		return
	}
	imgui.Text("left: " + a.Shown.Left.Name())
	a.passGraphs("left", &a.log)
	imgui.Text("right: " + a.Shown.Right.Name())
	a.passGraphs("right", &a.rightLog)
}

// passGraphs draws a graph of each pass that takes long, in the order in which they run.
func (a *app) passGraphs(side string, log *inspect.PassLog) {
	const shown = 6
	list := log.Longest(shown)
	for _, pass := range list {
		times := log.Times[pass]
		text := fmt.Sprintf("%s  %.3f ms", pass, times[len(times)-1])
		imgui.PlotLinesV("##"+side+pass, times, 0, text, 0, 1.25*slices.Max(times)+1e-6, imgui.Vec2{X: imgui.ContentRegionAvail().X, Y: 34 * a.gui.scale})
	}
	if left := len(log.Passes) - len(list); left > 0 {
		imgui.Text(fmt.Sprintf("and %d shorter", left))
	}
	if len(list) == 0 {
		imgui.Text("this device has no timestamps")
	}
}
