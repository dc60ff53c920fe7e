package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// given are the scenes whose files the user named.
func (r *Report) given() []*Scene {
	var list []*Scene
	for i := range r.Scenes {
		if r.Scenes[i].Given {
			list = append(list, &r.Scenes[i])
		}
	}
	return list
}

// tableMeshes is the reuse of the files given, in every order that was counted.
func (r *Report) tableMeshes() figure {
	f := figure{
		ID: "meshes", Title: "Reuse of each mesh",
		Text: []string{
			"Reuse is 1 − shader invocations ÷ indices: 0 runs the vertex shader once per index, ideal runs it once per referenced vertex. original is the file's own order of triangles; the others are orders that shadeonce convert --order can write. The best of each column of a mesh is bold.",
			"Strategies are at the sizes that the paper's tables have, where it has them; those that shade alike everywhere share a column. " + r.Hardware.Text,
		},
		Where: r.whereCounted(),
		Sheet: sheet{Columns: []column{
			{"scene", "the scene's name on this page"}, {"order", "index order"}, {"counter", "strategy with its parameters, or hardware"}, {"reuse", "1 − invocations ÷ indices"},
			{"ideal", "reuse where each vertex is shaded once"}, {"acmr", "invocations per triangle"}, {"atvr", "invocations per referenced vertex"},
		}},
	}
	f.Text = append(f.Text, r.unreferencedNote(r.given())...)
	columns := r.strategyColumns()
	head := []string{"order", "ideal"}
	for _, names := range columns {
		head = append(head, strings.Join(names, ", "))
	}
	for _, s := range r.given() {
		g := grid{Caption: fmt.Sprintf("%s: %s, %s of %s vertices referenced; draws: %d", s.Name, triangles(s.Triangles), grouped(s.Referenced), grouped(s.Vertices), s.Draws), Head: head}
		best := r.bestOf(s, columns)
		for _, order := range r.orders() {
			if row, counted := r.meshRow(s, order, columns, best, &f.Sheet); counted {
				g.Rows = append(g.Rows, row)
			}
		}
		f.Grids = append(f.Grids, g)
	}
	return f
}

// bestOf is the best reuse of each column over the orders; NaN where all are the same.
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

// meshRow is a mesh in one order; false where it was not counted.
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

// strategyColumns are the strategies and what stands for hardware. Those with the same
// invocations wherever they were counted share a column.
func (r *Report) strategyColumns() (columns [][]string) {
	signature := map[string]string{}
	for i := range r.Reuse {
		if u := &r.Reuse[i]; u.Kind == Strategy || u.Counter == r.Hardware.Counter {
			signature[u.Counter] += fmt.Sprintf("%s %s %d;", u.Scene, u.Order, u.Stats.Invocations)
		}
	}
	place := map[string]int{}
	for _, counter := range distinct(r.Reuse, func(u *Reuse) string { return u.Counter }) {
		mark, wanted := signature[counter]
		at, known := place[mark]
		switch {
		case !wanted:
		case known:
			columns[at] = append(columns[at], counter)
		default:
			place[mark] = len(columns)
			columns = append(columns, []string{counter})
		}
	}
	return columns
}

// unreferencedNote explains multi where it shades vertices that no triangle needs.
func (r *Report) unreferencedNote(scenes []*Scene) []string {
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
