package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// firstReading names the reading that table 1 shows, where Reuse.Reading is empty.
const firstReading = "range"

// tableCache is the parallel cache under each reading of the paper.
func (r *Report) tableCache() figure {
	f := figure{
		ID: "cache", Title: "The parallel cache, by how the index buffer is dealt", Source: "Table 1 and section 5.1, where the text is silent",
		Text: []string{
			"range gives each of the 28 multiprocessors one contiguous range of the index buffer: this is what table 1 above shows. dealt hands out chunks of three waves in turn, like cards. With one multiprocessor nothing is dealt at all.",
		},
		Where: "Models on the CPU.",
		Sheet: sheet{Columns: []column{
			{"scene", "the scene's name on this page"}, {"partition", "how the index buffer is dealt"}, {"column", "size of the cache"},
			{"reuse", "1 − invocations ÷ indices"}, {"paper_reuse", "the paper's figure, or empty"},
		}},
	}
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
				theirs, _ := paperReuse(s.Paper, c)
				row.Cells = append(row.Cells, number(ratio(theirs, 3)))
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

// cacheRow is one scene under one reading; false where it was not counted. The
// distances from the paper's figures go to off.
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
			theirs, ok := paperReuse(s.Paper, column)
			out.add(s.Name, name, column, u.Stats.Reuse(), orNaN(theirs, ok))
			if ok {
				off[reading] = append(off[reading], math.Abs(u.Stats.Reuse()-theirs))
			}
		}
	}
	return row, len(row.Cells) == 5
}

// tableModels is reuse under each model of hardware that the paper does not
// have.
func (r *Report) tableModels() figure {
	f := figure{
		ID: "models", Title: "Models of vertex caches and of hardware",
		Text: []string{
			"Caches of one stream, and what has been published about three vendors' hardware (cache entries – vertices per warp – triangles per primitive group, as meshoptimizer simulates them; nv-96-32 is the batch that the paper's authors found later). No model promises what a device at hand does. Forsyth order.",
		},
		Where: "Models on the CPU.",
		Sheet: sheet{Columns: []column{
			{"scene", "the scene's name on this page"}, {"model", "model with its parameters"}, {"kind", "model, or measured on the device"},
			{"reuse", "1 − invocations ÷ indices"}, {"acmr", "invocations per triangle"},
		}},
	}
	if r.Hardware.Measured {
		f.Text = append(f.Text, r.Hardware.Text)
		f.Where = "Models on the CPU; hardware: " + r.where()
	}
	var models []string
	for i := range r.Reuse {
		u := &r.Reuse[i]
		if u.Kind != Strategy && u.Column == "" && u.Order == PaperOrder {
			if !slices.Contains(models, u.Counter) {
				models = append(models, u.Counter)
			}
			f.Sheet.add(u.Scene, u.Counter, string(u.Kind), u.Stats.Reuse(), u.Stats.ACMR())
		}
	}
	g := grid{Head: append([]string{"scene"}, models...)}
	for i := range r.Scenes {
		row := gridRow{"", []cell{text(r.Scenes[i].Name)}}
		for _, m := range models {
			row.Cells = append(row.Cells, reuseCell(r.find(r.Scenes[i].Name, PaperOrder, m)))
		}
		g.Rows = append(g.Rows, row)
	}
	if len(models) > 0 {
		f.Grids = nonEmpty(g)
	}
	return f
}
