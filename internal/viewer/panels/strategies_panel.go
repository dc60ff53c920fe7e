package panels

import (
	"fmt"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// strategiesPanel lists all strategies. A click chooses a strategy, for the right side if Shift is down.
func (ui *Panels) strategiesPanel() {
	if !ui.TablesStrategies() || len(ui.Strategies.Rows) == 0 {
		return
	}
	ui.panel("strategies", "All strategies, "+ui.Shown.Left.Order+" order", &ui.AllStrategies, ui.strategyLines)
}

func (ui *Panels) strategyLines() {
	text := "A click chooses one, with Shift for the right side."
	if ui.Shown.Left.Plan.Counting().FollowsCamera {
		text += " Counts are those without culling."
	}
	reason(text)
	ui.tableButtons(ui.StrategiesTable)
	if !imgui.BeginTableV("strategies", len(strategyColumns)+3, imgui.TableFlagsScrollX|imgui.TableFlagsScrollY|imgui.TableFlagsRowBg|imgui.TableFlagsSizingFixedFit, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	heads := []string{"strategy"}
	for _, c := range strategyColumns {
		heads = append(heads, c.name)
	}
	heads = append(heads, "geometry", "all passes")
	for i, name := range heads { // ImGui fits columns to their rows, not to their heads
		widest := "-0.0000"
		if i == 0 {
			widest = "naive-index"
		} else if i > len(strategyColumns) {
			widest = "1000.000 ms"
		}
		wide := max(imgui.CalcTextSize(name, false, 0).X, imgui.CalcTextSize(widest, false, 0).X)
		imgui.TableSetupColumnV(name, imgui.TableColumnFlagsWidthFixed, wide, uint(i))
	}
	imgui.TableSetupScrollFreeze(1, 1)
	imgui.TableNextRowV(imgui.TableRowFlagsHeaders, 0)
	for _, name := range heads {
		imgui.TableNextColumn()
		imgui.Text(name)
		ui.tip(name)
	}
	for i := range ui.Strategies.Rows {
		ui.strategyLine(&ui.Strategies.Rows[i])
	}
}

func (ui *Panels) strategyLine(r *app.StrategyRow) {
	imgui.TableNextRow()
	imgui.TableNextColumn()
	if imgui.SelectableV(r.Name, r.Name == ui.Shown.Left.Plan.Frame.Reuse.Strategy.Name, imgui.SelectableFlagsSpanAllColumns, imgui.Vec2{}) {
		ui.ChooseStrategy(r.Name, ui.gui.io.KeyShiftPressed())
	}
	if r.Timing != nil && r.Timing.Err != nil {
		r.Err = r.Timing.Err
	}
	if r.Err != nil && imgui.IsItemHovered() {
		ui.tooltip(r.Err.Error())
	}
	found, known := ui.Surveys.Get(r.Survey)
	for _, c := range strategyColumns {
		switch {
		case known:
			cells(c.value(&found))
		case r.Survey.Scene == nil:
			cells(noFigure)
		default:
			cells(figureToCome)
		}
	}
	for _, pass := range []string{app.GeometryPass, ""} {
		switch {
		case r.Err != nil || r.Timing != nil && len(r.Timing.Passes) == 0:
			cells(noFigure)
		case r.Timing == nil:
			cells(figureToCome)
		default:
			cells(fmt.Sprintf("%.3f ms", app.PassMilliseconds(r.Timing.Passes, pass)))
		}
	}
}

// strategyColumns are the columns with figures that the CPU reference counts.
var strategyColumns = []struct {
	name  string
	value func(*inspect.Surveyed) string
}{
	{"reuse", func(s *inspect.Surveyed) string { return ratio(s.Reuse()) }},
	{"ACMR", func(s *inspect.Surveyed) string { return ratio(s.ACMR()) }},
	{"ATVR", func(s *inspect.Surveyed) string { return ratio(s.ATVR()) }},
	{"invocations", func(s *inspect.Surveyed) string { return inspect.Thousands(s.Invocations) }},
	{"lanes in use", func(s *inspect.Surveyed) string { return percent(s.LaneUtilization()) }},
}

// guiAppWidth is the width of an application's panel, and appHeights are its heights, in pixels of
// a display of ordinary density.
const guiAppWidth = 300

var appHeights = map[results.App]float64{results.Subdivide: 206, results.Envelope: 232, results.Walk: 258}

// appPanel shows the settings of the running application.
func (ui *Panels) appPanel() {
	if ui.Doing.App != results.None {
		ui.panel("application", "Application: "+ui.Doing.App.String(), nil, ui.appControls)
	}
}

func (ui *Panels) appControls() {
	shows := appShows[ui.Doing.App]
	now := shows[min(int(ui.Want.View), len(shows)-1)]
	ui.choice("show", now, shows, func(i int) {
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

// appShows holds the names of each application's views, in the order of renderer.View. The last name means renderer.Shaded.
var appShows = [][]string{
	results.Subdivide: {"times shaded", "batches", "refined mesh"},
	results.Envelope:  {"times shaded", "batches", "envelopes"},
	results.Walk:      {"times shaded", "density"},
}

// walkControls shows the controls that play the walk and set it up.
func (ui *Panels) walkControls() {
	ui.settings("play (Space)")
	imgui.SameLine()
	ui.actions(action{"step (.)", func() { ui.StepApp(1) }}, action{"start (,)", func() { ui.StepApp(-1) }})
	ui.settings("step", "steps a second", "agents", "grid", "seed", "sort every")
}
