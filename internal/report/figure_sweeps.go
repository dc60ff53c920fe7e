package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

// sweep is a figure of reuse by one parameter.
type sweep struct {
	id, flag, axis string
	list           func(*Report) []Reuse
	at             func(*Reuse) int
}

// sweeps are the figures of that kind. All use the paper's order.
var sweeps = []sweep{
	{"lanes", "lanes", "lanes per subgroup", func(r *Report) []Reuse { return r.Lanes }, func(u *Reuse) int { return u.Lanes }},
	{"batches", "batch", "indices per batch", func(r *Report) []Reuse { return r.Batches }, func(u *Reuse) int { return u.Batch }},
	{"uniques", "unique", "unique vertices per batch", func(r *Report) []Reuse { return r.Uniques }, func(u *Reuse) int { return u.Unique }},
}

// figureSweep draws a plot for each scene, with a line for each series.
func (r *Report) figureSweep(w sweep) figure {
	f := r.figure(w.id)
	list, at := w.list(r), w.at
	for i := range list {
		u := &list[i]
		f.Sheet.add(u.Scene, u.Counter, u.Series, at(u), u.Stats.Invocations, u.Stats.Reuse(), u.Stats.Ideal())
	}
	for _, scene := range distinct(list, func(u *Reuse) string { return u.Scene }) {
		p := panel{X: w.axis, Y: "reuse (1 − invocations ÷ indices)", LogX: true, Line: math.NaN()}
		for _, name := range distinct(list, func(u *Reuse) string { return u.Series }) {
			s := series{Name: name}
			for i := range list {
				if u := &list[i]; u.Scene == scene && u.Series == name {
					s.X, s.Y = append(s.X, float64(at(u))), append(s.Y, u.Stats.Reuse())
					p.Line = u.Stats.Ideal()
				}
			}
			if len(s.X) > 0 {
				p.Series = append(p.Series, s)
			}
		}
		if len(p.Series) == 0 {
			continue
		}
		alt := fmt.Sprintf("%s: %s. The dotted line is ideal reuse.", scene, strings.ToLower(f.Title))
		f.Plots = append(f.Plots, plotted{Name: f.ID + "-" + fileSafe(scene), Alt: alt, panels: []panel{p.merged()}})
		f.Grids = append(f.Grids, sweepGrid(scene, p))
	}
	return f
}

// sweepGrid is a table of a plot's lines, one row per line.
func sweepGrid(scene string, p panel) grid {
	lines := map[string]map[string]cell{}
	var swept []float64
	for _, s := range p.Series {
		lines[s.Name] = map[string]cell{}
		for k, x := range s.X {
			swept, lines[s.Name][fmt.Sprint(x)] = append(swept, x), number(ratio(s.Y[k], 4))
		}
	}
	slices.Sort(swept)
	columns := names.Of(slices.Compact(swept), func(x float64) string { return fmt.Sprint(x) })
	g := newGrid(scene+": reuse by "+p.X+", in figures", "", columns, names.Of(p.Series, func(s series) string { return s.Name }), func(line, x string) cell {
		return cmp.Or(lines[line][x], none())
	})
	g.Folded = true
	return g
}

// figureOrders is ACMR by index order.
func (r *Report) figureOrders() figure {
	f := r.figure("orders")
	orders := r.orders()
	own, _ := r.ownColumns()
	for _, scene := range r.focus() {
		counters := r.callCounters(scene)
		for _, c := range own {
			counters = append(counters, c[0])
		}
		p := panel{X: "index order", Y: "invocations per triangle (ACMR)", Categories: orders, Line: math.NaN(), Top: 3}
		bars := map[string]*series{}
		f.Grids = append(f.Grids, newGrid(scene, "strategy or model", orders, counters, func(counter, order string) cell {
			if bars[counter] == nil {
				bars[counter] = &series{Name: counter}
			}
			y, c := math.NaN(), none()
			if u := r.find(scene, order, counter); u != nil {
				y = u.Stats.ACMR()
				c = number(fmt.Sprintf("%.3f", y))
				f.Sheet.add(scene, order, counter, y, u.Stats.Reuse())
			}
			bars[counter].Y = append(bars[counter].Y, y)
			return c
		}))
		for _, counter := range counters {
			if s := bars[counter]; slices.ContainsFunc(s.Y, func(y float64) bool { return y != 3 }) { // no bars for strategies without reuse
				p.Series = append(p.Series, *s)
			}
		}
		f.Plots = append(f.Plots, plotted{
			Name: "orders-" + fileSafe(scene), Alt: scene + ": invocations per triangle for each index order, a bar per strategy.", panels: []panel{p},
		})
	}
	return f
}

// fileSafe converts a scene's name to a part of a file name.
func fileSafe(name string) string {
	safe := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, name)
	return safe[:min(len(safe), 60)]
}
