package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/measure"
)

// tableTimes is the paper's table 2.
func (r *Report) tableTimes() figure {
	f := r.figure("times")
	if len(r.Times) == 0 {
		f.Text = []string{"Not measured: no scene fitted into the time that was given for timing."}
		if r.Run.Backend == "cpu" {
			f.Text = []string{"Not measured: times are GPU timestamps, and this report was made without a Vulkan device. The CPU backend's own time says nothing about the strategies."}
		}
		return f
	}
	for i := range r.Times {
		t := &r.Times[i]
		paper := r.scene(t.File).Paper
		f.Sheet.add(t.File, paper, t.Order, t.Strategy, t.Picked, t.Words(), t.Load, t.Queue, t.Chunks, t.MsMedian, t.MsMin, t.MsMax, t.Runs, t.Reuse,
			r.relative(t), paperMs(paper, t.Load, t.Strategy), paperRelative(paper, t.Load, t.Strategy),
			t.BatchingMs, t.Bytes, float64(r.scene(t.File).Triangles)/t.MsMedian/1e3)
	}
	relative, plot := r.relativeSummary()
	f.Grids, f.Plots = append(f.Grids, relative), append(f.Plots, plot)
	if means := measure.Means(r.Times); len(means) > 0 {
		f.Grids = append(f.Grids, meansGrid(means))
	}
	for _, scene := range distinct(r.Times, func(t *measure.GeometryRow) string { return t.File }) {
		f.Grids = append(f.Grids, r.timeGrid(scene))
	}
	return f
}

// meansGrid compares with the fastest form without reuse, as bench does.
func meansGrid(means []measure.GeometryRow) grid {
	g := grid{
		Caption: "Speed against the fastest form without reuse (naive or naive-index) on each scene: geometric mean over all scenes timed, and the scene where it is least; above 1 is faster",
		Head:    []string{"load", "strategy", "scenes", "speed", "worst", "worst scene"},
	}
	for _, m := range means {
		g.Rows = append(g.Rows, gridRow{"", []cell{
			text(m.Load), text(m.Strategy), number(fmt.Sprint(m.Files)), number(times(m.Speed)), number(times(m.WorstSpeed)), text(m.WorstFile),
		}})
	}
	return g
}

// where names the device of times and pictures.
func (r *Report) where() string {
	return fmt.Sprintf("%s, %s.", r.Run.Device, r.Run.Driver)
}

func (r *Report) time(scene, load, strategy string) *measure.GeometryRow {
	return first(r.Times, func(t *measure.GeometryRow) bool { return t.File == scene && t.Load == load && t.Strategy == strategy })
}

// relative returns a time divided by naive's on the same scene at the same load; NaN if naive was
// not timed.
func (r *Report) relative(t *measure.GeometryRow) float64 {
	naive := r.time(t.File, t.Load, Baseline)
	if naive == nil || naive.MsMedian == 0 {
		return math.NaN()
	}
	return t.MsMedian / naive.MsMedian
}

func (r *Report) loads() []string {
	return distinct(r.Times, func(t *measure.GeometryRow) string { return t.Load })
}

func (r *Report) timed() []string {
	return distinct(r.Times, func(t *measure.GeometryRow) string { return t.Strategy })
}

// timeGrid is the times of one scene, one row per strategy.
func (r *Report) timeGrid(scene string) grid {
	s := r.scene(scene)
	shared := slices.Contains(paper().Timed, s.Paper)
	g := grid{Caption: scene + ", " + triangles(s.Triangles), Folded: !shared && !s.Given, Head: []string{"strategy", "sizes", "reuse", "batching ms"}}
	ratios := []string{"×"}
	if shared {
		ratios = append(ratios, "paper ×")
	}
	for _, load := range r.loads() {
		g.Head = append(append(g.Head, load+" ms"), ratios...)
	}
	for _, strategy := range r.timed() {
		row := gridRow{"", nil}
		for _, load := range r.loads() {
			t := r.time(scene, load, strategy)
			if t == nil {
				row = pad(row, 1+len(ratios))
				continue
			}
			if row.Cells == nil {
				row.Cells = []cell{text(strategy), text(t.Words()), number(ratio(t.Reuse, 4)), number(fmt.Sprintf("%.2f", t.BatchingMs))}
			}
			row.Cells = append(row.Cells, number(fmt.Sprintf("%.3f", t.MsMedian)), number(times(r.relative(t))))
			if shared {
				row.Cells = append(row.Cells, cell{times(paperRelative(s.Paper, load, strategy)), classPaper})
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func triangles(n int) string {
	if n == 1 {
		return "1 triangle"
	}
	return grouped(n) + " triangles"
}

// times formats a ratio.
func times(x float64) string { return decimals(x, 2) }

// decimals formats a number with that many decimals.
func decimals(x float64, digits int) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%.*f", digits, x), "-", "−", 1)
}

// smallScene is the size below which a time is mostly that of starting the pass. Such times are
// shown, but not averaged.
const smallScene = 1000 // triangles

// summary averages the ratios of a strategy at a load over scenes: ours over the timed ones, the
// paper's over the ten of its table 2. A mean of none is NaN.
func (r *Report) summary(load, strategy string) (ours, theirs float64, scenes int) {
	var own, papers []float64
	for i := range r.Times {
		t := &r.Times[i]
		if t.Load == load && t.Strategy == strategy && !math.IsNaN(r.relative(t)) && r.scene(t.File).Triangles >= smallScene {
			own = append(own, r.relative(t))
		}
	}
	for _, scene := range paper().Timed {
		if x := paperRelative(scene, load, strategy); !math.IsNaN(x) {
			papers = append(papers, x)
		}
	}
	return geometricMean(own), geometricMean(papers), len(own)
}

// relativeSummary is the figure of runtimes relative to naive.
func (r *Report) relativeSummary() (grid, plotted) {
	g := grid{
		Caption: fmt.Sprintf("Relative to naive: geometric mean over the scenes of %d triangles and more timed at each load, beside the mean of the paper's table 2 (%d scenes)", smallScene, len(paper().Timed)),
		Head:    []string{"strategy"},
	}
	p := panel{Y: "time relative to naive", Categories: r.loads(), Line: 1, LogY: true, X: "load, cycles per shaded vertex"}
	most := map[string]int{} // scenes, by load
	for _, strategy := range r.timed() {
		row := gridRow{"", []cell{text(strategy)}}
		ours, theirs := series{Name: strategy}, series{Name: strategy}
		for _, load := range r.loads() {
			own, papers, scenes := r.summary(load, strategy)
			most[load] = max(most[load], scenes)
			row.Cells = append(row.Cells, number(times(own)), cell{times(papers), classPaper})
			ours.Y, theirs.Y = append(ours.Y, own), append(theirs.Y, papers)
		}
		g.Rows = append(g.Rows, row)
		if strategy != Baseline {
			p.Series, p.Marks = append(p.Series, ours), append(p.Marks, theirs)
		}
	}
	for _, load := range r.loads() {
		g.Head = append(g.Head, fmt.Sprintf("%s, %d scenes", load, most[load]), "paper")
	}
	const alt = "Time relative to naive by load, a bar per strategy; rings are the paper's means; the dotted line is naive."
	return g, plotted{Name: "relative", Alt: alt, panels: []panel{p}}
}
