package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// given returns the scenes whose files the user named.
func (r *Report) given() []Scene {
	return slices.DeleteFunc(slices.Clone(r.Scenes), func(s Scene) bool { return !s.Given })
}

// name returns Scene.Name, as a function for names.Of.
func (s Scene) name() string { return s.Name }

// tableMeshes shows the reuse of the given files, in every order that was counted.
func (r *Report) tableMeshes() figure {
	f := r.figure("meshes")
	f.Text = append(f.Text, r.unreferencedNote(r.given())...)
	columns := r.strategyColumns()
	head := append([]string{"order", "ideal"}, names.Of(columns, listed)...)
	for _, s := range r.given() {
		g := grid{Caption: fmt.Sprintf("%s: %s, %s of %s vertices referenced; draws: %d", s.Name, triangles(s.Triangles), grouped(s.Referenced), grouped(s.Vertices), s.Draws), Head: head}
		best := r.bestOf(&s, columns)
		for _, order := range r.orders() {
			if row, counted := r.meshRow(&s, order, columns, best, &f.Sheet); counted {
				g.Rows = append(g.Rows, row)
			}
		}
		f.Grids = append(f.Grids, g)
	}
	return f
}

// bestOf returns, for each column, the best reuse among the orders; NaN if all orders have the same.
func (r *Report) bestOf(s *Scene, columns [][]string) []float64 {
	best := make([]float64, len(columns))
	for k, names := range columns {
		least, most := math.Inf(1), math.Inf(-1)
		for _, order := range r.orders() {
			if u := r.find(s.Name, order, names[0]); u != nil {
				least, most = min(least, u.Stats.Reuse()), max(most, u.Stats.Reuse())
			}
		}
		if best[k] = most; least == most {
			best[k] = math.NaN()
		}
	}
	return best
}

// meshRow returns the row of a mesh in one order; false if the mesh was not counted in that order.
func (r *Report) meshRow(s *Scene, order string, columns [][]string, best []float64, out *sheet) (row gridRow, counted bool) {
	row.Cells = []cell{text(order), none()}
	for k, names := range columns {
		u := r.find(s.Name, order, names[0])
		c := reuseCell(u)
		if u != nil {
			counted = true
			row.Cells[1] = number(ratio(u.Stats.Ideal(), 4))
			if u.Stats.Reuse() == best[k] {
				c.Class = classBest
			}
			for _, name := range names {
				out.add(s.Name, order, name, u.Stats.Reuse(), u.Stats.Ideal(), u.Stats.ACMR(), u.Stats.ATVR())
			}
		}
		row.Cells = append(row.Cells, c)
	}
	return row, counted
}

// strategyColumns lists, by column, the strategies and the counter that stands for hardware. Those with the
// same invocations in all counts share a column.
func (r *Report) strategyColumns() [][]string {
	return r.sharedColumns(func(u *Reuse) string {
		if u.Kind != Strategy && u.Counter != r.Hardware.Counter {
			return ""
		}
		return fmt.Sprintf("%s %s %d;", u.Scene, u.Order, u.Stats.Invocations)
	}, func(string) bool { return true })
}

// unreferencedNote explains the figures of strategy multi if it shades unreferenced vertices; nil if it does not.
func (r *Report) unreferencedNote(scenes []Scene) []string {
	var some []string
	for _, s := range scenes {
		if s.Referenced > 0 && s.Referenced < s.Vertices {
			some = append(some, fmt.Sprintf("%s (%s of %s vertices)", s.Name, grouped(s.Vertices-s.Referenced), grouped(s.Vertices)))
		}
	}
	if len(some) == 0 || !slices.ContainsFunc(r.Reuse, func(u Reuse) bool { return u.Counter == "multi" }) {
		return nil
	}
	return []string{"multi shades every vertex of a draw's range before it looks at an index, so it also shades vertices that no index names: " + strings.Join(some, ", ") +
		". There its reuse is below ideal, and negative where a draw has more such vertices than indices to save. Draws that share a large pool and use a part of it are of that kind."}
}

const mostDraws = 10 // how many draws of a frame the page lists

// tableDraws shows, for each captured frame, the draws where sharing vertices saves most.
func (r *Report) tableDraws() figure {
	f := r.figure("draws")
	if r.timedDraws() {
		f.Where = r.where()
		f.Text = append(f.Text, "ns is the geometry pass without reuse with the game's own vertex shader, an index; simple is the same with a shader that only transforms. All draws of a shader are timed together, since one alone is too short; where they have few triangles, what is timed is mostly the start of the pass. A draw has its share of that: by indices without reuse, by invocations with it. µs saved is the difference, and may be below zero. The last line sums up all draws; its times are of those that were timed.")
	}
	for _, scene := range distinct(r.Draws, func(d *measure.DrawAnalysis) string { return d.File }) {
		f.Grids = append(f.Grids, r.drawsGrid(scene))
	}
	for _, d := range r.Draws {
		f.Sheet.add(d.File, d.Draw, d.Name, d.Shader, d.Instances, d.Triangles, d.Indices, d.Referenced, d.Strategy, d.Invocations,
			positive(d.Steps), positive(d.VertexNs), positive(d.SimpleNs), positive(d.NaiveUs), positive(d.Us))
	}
	return f
}

// timedDraws reports whether a shader of a captured frame was timed.
func (r *Report) timedDraws() bool {
	return slices.ContainsFunc(r.Draws, func(d measure.DrawAnalysis) bool { return d.VertexNs > 0 })
}

// drawsGrid lists the draws of a frame where sharing vertices saves most, and the sum over all of the frame's draws.
func (r *Report) drawsGrid(scene string) grid {
	rows := bestDraws(slices.DeleteFunc(slices.Clone(r.Draws), func(d measure.DrawAnalysis) bool { return d.File != scene }))
	sum := drawSum(rows)
	measure.SortDraws(rows, 1, "saved")
	strategy := rows[0].Strategy
	g := grid{
		Caption: fmt.Sprintf("%s: where %s saves most, %d of %d draws", scene, strategy, min(mostDraws, len(rows)), len(rows)),
		Head:    []string{"draw", "name", "shader", "without reuse", strategy, "unique"},
	}
	if sum.NaiveUs > 0 {
		g.Head = append(g.Head, "ns", "simple", "µs saved", "of µs")
	}
	for i := range rows[:min(mostDraws, len(rows))] {
		g.Rows = append(g.Rows, drawRow(&rows[i], fmt.Sprint(rows[i].Draw), sum.NaiveUs > 0))
	}
	sum.Name = fmt.Sprintf("all %d draws", len(rows))
	shaders := distinct(rows, func(d *measure.DrawAnalysis) string { return d.Shader })
	if n := len(slices.DeleteFunc(shaders, func(name string) bool { return name == "" })); n > 0 {
		sum.Shader = fmt.Sprintf("shaders: %d", n)
	}
	last := drawRow(&sum, "", sum.NaiveUs > 0)
	last.Class = classOurs
	g.Rows = append(g.Rows, last)
	return g
}

// drawRow makes a row of drawsGrid; `timed` adds the columns of times.
func drawRow(d *measure.DrawAnalysis, label string, timed bool) gridRow {
	row := gridRow{"", []cell{number(label), text(d.Name), text(cmp.Or(d.Shader, "–")), number(grouped(d.Indices)), number(grouped(d.Invocations)), number(grouped(d.Referenced))}}
	if !timed {
		return row
	}
	saved := math.NaN()
	if d.Us > 0 {
		saved = d.NaiveUs - d.Us
	}
	return gridRow{"", append(row.Cells, number(decimals(positive(d.VertexNs), 3)), number(decimals(positive(d.SimpleNs), 3)),
		number(decimals(saved, 2)), number(decimals(positive(d.NaiveUs), 2)))}
}

// bestDraws returns the rows of one strategy: the one that saves most time in the frame or, if nothing was
// timed, the one with the fewest invocations.
func bestDraws(rows []measure.DrawAnalysis) []measure.DrawAnalysis {
	by := map[string][]measure.DrawAnalysis{}
	for _, d := range rows {
		by[d.Strategy] = append(by[d.Strategy], d)
	}
	strategies := distinct(rows, func(d *measure.DrawAnalysis) string { return d.Strategy })
	return by[slices.MinFunc(strategies, func(one, other string) int {
		a, b := drawSum(by[one]), drawSum(by[other])
		if timed := a.Us > 0; timed != (b.Us > 0) {
			return map[bool]int{true: -1, false: 1}[timed]
		}
		return cmp.Or(cmp.Compare(a.Us-a.NaiveUs, b.Us-b.NaiveUs), cmp.Compare(a.Invocations, b.Invocations))
	})]
}

// drawSum adds up a strategy's rows over all draws of a frame. Its times cover the draws that were
// timed; VertexNs and SimpleNs are their means per index.
func drawSum(rows []measure.DrawAnalysis) (sum measure.DrawAnalysis) {
	indices := 0
	for _, d := range rows {
		sum.Indices, sum.Invocations, sum.Referenced = sum.Indices+d.Indices, sum.Invocations+d.Invocations, sum.Referenced+d.Referenced
		if d.Us > 0 {
			indices += d.Indices
			sum.NaiveUs, sum.Us, sum.SimpleNs = sum.NaiveUs+d.NaiveUs, sum.Us+d.Us, sum.SimpleNs+d.SimpleNs*float64(d.Indices)
		}
	}
	if indices > 0 {
		sum.VertexNs, sum.SimpleNs = sum.NaiveUs*1e3/float64(indices), sum.SimpleNs/float64(indices)
	}
	return sum
}
