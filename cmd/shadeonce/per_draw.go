package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// drawAnalysis is one row of analyze --per-draw: a draw, all its instances, with
// one strategy or model. The JSON names are a contract.
type drawAnalysis struct {
	Schema      int     `json:"schema"`
	File        string  `json:"file"`
	Order       string  `json:"order"`
	Draw        int     `json:"draw"` // its place in the file, from 0
	Name        string  `json:"name"`
	Instances   int     `json:"instances"`
	Triangles   int     `json:"triangles"` // this and what follows: over all instances
	Indices     int     `json:"indices"`
	Referenced  int     `json:"referenced"`
	Ideal       float64 `json:"ideal"`
	Strategy    string  `json:"strategy"`
	Kind        string  `json:"kind"`
	Lanes       int     `json:"lanes"`
	Batch       int     `json:"batch"`
	Invocations int     `json:"invocations"`
	Lost        int     `json:"lost"` // invocations beyond one a referenced vertex
	Reuse       float64 `json:"reuse"`
	Placed      string  `json:"placed"`   // of a replayed frame, else empty: fitted, captured, hidden
	Residual    float64 `json:"residual"` // of the transform found, the largest of the instances
}

// drawFlags choose draws, and show them one by one.
type drawFlags struct {
	perDraw  bool
	sort     string
	maxIdeal float64
}

// drawOrders are the values of --sort: the draw that matters most comes first.
// Where there are several strategies, the first one counts.
var drawOrders = []struct {
	name    string
	compare func(a, b *drawAnalysis) int
}{
	{"triangles", func(a, b *drawAnalysis) int { return cmp.Compare(b.Triangles, a.Triangles) }},
	{"reuse", func(a, b *drawAnalysis) int { return cmp.Compare(a.Reuse, b.Reuse) }},
	{"lost", func(a, b *drawAnalysis) int { return cmp.Compare(b.Lost, a.Lost) }},
}

func drawOrderNames() (all []string) {
	for _, o := range drawOrders {
		all = append(all, o.name)
	}
	return all
}

// noMaxIdeal takes every draw: no reuse is above it.
const noMaxIdeal = 1.0

func (f *drawFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.perDraw, "per-draw", false, "print a row a draw: those of captured frames are named by pass and event")
	flags.StringVar(&f.sort, "sort", drawOrders[0].name, "with --per-draw, by the first strategy: "+strings.Join(drawOrderNames(), ", ")+"; the worst comes first")
	flags.Float64Var(&f.maxIdeal, "max-ideal", noMaxIdeal, "only draws whose ideal reuse is below `this`")
}

// check refuses flags that make no sense, before any file is opened.
func (f *drawFlags) check(given func(flag string) bool) error {
	if !slices.Contains(drawOrderNames(), f.sort) {
		return cli.AsUsage(names.Unknown("--sort", f.sort, drawOrderNames()))
	}
	if given("sort") && !f.perDraw {
		return cli.Usagef("--sort sorts draws: it needs --per-draw")
	}
	if !(f.maxIdeal >= -1 && f.maxIdeal <= noMaxIdeal) {
		return cli.Usagef("--max-ideal %v: want a reuse, at most 1", f.maxIdeal)
	}
	return nil
}

// drawGroup is a draw of the file: draws of the scene that are its instances.
type drawGroup struct {
	first, end int // in Scene.Draws
	referenced int
	indices    int
}

func (g *drawGroup) ideal() float64 { return 1 - float64(g.referenced)/float64(g.indices) }

// drawGroups are the draws of a scene. Neighbours of one name over the same
// ranges are instances.
func drawGroups(s *geometry.Scene) []drawGroup {
	var groups []drawGroup
	referenced := reuse.ReferencedOf(s)
	for i := range s.Draws {
		d := &s.Draws[i]
		if i == 0 || !sameDraw(s, i-1, i) {
			groups = append(groups, drawGroup{first: i})
		}
		g := &groups[len(groups)-1]
		g.end = i + 1
		g.indices += int(d.IndexCount)
		g.referenced += referenced[i]
	}
	return slices.DeleteFunc(groups, func(g drawGroup) bool { return g.indices == 0 })
}

func sameDraw(s *geometry.Scene, i, j int) bool {
	a, b := &s.Draws[i], &s.Draws[j]
	own := geometry.Captured // instances that have vertices of their own each
	return a.Name == b.Name && a.FirstIndex == b.FirstIndex && a.IndexCount == b.IndexCount && a.VertexCount == b.VertexCount &&
		(a.VertexOffset == b.VertexOffset || s.Placing(i).How == own || s.Placing(j).How == own)
}

// placing is how the instance that is worst placed came to where it stands.
func (g *drawGroup) placing(s *geometry.Scene) (how string, residual float64) {
	worst := s.Placing(g.first)
	for i := g.first + 1; i < g.end; i++ {
		if p := s.Placing(i); p.Residual > worst.Residual {
			worst = p
		}
	}
	return worst.How.String(), float64(worst.Residual)
}

// choose is the scene with those draws alone that the flags ask for, and their
// numbers; nil where it is all of them.
func (f *drawFlags) choose(s *geometry.Scene) (*geometry.Scene, []int, error) {
	if f.maxIdeal >= noMaxIdeal {
		return s, nil, nil
	}
	var draws, numbers []int
	for n, g := range drawGroups(s) {
		if g.ideal() < f.maxIdeal {
			for i := g.first; i < g.end; i++ {
				draws = append(draws, i)
			}
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return nil, nil, fmt.Errorf("no draw has an ideal reuse below %v", f.maxIdeal)
	}
	return s.Only(draws), numbers, nil
}

// perDraw is rows, but a row a draw and strategy or model.
func (w *wanted) perDraw(b plan.Backend, path, order string, s *geometry.Scene, subgroups renderer.Subgroups) (rows []drawAnalysis, notices []string, err error) {
	groups := drawGroups(s)
	draws := make([][]drawAnalysis, len(groups))
	notices, err = w.each(b, s, subgroups, func(c *column) {
		for n, g := range groups {
			row := drawAnalysis{
				Schema: schemaVersion, File: path, Order: order, Draw: n, Name: s.Draws[g.first].Name, Instances: g.end - g.first,
				Triangles: g.indices / 3, Indices: g.indices, Referenced: g.referenced, Ideal: g.ideal(),
				Strategy: c.strategy, Kind: c.kind, Lanes: c.config.Lanes, Batch: c.config.Batch,
			}
			if w.numbers != nil {
				row.Draw = w.numbers[n]
			}
			for _, times := range c.draws[g.first:g.end] {
				row.Invocations += times
			}
			row.Placed, row.Residual = g.placing(s)
			row.Lost, row.Reuse = row.Invocations-row.Referenced, 1-float64(row.Invocations)/float64(row.Indices)
			draws[n] = append(draws[n], row)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	compare := drawOrders[slices.Index(drawOrderNames(), w.sort)].compare
	slices.SortStableFunc(draws, func(a, b []drawAnalysis) int { return compare(&a[0], &b[0]) })
	return slices.Concat(draws...), notices, nil
}

// perDraw sums the counts of (draw, vertex) pairs up to those of draws.
func perDraw(s *geometry.Scene, counts []uint32) []int {
	draws := make([]int, len(s.Draws))
	for i, offset := range reuse.CountOffsets(s) {
		for _, times := range counts[offset:][:s.Draws[i].VertexCount] {
			draws[i] += int(times)
		}
	}
	return draws
}

// shadedByDraw are the invocations of each draw.
func shadedByDraw(sums []reuse.DrawSum) []int {
	draws := make([]int, len(sums))
	for i, sum := range sums {
		draws[i] = sum.Invocations
	}
	return draws
}

// writeDraws prints a line a draw, with the reuse of each strategy beside the
// others. File and order are said once where there is only one.
func writeDraws(w io.Writer, rows []drawAnalysis) error {
	first := &rows[0]
	one := !slices.ContainsFunc(rows, func(r drawAnalysis) bool { return r.File != first.File || r.Order != first.Order })
	columns := 1
	for columns < len(rows) && rows[columns].Draw == first.Draw && rows[columns].File == first.File && rows[columns].Order == first.Order {
		columns++
	}
	align, header, cells := "", []string{}, []any{}
	if !one {
		align, header = "ll", []string{"file", "order"}
	}
	header = append(header, "draw", "name", "instances", "triangles", "ideal")
	for _, r := range rows[:columns] {
		header = append(header, r.Strategy)
	}
	table := cli.NewTable(w, align+"rlrrr"+strings.Repeat("r", columns+1), append(header, "lost")...)
	triangles, lost := 0, 0
	for draw := range slices.Chunk(rows, columns) {
		r := &draw[0]
		if cells = cells[:0]; !one {
			cells = append(cells, cli.Printable(r.File), r.Order)
		}
		cells = append(cells, r.Draw, cli.Printable(r.Name), r.Instances, r.Triangles, fmt.Sprintf("%.4f", r.Ideal))
		for _, c := range draw {
			cells = append(cells, fmt.Sprintf("%.4f", c.Reuse))
		}
		if err := table.Append(append(cells, r.Lost)...); err != nil {
			return err
		}
		triangles, lost = triangles+r.Triangles, lost+r.Lost
	}
	if err := table.Render(); err != nil {
		return err
	}
	where := ""
	if one {
		where = cli.Printable(first.File) + ", order " + first.Order + ": "
	}
	_, err := fmt.Fprintf(w, "\n%s%d draws, %d triangles, %d invocations lost\n"+
		"lost: invocations of %s beyond one a referenced vertex; all figures are over a draw's instances\n",
		where, len(rows)/columns, triangles, lost, first.Strategy)
	return err
}
