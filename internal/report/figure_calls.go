package report

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// CallOrders are the orders of the paper's call histogram.
var CallOrders = []string{"random", "original", "forsyth", "hoppe"}

// Limits of Focus for the scenes that the user gave: how many of them it names, and how many triangles each
// may have.
const (
	mostFocus    = 3
	largestFocus = 1_000_000
)

// Focus names the scenes of the call histogram, the sweeps and the pictures: the first few given ones that are neither
// captured frames nor too large. If there are none, it names the bunny, else its stand-ins, else the first scene.
func Focus(scenes []Scene) []string {
	var some []string
	for _, s := range scenes {
		if s.Given && !s.Frame && s.Triangles <= largestFocus && len(some) < mostFocus {
			some = append(some, s.Name)
		}
	}
	if len(some) > 0 {
		return some
	}
	for _, s := range scenes {
		if s.Paper == "bunny" {
			return []string{s.Name}
		}
		if slices.Contains(standIns, s.Path) {
			some = append(some, s.Name)
		}
	}
	if len(some) == 0 && len(scenes) > 0 {
		return []string{scenes[0].Name}
	}
	return some
}

// standIns are the built-in scenes that replace the bunny if it is missing.
var standIns = []string{"asset:sphere6", "asset:knot32", "asset:terrain256"}

func (r *Report) focus() []string { return Focus(r.Scenes) }

// figureCalls makes the paper's call histogram.
func (r *Report) figureCalls() figure {
	f := r.figure("calls")
	bunny := slices.ContainsFunc(r.Scenes, func(s Scene) bool { return s.Paper == "bunny" })
	if bunny || len(r.given()) == 0 {
		f.Text = append(f.Text, "The paper has this figure as a picture only; its caption says that in the original order OpenGL shades every vertex four times, and in random order nearly six. The table has the mean beside those words.")
	}
	if !bunny && len(r.given()) == 0 {
		f.Text = append(f.Text, "The Stanford bunny (35 947 vertices, 69 451 triangles) was not among the files given: built-in scenes stand in for it.")
	}
	for _, scene := range r.focus() {
		f.Plots = append(f.Plots, r.callPlot(scene, &f.Sheet))
		f.Grids = append(f.Grids, r.callGrid(scene))
	}
	return f
}

// callCounters returns the counters that the histogram compares: hardware, warp and dynamic.
func (r *Report) callCounters(scene string) []string {
	counters := []string{r.Hardware.Counter}
	for _, c := range []string{ColumnWarp, ColumnDynamic} {
		if u := r.column(scene, c); u != nil {
			counters = append(counters, u.Counter)
		}
	}
	return counters
}

// callPlot makes the histogram's plot for a scene, with a panel per counter, and adds its data to `out`.
func (r *Report) callPlot(scene string, out *sheet) plotted {
	var panels []panel
	for _, counter := range r.callCounters(scene) {
		p := panel{Title: counter, X: "times shaded", Y: "% of vertices", Line: math.NaN(), Top: 100, Categories: []string{"1", "2", "3", "4", "5", "6+"}}
		for _, order := range CallOrders {
			u := r.find(scene, order, counter)
			if u == nil {
				continue
			}
			shares := measure.Shares(u.Stats.Histogram, u.Stats.Referenced)
			p.Series = append(p.Series, series{Name: order, Y: shares[:]})
			for k, share := range shares {
				out.add(scene, order, counter, string(u.Kind), k+1, share, u.Stats.ATVR())
			}
		}
		panels = append(panels, p)
	}
	return plotted{
		Name: "calls-" + fileSafe(scene), Alt: "Percentage of vertices of " + scene + " by how often they are shaded, for four index orders.", panels: panels,
	}
}

func (r *Report) callGrid(scene string) grid {
	g := newGrid(scene+": invocations per vertex, on average", "order", r.callCounters(scene), CallOrders, func(order, counter string) cell {
		if u := r.find(scene, order, counter); u != nil {
			return number(fmt.Sprintf("%.2f", u.Stats.ATVR()))
		}
		return none()
	})
	if r.scene(scene).Paper == "bunny" {
		g.Head = append(g.Head, "paper, OpenGL, in words")
		for i, order := range CallOrders {
			g.Rows[i].Cells = append(g.Rows[i].Cells, text(paper().Calls[order].Words))
		}
	}
	return g
}

// shotRow is a row of pictures: one scene in one order.
type shotRow struct {
	Title string
	Shots []shot
}

// shot is a picture on the page.
type shot struct {
	File    string       // the large picture
	Source  template.URL // a data URI of a PNG that this program made
	Alt     string
	Caption string
}

// fileName returns the file name of the i-th picture in the report's folder.
func (p *Picture) fileName(i int) string {
	return fmt.Sprintf("picture-%02d-%s-%s-%s.png", i+1, fileSafe(p.Scene), fileSafe(p.Order), fileSafe(strings.Join(p.Counters, "-")))
}

// figurePictures makes the figure of the paper's reuse pictures.
func (r *Report) figurePictures() figure {
	f := r.figure("pictures")
	f.Key = true
	if r.Hardware.Measured {
		f.Text = append(f.Text, r.Hardware.Text+" That is what stands for the paper's OpenGL.")
	}
	for i := range r.Pictures {
		p := &r.Pictures[i]
		f.Sheet.add(p.fileName(i), p.Scene, p.Order, strings.Join(p.Counters, " "), p.Reuse, r.pictureCommand(i))
		title := p.Scene + ", order " + p.Order
		row := first(f.Shots, func(row *shotRow) bool { return row.Title == title })
		if row == nil {
			f.Shots = append(f.Shots, shotRow{Title: title})
			row = &f.Shots[len(f.Shots)-1]
		}
		row.Shots = append(row.Shots, shot{
			File:    p.fileName(i),
			Source:  template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(p.PNG)),
			Alt:     p.Alt,
			Caption: fmt.Sprintf("%s: reuse %s", strings.Join(p.Counters, ", "), ratio(p.Reuse, 4)),
		})
	}
	return f
}

// sweep is a figure of reuse by one parameter. `list` returns its counts, and `at` the parameter's value in a count.
type sweep struct {
	id, flag, axis string
	list           func(*Report) []Reuse
	at             func(*Reuse) int
}

// sweeps are the figures of reuse by one parameter. All use the paper's order.
var sweeps = []sweep{
	{"lanes", "lanes", "lanes per subgroup", func(r *Report) []Reuse { return r.Lanes }, func(u *Reuse) int { return u.Lanes }},
	{"batches", "batch", "indices per batch", func(r *Report) []Reuse { return r.Batches }, func(u *Reuse) int { return u.Batch }},
	{"uniques", "unique", "unique vertices per batch", func(r *Report) []Reuse { return r.Uniques }, func(u *Reuse) int { return u.Unique }},
}

// figureSweep draws a plot for each scene, with a line for each series.
func (r *Report) figureSweep(w sweep) figure {
	f := r.figure(w.id)
	list, at := w.list(r), w.at
	for _, u := range list {
		f.Sheet.add(u.Scene, u.Counter, u.Series, at(&u), u.Stats.Invocations, u.Stats.Reuse(), u.Stats.Ideal())
	}
	for _, scene := range distinct(list, func(u *Reuse) string { return u.Scene }) {
		p := panel{X: w.axis, Y: "reuse (1 − invocations ÷ indices)", LogX: true, Line: math.NaN()}
		for _, name := range distinct(list, func(u *Reuse) string { return u.Series }) {
			s := series{Name: name}
			for _, u := range list {
				if u.Scene == scene && u.Series == name {
					s.X, s.Y = append(s.X, float64(at(&u))), append(s.Y, u.Stats.Reuse())
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

// sweepGrid makes a table of a plot's values, with a row for each line of the plot.
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

// figureOrders shows the invocations per triangle (ACMR) of each counter by index order.
func (r *Report) figureOrders() figure {
	f := r.figure("orders")
	orders := r.orders()
	own, _ := r.ownColumns()
	for _, scene := range r.focus() {
		counters := append(r.callCounters(scene), names.Of(own, func(c []string) string { return c[0] })...)
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
