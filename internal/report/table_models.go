package report

import (
	"cmp"
	"fmt"
	"math"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// firstReading is the name of the reading in table 1; its Reuse.Reading is empty.
const firstReading = "range"

// tableCache is the parallel cache with each reading of the paper.
func (r *Report) tableCache() figure {
	f := r.figure("cache")
	readings := distinct(r.Reuse, func(u *Reuse) string { return u.Reading })
	shared, others := grid{Caption: "Scenes that the paper has too", Head: []string{"scene", "partition", "16 KB", "32 KB", "64 KB"}}, grid{}
	others.Caption, others.Head, others.Folded = "Other scenes", shared.Head, true
	off := map[string][]float64{} // by reading: differences from the paper
	for i := range r.Scenes {
		s := &r.Scenes[i]
		g := &others
		if s.Paper != "" {
			g = &shared
		}
		for _, reading := range readings {
			if row, complete := r.cacheRow(s, reading, &f.Sheet, off); complete {
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

// cacheRow returns the row of one scene with one reading; false if it was not counted. The
// differences from the paper's figures go to off.
func (r *Report) cacheRow(s *Scene, reading string, out *sheet, off map[string][]float64) (row gridRow, complete bool) {
	name := cmp.Or(reading, firstReading)
	row = gridRow{"", []cell{text(s.Name), text(name)}}
	if reading == "" {
		row.Class = classOurs
	}
	for _, column := range PaperColumns[1:4] {
		for k := range r.Reuse {
			u := &r.Reuse[k]
			if u.Scene != s.Name || u.Order != PaperOrder || u.Reading != reading || u.Column != column {
				continue
			}
			row.Cells = append(row.Cells, reuseCell(u))
			theirs := paperReuse(s.Paper, column)
			out.add(s.Name, name, column, u.Stats.Reuse(), theirs)
			if !math.IsNaN(theirs) {
				off[reading] = append(off[reading], math.Abs(u.Stats.Reuse()-theirs))
			}
		}
	}
	return row, len(row.Cells) == 5
}

// tableModels is the reuse of each model of hardware that the paper does not have.
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

// tableApplication is the table of one application.
func (r *Report) tableApplication(id string) figure {
	f := r.figure(id)
	scenes := distinct(r.Applications, func(x *measure.ApplicationRow) string {
		if x.App != id {
			return ""
		}
		return x.File
	})
	for _, scene := range scenes {
		if scene != "" {
			f.Grids = append(f.Grids, r.applicationGrids(id, scene, &f.Sheet)...)
		}
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

// applicationGrids returns the rows of one scene, a grid per part of the work.
func (r *Report) applicationGrids(id, scene string, s *sheet) (grids []grid) {
	paper := r.scene(scene).Paper
	if id == "walk" {
		paper = walkScene
	}
	var parts []string
	for i := range r.Applications {
		x := &r.Applications[i]
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

// positive returns NaN for an unknown ratio.
func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.NaN()
}
