package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/shape"
	"github.com/shadeonce/shadeonce/renderer"
)

// Subject is a scene to measure, with the names that its rows get.
type Subject struct {
	File, Order string
	Scene       *geometry.Scene
	Numbers     []int // each draw's number in the file; nil if Scene has all draws of the file
}

// Analyze makes a row from the counts of a subject.
func Analyze(of Subject, c *Counted) Analysis {
	st := &c.Stats
	return Analysis{
		Source: of.source(), Strategy: c.Name, Lanes: c.Config.Lanes, Batches: BatchesOf(c.Config), Kind: c.Kind, Backend: c.Backend, Device: c.Device, Program: buildinfo.By(),
		Draws: st.Draws, Vertices: st.Vertices, Referenced: st.Referenced, Triangles: st.Triangles, Indices: st.Indices,
		Invocations: st.Invocations, Reuse: st.Reuse(), Ideal: st.Ideal(), ACMR: st.ACMR(), ATVR: st.ATVR(),
		Utilization: st.LaneUtilization(), Histogram: st.Histogram, Auto: c.Auto,
	}
}

// Shares returns which percentages of the referenced vertices were shaded once, twice .. 5 times, and
// 6 times or more.
func Shares(histogram []int, referenced int) (shares [6]float64) {
	for times, n := range histogram {
		if times > 0 {
			shares[min(times, len(shares))-1] += 100 * float64(n) / float64(max(1, referenced))
		}
	}
	return shares
}

const manyIndices = 20_000_000 // from this number of indices on, counting takes a CPU device seconds, and SlowHint warns

// SlowHint returns a warning that the work on a scene can take a CPU minutes; "" for scenes of fewer than
// manyIndices indices. `doing` names the work, and `flags` tells how to make it faster.
func SlowHint(s *geometry.Scene, doing, flags string) string {
	n := shape.Indices(s)
	if n < manyIndices {
		return ""
	}
	return fmt.Sprintf("%s: %s %d million indices on a CPU can take minutes: %s", s.Name, doing, n/1e6, flags)
}

// OnCPU reports whether a backend runs on a CPU, through Vulkan or without it.
func OnCPU(b plan.Backend) bool { return b != nil && (b.Info().Software || b.Info().Name == cpu) }

// CountAll counts a subject with each counter, and reports its progress to the context. If the device
// cannot hold what a counter with GoOn needs, CountAll leaves the counter out; if none is left, it returns
// the last such error. The notices tell the user what was left out, and repeat each Counted.Notice.
func CountAll(ctx context.Context, b plan.Backend, of Subject, counters []*Counter) (all []*Counted, notices []string, err error) {
	var left error
	if b != nil {
		defer b.Set(plan.Options{})
	}
	for i, c := range counters {
		part := progress.Part(ctx, float64(i)/float64(len(counters)), float64(i+1)/float64(len(counters)))
		progress.Tell(part, 0)
		if b != nil {
			b.Set(plan.Options{Progress: func(done float64) error { progress.Tell(part, done); return context.Cause(part) }})
		}
		counted, err := c.Count(b, of.Scene)
		if err != nil && c.GoOn && renderer.DoesNotFit(err) {
			notices, left = append(notices, leftOut(of, c.Name, err)), err
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, counted)
		if counted.Notice != "" {
			notices = append(notices, counted.Notice)
		}
	}
	if len(all) == 0 {
		return nil, nil, left
	}
	return all, notices, nil
}

// leftOut returns the notice that a strategy is left out, and why.
func leftOut(of Subject, name string, err error) string {
	return fmt.Sprintf("%s: %s is left out: %v", of.File, name, err)
}

// Limit is a bound on one figure of a row.
type Limit struct {
	figure figure
	bound  float64
}

// figure is a number of a row that a limit can bound.
type figure struct {
	name   string
	higher bool // whether higher is better
	of     func(c Counts) float64
}

// Counts are the numbers from which a row's figures are computed.
type Counts struct{ Triangles, Indices, Referenced, Invocations int }

var figures = []figure{
	{"reuse", true, func(c Counts) float64 { return 1 - share(c.Invocations, c.Indices) }},
	{"acmr", false, func(c Counts) float64 { return share(c.Invocations, c.Triangles) }},
	{"atvr", false, func(c Counts) float64 { return share(c.Invocations, c.Referenced) }},
}

func share(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

// ParseLimits parses the values of --fail-below and --fail-above, such as acmr=0.8. It returns an
// error if --fail-below names a figure for which lower is better, or --fail-above one for which higher is.
func ParseLimits(below, above []string) (limits []Limit, err error) {
	for _, side := range []struct {
		flag, other, better string
		texts               []string
		higher              bool
	}{{"fail-below", "fail-above", "lower", below, true}, {"fail-above", "fail-below", "higher", above, false}} {
		var have []string
		for _, one := range figures {
			if one.higher == side.higher {
				have = append(have, one.name)
			}
		}
		for _, text := range side.texts {
			name, value, _ := strings.Cut(text, "=")
			at := slices.IndexFunc(figures, func(one figure) bool { return one.name == name })
			bound, err := strconv.ParseFloat(value, 64)
			switch {
			case at < 0:
				return nil, names.Unknown("--"+side.flag, name, have)
			case figures[at].higher != side.higher:
				return nil, fmt.Errorf("--%s %s: a %s %s is better: want --%s %s", side.flag, text, side.better, name, side.other, text)
			case err != nil || bound != bound:
				return nil, fmt.Errorf("--%s %q: want NAME=NUMBER", side.flag, text)
			}
			limits = append(limits, Limit{figures[at], bound})
		}
	}
	return limits, nil
}

// Missed lists the limits that rows miss, one line each; `of` returns the name to print for a row,
// and its counts.
func Missed[T any](rows []T, limits []Limit, of func(*T) (name string, c Counts)) (lines []string) {
	for i := range rows {
		name, c := of(&rows[i])
		for _, l := range limits {
			value, side := l.figure.of(c), "above"
			if l.figure.higher {
				side = "below"
			}
			if value != l.bound && (value < l.bound) == l.figure.higher {
				lines = append(lines, fmt.Sprintf("%s: %s %.4f is %s %v", name, l.figure.name, value, side, l.bound))
			}
		}
	}
	return lines
}

// Counts returns the row's file, order and strategy, and its counts.
func (r *Analysis) Counts() (name string, c Counts) {
	return r.File + ", order " + r.Order + ", " + r.Strategy, Counts{r.Triangles, r.Indices, r.Referenced, r.Invocations}
}

// Counts returns the row's file, order, draw and strategy, and its counts.
func (r *DrawAnalysis) Counts() (name string, c Counts) {
	name = fmt.Sprintf("%s, order %s, %s, %s", r.File, r.Order, strings.TrimSpace(fmt.Sprintf("draw %d %s", r.Draw, r.Name)), r.Strategy)
	return name, Counts{r.Triangles, r.Indices, r.Referenced, r.Invocations}
}

// savedUs returns the time that the strategy saves in the draw.
func (t *DrawTimes) savedUs() float64 { return t.NaiveUs - t.Us }

type drawOrder struct {
	name    string
	compare func(a, b *DrawAnalysis) int
}

const BySaved = "saved" // order by work saved: time, else instructions, else shader runs

// drawOrders put those draws first that have the most triangles, the least reuse, the most invocations
// lost or the most work saved. With several strategies, the rows of the first one decide.
var drawOrders = []drawOrder{
	{"triangles", func(a, b *DrawAnalysis) int { return cmp.Compare(b.Triangles, a.Triangles) }},
	{"reuse", func(a, b *DrawAnalysis) int { return cmp.Compare(a.Reuse, b.Reuse) }},
	{"lost", func(a, b *DrawAnalysis) int { return cmp.Compare(b.Lost, a.Lost) }},
	{BySaved, func(a, b *DrawAnalysis) int {
		return cmp.Or(cmp.Compare(b.savedUs(), a.savedUs()), cmp.Compare(b.Saved, a.Saved), cmp.Compare(b.Indices-b.Invocations, a.Indices-a.Invocations))
	}},
}

// DrawOrders returns the names of the orders.
func DrawOrders() []string {
	return names.Of(drawOrders, func(o drawOrder) string { return o.name })
}

// drawGroup is a draw of the file. The scene has a draw for each of its instances:
// Scene.Draws[first:end].
type drawGroup struct {
	first, end int // indices into Scene.Draws
	referenced int
	indices    int
}

func (g *drawGroup) ideal() float64 { return 1 - float64(g.referenced)/float64(g.indices) }

// drawGroups groups the draws of a scene: consecutive draws with one name and the same ranges are
// instances of one draw. It leaves out empty draws. sums[i].Referenced is the number of vertices that
// draw i references.
func drawGroups(s *geometry.Scene, sums []reuse.DrawSum) []drawGroup {
	var groups []drawGroup
	for i := range s.Draws {
		d := &s.Draws[i]
		if i == 0 || !sameDraw(s, i-1, i) {
			groups = append(groups, drawGroup{first: i})
		}
		g := &groups[len(groups)-1]
		g.end = i + 1
		g.indices += int(d.IndexCount)
		g.referenced += sums[i].Referenced
	}
	return slices.DeleteFunc(groups, func(g drawGroup) bool { return g.indices == 0 })
}

// referencedOf counts the vertices that each draw references.
func referencedOf(s *geometry.Scene) []reuse.DrawSum {
	sums := make([]reuse.DrawSum, len(s.Draws))
	for i, n := range shape.Referenced(s) {
		sums[i].Referenced = n
	}
	return sums
}

func sameDraw(s *geometry.Scene, i, j int) bool {
	a, b := &s.Draws[i], &s.Draws[j]
	own := geometry.Captured // instances placed as captured have vertices of their own
	return a.Name == b.Name && a.FirstIndex == b.FirstIndex && a.IndexCount == b.IndexCount && a.VertexCount == b.VertexCount &&
		(a.VertexOffset == b.VertexOffset || s.Placing(i).How == own || s.Placing(j).How == own)
}

// placing returns how the instance with the largest residual was placed, and that residual.
func (g *drawGroup) placing(s *geometry.Scene) (how string, residual float64) {
	worst := s.Placing(g.first)
	for i := g.first + 1; i < g.end; i++ {
		if p := s.Placing(i); p.Residual > worst.Residual {
			worst = p
		}
	}
	return worst.How.String(), float64(worst.Residual)
}

// Below returns a scene that has only the draws whose ideal reuse is below a bound. It also returns the numbers by
// which users know these draws (Scene.Number), one for all instances of a draw. It is an error if there is none.
func Below(s *geometry.Scene, ideal float64) (*geometry.Scene, []int, error) {
	var draws, numbers []int
	for _, g := range drawGroups(s, referencedOf(s)) {
		if g.ideal() < ideal {
			for i := g.first; i < g.end; i++ {
				draws = append(draws, i)
			}
			numbers = append(numbers, s.Number(g.first))
		}
	}
	if len(numbers) == 0 {
		return nil, nil, fmt.Errorf("no draw has an ideal reuse below %v", ideal)
	}
	return s.Only(draws), numbers, nil
}

// AnalyzeDraws makes a row for each draw and counter, in the order of the file. Rows of one draw
// are consecutive.
func AnalyzeDraws(of Subject, all []*Counted) (rows []DrawAnalysis) {
	s := of.Scene
	groups := drawGroups(s, all[0].Draws)
	for n, g := range groups {
		row := DrawAnalysis{
			Source: of.source(), Draw: s.Number(g.first), Name: s.Draws[g.first].Name, Instances: g.end - g.first,
			Triangles: g.indices / 3, Indices: g.indices, Referenced: g.referenced, Ideal: g.ideal(), Program: buildinfo.By(),
		}
		if of.Numbers != nil {
			row.Draw = of.Numbers[n]
		}
		row.Placed, row.Residual = g.placing(s)
		row.Shader, row.Steps = s.ShaderOfDraw(g.first), float64(s.Placing(g.first).Steps)
		for _, c := range all {
			row.Strategy, row.Kind, row.Lanes, row.Batch = c.Name, c.Kind, c.Config.Lanes, c.Config.Batch
			row.Invocations, row.Auto = 0, c.Auto
			for _, sum := range c.Draws[g.first:g.end] {
				row.Invocations += sum.Invocations
			}
			row.Lost, row.Reuse = row.Invocations-row.Referenced, 1-float64(row.Invocations)/float64(row.Indices)
			row.Saved = float64(row.Indices-row.Invocations) * row.Steps
			rows = append(rows, row)
		}
	}
	return rows
}

// SortDraws sorts rows by one of DrawOrders; `each` is the number of rows per draw.
func SortDraws(rows []DrawAnalysis, each int, sort string) {
	compare := drawOrders[slices.Index(DrawOrders(), sort)].compare
	draws := slices.Collect(slices.Chunk(slices.Clone(rows), max(each, 1)))
	slices.SortStableFunc(draws, func(a, b []DrawAnalysis) int { return compare(&a[0], &b[0]) })
	copy(rows, slices.Concat(draws...))
}

// Draws times the game's own vertex shaders, without reuse and with each strategy in Configs.
type Draws struct {
	Configs []reuse.Config
	Runs    int // timed runs of each pass; rows have the median
}

// Time adds times to the rows that AnalyzeDraws made from the same subject. The shaders with the
// most indices come first. Once the context has ended it times no further shader, and returns the
// context's error.
func (d *Draws) Time(ctx context.Context, b plan.Backend, of Subject, rows []DrawAnalysis) (err error) {
	defer must.Catch(&err)
	naive := must.Get(reuse.Resolve("naive", 32, 0))
	g := &Geometry{
		Frame: GeometryFrame(), Configs: append([]reuse.Config{naive}, d.Configs...), Runs: d.Runs,
		Loads:    []Load{{Name: shade.Captured.Name(), Foreign: shade.Captured}, {Name: renderer.SimpleLoad}},
		LeaveOut: func(string) {},
	}
	groups := drawGroups(of.Scene, make([]reuse.DrawSum, len(of.Scene.Draws)))
	each := len(rows) / len(groups)
	programs := of.Scene.Shading.Programs
	order := programsBySize(of.Scene)
	for i, p := range order {
		must.OK(ctx.Err())
		one := of.Scene.OnlyProgram(p)
		part := progress.Part(ctx, float64(i)/float64(len(order)), float64(i+1)/float64(len(order)))
		timed, err := g.Time(part, b, Subject{File: of.File, Order: of.Order, Scene: one})
		must.OK(About(programs[p].Name, err))
		for i := range rows {
			if of.Scene.Shading.Draws[groups[i/each].first].Program == p {
				rows[i].DrawTimes = timesOf(timed, &rows[i], 3*one.Triangles())
			}
		}
	}
	return nil
}

// DrawRuns is the usual value of Draws.Runs.
const DrawRuns = 21

// programsBySize returns the programs that shade draws, those with the most indices first.
func programsBySize(s *geometry.Scene) (order []int) {
	indices := make([]int, len(s.Shading.Programs))
	for i := range s.Shading.Draws {
		if p := s.Shading.Draws[i].Program; p >= 0 {
			indices[p] += int(s.Draws[i].IndexCount)
		}
	}
	for p, n := range indices {
		if n > 0 {
			order = append(order, p)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(indices[b], indices[a]) })
	return order
}

// timesOf returns a draw's share of its program's times. indices is the number of indices of all
// draws of the program.
func timesOf(timed []GeometryRow, row *DrawAnalysis, indices int) (t DrawTimes) {
	for i := range timed {
		r := &timed[i]
		ns := r.MsMedian * 1e6
		switch {
		case r.Strategy == "naive" && r.Load == renderer.SimpleLoad:
			t.SimpleNs = ns / float64(indices)
		case r.Strategy == "naive":
			t.VertexNs = ns / float64(indices)
			t.NaiveUs = t.VertexNs * float64(row.Indices) / 1e3
		}
		if r.Load != renderer.SimpleLoad && r.Strategy == row.Strategy && row.Kind == KindStrategy && r.Invocations > 0 {
			t.Us = ns / float64(r.Invocations) * float64(row.Invocations) / 1e3
		}
	}
	return t
}
