package app

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// Table returns the CSV text of one of the panels' tables, the table's name, and its number of rows.
type Table func() (text, name string, rows int)

func (a *App) DrawsTable() (text, name string, rows int) { return csvOf("draws", a.drawRows()) }
func (a *App) StrategiesTable() (text, name string, rows int) {
	return csvOf("strategies", a.strategyRows())
}
func (a *App) BatchTable() (text, name string, rows int) {
	s := &a.Selection
	var list []batchRow
	for _, x := range s.Slots {
		list = append(list, batchRow{s.Batch, a.Shown.Left.DrawNumber(s.Hit.Draw), x.Iteration, x.Slot, x.Vertex, x.Uses})
	}
	return csvOf(fmt.Sprintf("batch %d", s.Batch), list)
}

// SaveTable writes a table into the current folder, as a new CSV file.
func (a *App) SaveTable(t Table) {
	text, name, rows := t()
	path, err := picture.SaveNew(".", inspect.FileName(a.Shown.Left.Whole)+"-"+strings.ReplaceAll(name, " ", "")+".csv", []byte(text))
	if err != nil {
		a.say(fmt.Errorf("save the table: %w", err))
		return
	}
	a.saved(path, ": "+names.Count(rows, "row"))
}

// CopyTable puts a table on the clipboard, as CSV.
func (a *App) CopyTable(t Table) {
	text, name, rows := t()
	a.copy(text, fmt.Sprintf("%s of %s, as CSV", names.Count(rows, "row"), name))
}

// saved tells the user that a file was written, and its path.
func (a *App) saved(path, more string) {
	fmt.Fprintln(a.Stdout, path)
	text := "saved " + path
	if folder, err := os.Getwd(); err == nil {
		text += " in " + folder
	}
	a.done(text + more)
}

// copy puts a text on the clipboard; `what` describes the text to the user.
func (a *App) copy(text, what string) {
	a.SetClipboard(text)
	a.done("copied to the clipboard: " + what)
	a.Unshown, a.rest = true, guiRest
}

func csvOf[T any](name string, list []T) (text, of string, rows int) {
	var b strings.Builder
	_ = cli.WriteCSV(&b, list) // writing to memory does not fail
	return b.String(), name, len(list)
}

// counted converts a survey's counts to the types from which `shadeonce analyze` makes rows.
func (a *App) counted(of inspect.Survey, found *inspect.Surveyed) (measure.Subject, *measure.Counted) {
	return measure.Subject{File: a.Files[a.At], Order: a.Shown.Left.Order, Scene: of.Scene}, measure.Surveyed(of.Config, found.Stats, found.Draws)
}

// drawRows returns the listed draws as rows of `shadeonce analyze --per-draw`, in the order of the list. Instances
// share a row. It returns nil until the survey has ended.
func (a *App) drawRows() (rows []measure.DrawAnalysis) {
	l := &a.DrawList
	if l.found.Draws == nil {
		return nil
	}
	subject, counted := a.counted(l.of, &l.found)
	groups := measure.AnalyzeDraws(subject, []*measure.Counted{counted})
	var groupOf []int // by index in l.Rows: the index in groups. Instances share a group
	for g := range groups {
		groupOf = append(groupOf, slices.Repeat([]int{g}, groups[g].Instances)...)
	}
	taken := make([]bool, len(groups))
	for _, i := range l.Shown {
		if g := groupOf[i]; !taken[g] {
			rows, taken[g] = append(rows, groups[g]), true
		}
	}
	return rows
}

// strategyTimes is a row of the table of strategies: the columns of analyze and the device's times.
type strategyTimes struct {
	measure.Analysis
	Geometry float64 `json:"geometry_ms"` // of the geometry pass; 0 if it is not timed
	Passes   float64 `json:"passes_ms"`   // of all passes
}

// strategyRows returns the rows of the strategies counted so far.
func (a *App) strategyRows() (rows []strategyTimes) {
	for _, r := range a.Strategies.Rows {
		found, known := a.Surveys.Get(r.Survey)
		if r.Err != nil || !known {
			continue
		}
		row := strategyTimes{Analysis: measure.Analyze(a.counted(r.Survey, &found))}
		if r.Timing != nil {
			row.Geometry, row.Passes = PassMilliseconds(r.Timing.Passes, GeometryPass), PassMilliseconds(r.Timing.Passes, "")
		}
		rows = append(rows, row)
	}
	return rows
}

// GeometryPass is the prefix of the names of geometry passes.
const GeometryPass = "geometry:"

// PassMilliseconds returns the total time of the passes whose names begin with prefix.
func PassMilliseconds(timings []renderer.Timing, prefix string) float64 {
	return measure.Milliseconds(measure.PassTime(timings, prefix))
}

// batchRow is a row of BatchTable: a vertex that the selected batch shaded.
type batchRow struct {
	Batch     int    `json:"batch"`
	Draw      int    `json:"draw"`
	Iteration int    `json:"iteration"`
	Slot      int    `json:"slot"`
	Vertex    uint32 `json:"vertex"`
	Indices   int    `json:"indices"` // indices of the iteration that name the vertex
}

// StrategyTable compares all strategies on the left side's scene. Counts come from the CPU
// reference in the background; times come from the device, one strategy after the other.
type StrategyTable struct {
	look model.Look // the look of all rows, except for the strategy
	Rows []StrategyRow
}

type StrategyRow struct {
	Name   string
	Survey inspect.Survey
	Timing *model.Timing // nil until it is known
	Err    error         // why the strategy does not run with these settings
}

// tabled returns the part of a look that all rows of the table share: all but strategy, batch limits and marks.
func tabled(l model.Look) model.Look {
	l.Settings.Strategy, l.Settings.Batch, l.Settings.Unique, l.Settings.Marks = "", 0, 0, cli.MarkFlags{}
	return l
}

// by returns the look of a row: the table's look with the named strategy.
func (t *StrategyTable) by(name string) model.Look {
	l := t.look
	l.Settings.Strategy = name
	return l
}

// follow makes a new table if the look has changed in more than its strategy, batches and marks.
func (t *StrategyTable) follow(look model.Look, limits renderer.Limits) {
	if look = tabled(look); t.Rows != nil && t.look == look {
		return
	}
	t.look, t.Rows = look, nil
	for _, name := range reuse.Names() {
		r := StrategyRow{Name: name}
		config, err := t.by(name).Settings.Config()
		if r.Err = err; err == nil {
			r.Survey = inspect.Survey{Scene: look.Scene, Config: config.Fitted(look.Scene.Triangles(), limits.Multiprocessors)}
		}
		t.Rows = append(t.Rows, r)
	}
}

// timed stores a timing in the row of the look that was timed.
func (t *StrategyTable) timed(of *model.Timing) {
	for i := range t.Rows {
		if of.Look == t.by(t.Rows[i].Name) {
			t.Rows[i].Timing = of
		}
	}
}

// giveUp stores `err` in every row that still waits for its times.
func (t *StrategyTable) giveUp(err error) {
	for l, some := t.untimed(); some; l, some = t.untimed() {
		t.timed(&model.Timing{Look: l, Err: err})
	}
}

// untimed returns the next look to time; false if every row has times or an error.
func (t *StrategyTable) untimed() (model.Look, bool) {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Err == nil && r.Timing == nil {
			return t.by(r.Name), true
		}
	}
	return model.Look{}, false
}

// untimed returns the next look that the device times while it is idle; false if there is none, or the table is
// hidden or out of date.
func (a *App) untimed() (model.Look, bool) {
	l, some := a.Strategies.untimed()
	return l, some && a.TablesStrategies() && a.Strategies.look == tabled(a.Shown.Left.Look)
}

// TablesStrategies reports whether the table of strategies is shown. Applications have no such table,
// since their counts belong to other streams.
func (a *App) TablesStrategies() bool {
	return a.AllStrategies && a.Shown.Left.Plan != nil && a.Shown.Left.Applied == nil && a.Walked == nil
}

// followStrategies updates the table to the shown look, or empties it if it is hidden. When nothing is left to time,
// it frees the canvas that was used for timing.
func (a *App) followStrategies() {
	t := &a.Strategies
	if !a.TablesStrategies() {
		*t = StrategyTable{}
	} else {
		t.follow(a.Shown.Left.Look, a.painter.Left.Limits())
	}
	if _, more := t.untimed(); !more {
		a.painter.DropSpare()
	}
}

// ChooseStrategy sets the left side's strategy, and resets its batch limits to the defaults. If `right` is set (Shift is
// down), it sets the right side's strategy instead, and begins a split comparison if the sides are not compared yet.
func (a *App) ChooseStrategy(name string, right bool) {
	a.Turned = nil
	if !right {
		a.Want.Strategy, a.Want.Batch, a.Want.Unique = name, 0, 0
	} else if a.Other.Strategy = name; !a.ComparesSides() {
		a.Compare = model.CompareSplit
	}
}

// Fastest returns the row of the strategy whose passes take the least time; false until all strategies are timed, or if none could be timed.
func (t *StrategyTable) Fastest() (best *StrategyRow, known bool) {
	for i := range t.Rows {
		r := &t.Rows[i]
		switch {
		case r.Err != nil || r.Timing != nil && len(r.Timing.Passes) == 0:
		case r.Timing == nil:
			return nil, false
		case best == nil || inspect.SumTimings(r.Timing.Passes) < inspect.SumTimings(best.Timing.Passes):
			best = r
		}
	}
	return best, best != nil
}

// WhyAuto returns auto's reason for its choice of strategy. If the table's times show a faster one, it adds
// which. It returns "" if auto is not in use or nothing is shown yet.
func (a *App) WhyAuto() string {
	p := a.Shown.Left.Plan
	if p == nil {
		return ""
	}
	why := p.Choice.Strategy
	if best, known := a.Strategies.Fastest(); known && why != "" && best.Name != p.Frame.Reuse.Strategy.Name {
		why += fmt.Sprintf("\nauto estimates; by the times in the table, %s is the fastest here", best.Name)
	}
	return why
}
