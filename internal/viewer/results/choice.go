// Package results makes what the viewer shows of the paper's applications
// (apps): refined meshes, envelopes and the steps of a random walk, each with
// how often a strategy shades every vertex, edge or cell. A Maker makes them in the
// background, one at a time. The package also lays out what no renderer draws as flat
// triangles in pixels (Flat): translucent surfaces, edges and grids of cells.
//
// It knows no window, no panel and no device.
package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// App is an application.
type App uint32

// The applications.
const (
	None App = iota
	Subdivide
	Envelope
	Walk
)

// AppNames are the flag values, in value order.
var AppNames = []string{"off", "subdivide", "envelope", "walk"}

func (a App) String() string { return AppNames[a] }

// MaxLevels bounds how often a mesh is refined for the window.
const MaxLevels = 4

// Choice is the chosen application and its settings. It keeps the settings of the other
// applications.
type Choice struct {
	App App

	Levels int  // how often each triangle becomes four; 0 is the mesh as it is
	Drawn  bool // the last level is computed while it is drawn, and not stored

	Percent float64 // the envelopes' distance, of the diagonal of the mesh's box
	Side    string  // of envelope.SideNames

	Agents, Grid int
	Seed         uint32
	SortEvery    int // number of steps between two sorts of the agents by cell; 0: never
	Step         int // steps taken
}

// Default is the initial choice.
var Default = Choice{Levels: 1, Percent: 2, Side: envelope.SideNames[2], Agents: 300000, Grid: 256, Seed: 1}

// Check returns an error for values out of range.
func (c Choice) Check() error {
	within := func(flag string, value, least, most int) error {
		if value < least || value > most {
			return fmt.Errorf("--%s %d: must be %d to %d", flag, value, least, most)
		}
		return nil
	}
	for _, err := range []error{
		within("levels", c.Levels, 0, MaxLevels), within("agents", c.Agents, 1, walk.MaxAgents), within("grid", c.Grid, 1, walk.MaxGrid),
		within("sort-every", c.SortEvery, 0, walk.MaxSteps), within("step", c.Step, 0, walk.MaxSteps),
	} {
		if err != nil {
			return err
		}
	}
	if !(c.Percent >= envelope.MinPercent && c.Percent <= envelope.MaxPercent) { // NaN neither
		return fmt.Errorf("--percent %g: must be %g to %g", c.Percent, envelope.MinPercent, float64(envelope.MaxPercent))
	}
	_, err := envelope.Sides(c.Side)
	return err
}

// ParseApp reads an application's name.
func ParseApp(name string) (App, error) {
	at := slices.Index(AppNames, name)
	if at < 0 {
		return None, names.Unknown("application", name, AppNames)
	}
	return App(at), nil
}

// own returns the choice without the settings of other applications.
func (c Choice) own() Choice {
	switch c.App {
	case Subdivide:
		return Choice{App: c.App, Levels: c.Levels, Drawn: c.Drawn && c.Levels > 0}
	case Envelope:
		return Choice{App: c.App, Percent: c.Percent, Side: c.Side}
	case Walk:
		return Choice{App: c.App, Agents: c.Agents, Grid: c.Grid, Seed: c.Seed, SortEvery: c.SortEvery, Step: c.Step}
	}
	return Choice{}
}

// Same reports whether another choice has the same result.
func (c Choice) Same(other Choice) bool { return c.own() == other.own() }

// before reports whether this choice's result can be continued from another's: the other's levels
// or steps are the first of these. A level that is not stored cannot be continued.
func (c Choice) before(other Choice) bool {
	if c.Drawn || c.Levels > other.Levels || c.Step > other.Step {
		return false
	}
	c.Levels, c.Step = other.Levels, other.Step
	return c == other
}

// Doing describes the work on the choice's result.
func (c Choice) Doing() string {
	switch c.App {
	case Subdivide:
		return fmt.Sprintf("subdividing to level %d", c.Levels)
	case Envelope:
		return fmt.Sprintf("making envelopes of %g %%", c.Percent)
	case Walk:
		return fmt.Sprintf("walking to step %d", c.Step)
	}
	return "finding edges"
}

// InName returns the choice as part of a picture's file name.
func (c Choice) InName() string {
	switch c.App {
	case Subdivide:
		if c.own().Drawn {
			return fmt.Sprintf("subdivide-level%d-drawn", c.Levels)
		}
		return fmt.Sprintf("subdivide-level%d", c.Levels)
	case Envelope:
		return strings.ReplaceAll(fmt.Sprintf("envelope-%s-%gpercent", c.Side, c.Percent), ".", "_")
	case Walk:
		return fmt.Sprintf("walk-step%d", c.Step)
	}
	return ""
}
