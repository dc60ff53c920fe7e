package measure

import (
	"cmp"
	"context"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// DrawTimes are what a draw of a captured frame takes with the game's own vertex shader.
// All draws of a shader are timed together, since one alone is too short, and each draw
// has its share: by indices without reuse, by invocations with it. All are 0 where nothing
// was timed.
type DrawTimes struct {
	VertexNs float64 `json:"vertex_ns"` // of the geometry pass without reuse, an index
	SimpleNs float64 `json:"simple_ns"` // the same of a vertex shader that only transforms
	NaiveUs  float64 `json:"naive_us"`  // of the draw without reuse
	Us       float64 `json:"us"`        // of the draw with the strategy
}

// savedUs is what the strategy saves in the draw.
func (t *DrawTimes) savedUs() float64 { return t.NaiveUs - t.Us }

// Draws times the game's own vertex shaders with strategies and without reuse.
type Draws struct {
	Configs []reuse.Config
	Shading ShadingOf
	Runs    int // of each pass, of which the median counts
}

// Time adds times to the rows that AnalyzeDraws made of the same subject. The shaders of most
// indices come first. Once the context has ended it times no further shader, and returns the
// context's error.
func (d *Draws) Time(ctx context.Context, b plan.Backend, of Subject, rows []DrawAnalysis) error {
	naive, err := reuse.Resolve("naive", 32, 0)
	if err != nil {
		return err
	}
	g := &Geometry{
		Frame: GeometryFrame(), Configs: append([]reuse.Config{naive}, d.Configs...), Runs: d.Runs,
		Loads:    []Load{{Name: "captured", Shading: d.Shading}, {Name: renderer.SimpleLoad}},
		LeaveOut: func(string) {},
	}
	groups := drawGroups(of.Scene)
	programs := of.Scene.Shading.Programs
	order := programsBySize(of.Scene)
	for i, p := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		one := onlyProgram(of.Scene, p)
		part := progress.Part(ctx, float64(i)/float64(len(order)), float64(i+1)/float64(len(order)))
		timed, err := g.Time(part, b, Subject{File: of.File, Order: of.Order, Scene: one})
		if err != nil {
			return About(programs[p].Name, err)
		}
		for i := range rows {
			n := rows[i].Draw
			if of.Numbers != nil {
				n = slices.Index(of.Numbers, n)
			}
			if of.Scene.Shading.Draws[groups[n].first].Program == p {
				rows[i].DrawTimes = timesOf(timed, &rows[i], 3*one.Triangles())
			}
		}
	}
	return nil
}

// DrawRuns is Draws.Runs unless there is a reason for another number.
const DrawRuns = 21

// programsBySize are the programs that shade draws, those of most indices first.
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

// onlyProgram is the draws of a scene that a program shades, with that program alone.
func onlyProgram(s *geometry.Scene, program int) *geometry.Scene {
	var draws []int
	for i := range s.Shading.Draws {
		if s.Shading.Draws[i].Program == program {
			draws = append(draws, i)
		}
	}
	one := s.Only(draws)
	shading := *one.Shading
	shading.Programs = s.Shading.Programs[program : program+1]
	shading.Draws = slices.Clone(shading.Draws)
	for i := range shading.Draws {
		shading.Draws[i].Program = 0
	}
	one.Shading = &shading
	return one
}

// timesOf is a draw's share of the times of all draws of its program, which have so many
// indices.
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
