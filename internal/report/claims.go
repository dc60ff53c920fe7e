package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// claim is a sentence of the paper, and whether the figures of a scene agree with it.
type claim struct {
	words, source string
	holds         func(reuse func(column string) float64) bool
}

// claims are about table 1; reuse is NaN where a scene has no such column.
var claims = []claim{
	{"The parallel cache stays below a fifth of the ideal reuse.", "section 5.1", func(reuse func(string) float64) bool {
		return max(reuse(ColumnCache16), reuse(ColumnCache32), reuse(ColumnCache64)) < reuse(ColumnIdeal)/5
	}},
	{"Dynamic batching is usually within 5 % of the ideal reuse.", "section 5.1", func(reuse func(string) float64) bool {
		return reuse(ColumnDynamic) >= .95*reuse(ColumnIdeal)
	}},
	{"Warp voting is within 10 to 20 % of the ideal reuse (at most 20 % below it).", "section 5.1", func(reuse func(string) float64) bool {
		return reuse(ColumnWarp) >= .8*reuse(ColumnIdeal)
	}},
	{"Dynamic batching shows higher reuse than warp voting.", "the reuse visualization's caption", func(reuse func(string) float64) bool {
		return reuse(ColumnDynamic) > reuse(ColumnWarp)
	}},
	{"The parallel cache misses more than 90 % of the time.", "section 6", func(reuse func(string) float64) bool {
		return max(reuse(ColumnCache16), reuse(ColumnCache32), reuse(ColumnCache64)) < .1
	}},
}

// tableClaims checks the paper's sentences against its own figures and ours.
func (r *Report) tableClaims() figure {
	f := figure{
		ID: "claims", Title: "The paper's sentences, held to the figures", Source: "sections 5 and 6",
		Text: []string{
			"For how many scenes each sentence holds: in the paper's own table 1, and here, scenes in Forsyth order. Scenes for which one does not hold are named: the sentences are about meshes of some size whose triangles share most vertices.",
		},
		Where: "CPU references and models.",
		Sheet: sheet{Columns: []column{
			{"claim", "the paper's sentence, shortened"}, {"source", "where it stands"}, {"paper_holds", "scenes of the paper's table 1 for which it holds"},
			{"paper_scenes", "scenes there"}, {"holds", "scenes of this report for which it holds"}, {"scenes", "scenes here"}, {"fails", "names of the others"},
		}},
	}
	g := grid{Head: []string{"the paper's sentence", "where", "its own table 1", "here", "does not hold for"}}
	for _, c := range claims {
		theirs := 0
		for _, s := range paperScenes {
			if c.holds(func(column string) float64 { return s.reuse[slices.Index(PaperColumns, column)] }) {
				theirs++
			}
		}
		ours, counted := 0, 0
		var fails []string
		for i := range r.Scenes {
			name := r.Scenes[i].Name
			if r.column(name, ColumnIdeal) == nil {
				continue
			}
			counted++
			if c.holds(r.reuseOf(name)) {
				ours++
			} else {
				fails = append(fails, name)
			}
		}
		names := strings.Join(fails, ", ")
		f.Sheet.add(c.words, c.source, theirs, len(paperScenes), ours, counted, names)
		g.Rows = append(g.Rows, gridRow{"", []cell{
			text(c.words), text(c.source), number(fmt.Sprintf("%d of %d", theirs, len(paperScenes))),
			number(fmt.Sprintf("%d of %d", ours, counted)), text(names),
		}})
	}
	f.Grids = []grid{g}
	return f
}

func (r *Report) reuseOf(scene string) func(string) float64 {
	return func(column string) float64 {
		if u := r.column(scene, column); u != nil {
			return u.Stats.Reuse()
		}
		return math.NaN()
	}
}
