package measure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/model"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shape"
	"github.com/shadeonce/shadeonce/renderer"
)

// Kinds of counters: the source of their counts.
const (
	KindStrategy = "strategy"
	KindModel    = "model"
	KindHardware = "hardware" // read back from the device's graphics pipeline
)

// Counter is a way to count how often the vertices of a scene are shaded.
type Counter struct {
	Name   string // the strategy, or the model with its parameters
	Kind   string
	Config reuse.Config // of a strategy; zero for models and hardware
	GoOn   bool         // CountAll leaves the counter out if the device cannot hold what it needs

	count func(b plan.Backend, s *geometry.Scene, c reuse.Config) (*Counted, error)
}

// Counted is the result of a counter for a scene.
type Counted struct {
	*Counter
	reuse.Stats
	Draws  []reuse.DrawSum
	Notice string // a message for the user, to print once everything has succeeded
	Auto
	Backend, Device string // what counted. Backend is "model" for a model, since nothing ran; the cpu backend has no device
}

// Count counts a scene. The backend may be nil for models and references. The result's
// configuration has the strategy and batch that suit the scene and the backend's device (Chosen).
func (c *Counter) Count(b plan.Backend, s *geometry.Scene) (*Counted, error) {
	fitted := *c
	var picked Auto
	fitted.Config, picked = Chosen(b, s, c.Config)
	counted, err := c.count(b, s, fitted.Config)
	if err != nil {
		return nil, err
	}
	counted.Counter, counted.Backend, counted.Auto = &fitted, KindModel, picked
	if c.Kind != KindModel && b != nil {
		counted.Backend = b.Info().Name
		if counted.Backend != cpu { // the reference's counts are the same on every machine
			counted.Device = b.Info().Device
		}
	}
	return counted, nil
}

// newAuto returns the strategy of c and the reason why auto chose it; zero if the user named a strategy.
func newAuto(c *reuse.Config, why plan.Choice) Auto {
	if why.Strategy == "" {
		return Auto{}
	}
	return Auto{c.Strategy.Name, why.Strategy}
}

// Chosen returns the configuration with the strategy and the batch that a plan of the backend
// would choose for counting a scene. Without a backend or a strategy it returns c unchanged.
func Chosen(b plan.Backend, s *geometry.Scene, c reuse.Config) (reuse.Config, Auto) {
	if b == nil || c.Strategy == nil {
		return c, Auto{}
	}
	f := GeometryFrame()
	f.Scene, f.Reuse = s, c
	chosen, why := plan.Choose(f, b.Limits())
	return chosen.Reuse, newAuto(&chosen.Reuse, why)
}

// Strategy returns a counter that uses a strategy's CPU reference, and compares the backend's counts
// of every vertex with it. frame has the other settings, such as subgroups and memory budgets.
func Strategy(c reuse.Config, frame renderer.Frame) *Counter {
	return &Counter{Name: c.Name(), Kind: KindStrategy, Config: c, count: func(b plan.Backend, s *geometry.Scene, c reuse.Config) (*Counted, error) {
		frame.Scene, frame.Reuse, frame.NoRaster = s, c, true
		counted, err := verify(b, frame)
		return counted, About(c.String(), err)
	}}
}

// Reference returns a counter that uses only a strategy's CPU reference.
func Reference(c reuse.Config) *Counter {
	return &Counter{Name: c.Strategy.Name, Kind: KindStrategy, Config: c, count: func(_ plan.Backend, s *geometry.Scene, c reuse.Config) (*Counted, error) {
		return summarized(reuse.Summarize(s, c))
	}}
}

// Surveyed returns the results of a strategy's CPU reference as a Counted.
func Surveyed(c reuse.Config, st reuse.Stats, draws []reuse.DrawSum) *Counted {
	return &Counted{Stats: st, Draws: draws, Counter: &Counter{Name: c.Name(), Kind: KindStrategy, Config: c}, Backend: cpu}
}

// ModelNames returns the names of the models that ParseModels accepts, and hardware.
func ModelNames() []string { return append(model.Names(), KindHardware) }

// ParseModels makes counters from texts such as lru:32 (see model.Help). The counter for "hardware",
// which is not a model, comes last, wherever the texts name it.
func ParseModels(texts []string) ([]*Counter, error) {
	var list, last []*Counter
	for _, text := range texts {
		name, _, _ := strings.Cut(text, ":")
		switch {
		case text == KindHardware:
			last = []*Counter{Hardware()}
			continue
		case name != model.AllVariants && !slices.Contains(model.Names(), name):
			return nil, names.Unknown("model", name, slices.Concat([]string{"none", model.AllVariants}, ModelNames()))
		}
		configs, err := model.Parse(text)
		if err != nil {
			return nil, err
		}
		for _, m := range configs {
			list = append(list, Model(m))
		}
	}
	return append(list, last...), nil
}

// Model returns a counter that uses a model.
func Model(m model.Config) *Counter {
	return &Counter{Name: m.String(), Kind: KindModel, count: func(_ plan.Backend, s *geometry.Scene, _ reuse.Config) (*Counted, error) {
		st, sums := m.Model.Summarize(s, m.Params)
		return summarized(st, sums, nil)
	}}
}

// summarized returns the result of counting, without the counts of single vertices.
func summarized(st reuse.Stats, sums []reuse.DrawSum, err error) (*Counted, error) {
	return &Counted{Stats: st, Draws: sums}, err
}

// draws adds up the counts of (draw, vertex) pairs by draw.
func draws(s *geometry.Scene, counts []uint32) []reuse.DrawSum {
	sums := referencedOf(s)
	for i, offset := range reuse.CountOffsets(s) {
		for _, times := range counts[offset:][:s.Draws[i].VertexCount] {
			sums[i].Invocations += int(times)
		}
	}
	return sums
}

// verify computes the reference's counts, and compares the backend's counts with them. It counts each
// shape only once for all instances. The CPU backend is the reference itself: there verify only
// summarizes, in memory that does not grow with the stream.
func verify(b plan.Backend, f renderer.Frame) (_ *Counted, err error) {
	defer must.Catch(&err)
	if b.Info().Name == cpu {
		return summarized(reuse.Summarize(f.Scene, f.Reuse))
	}
	want, sums, counts := analyzeShapes(f.Scene, f.Reuse)
	f.Scene = shape.Scene(f.Scene)
	out, _ := must.Get2(plan.Render(b, f, renderer.CountCamera(f.Scene.Bounds()), renderer.WantCounts))
	return summarized(want, sums, Compare(out.Counts, counts))
}

// analyzeShapes returns the statistics of reuse.Analyze, a sum per draw, and the counts of one
// draw per shape.
func analyzeShapes(s *geometry.Scene, c reuse.Config) (st reuse.Stats, sums []reuse.DrawSum, counts []uint32) {
	st, sums = model.SumDraws(s, func(indices []uint32, vertices int) reuse.Stats {
		draw, own := must.Get2(c.Count(indices, vertices))
		counts = append(counts, own...)
		return draw
	})
	return st, sums, counts
}

// Compare compares the counts of a device with the reference's. The error names the first vertex
// that differs.
func Compare(got, want []uint32) error {
	if len(got) != len(want) {
		return fmt.Errorf("the backend returned %d counts for %d vertices", len(got), len(want))
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

// Hardware returns a counter that is not a model: the device's own graphics pipeline draws, and
// its vertex shader counts.
func Hardware() *Counter {
	return &Counter{Name: KindHardware, Kind: KindHardware, count: func(b plan.Backend, s *geometry.Scene, _ reuse.Config) (*Counted, error) {
		counts, notice, err := CountHardware(b, s)
		if err != nil {
			return nil, About(KindHardware, err)
		}
		st, err := reuse.NewStats(s, counts)
		return &Counted{Stats: st, Draws: draws(s, counts), Notice: notice}, err
	}}
}

// CanCountHardware returns an error for a backend that cannot count what its graphics pipeline
// shades.
func CanCountHardware(b plan.Backend) error {
	if info := b.Info(); info.HardwareCounts == nil {
		return fmt.Errorf("model %s: the %s backend cannot count what a graphics pipeline shades", KindHardware, info.Name)
	}
	return nil
}

// CountHardware counts how often the backend's graphics pipeline shades each vertex. There is no reference for it. A
// device may have two ways to count: the notice says if they disagree, or what the device lacks to use both.
func CountHardware(b plan.Backend, s *geometry.Scene) (counts []uint32, notice string, err error) {
	if err := CanCountHardware(b); err != nil {
		return nil, "", err
	}
	info := b.Info()
	counts, invocations, err := info.HardwareCounts(s)
	lacks := info.HardwareLacks
	switch {
	case err != nil:
		return nil, "", err
	case counts == nil:
		return nil, "", fmt.Errorf("model %s: %s", KindHardware, lacks)
	case len(counts) != s.DrawVertices():
		return nil, "", fmt.Errorf("the backend returned %d counts for %d vertices", len(counts), s.DrawVertices())
	}
	sum := uint64(0)
	for _, n := range counts {
		sum += uint64(n)
	}
	if lacks == "" && sum != invocations {
		return counts, fmt.Sprintf("hardware: the counts add up to %d invocations, the device's statistics say %d", sum, invocations), nil
	}
	return counts, lacks, nil
}

// Counting by shape is worthwhile if it saves this many (draw, vertex) pairs or this many indices.
const (
	savedPairs   = 1 << 22
	savedIndices = 3 << 22
)

// ByShape reports whether RenderByShape suits a frame: its counts must not depend on the camera,
// and it must have many instances. It must have no vertex shaders of a user or capture: these belong
// to single draws, and may move each of them differently.
func ByShape(f *renderer.Frame) bool {
	s := f.Scene
	if _, ok := plan.ByShape.Allows(f); !ok {
		return false
	}
	_, pairs := shape.Offsets(s)
	return s.DrawVertices()-pairs >= savedPairs || s.IndexStreamLen()-shape.Indices(s) >= savedIndices
}

// RenderByShape is plan.Render for a frame with many instances. Since the counts of instances are
// equal, the backend counts only the first draw of each shape. To save time and memory, it draws only
// instances that the camera sees. The output has statistics of the whole scene, and no counts.
func RenderByShape(b plan.Backend, f renderer.Frame, camera renderer.Camera, want renderer.Want) (_ *renderer.Output, _ *plan.Plan, err error) {
	defer must.Catch(&err)
	count, shown, draws, why := inShapes(f, camera, b.Limits())
	counted, _ := must.Get2(plan.Render(b, count, renderer.CountCamera(f.Scene.Bounds()), renderer.WantCounts))
	offsets, _ := shape.Offsets(f.Scene)
	own, _ := shape.Offsets(shown.Scene)
	filled := uint32(0)
	for k, i := range draws {
		if own[k] == filled { // the first of its shape
			filled += uint32(copy(shown.Shown[filled:][:f.Scene.Draws[i].VertexCount], counted.Counts[offsets[i]:]))
		}
	}
	out, p := must.Get2(plan.Render(b, shown, camera, want))
	p.Choice.Strategy = why
	counts := counted.Counts // of the first draw of each shape, one after the other
	out.Stats, _ = model.SumDraws(f.Scene, func(indices []uint32, vertices int) reuse.Stats {
		own := counts[:vertices]
		counts = counts[vertices:]
		return must.Get(reuse.StatsOf(indices, own))
	})
	for _, t := range counted.Timings {
		if name, ok := strings.CutPrefix(t.Pass, "geometry:"); ok {
			out.AddTime("count:"+name, t.Duration)
		}
	}
	return out, p, nil
}

// Plans returns the plans of a picture in the order of execution. The last one draws the picture. If it
// shows counts of an earlier plan, its Frame.Shown is not filled yet.
func Plans(b plan.Backend, f renderer.Frame, camera renderer.Camera) (plans []*plan.Plan, err error) {
	frames, why := []renderer.Frame{f}, ""
	if ByShape(&f) {
		count, shown, _, chosen := inShapes(f, camera, b.Limits())
		frames, why = []renderer.Frame{count, shown}, chosen
	}
	for _, f := range frames {
		if f.Raw {
			if direct, err := plan.NewDirect(f.Scene, b.Limits()); err == nil {
				plans = append(plans, direct) // CountHardware executes it
			}
			if f.View == renderer.Counts {
				f.Shown = make([]uint32, f.Scene.DrawVertices())
			}
		}
		p, err := plan.New(f, b.Limits())
		if err != nil {
			return nil, err
		}
		p.Choice.Strategy = cmp.Or(p.Choice.Strategy, why)
		plans = append(plans, p)
	}
	return plans, nil
}

// inShapes splits a frame into two: `count` counts the first draw of each shape, and `shown` draws what the
// camera sees. shown keeps all draws if vertex shaders may move vertices, as a capture's do, or if the frame
// shows batch numbers. The caller fills shown.Shown, the counts by shape. draws has, for each draw of shown,
// its index in f.Scene.Draws. why is the reason for the strategy.
func inShapes(f renderer.Frame, camera renderer.Camera, l renderer.Limits) (count, shown renderer.Frame, draws []int, why string) {
	open := f
	open.ShownByShape = true // rules out strategies of whole draws
	chosen, choice := plan.Choose(open, l)
	f.Reuse = chosen.Reuse // the batch, too, depends on the whole scene
	count, shown = f, f
	count.Scene, count.Marks, count.NoRaster, count.Load = shape.Scene(f.Scene), nil, true, 0
	all := f.View == renderer.Batches || f.VertexShader != renderer.Transform || f.Scene.Capture != nil
	aspect := float32(f.Width) / float32(f.Height)
	for i, box := range f.Scene.DrawBoxes() {
		if all || camera.Sees(box, &f.Scene.Draws[i].Transform, aspect) {
			draws = append(draws, i)
		}
	}
	if len(draws) == 0 {
		draws = []int{slices.IndexFunc(f.Scene.Draws, func(d geometry.Draw) bool { return d.IndexCount > 0 })} // a frame must draw something
	}
	shown.Scene, shown.Marks = f.Scene.Only(draws), nil
	for _, i := range draws {
		if f.Marks != nil {
			shown.Marks = append(shown.Marks, f.Marks[i])
		}
	}
	_, total := shape.Offsets(shown.Scene)
	shown.Shown, shown.ShownByShape = make([]uint32, total), true
	return count, shown, draws, choice.Strategy
}
