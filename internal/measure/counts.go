package measure

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/geometry/reuse/model"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Kinds of counters: what the counts are from.
const (
	KindStrategy = "strategy"
	KindModel    = "model"
	KindHardware = "hardware" // read back from the device's graphics pipeline
)

// Counter is a way to count how often the vertices of a scene are shaded.
type Counter struct {
	Name   string // the strategy, or the model with its parameters
	Kind   string
	Config reuse.Config // of a strategy

	count func(b plan.Backend, s *geometry.Scene, c reuse.Config) (*Counted, error)
}

// Counted is what a counter has counted of a scene.
type Counted struct {
	*Counter
	reuse.Stats
	Draws           []int  // invocations of each draw
	Notice          string // for the user, once all has succeeded
	Backend, Device string // that took part; for a model "model", since nothing ran
}

// Count counts a scene. The backend may be nil for models and references. The
// configuration of what was counted has the batch that suits the backend's device.
func (c *Counter) Count(b plan.Backend, s *geometry.Scene) (*Counted, error) {
	fitted := *c
	fitted.Config = Fitted(b, s, c.Config)
	counted, err := c.count(b, s, fitted.Config)
	if err != nil {
		return nil, err
	}
	counted.Counter, counted.Backend = &fitted, KindModel
	if c.Kind != KindModel && b != nil {
		counted.Backend, counted.Device = b.Name(), b.Device()
	}
	return counted, nil
}

// Fitted is the configuration with the batch that a plan of the backend would choose
// for a scene.
func Fitted(b plan.Backend, s *geometry.Scene, c reuse.Config) reuse.Config {
	if b == nil || !c.FitBatch {
		return c
	}
	return c.Fitted(s.Triangles(), b.Limits().Multiprocessors)
}

// Strategy counts by a strategy's CPU reference, and has the backend confirm the
// counts of every vertex. Of the frame, subgroups and memory are taken.
func Strategy(c reuse.Config, frame renderer.Frame) *Counter {
	return &Counter{c.Strategy.Name, KindStrategy, c, func(b plan.Backend, s *geometry.Scene, c reuse.Config) (*Counted, error) {
		frame.Scene, frame.Reuse, frame.NoRaster = s, c, true
		counted, err := verify(b, frame)
		return counted, About(c.String(), err)
	}}
}

// Reference counts by a strategy's CPU reference only.
func Reference(c reuse.Config) *Counter {
	return &Counter{c.Strategy.Name, KindStrategy, c, func(_ plan.Backend, s *geometry.Scene, c reuse.Config) (*Counted, error) {
		return summarized(reuse.Summarize(s, c)), nil
	}}
}

// Model counts by a model.
func Model(m model.Config) *Counter {
	return &Counter{m.String(), KindModel, reuse.Config{}, func(_ plan.Backend, s *geometry.Scene, _ reuse.Config) (*Counted, error) {
		return summarized(m.Model.Summarize(s, m.Params)), nil
	}}
}

// summarized is what was counted without keeping the count of every vertex.
func summarized(st reuse.Stats, sums []reuse.DrawSum) *Counted {
	counted := &Counted{Stats: st, Draws: make([]int, len(sums))}
	for i, sum := range sums {
		counted.Draws[i] = sum.Invocations
	}
	return counted
}

// draws sums the counts of (draw, vertex) pairs up to those of draws.
func draws(s *geometry.Scene, counts []uint32) []int {
	sums := make([]int, len(s.Draws))
	for i, offset := range reuse.CountOffsets(s) {
		for _, times := range counts[offset:][:s.Draws[i].VertexCount] {
			sums[i] += int(times)
		}
	}
	return sums
}

// verify computes the reference's counts, and compares those of the backend with
// them, of instances once. On the CPU backend there is nothing to compare, and memory
// does not grow with the stream.
func verify(b plan.Backend, f renderer.Frame) (*Counted, error) {
	if b.Name() == cpu {
		return summarized(reuse.Summarize(f.Scene, f.Reuse)), nil
	}
	want, sums, one, counts := reuse.AnalyzeShapes(f.Scene, f.Reuse)
	f.Scene = one
	out, _, err := plan.Render(b, f, renderer.FitCamera(one.Bounds(), 1), renderer.WantCounts)
	if err != nil {
		return nil, err
	}
	return summarized(want, sums), Compare(out.Counts, counts)
}

// Compare holds the counts of a device against the reference's: equal in every
// vertex, or an error that names the first that is not.
func Compare(got, want []uint32) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d counts came back for %d vertices", len(got), len(want))
	}
	differ, first := 0, -1
	for v := range want {
		if got[v] != want[v] {
			if first < 0 {
				first = v
			}
			differ++
		}
	}
	if differ == 0 {
		return nil
	}
	return fmt.Errorf("counts of %d vertices differ from the CPU reference: vertex %d was shaded %d times, the reference says %d",
		differ, first, got[first], want[first])
}
