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

// tableTimes makes the paper's table 2.
func (r *Report) tableTimes() figure {
	f := r.figure("times")
	if len(r.Times) == 0 {
		f.Text = []string{"Not measured: no scene fitted into the time that was given for timing."}
		if r.Run.Backend == "cpu" {
			f.Text = []string{"Not measured: times are GPU timestamps, and this report was made without a Vulkan device. The CPU backend's own time says nothing about the strategies."}
		}
		return f
	}
	for _, t := range r.Times {
		paper := r.scene(t.File).Paper
		f.Sheet.add(t.File, paper, t.Order, t.Strategy, t.Picked, t.Words(), t.Load, t.Queue, t.Chunks, t.MsMedian, t.MsMin, t.MsMax, t.Runs, t.Reuse,
			r.relative(&t), paperMs(paper, t.Load, t.Strategy), paperRelative(paper, t.Load, t.Strategy),
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

// meansGrid shows each strategy's mean speed relative to the fastest strategy without reuse, as bench does.
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

// where names the device that was timed and that drew the pictures, and its driver.
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

// timeGrid lists the times of one scene, one row per strategy.
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

// times formats a ratio of times with two decimals.
func times(x float64) string { return decimals(x, 2) }

// decimals formats a number with the given number of decimals.
func decimals(x float64, digits int) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%.*f", digits, x), "-", "−", 1)
}

// smallScene is the size below which starting the pass takes most of the time. The report shows the times of
// smaller scenes, but leaves them out of averages.
const smallScene = 1000 // triangles

// summary returns geometric means of a strategy's time relative to naive at a load: ours over the scenes that are not small, the
// paper's over the ten scenes of its table 2. scenes is the number of ours. A mean over no scenes is NaN.
func (r *Report) summary(load, strategy string) (ours, theirs float64, scenes int) {
	var own, papers []float64
	for _, t := range r.Times {
		if x := r.relative(&t); t.Load == load && t.Strategy == strategy && !math.IsNaN(x) && r.scene(t.File).Triangles >= smallScene {
			own = append(own, x)
		}
	}
	for _, scene := range paper().Timed {
		if x := paperRelative(scene, load, strategy); !math.IsNaN(x) {
			papers = append(papers, x)
		}
	}
	return geometricMean(own), geometricMean(papers), len(own)
}

// relativeSummary makes the table and the plot of mean times relative to naive.
func (r *Report) relativeSummary() (grid, plotted) {
	g := grid{
		Caption: fmt.Sprintf("Relative to naive: geometric mean over the scenes of %d triangles and more timed at each load, beside the mean of the paper's table 2 (%d scenes)", smallScene, len(paper().Timed)),
		Head:    []string{"strategy"},
	}
	p := panel{Y: "time relative to naive", Categories: r.loads(), Line: 1, LogY: true, X: "load, cycles per shaded vertex"}
	most := map[string]int{} // by load: how many scenes the averages are over
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

const firstReading = "range" // the name of the reading in table 1; its Reuse.Reading is empty

// tableCache shows the reuse of the parallel cache for each reading of the paper's description of that cache.
func (r *Report) tableCache() figure {
	f := r.figure("cache")
	readings := distinct(r.Reuse, func(u *Reuse) string { return u.Reading })
	shared, others := grid{Caption: "Scenes that the paper has too", Head: []string{"scene", "partition", "16 KB", "32 KB", "64 KB"}}, grid{}
	others.Caption, others.Head, others.Folded = "Other scenes", shared.Head, true
	off := map[string][]float64{} // by reading: differences from the paper
	for _, s := range r.Scenes {
		g := &others
		if s.Paper != "" {
			g = &shared
		}
		for _, reading := range readings {
			if row, complete := r.cacheRow(&s, reading, &f.Sheet, off); complete {
				g.Rows = append(g.Rows, row)
			}
		}
		if s.Paper != "" {
			row := gridRow{classPaper, []cell{text(s.Paper), text("paper")}}
			for _, c := range PaperColumns[1:4] {
				row.Cells = append(row.Cells, number(ratio(paperReuse(s.Paper, c), 3)))
			}
			g.Rows = append(g.Rows, row)
		}
	}
	for _, reading := range readings {
		if list := off[reading]; len(list) > 0 {
			sum := 0.0
			for _, d := range list {
				sum += d
			}
			f.Text = append(f.Text, fmt.Sprintf("%s: %s off the paper's figures on average.", cmp.Or(reading, firstReading), ratio(sum/float64(len(list)), 4)))
		}
	}
	f.Grids = nonEmpty(shared, others)
	return f
}

// cacheRow returns the row of one scene with one reading; complete is false if some column was not counted. It
// appends the differences from the paper's figures to the reading's list in `off`.
func (r *Report) cacheRow(s *Scene, reading string, out *sheet, off map[string][]float64) (row gridRow, complete bool) {
	name := cmp.Or(reading, firstReading)
	row = gridRow{"", []cell{text(s.Name), text(name)}}
	if reading == "" {
		row.Class = classOurs
	}
	for _, column := range PaperColumns[1:4] {
		for _, u := range r.Reuse {
			if u.Scene != s.Name || u.Order != PaperOrder || u.Reading != reading || u.Column != column {
				continue
			}
			row.Cells = append(row.Cells, reuseCell(&u))
			theirs := paperReuse(s.Paper, column)
			out.add(s.Name, name, column, u.Stats.Reuse(), theirs)
			if !math.IsNaN(theirs) {
				off[reading] = append(off[reading], math.Abs(u.Stats.Reuse()-theirs))
			}
		}
	}
	return row, len(row.Cells) == 5
}

// tableModels shows the reuse of each model that is not in the paper, and of the device's graphics pipeline if it
// counted.
func (r *Report) tableModels() figure {
	f := r.figure("models")
	if r.Hardware.Measured {
		f.Text = append(f.Text, r.Hardware.Text)
		f.Where = "Models on the CPU; hardware: " + r.where()
	}
	var models []string
	for i := range r.Reuse {
		u := &r.Reuse[i]
		if u.Kind != Strategy && u.Column == "" && u.Order == PaperOrder {
			models = appendNew(models, u.Counter)
			f.Sheet.add(u.Scene, u.Counter, string(u.Kind), u.Stats.Reuse(), u.Stats.ACMR())
		}
	}
	scenes := names.Of(r.Scenes, func(s Scene) string { return s.Name })
	g := newGrid("", "scene", models, scenes, func(scene, model string) cell { return reuseCell(r.find(scene, PaperOrder, model)) })
	if len(models) > 0 {
		f.Grids = nonEmpty(g)
	}
	return f
}

// tableApplication makes the table of one application.
func (r *Report) tableApplication(id string) figure {
	f := r.figure(id)
	scenes := distinct(r.Applications, func(x *measure.ApplicationRow) string { return x.File })
	for _, scene := range scenes {
		f.Grids = append(f.Grids, r.applicationGrids(id, scene, &f.Sheet)...)
	}
	if len(f.Grids) == 0 {
		f.Text = []string{"Not measured: times are GPU timestamps, and this report was made without a Vulkan device."}
		if r.Run.Backend != "cpu" {
			f.Text[0] = figureWords()[id].None
			if r.Run.Software {
				f.Text[0] += " A device that is a CPU is asked for subdivision only, since the others would take minutes there."
			}
		}
	}
	return f
}

// applicationGrids returns the grids of one scene, one for each part of the work.
func (r *Report) applicationGrids(id, scene string, s *sheet) (grids []grid) {
	paper := r.scene(scene).Paper
	if id == "walk" {
		paper = walkScene
	}
	var parts []string
	for _, x := range r.Applications {
		if x.App != id || x.File != scene {
			continue
		}
		if len(parts) == 0 || parts[len(parts)-1] != x.Part {
			parts = append(parts, x.Part)
			grids = append(grids, grid{Caption: scene + ", " + x.Part, Head: []string{"strategy", "batch", "reuse", "ms", "×", "paper ×", "× naive-index"}})
		}
		theirMs, theirs := paperApplication(id, paper, x.Strategy)
		g := &grids[len(grids)-1]
		g.Rows = append(g.Rows, gridRow{"", []cell{
			text(x.Strategy), text(x.Bounds()), number(ratio(x.Reuse, 4)), number(fmt.Sprintf("%.4f", x.Milliseconds)),
			number(times(positive(x.VsNaive))), {times(theirs), classPaper}, number(times(positive(x.VsNaiveIndex))),
		}})
		s.add(scene, paper, x.Strategy, x.Part, x.Bounds(), x.IDs, x.Indices, x.Invocations, x.Reuse, x.Ideal, x.Milliseconds,
			positive(x.VsNaive), positive(x.VsNaiveIndex), theirMs, theirs, x.Tables, x.Cutting, x.Hash)
	}
	return grids
}

// positive returns x if it is positive, else NaN. Values that were not measured are 0.
func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.NaN()
}
