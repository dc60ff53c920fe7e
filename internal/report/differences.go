package report

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
)

// difference is one of our figures that disagrees with the paper's.
type difference struct {
	Figure, Scene, Column string
	Reading               string // Reuse.Reading
	Ours, Paper           float64
	What                  string // the difference in words
	Known                 bool   // whether it is explained; otherwise it is open
	Explanation           string
}

// explanation says what is known about the disagreements of a figure, in one reading of the paper; an
// empty reading is that of table 1.
type explanation struct{ figure, reading, text string }

// explanations are written by hand; the first one that matches is shown.
var explanations = []explanation{
	{"cache", "dealt", "The paper does not say how the index buffer is dealt to the multiprocessors. Dealt in chunks, what one multiprocessor takes next shares few vertices with what it had, so that its cache helps little whatever its size."},
	{"cache", "one multiprocessor", "The paper simulates 28 multiprocessors. One that takes the whole stream loses nothing at the borders between them; released code of the same authors' later work never moves on to a second one, which is why this reading is here."},
	{"calls", "", "The paper counted on a GTX 1080 Ti under OpenGL, whose batches are not documented, and says so in round words; what stands for hardware here is named at the figure."},
}

// softwareTimes explains why times of a CPU device differ from the paper's.
const softwareTimes = "The device is a CPU: its shared memory is ordinary cached memory and a subgroup is a SIMD register. What deduplication costs relative to shading is another figure there, and says nothing about a GPU."

// hardwareTimes explains why times of other GPUs differ from the paper's.
const hardwareTimes = "Another GPU, another API and other kernels: what atomics in shared memory, subgroup operations and bandwidth cost relative to arithmetic has changed since the paper's GTX 1080 Ti, and loads are defined differently (see the table's text). Which of these makes the difference was not taken apart."

// explain fills in the first explanation that matches a difference; the difference stays open if none does.
func explain(d difference) difference {
	d.Explanation = "Open: no reason is known."
	if e := first(explanations, func(e *explanation) bool { return e.figure == d.Figure && e.reading == d.Reading }); e != nil {
		d.Known, d.Explanation = true, e.text
	}
	return d
}

func (r *Report) differences() []difference {
	var list []difference
	for _, u := range r.Reuse {
		theirs := paperReuse(r.scene(u.Scene).Paper, u.Column)
		if math.IsNaN(theirs) || u.Order != PaperOrder || math.Abs(u.Stats.Reuse()-theirs) <= Bound {
			continue
		}
		d := difference{Figure: "reuse", Scene: u.Scene, Column: u.Column, Reading: u.Reading, Ours: u.Stats.Reuse(), Paper: theirs}
		reading := ""
		if u.Reading != "" {
			d.Figure, reading = "cache", " ("+u.Reading+")"
		}
		d.What = fmt.Sprintf("%s, %s%s: reuse %s, the paper has %s", u.Scene, u.Column, reading, ratio(d.Ours, 4), ratio(theirs, 3))
		list = append(list, explain(d))
	}
	slices.SortStableFunc(list, func(a, b difference) int { return strings.Compare(a.Reading, b.Reading) })
	return slices.Concat(list, r.callDifferences(), r.timeDifferences())
}

const callBound = .5 // how far a mean may be from the paper's text, which rounds to whole invocations

// callDifferences returns a difference for each of the hardware's means on the bunny that contradicts the paper's text.
func (r *Report) callDifferences() []difference {
	var list []difference
	for _, s := range r.Scenes {
		if s.Paper != "bunny" {
			continue
		}
		for _, order := range CallOrders {
			theirs, ok := paper().Calls[order]
			u := r.find(s.Name, order, r.Hardware.Counter)
			if !ok || u == nil || math.Abs(u.Stats.ATVR()-theirs.About) <= callBound {
				continue
			}
			d := difference{Figure: "calls", Scene: s.Name, Column: order, Ours: u.Stats.ATVR(), Paper: theirs.About}
			d.What = fmt.Sprintf("%s, order %s, %s: %.2f invocations per vertex, the paper says %s", s.Name, order, u.Counter, d.Ours, theirs.Words)
			list = append(list, explain(d))
		}
	}
	return list
}

// timeDifferences returns a difference for each time that contradicts the paper's: the strategy is faster than
// naive there and slower here, or the other way round.
func (r *Report) timeDifferences() []difference {
	var list []difference
	for _, t := range r.Times {
		ours, theirs := r.relative(&t), paperRelative(r.scene(t.File).Paper, t.Load, t.Strategy)
		if math.IsNaN(ours) || math.IsNaN(theirs) || ours == 1 || theirs == 1 || ours < 1 == (theirs < 1) {
			continue
		}
		d := difference{Figure: "times", Scene: t.File, Column: t.Strategy + " at " + t.Load, Ours: ours, Paper: theirs, Known: true, Explanation: hardwareTimes}
		if r.Run.Software {
			d.Explanation = softwareTimes
		}
		d.What = fmt.Sprintf("%s, %s at load %s: %s × naive, the paper has %s", t.File, t.Strategy, t.Load, times(ours), times(theirs))
		list = append(list, d)
	}
	return list
}

// differenceFigure lists the disagreements.
func (r *Report) differenceFigure() figure {
	f, list := r.figure("differences"), r.differences()
	if len(list) == 0 {
		f.Text = append(f.Text, "There are none among the scenes of this report.")
	}
	g := grid{Head: []string{"what differs", "", "why"}}
	for i, d := range list {
		f.Sheet.add(d.Figure, d.Scene, d.Column, d.Reading, d.Ours, d.Paper, d.Known, d.Explanation)
		state, why := text("explained"), d.Explanation
		if !d.Known {
			state = cell{"open", classBeyond}
		}
		if i > 0 && list[i-1].Explanation == why {
			why = "as above"
		}
		g.Rows = append(g.Rows, gridRow{"", []cell{text(d.What), state, text(why)}})
	}
	f.Grids = nonEmpty(g)
	return f
}

// claim is a sentence of the paper, with a test whether a scene's figures agree with it.
type claim struct {
	words, source string
	holds         func(reuse func(column string) float64) bool
}

// claims are the paper's sentences about table 1. The reuse passed to a test is NaN if a scene lacks the column.
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

// tableClaims compares the paper's sentences with its own figures and ours.
func (r *Report) tableClaims() figure {
	f := r.figure("claims")
	g := grid{Head: []string{"the paper's sentence", "where", "its own table 1", "here", "does not hold for"}}
	for _, c := range claims {
		theirs := 0
		for _, s := range paper().Scenes {
			if c.holds(func(column string) float64 { return s.Reuse[slices.Index(PaperColumns, column)] }) {
				theirs++
			}
		}
		counted := 0
		var fails []string
		for i := range r.Scenes {
			name := r.Scenes[i].Name
			if r.column(name, ColumnIdeal) != nil {
				counted++
				if !c.holds(func(column string) float64 {
					if u := r.column(name, column); u != nil {
						return u.Stats.Reuse()
					}
					return math.NaN()
				}) {
					fails = append(fails, name)
				}
			}
		}
		ours, names := counted-len(fails), strings.Join(fails, ", ")
		f.Sheet.add(c.words, c.source, theirs, len(paper().Scenes), ours, counted, names)
		g.Rows = append(g.Rows, gridRow{"", []cell{
			text(c.words), text(c.source), number(fmt.Sprintf("%d of %d", theirs, len(paper().Scenes))),
			number(fmt.Sprintf("%d of %d", ours, counted)), text(names),
		}})
	}
	f.Grids = []grid{g}
	return f
}

// PaperTitle cites the paper.
const PaperTitle = "Kenzel et al., On-the-fly Vertex Reuse for Massively-Parallel Software Geometry Processing (2018)"

const paperDevice = "NVIDIA GTX 1080 Ti, CUDA" // the device of the paper's times

const walkScene = "walk" // the scene name for the paper's only walk

//go:embed paper.yaml
var paperYAML []byte

// paper returns the numbers of paper.yaml, which appear nowhere else in the program.
var paper = embedded[struct {
	Scenes []struct {
		Name, Vertices, Triangles string
		Reuse                     [6]float64 // in the order of PaperColumns
	}
	Timed []string
	Times []struct {
		Load, Strategy string
		Ms             [10]float64 // in the order of Timed
	}
	Strategies []string
	Apps       map[string]map[string][5]float64 // by application and scene, in the order of Strategies
	Calls      map[string]struct {
		Words string
		About float64
	}
	Identities map[string][2]int
}](paperYAML)

// paperApplication returns the paper's time of an application in ms, and naive's time divided by it; both are
// NaN if the paper has none.
func paperApplication(app, scene, strategy string) (ms, speed float64) {
	times, known := paper().Apps[app][scene]
	at := slices.Index(paper().Strategies, strategy)
	if !known || at < 0 {
		return math.NaN(), math.NaN()
	}
	return times[at], times[0] / times[at]
}

// Recognize returns the paper's name for the scene that has these numbers, or "".
func Recognize(draws, vertices, triangles int) string {
	for name, size := range paper().Identities {
		if draws == 1 && size == [2]int{vertices, triangles} {
			return name
		}
	}
	return ""
}

// paperReuse returns a scene's reuse in a column of the paper's table 1; NaN if the table has no such scene or column.
func paperReuse(scene, column string) float64 {
	for _, s := range paper().Scenes {
		if i := slices.Index(PaperColumns, column); s.Name == scene && i >= 0 {
			return s.Reuse[i]
		}
	}
	return math.NaN()
}

// paperMs returns a time of the paper's table 2, in ms; NaN if there is none.
func paperMs(scene, load, strategy string) float64 {
	for _, t := range paper().Times {
		if i := slices.Index(paper().Timed, scene); t.Load == load && t.Strategy == strategy && i >= 0 {
			return t.Ms[i]
		}
	}
	return math.NaN()
}

// paperRelative returns a time of the paper's table 2 divided by naive's; NaN if there is none.
func paperRelative(scene, load, strategy string) float64 {
	return paperMs(scene, load, strategy) / paperMs(scene, load, Baseline)
}
