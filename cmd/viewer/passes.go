package main

import (
	"fmt"
	"slices"

	"github.com/inkyblackness/imgui-go/v4"
)

// passesPanel draws a graph of each pass that takes long, in the order in which they run.
func (a *app) passesPanel() {
	const shown = 6
	list := a.log.Longest(shown)
	for _, pass := range list {
		times := a.log.Times[pass]
		text := fmt.Sprintf("%s  %.3f ms", pass, times[len(times)-1])
		imgui.PlotLinesV("##"+pass, times, 0, text, 0, 1.25*slices.Max(times)+1e-6, imgui.Vec2{X: imgui.ContentRegionAvail().X, Y: 34 * float32(a.gui.scale)})
	}
	if left := len(a.log.Passes) - len(list); left > 0 {
		imgui.Text(fmt.Sprintf("and %d shorter", left))
	}
	if len(list) == 0 {
		imgui.Text("this device has no timestamps")
	}
}
