package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/internal/measure"
)

// firstReading names the reading that table 1 shows, for which Reuse.Reading is empty.
const firstReading = "range"

// tableCache is the parallel cache with each reading of the paper.
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

// application is one of the paper's applications on the page.
type application struct {
	id, title, source string
	text              []string
	none              string // why there are no rows of it for a GPU
}

// paperApplications are the paper's applications in its order.
var paperApplications = []application{
	{
		"subdivide", "Subdivision by Loop's scheme", "Table 3", []string{
			"GPU time of making every vertex of one finer level, scenes in Forsyth order. Corners and edges are two streams: the points of edges, too, are shared. The paper does not say whether its program shares them. Its own has one stream, which makes its ratios smaller.",
			"The paper's caption says 22 %, its text 26 %: buddha's 11.10 to 8.15 ms are 26.6 %, 22.4 % are sort's. Its abstract's factor of 2 to 3 is not reached by subdivision.",
		}, "No scene of the paper's table 3 (bunny, sphere, buddha) is in this report.",
	},
	{
		"envelope", "Outer envelopes, 2 % of the diagonal", "Table 4", []string{
			"GPU time of finding how far every vertex can move, scenes in Forsyth order. The paper ports Cohen's analytic method, of which it gives no details. Ours is conservative and certified, over a tree in device memory: another dear shade function, so that only ratios compare.",
			"The paper's bold figure of bunny (21.85) is not its best (21.74).",
		}, "No scene of the paper's table 4 (bunny, sphere, buddha) is in this report.",
	},
	{
		"walk", "Random walk: 300,000 agents on 256x256 cells, ten steps", "Section 6.3", []string{
			"GPU time of a step. Agents start at random, as in the paper. Sorted by their cells, which the device does before every step and whose time is part of ms, they share what they cannot share in their own order.",
			"Open: the paper's factor of 3.3. From random starts a batch of 576 agents on 65,536 cells shares .0045 of its cells and a batch of 1536 shares .0116 (1-M(1-(1-1/M)ⁿ)/n for M cells, n agents), which cannot make it. Perhaps its naive, a thread for every three agents, does. Its .30 ms for 796 moves of 300,000 agents are 7 instructions per move, hardly the whole disc.",
		}, "Not measured.",
	},
}

// tableApplication is the table of one application.
func (r *Report) tableApplication(a application) figure {
	f := figure{
		ID: a.id, Title: a.title, Source: a.source, Where: r.where(),
		Text: append([]string{"× is the speed relative to naive; beside it the same relative to naive-index, which is faster than the paper's naive. Batches are the paper's where it names any. They are cut on the host beforehand, cut_ms in the CSV."}, a.text...),
		Sheet: sheet{Columns: []column{
			{"scene", "what was worked on"}, {"paper_scene", "its name in the paper, or empty"}, {"strategy", "strategy"}, {"part", "what was done"}, {"sizes", "its batch"},
			{"ids", "ids that can be shaded"}, {"indices", "length of the index streams"}, {"invocations", "how often the shade function ran"},
			{"reuse", "1 − invocations ÷ indices"}, {"ideal", "reuse if every id were shaded once"}, {"ms", "GPU milliseconds"},
			{"speed", "naive's ms ÷ ms"}, {"speed_index", "naive-index's ms ÷ ms"}, {"paper_ms", "the paper's milliseconds on its device, or empty"},
			{"paper_speed", "the paper's naive ÷ its ms, or empty"}, {"tables_ms", "CPU milliseconds of building the tables, once"}, {"cut_ms", "CPU milliseconds of cutting the batches"},
			{"hash", "of the result, the same by every strategy"},
		}},
	}
	scenes := distinct(r.Applications, func(x *measure.ApplicationRow) string {
		if x.App != a.id {
			return ""
		}
		return x.File
	})
	for _, scene := range scenes {
		if scene != "" {
			f.Grids = append(f.Grids, r.applicationGrids(a, scene, &f.Sheet)...)
		}
	}
	if len(f.Grids) == 0 {
		f.Text = []string{"Not measured: times are GPU timestamps, and this report was made without a Vulkan device."}
		if r.Run.Backend != "cpu" {
			f.Text[0] = a.none
			if r.Run.Software {
				f.Text[0] += " A device that is a CPU is asked for subdivision only, since the others would take minutes there."
			}
		}
	}
	return f
}

// applicationGrids returns the rows of one scene, a grid per part of the work.
func (r *Report) applicationGrids(a application, scene string, s *sheet) (grids []grid) {
	paper := r.scene(scene).Paper
	if a.id == "walk" {
		paper = walkScene
	}
	var parts []string
	for i := range r.Applications {
		x := &r.Applications[i]
		if x.App != a.id || x.File != scene {
			continue
		}
		if len(parts) == 0 || parts[len(parts)-1] != x.Part {
			parts = append(parts, x.Part)
			grids = append(grids, grid{Caption: scene + ", " + x.Part, Head: []string{"strategy", "batch", "reuse", "ms", "×", "paper ×", "× naive-index"}})
		}
		theirMs, theirs := paperApplication(a.id, paper, x.Strategy)
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
