package main

import (
	"fmt"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// strategyTable compares all strategies on what the left side shows. Counts come from the
// CPU reference at once, times from the device one after the other.
type strategyTable struct {
	look views.Look // that it is of, but for the strategy
	rows []strategyRow
}

type strategyRow struct {
	name   string
	survey inspect.Survey
	timing *views.Timing // nil until it is known
	err    error         // why the strategy does not run with these settings
}

// tabled is what the rows of a table share.
func tabled(l views.Look) views.Look {
	l.Settings.Strategy, l.Settings.Batch, l.Settings.Unique, l.Settings.Marks = "", 0, 0, cli.MarkFlags{}
	return l
}

// by is what a row's strategy shows.
func (t *strategyTable) by(name string) views.Look {
	l := t.look
	l.Settings.Strategy = name
	return l
}

// follow makes the table one of what a side shows, where it is not.
func (t *strategyTable) follow(look views.Look, limits renderer.Limits) {
	if look = tabled(look); t.rows != nil && t.look == look {
		return
	}
	t.look, t.rows = look, nil
	for _, name := range reuse.Names() {
		r := strategyRow{name: name}
		config, err := t.by(name).Settings.Config()
		if r.err = err; err == nil {
			r.survey = inspect.Survey{Scene: look.Scene, Config: config.Fitted(look.Scene.Triangles(), limits.Multiprocessors)}
		}
		t.rows = append(t.rows, r)
	}
}

// surveys are the counts that the table shows.
func (t *strategyTable) surveys() (wanted []inspect.Survey) {
	for i := range t.rows {
		if t.rows[i].err == nil {
			wanted = append(wanted, t.rows[i].survey)
		}
	}
	return wanted
}

// timed takes the times of a strategy.
func (t *strategyTable) timed(of *views.Timing) {
	for i := range t.rows {
		if of.Look == t.by(t.rows[i].name) {
			t.rows[i].timing = of
		}
	}
}

// untimed is what is to be timed next.
func (t *strategyTable) untimed() (views.Look, bool) {
	for i := range t.rows {
		if r := &t.rows[i]; r.err == nil && r.timing == nil {
			return t.by(r.name), true
		}
	}
	return views.Look{}, false
}

// untimed is what the device is to time, where it has nothing else to do.
func (a *app) untimed() (views.Look, bool) {
	l, some := a.strategies.untimed()
	return l, some && a.tablesStrategies() && a.strategies.look == tabled(a.Shown.Left.Look)
}

// tablesStrategies reports whether all strategies are compared. The counts of applications
// are of other streams.
func (a *app) tablesStrategies() bool {
	return a.allStrategies && a.Shown.Left.Plan != nil && a.Shown.Left.Applied == nil && a.walked == nil
}

// followStrategies keeps the table one of what is shown.
func (a *app) followStrategies() {
	t := &a.strategies
	if !a.tablesStrategies() {
		*t = strategyTable{}
	} else {
		t.follow(a.Shown.Left.Look, a.painter.Left.Limits())
	}
	if _, more := t.untimed(); !more {
		a.painter.DropSpare()
	}
}

// strategiesPanel lists all strategies. A click chooses one, with shift for the right side.
func (a *app) strategiesPanel() {
	if !a.tablesStrategies() || len(a.strategies.rows) == 0 {
		return
	}
	a.panel("strategies", "All strategies, "+a.Shown.Left.Order+" order", &a.allStrategies, a.strategyLines)
}

// strategyColumns are the columns, each with a figure of the reference.
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

func (a *app) strategyLines() {
	text := "A click chooses one, with Shift for the right side."
	if a.Shown.Left.Plan.Frame.Cull {
		text += " Counts are those without culling."
	}
	imgui.Text(text)
	if !imgui.BeginTableV("strategies", len(strategyColumns)+3, imgui.TableFlagsScrollY|imgui.TableFlagsRowBg|imgui.TableFlagsSizingFixedFit, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	heads := []string{"strategy"}
	for _, c := range strategyColumns {
		heads = append(heads, c.name)
	}
	heads = append(heads, "geometry", "all passes")
	for i, name := range heads { // ImGui fits columns to their rows, not to their heads
		widest := "0.0000"
		if i == 0 {
			widest = "naive-index"
		} else if i > len(strategyColumns) {
			widest = "1000.000 ms"
		}
		wide := max(imgui.CalcTextSize(name, false, 0).X, imgui.CalcTextSize(widest, false, 0).X)
		imgui.TableSetupColumnV(name, imgui.TableColumnFlagsWidthFixed, wide, uint(i))
	}
	imgui.TableSetupScrollFreeze(0, 1)
	imgui.TableNextRowV(imgui.TableRowFlagsHeaders, 0)
	for _, name := range heads {
		imgui.TableNextColumn()
		imgui.Text(name)
		a.tip(name)
	}
	for i := range a.strategies.rows {
		a.strategyLine(&a.strategies.rows[i])
	}
}

func (a *app) strategyLine(r *strategyRow) {
	imgui.TableNextRow()
	imgui.TableNextColumn()
	if imgui.SelectableV(r.name, r.name == a.Shown.Left.Plan.Frame.Reuse.Strategy.Name, imgui.SelectableFlagsSpanAllColumns, imgui.Vec2{}) {
		a.chooseStrategy(r.name)
	}
	if r.timing != nil && r.timing.Err != nil {
		r.err = r.timing.Err
	}
	if r.err != nil && imgui.IsItemHovered() {
		a.tooltip(r.err.Error())
	}
	cell := func(text string) {
		imgui.TableNextColumn()
		imgui.Text(text)
	}
	found, known := a.surveys.Get(r.survey)
	for _, c := range strategyColumns {
		switch {
		case known:
			cell(c.value(&found))
		case r.survey.Scene == nil:
			cell(noFigure)
		default:
			cell(figureToCome)
		}
	}
	for _, pass := range []string{"geometry:", ""} {
		switch {
		case r.err != nil || r.timing != nil && len(r.timing.Passes) == 0:
			cell(noFigure)
		case r.timing == nil:
			cell(figureToCome)
		default:
			cell(passTime(r.timing.Passes, pass))
		}
	}
}

// passTime is the time of the passes whose names begin with a text.
func passTime(timings []renderer.Timing, prefix string) string {
	var of []renderer.Timing
	for _, t := range timings {
		if strings.HasPrefix(t.Pass, prefix) {
			of = append(of, t)
		}
	}
	return fmt.Sprintf("%.3f ms", inspect.Milliseconds(inspect.SumTimings(of)))
}

// chooseStrategy has the left side shaded by a strategy with its own batches, or the right
// one where shift is down.
func (a *app) chooseStrategy(name string) {
	a.Turned = nil
	if !a.gui.io.KeyShiftPressed() {
		a.Want.Strategy, a.Want.Batch, a.Want.Unique = name, 0, 0
		return
	}
	if a.Other.Strategy = name; !a.compares() {
		a.Compare = views.CompareSplit
	}
}
