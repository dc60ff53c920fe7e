package measure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/built"
)

// DrawAnalysis is one row of analyze --per-draw: a draw, all its instances, with
// one strategy or model. The JSON names are a contract.
type DrawAnalysis struct {
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
	Lost        int     `json:"lost"` // invocations beyond one per referenced vertex
	Reuse       float64 `json:"reuse"`
	Placed      string  `json:"placed"`   // of a replayed frame, else empty: fitted, captured, hidden
	Residual    float64 `json:"residual"` // of the transform found, the largest of the instances
	Shader      string  `json:"shader"`   // of a frame that was opened with its shaders, else empty
	Steps       float64 `json:"steps"`    // instructions of the game's vertex shader a vertex; 0 where that is not known
	Saved       float64 `json:"saved"`    // those instructions that this saves against a shader run for each index
	DrawTimes
	Auto
	built.Program
}

// drawOrders sort draws so that the one that matters most comes first. Where there
// are several strategies, the first one decides.
var drawOrders = []struct {
	name    string
	compare func(a, b *DrawAnalysis) int
}{
	{"triangles", func(a, b *DrawAnalysis) int { return cmp.Compare(b.Triangles, a.Triangles) }},
	{"reuse", func(a, b *DrawAnalysis) int { return cmp.Compare(a.Reuse, b.Reuse) }},
	{"lost", func(a, b *DrawAnalysis) int { return cmp.Compare(b.Lost, a.Lost) }},
	{"saved", func(a, b *DrawAnalysis) int {
		return cmp.Or(cmp.Compare(b.savedUs(), a.savedUs()), cmp.Compare(b.Saved, a.Saved), cmp.Compare(b.Indices-b.Invocations, a.Indices-a.Invocations))
	}},
}

// DrawOrders are the names of the orders.
func DrawOrders() (all []string) {
	for _, o := range drawOrders {
		all = append(all, o.name)
	}
	return all
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

// Below is the scene with only those draws whose ideal reuse is below a bound, and
// their numbers in the scene.
func Below(s *geometry.Scene, ideal float64) (*geometry.Scene, []int, error) {
	var draws, numbers []int
	for n, g := range drawGroups(s) {
		if g.ideal() < ideal {
			for i := g.first; i < g.end; i++ {
				draws = append(draws, i)
			}
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return nil, nil, fmt.Errorf("no draw has an ideal reuse below %v", ideal)
	}
	return s.Only(draws), numbers, nil
}

// AnalyzeDraws makes a row for each draw and what was counted of it, in the order of the
// file. Rows of one draw follow each other.
func AnalyzeDraws(of Subject, all []*Counted) (rows []DrawAnalysis) {
	s := of.Scene
	groups := drawGroups(s)
	for n, g := range groups {
		row := DrawAnalysis{
			Schema: Schema, File: of.File, Order: of.Order, Draw: n, Name: s.Draws[g.first].Name, Instances: g.end - g.first,
			Triangles: g.indices / 3, Indices: g.indices, Referenced: g.referenced, Ideal: g.ideal(), Program: built.By(),
		}
		if of.Numbers != nil {
			row.Draw = of.Numbers[n]
		}
		row.Placed, row.Residual = g.placing(s)
		row.Shader = shaderOfDraw(s, g.first)
		row.Steps = float64(s.Placing(g.first).Steps)
		for _, c := range all {
			row.Strategy, row.Kind, row.Lanes, row.Batch = c.Name, c.Kind, c.Config.Lanes, c.Config.Batch
			row.Invocations, row.Auto = 0, c.Auto
			for _, times := range c.Draws[g.first:g.end] {
				row.Invocations += times
			}
			row.Lost, row.Reuse = row.Invocations-row.Referenced, 1-float64(row.Invocations)/float64(row.Indices)
			row.Saved = float64(row.Indices-row.Invocations) * row.Steps
			rows = append(rows, row)
		}
	}
	return rows
}

// shaderOfDraw is the name of the game's vertex shader of a draw; empty where the scene has none.
func shaderOfDraw(s *geometry.Scene, draw int) string {
	if s.Shading == nil || s.Shading.Draws[draw].Program < 0 {
		return ""
	}
	return s.Shading.Programs[s.Shading.Draws[draw].Program].Name
}

// SortDraws sorts rows, of so many strategies and models each, by one of DrawOrders.
func SortDraws(rows []DrawAnalysis, each int, sort string) {
	compare := drawOrders[slices.Index(DrawOrders(), sort)].compare
	draws := slices.Collect(slices.Chunk(slices.Clone(rows), max(each, 1)))
	slices.SortStableFunc(draws, func(a, b []DrawAnalysis) int { return compare(&a[0], &b[0]) })
	copy(rows, slices.Concat(draws...))
}
