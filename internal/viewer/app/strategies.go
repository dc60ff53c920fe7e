package app

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// StrategyTable compares all strategies on what the left side shows. Counts come from the CPU
// reference at once; times come from the device, one strategy after the other.
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

// tabled returns what all rows of a table share.
func tabled(l model.Look) model.Look {
	l.Settings.Strategy, l.Settings.Batch, l.Settings.Unique, l.Settings.Marks = "", 0, 0, cli.MarkFlags{}
	return l
}

// by returns what a row's strategy shows.
func (t *StrategyTable) by(name string) model.Look {
	l := t.look
	l.Settings.Strategy = name
	return l
}

// follow makes a new table if a side shows something else.
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

// surveys lists the surveys whose counts the table shows.
func (t *StrategyTable) surveys() (wanted []inspect.Survey) {
	for i := range t.Rows {
		if t.Rows[i].Err == nil {
			wanted = append(wanted, t.Rows[i].Survey)
		}
	}
	return wanted
}

// timed stores the times of a strategy.
func (t *StrategyTable) timed(of *model.Timing) {
	for i := range t.Rows {
		if of.Look == t.by(t.Rows[i].Name) {
			t.Rows[i].Timing = of
		}
	}
}

// giveUp leaves out the times that are not known.
func (t *StrategyTable) giveUp(err error) {
	for l, some := t.untimed(); some; l, some = t.untimed() {
		t.timed(&model.Timing{Look: l, Err: err})
	}
}

// untimed returns the next look to time.
func (t *StrategyTable) untimed() (model.Look, bool) {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Err == nil && r.Timing == nil {
			return t.by(r.Name), true
		}
	}
	return model.Look{}, false
}

// untimed returns the next look for the device to time if it has nothing else to do.
func (a *App) untimed() (model.Look, bool) {
	l, some := a.Strategies.untimed()
	return l, some && a.TablesStrategies() && a.Strategies.look == tabled(a.Shown.Left.Look)
}

// TablesStrategies reports whether all strategies are compared. The counts of applications belong
// to other streams.
func (a *App) TablesStrategies() bool {
	return a.AllStrategies && a.Shown.Left.Plan != nil && a.Shown.Left.Applied == nil && a.Walked == nil
}

// followStrategies updates the table to what is shown.
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

// ChooseStrategy sets a strategy with its own batches for the left side, or for the right side if
// Shift is down.
func (a *App) ChooseStrategy(name string, right bool) {
	a.Turned = nil
	if !right {
		a.Want.Strategy, a.Want.Batch, a.Want.Unique = name, 0, 0
		return
	}
	if a.Other.Strategy = name; !a.ComparesSides() {
		a.Compare = model.CompareSplit
	}
}

// Fastest is the row of the strategy that the device has drawn fastest of all; false until
// it has timed all.
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

// WhyAuto says why auto chose its strategy, and what the table's times say to that; empty
// where it chose none.
func (a *App) WhyAuto() string {
	p := a.Shown.Left.Plan
	why := p.Choice.Strategy
	if best, known := a.Strategies.Fastest(); known && why != "" && best.Name != p.Frame.Reuse.Strategy.Name {
		why += fmt.Sprintf("\nauto estimates; by the times in the table, %s is the fastest here", best.Name)
	}
	return why
}
