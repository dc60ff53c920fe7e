package results

import (
	"fmt"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
)

// Words describes the picture of a result. shaded asks for the picture of shading counts.
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
	for i := range list {
		if list[i].Levels != nil {
			return list[i].Name
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

// spread returns the least and the mean level of the vertices that triangles name, and the share of
// them below the highest level.
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

// LevelLabels labels LevelRamp.
func LevelLabels() []string {
	return []string{"0", fmt.Sprint(envelope.Levels / 2), fmt.Sprint(envelope.Levels)}
}

// Labels labels walk.DensityColors at even places of its logarithmic scale.
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
