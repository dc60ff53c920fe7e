// Package results makes the viewer's results of the paper's applications
// (apps): refined meshes, envelopes and the steps of a random walk, each with
// how often a strategy shades every vertex, edge or cell. A Maker makes them in the
// background, one at a time. The package also lays out, as flat triangles in pixels (Flat),
// shapes that no renderer draws: translucent surfaces, edges and grids of cells.
//
// It knows no window, no panel and no device.
package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
)

// App is an application.
type App uint32

const (
	None App = iota
	Subdivide
	Envelope
	Walk
)

// AppNames are the values of --app, in the order of App.
var AppNames = []string{"off", "subdivide", "envelope", "walk"}

func (a App) String() string { return AppNames[a] }

// MaxLevels bounds the levels of subdivision in the window.
const MaxLevels = 4

// Choice is the chosen application and its settings. It also keeps the settings of the
// applications that are not chosen.
type Choice struct {
	App App

	Levels int  // number of times that each triangle is split into four; 0 is the mesh as it is
	Drawn  bool // the last level is computed while it is drawn, and not stored

	Percent float64 // the envelopes' distance, in percent of the diagonal of the mesh's box
	Side    string  // one of envelope.SideNames

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
	var percent error
	if !(c.Percent >= envelope.MinPercent && c.Percent <= envelope.MaxPercent) { // also rejects NaN
		percent = fmt.Errorf("--percent %g: must be %g to %g", c.Percent, envelope.MinPercent, float64(envelope.MaxPercent))
	}
	_, side := envelope.Sides(c.Side)
	return cmp.Or(
		within("levels", c.Levels, 0, MaxLevels), within("agents", c.Agents, 1, walk.MaxAgents), within("grid", c.Grid, 1, walk.MaxGrid),
		within("sort-every", c.SortEvery, 0, walk.MaxSteps), within("step", c.Step, 0, walk.MaxSteps), percent, side,
	)
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

// before reports whether another choice's result can be made by continuing this choice's: the choices must be
// equal, except that the other may have more levels or steps. A level that is not stored cannot be continued.
func (c Choice) before(other Choice) bool {
	if c.Drawn || c.Levels > other.Levels || c.Step > other.Step {
		return false
	}
	c.Levels, c.Step = other.Levels, other.Step
	return c == other
}

// Doing names the work for progress bars.
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

// InName returns the choice as a part of a picture's file name.
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

// Words describes a picture of the result, for its legend. `shaded` asks for the picture of shading counts.
func (r *Result) Words(shaded bool) []string {
	switch r.Choice.App {
	case Subdivide:
		return r.subdivideWords()
	case Envelope:
		if shaded || !r.Translucent() {
			return []string{"times shaded, by the " + sidesOf(r.Surfaces)}
		}
		return r.envelopeWords()
	case Walk:
		return r.walkWords(shaded)
	}
	return nil
}

func (r *Result) subdivideWords() []string {
	if r.Choice.Levels == 0 {
		return []string{"level 0: the mesh as it is, its vertices shaded once a batch"}
	}
	old, edges := 0, 0
	for v, n := range r.Counts {
		if v < r.made.coarse {
			old += int(n)
		} else {
			edges += int(n)
		}
	}
	return []string{fmt.Sprintf("vertices moved %s times, edges split %s times", inspect.Thousands(old), inspect.Thousands(edges))}
}

func sidesOf(list []Surface) string {
	if len(list) > 2 {
		return "inner as by the outer envelope"
	}
	for _, s := range list {
		if !s.rests() {
			return s.Name
		}
	}
	return "envelope"
}

func (r *Result) envelopeWords() []string {
	var lines []string
	for i := range slices.Backward(r.Surfaces) {
		if s := &r.Surfaces[i]; !s.rests() {
			least, mean, limited := s.spread()
			lines = append(lines, fmt.Sprintf("%s: level %d at least, %.1f on average, %.1f %% limited", s.Name, least, mean, 100*limited))
		}
	}
	return append(lines, fmt.Sprintf("level %d: moved by %g %% of the scene's size", envelope.Levels, r.Choice.Percent))
}

// rests reports whether the surface is the original mesh.
func (s Surface) rests() bool { return s.Levels == nil }

// spread returns the least and the mean level of referenced vertices, and the share of these vertices below the highest level.
func (s *Surface) spread() (least int32, mean, limited float64) {
	named := make([]bool, len(s.Levels))
	for _, v := range s.Scene.Indices {
		named[v] = true
	}
	least = envelope.Levels
	sum, below, all := 0, 0, 0
	for v, level := range s.Levels {
		if !named[v] {
			continue
		}
		least = min(least, level)
		all, sum = all+1, sum+int(level)
		if level < envelope.Levels {
			below++
		}
	}
	return least, float64(sum) / float64(max(all, 1)), float64(below) / float64(max(all, 1))
}

func (r *Result) walkWords(shaded bool) []string {
	c := &r.Choice
	lines := []string{fmt.Sprintf("%s on %d x %d cells, step %d", agents(c.Agents), c.Grid, c.Grid, c.Step)}
	if shaded {
		return append(lines, "times shaded: how often a cell's moves are listed in the next step",
			fmt.Sprintf("%s: reuse %.4f (ideal %.4f)", r.Config, r.Stats.Reuse(), r.Stats.Ideal()))
	}
	return append(lines, fmt.Sprintf("%s cells occupied; agents in a cell:", inspect.Thousands(r.Cells.Occupied)))
}

func agents(n int) string {
	if n == 1 {
		return "1 agent"
	}
	return inspect.Thousands(n) + " agents"
}

// LevelLabels returns the labels of LevelRamp.
func LevelLabels() []string {
	return []string{"0", fmt.Sprint(envelope.Levels / 2), fmt.Sprint(envelope.Levels)}
}

// Labels returns labels for walk.DensityColors at even distances on its logarithmic scale.
func (c *Cells) Labels() []string {
	var labels []string
	for i := range 4 {
		labels = append(labels, inspect.Thousands(int(math.Expm1(float64(i)/3*math.Log1p(float64(c.Most)))+.5)))
	}
	return labels
}

// Vertex describes a vertex of the result's scene.
func (r *Result) Vertex(v uint32) []string {
	times := "shaded " + inspect.Times(int(r.Counts[v]))
	switch {
	case r.Choice.App == Envelope:
		lines := []string{times + " by an envelope's pass"}
		for i := range slices.Backward(r.Surfaces) {
			if s := &r.Surfaces[i]; !s.rests() {
				lines = append(lines, fmt.Sprintf("%s: level %d of %d", s.Name, s.Levels[v], envelope.Levels))
			}
		}
		return lines
	case r.Choice.Levels == 0:
		return []string{times}
	case int(v) < r.made.coarse:
		return []string{times, fmt.Sprintf("vertex %d of level %d, moved", v, r.Choice.Levels-1)}
	}
	return []string{times, fmt.Sprintf("made of edge %d of level %d", int(v)-r.made.coarse, r.Choice.Levels-1)}
}

// Cell describes a cell of a walk.
func (r *Result) Cell(x, y int) []string {
	at := y*r.Cells.Grid + x
	return []string{
		fmt.Sprintf("cell %d, %d", x, y), names.Count(int(r.Cells.Agents[at]), "agent"),
		"shaded " + inspect.Times(int(r.Counts[at])) + " in the next step",
	}
}
