package report

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// callSteps is the number of steps of the call histogram: 1 to 5 times, and 6 or more.
const callSteps = 6

// CallOrders are the orders of the paper's call histogram.
var CallOrders = []string{"random", "original", "forsyth", "hoppe"}

// Bounds of the given scenes in focus, which are swept and drawn: their number, and the triangles
// of each.
const (
	mostFocus    = 3
	largestFocus = 1_000_000
)

// Focus names the scenes of the call histogram, the sweeps and the pictures: the first of the
// given ones; if there are none, the bunny, or its stand-ins if that is missing.
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

// Shares returns the percentages of referenced vertices that were shaded 1, 2, .. 5, and 6 or
// more times.
func Shares(u *Reuse) [callSteps]float64 {
	var shares [callSteps]float64
	for times, n := range u.Stats.Histogram {
		if times > 0 {
			shares[min(times, callSteps)-1] += 100 * float64(n) / float64(max(1, u.Stats.Referenced))
		}
	}
	return shares
}

// figureCalls is the paper's call histogram.
func (r *Report) figureCalls() figure {
	f := r.figure("calls")
	scenes := r.focus()
	bunny := slices.ContainsFunc(r.Scenes, func(s Scene) bool { return s.Paper == "bunny" })
	if bunny || len(r.given()) == 0 {
		f.Text = append(f.Text, "The paper has this figure as a picture only; its caption says that in the original order OpenGL shades every vertex four times, and in random order nearly six. The table has the mean beside those words.")
	}
	if !bunny && len(r.given()) == 0 {
		f.Text = append(f.Text, "The Stanford bunny (35 947 vertices, 69 451 triangles) was not among the files given: built-in scenes stand in for it.")
	}
	for _, scene := range scenes {
		f.Plots = append(f.Plots, r.callPlot(scene, &f.Sheet))
		f.Grids = append(f.Grids, r.callGrid(scene))
	}
	return f
}

// whereCounted names what counted, for figures that show hardware.
func (r *Report) whereCounted() string {
	if r.Hardware.Measured {
		return "CPU references; hardware: " + r.where()
	}
	return "CPU references and models."
}

// callCounters returns the columns of the histogram: hardware, warp, dynamic.
func (r *Report) callCounters(scene string) []string {
	counters := []string{r.Hardware.Counter}
	for _, c := range []string{ColumnWarp, ColumnDynamic} {
		if u := r.column(scene, c); u != nil {
			counters = append(counters, u.Counter)
		}
	}
	return counters
}

// callPlot makes a panel per counter, and writes its data to out.
func (r *Report) callPlot(scene string, out *sheet) plotted {
	var panels []panel
	for _, counter := range r.callCounters(scene) {
		p := panel{Title: counter, X: "times shaded", Y: "% of vertices", Line: math.NaN(), Top: 100, Categories: []string{"1", "2", "3", "4", "5", "6+"}}
		for _, order := range CallOrders {
			u := r.find(scene, order, counter)
			if u == nil {
				continue
			}
			shares := Shares(u)
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

// shot is a picture of the page.
type shot struct {
	File    string       // the large picture
	Source  template.URL // a data URI of a PNG that this program made
	Alt     string
	Caption string
}

// fileName returns the picture's file name in the report's folder.
func (p *Picture) fileName(i int) string {
	return fmt.Sprintf("picture-%02d-%s-%s-%s.png", i+1, fileSafe(p.Scene), fileSafe(p.Order), fileSafe(strings.Join(p.Counters, "-")))
}

// figurePictures are the paper's reuse pictures.
func (r *Report) figurePictures() figure {
	f := r.figure("pictures")
	f.Key = true
	if r.Hardware.Measured {
		f.Text = append(f.Text, r.Hardware.Text+" That is what stands for the paper's OpenGL.")
	}
	titles := map[string]int{}
	for i := range r.Pictures {
		p := &r.Pictures[i]
		f.Sheet.add(p.fileName(i), p.Scene, p.Order, strings.Join(p.Counters, " "), p.Reuse, r.pictureCommand(i))
		title := p.Scene + ", order " + p.Order
		at, ok := titles[title]
		if !ok {
			at = len(f.Shots)
			titles[title] = at
			f.Shots = append(f.Shots, shotRow{Title: title})
		}
		f.Shots[at].Shots = append(f.Shots[at].Shots, shot{
			File:    p.fileName(i),
			Source:  template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(p.PNG)),
			Alt:     p.Alt,
			Caption: fmt.Sprintf("%s: reuse %s", strings.Join(p.Counters, ", "), ratio(p.Reuse, 4)),
		})
	}
	return f
}
