package report

import (
	"fmt"
	"math"

	"github.com/shadeonce/shadeonce/internal/measure"
)

// application is one of the paper's applications, as the page shows it.
type application struct {
	id, title, source string
	text              []string
	none              string // why there are no rows of it on a GPU
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

// applicationGrids are the rows of one scene, a grid per part of the work.
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
			text(x.Strategy), text(x.Sizes()), number(ratio(x.Reuse, 4)), number(fmt.Sprintf("%.4f", x.Milliseconds)),
			number(times(positive(x.VsNaive))), {times(theirs), classPaper}, number(times(positive(x.VsNaiveIndex))),
		}})
		s.add(scene, paper, x.Strategy, x.Part, x.Sizes(), x.IDs, x.Indices, x.Invocations, x.Reuse, x.Ideal, x.Milliseconds,
			positive(x.VsNaive), positive(x.VsNaiveIndex), theirMs, theirs, x.Tables, x.Cutting, x.Hash)
	}
	return grids
}

// positive is NaN for a ratio that is not known.
func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.NaN()
}
