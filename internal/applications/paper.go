package applications

import (
	"context"

	"github.com/shadeonce/shadeonce/geometry/apps/envelope"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// Paper runs what the paper measured of its applications, by every strategy, with its
// batches where it names any.
type Paper struct{ GPU *gpu.Backend }

// Subdivide refines a mesh once: table 3.
func (p Paper) Subdivide(ctx context.Context, of measure.Subject) ([]Row, error) {
	run, err := p.run(SubdivisionPaper)
	if err != nil {
		return nil, err
	}
	s := Subdivision{Run: run, Levels: 1}
	return rowsOf(&s.Run, s.Do(ctx, of))
}

// Envelope makes the outer envelope of 2 %: table 4.
func (p Paper) Envelope(ctx context.Context, of measure.Subject) ([]Row, error) {
	run, err := p.run(EnvelopePaper)
	if err != nil {
		return nil, err
	}
	e := Envelopes{Run: run, Sides: []envelope.Side{envelope.Outer}, Percent: 2}
	return rowsOf(&e.Run, e.Do(ctx, of))
}

// Walk walks as in section 6.3, with agents as they come and sorted before each step.
// Times are those of a step.
func (p Paper) Walk(ctx context.Context) ([]Row, error) {
	run, err := p.run(WalkPaper)
	if err != nil {
		return nil, err
	}
	w := Walk{Run: run, Agents: 300000, Grid: 256, Steps: 10, Seed: 1, SortEvery: []int{0, 1}}
	if err := w.Do(ctx, ""); err != nil {
		return nil, err
	}
	rows := w.Rows()
	for i := range rows {
		for _, ms := range []*float64{&rows[i].Milliseconds, &rows[i].Sorting, &rows[i].Cutting} {
			*ms /= float64(w.Steps)
		}
	}
	return rows, nil
}

func rowsOf(r *Run, err error) ([]Row, error) {
	if err != nil {
		return nil, err
	}
	return r.Rows(), nil
}

func (p Paper) run(sizes map[string]reuse.Params) (Run, error) {
	run := Run{GPU: p.GPU}
	for _, s := range reuse.Strategies {
		size := sizes[s.Name]
		size.FitBatch = true
		c, err := size.Resolve(s.Name)
		if err != nil {
			return run, err
		}
		run.Configs = append(run.Configs, c)
	}
	return run, nil
}
