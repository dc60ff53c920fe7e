package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

// Bound is the difference from the paper's reuse that still counts as agreement. It allows for
// details that the paper leaves out and for its three digits.
const Bound = .012

// tableReuse makes the paper's table 1: reuse per scene, ours next to the paper's.
func (r *Report) tableReuse() figure {
	f := r.figure("reuse")
	if slices.ContainsFunc(r.Scenes, func(s Scene) bool { return s.Frame }) {
		f.Text = append(f.Text, "Of captured frames every instance counts as a draw, and a vertex that two draws share as two. What could not be read of a frame is named at the end of this page.")
	}
	f.Text = append(f.Text, r.unreferencedNote(r.Scenes)...)
	own, like := r.ownColumns()
	head := []string{"scene", "", "vertices", "triangles"}
	for _, c := range PaperColumns {
		if names := like[c]; len(names) > 0 {
			c += " (" + strings.Join(names, ", ") + ")"
		}
		head = append(head, c)
	}
	head = append(head, names.Of(own, listed)...)
	shared, others := grid{Caption: "Scenes that the paper has too", Head: head}, grid{Caption: "Other scenes", Head: slices.Delete(slices.Clone(head), 1, 2)}
	for _, s := range r.Scenes {
		switch ours := r.oursRow(&s, own); {
		case s.Frame:
		case s.Paper == "":
			others.Rows = append(others.Rows, gridRow{"", slices.Delete(ours.Cells, 1, 2)})
		default:
			shared.Rows = append(shared.Rows, ours, paperRow(s.Paper, len(own)), r.differenceRow(&s, len(own)))
		}
	}
	f.Grids = nonEmpty(slices.Concat([]grid{shared}, r.frameGrids(head, own), []grid{others, r.missingScenes()})...)
	r.reuseSheet(&f.Sheet)
	return f
}

func listed(names []string) string { return strings.Join(names, ", ") }

// nonEmpty drops grids without rows.
func nonEmpty(grids ...grid) []grid {
	return slices.DeleteFunc(grids, func(g grid) bool { return len(g.Rows) == 0 })
}

// ownColumns lists the strategies that have no column in the paper. Strategies share a column if
// their invocations are equal in every scene in the paper's order. `like` lists, by column of the
// paper, the strategies with the same invocations as that column.
func (r *Report) ownColumns() (columns [][]string, like map[string][]string) {
	like = map[string][]string{}
	columns = r.sharedColumns(func(u *Reuse) string {
		if u.Order != PaperOrder || u.Kind != Strategy {
			return ""
		}
		return fmt.Sprintf("%s=%d;", u.Scene, u.Stats.Invocations)
	}, func(counter string) bool {
		if first(r.Reuse, func(u *Reuse) bool { return u.Counter == counter }).Column != "" {
			return false
		}
		for _, c := range slices.Backward(PaperColumns) {
			if r.alike(counter, c) {
				like[c] = append(like[c], counter)
				return false
			}
		}
		return true
	})
	return columns, like
}

// sharedColumns lists the wanted counters, by column. Counters with equal marks share a column, and counters with an
// empty mark are left out. A counter's mark is the concatenation of what the function `mark` returns for its counts.
func (r *Report) sharedColumns(mark func(*Reuse) string, wanted func(counter string) bool) (columns [][]string) {
	marks := map[string]string{} // by counter
	for _, u := range r.Reuse {
		marks[u.Counter] += mark(&u)
	}
	place := map[string]int{} // by mark: the column
	for _, counter := range distinct(r.Reuse, func(u *Reuse) string { return u.Counter }) {
		all := marks[counter]
		at, known := place[all]
		switch {
		case all == "" || !wanted(counter):
		case known:
			columns[at] = append(columns[at], counter)
		default:
			place[all] = len(columns)
			columns = append(columns, []string{counter})
		}
	}
	return columns
}

// alike reports whether a counter has as many invocations as the strategy that reproduces a column of the paper: the same number
// in each scene, in the paper's index order. It is false if one of them is missing in a scene.
func (r *Report) alike(counter, column string) bool {
	for _, s := range r.Scenes {
		ours, theirs := r.find(s.Name, PaperOrder, counter), r.column(s.Name, column)
		if ours == nil || theirs == nil || theirs.Kind != Strategy || ours.Stats.Invocations != theirs.Stats.Invocations {
			return false
		}
	}
	return true
}

func (r *Report) oursRow(s *Scene, own [][]string) gridRow {
	row := gridRow{classOurs, []cell{text(s.Name), text("ours"), number(grouped(s.Vertices)), number(grouped(s.Triangles))}}
	for _, c := range PaperColumns {
		row.Cells = append(row.Cells, reuseCell(r.column(s.Name, c)))
	}
	for _, names := range own {
		row.Cells = append(row.Cells, reuseCell(r.find(s.Name, PaperOrder, names[0])))
	}
	return row
}

func reuseCell(u *Reuse) cell {
	if u == nil {
		return none()
	}
	return number(ratio(u.Stats.Reuse(), 4))
}

// paperRow returns the paper's row of a scene, followed by `own` empty cells for columns that the paper lacks.
func paperRow(name string, own int) gridRow {
	row := gridRow{Class: classPaper}
	for _, s := range paper().Scenes {
		if s.Name == name {
			row.Cells = []cell{text(s.Name), text("paper"), number(s.Vertices), number(s.Triangles)}
			for _, x := range s.Reuse {
				row.Cells = append(row.Cells, number(ratio(x, 3)))
			}
		}
	}
	return pad(row, own)
}

func (r *Report) differenceRow(s *Scene, own int) gridRow {
	row := gridRow{classDiff, []cell{text(""), text("difference"), number(""), number("")}}
	for _, c := range PaperColumns {
		row.Cells = append(row.Cells, differenceCell(r.column(s.Name, c), s.Paper, c))
	}
	return pad(row, own)
}

// differenceCell shows the difference between our reuse and the paper's, highlighted if it exceeds Bound.
func differenceCell(u *Reuse, paper, column string) cell {
	theirs := paperReuse(paper, column)
	if u == nil || math.IsNaN(theirs) {
		return none()
	}
	d := u.Stats.Reuse() - theirs
	c := number(signed(d))
	if math.Abs(d) > Bound {
		c.Class, c.Text = classBeyond, "▲ "+c.Text
	}
	return c
}

func pad(row gridRow, n int) gridRow {
	row.Cells = append(row.Cells, make([]cell, n)...)
	return row
}

// missingScenes lists the paper's scenes that the report does not have.
func (r *Report) missingScenes() grid {
	g := grid{
		Caption: "The paper's scenes that are not at hand (captured games, and models that were not given): only its figures",
		Folded:  true, Head: append([]string{"scene", "vertices", "triangles"}, PaperColumns...),
	}
	for _, s := range paper().Scenes {
		if !slices.ContainsFunc(r.Scenes, func(ours Scene) bool { return ours.Paper == s.Name }) {
			g.Rows = append(g.Rows, gridRow{classPaper, slices.Delete(paperRow(s.Name, 0).Cells, 1, 2)})
		}
	}
	return g
}

// reuseSheet adds every count of the report, in all orders, to the figure's CSV.
func (r *Report) reuseSheet(out *sheet) {
	for _, u := range r.Reuse {
		s, paper := r.scene(u.Scene), math.NaN()
		if u.Order == PaperOrder {
			paper = paperReuse(s.Paper, u.Column)
		}
		out.add(u.Scene, s.Paper, u.Order, s.Draws, s.Vertices, s.Referenced, s.Triangles, u.Counter, string(u.Kind), u.Column, u.Reading,
			u.Stats.Invocations, u.Stats.Reuse(), u.Stats.ACMR(), u.Stats.ATVR(), paper, u.Stats.Reuse()-paper)
	}
	if r.Sets != nil {
		r.Sets.reuseSheet(out)
	}
}

// LowIdeal bounds the low-reuse set of a frame: the draws whose ideal reuse is below it. These are mostly
// foliage, like the paper's tree.
const LowIdeal = .4

const likeSets = "tree" // the paper's scene next to which low-reuse sets are shown

// SetName returns the name of a frame's low-reuse set.
func SetName(frame string) string {
	return fmt.Sprintf("%s, draws with ideal reuse below %g", frame, LowIdeal)
}

// frameGrids returns table 1 for captured frames: a grid of the frames, and a grid of the paper's tree and the frames'
// low-reuse sets, the largest set first. head is the table's header; `frame` and `draws` replace its first two columns.
func (r *Report) frameGrids(head []string, own [][]string) []grid {
	head = slices.Concat([]string{"frame", "draws"}, head[2:])
	frames := grid{Caption: "Captured frames of games", Head: head}
	for _, s := range r.Scenes {
		if s.Frame {
			frames.Rows = append(frames.Rows, r.frameRow(s.Name, &s, own))
		}
	}
	sets := grid{
		Caption: fmt.Sprintf("Of each captured frame, the draws with ideal reuse below %s, beside the paper's %s", ratio(LowIdeal, 1), likeSets),
		Head:    head,
	}
	if r.Sets != nil && len(r.Sets.Scenes) > 0 {
		row := paperRow(likeSets, len(own))
		row.Cells[0], row.Cells[1] = text(likeSets+" (paper)"), none()
		sets.Rows = append(sets.Rows, row)
		bySize := slices.Clone(r.Sets.Scenes)
		slices.SortStableFunc(bySize, func(a, b Scene) int { return cmp.Compare(b.Triangles, a.Triangles) })
		for _, s := range bySize {
			sets.Rows = append(sets.Rows, r.Sets.frameRow(s.Of, &s, own))
		}
	}
	return []grid{frames, sets}
}

// frameRow returns the row of a frame or of its set, under the frame's name.
func (r *Report) frameRow(name string, s *Scene, own [][]string) gridRow {
	return gridRow{"", slices.Concat([]cell{text(name), number(grouped(s.Draws))}, r.oursRow(s, own).Cells[2:])}
}
