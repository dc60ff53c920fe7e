package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/renderer"
)

// Choice gives the reasons for a plan's strategy and raster host. A reason is empty if the frame itself
// named the strategy or host.
type Choice struct{ Strategy, Raster string }

// String returns one line per reason.
func (c Choice) String() (text string) {
	for _, why := range []string{c.Strategy, c.Raster} {
		if why != "" {
			text += why + "\n"
		}
	}
	return text
}

// Choose returns the frame with its open choices made: the strategy (reuse.Auto), the batch
// (reuse.Config.Fitted) and the raster host (renderer.AutoRaster). New begins with these choices.
//
// auto never picks a strategy that preprocesses the scene. It picks one that keeps all vertices
// only if the queues have room for them.
func Choose(f renderer.Frame, l renderer.Limits) (renderer.Frame, Choice) {
	list := timed(f, l)
	return list[0].frame, list.why(&f, &l)
}

// StrategyName returns the name of the requested strategy.
func (p *Plan) StrategyName() string {
	if name, _, auto := strings.Cut(p.Choice.Strategy, ": "); auto {
		return name
	}
	return p.Frame.StrategyName()
}

// candidate is a way to draw a frame, with all choices made.
type candidate struct {
	frame  renderer.Frame
	parts  []string // names of the frame's parts; the frame's time is the sum of their costs
	micros float64  // expected time on the device
	table  float64  // on a calibrated GPU, micros by GPUCosts if these have all parts; else 0
	sample
}

// keptWithin limits when a GPU's own calibration overrules GPUCosts: the candidate that is fastest by GPUCosts
// stays chosen if, by the calibration, it takes at most keptWithin times as long as the fastest candidate.
// A calibration measures only few frames, and cannot resolve smaller differences.
const keptWithin = 1.05

// sample is a strategy's statistics over batches from all parts of the stream.
type sample struct {
	shaded float64 // vertices shaded per index
	lanes  float64 // lanes in rounds of shading, idle ones included, per index
	rounds float64 // rounds of shading per batch
}

type candidates []candidate

// candidatesFor lists the ways to draw a frame that the device can run. If the frame leaves nothing open,
// or the device can run none, it returns a single candidate, from whose needs New reports what the device lacks.
func candidatesFor(f renderer.Frame, l renderer.Limits) candidates {
	list := waysFor(&f, &l)
	for i := range list {
		list[i].frame.Reuse = bounded(&list[i].frame)
	}
	list = slices.DeleteFunc(list, func(c candidate) bool {
		return excluded(&c.frame) != nil || f.Reuse.Auto && !keeps(&c.frame, &l) || resolve(&c.frame).needs(&c.frame, &l).Check(&l) != nil
	})
	if len(list) == 0 {
		if f.Raster == renderer.AutoRaster {
			f.Raster = renderer.HardwareRaster
		}
		f.Reuse.Auto = false
		f.Reuse = bounded(&f)
		list = candidates{{frame: f}}
	}
	return list
}

// bounded returns the frame's configuration, with the batch limited to what the sink can take. A batch that the user
// chose stays as it is.
func bounded(f *renderer.Frame) reuse.Config {
	c := f.Reuse
	if most := resolve(f).sink.about().most; most != nil && c.FitBatch {
		c.Batch = min(c.Batch, most(c))
	}
	return c
}

// keeps reports whether the queue budget has room for what the sink holds of all of the scene, as a strategy of whole draws
// needs. It returns true for a strategy that streams or without a scene, and false for whole draws with a device budget.
func keeps(f *renderer.Frame, l *renderer.Limits) bool {
	held := resolve(f).sink.about().buffers
	if held == nil || f.Scene == nil {
		return true
	}
	list, sum := held(int64(f.Scene.DrawVertices()), int64(f.Scene.Triangles())), int64(0)
	for _, bytes := range list {
		sum += bytes
	}
	return f.DeviceBudget == 0 && slices.Max(list) <= l.MaxBufferBytes && sum <= cmp.Or(f.QueueBudget, l.QueueBudget())
}

// timed lists the candidates for a frame, with batches fitted to the scene. The fastest comes first, unless keptWithin
// puts the one that is fastest by GPUCosts before it.
func timed(f renderer.Frame, l renderer.Limits) candidates {
	list := candidatesFor(f, l)
	largest := 0.0
	if len(list) > 1 {
		largest = largestBox(&f)
	}
	for i := range list {
		one := &list[i]
		sink := resolve(&one.frame).sink
		if sink.sifts(&one.frame, &l) {
			one.frame.Reuse = one.frame.Reuse.Sifted()
		} else if sink.together(&one.frame, &l) {
			one.frame.Reuse = one.frame.Reuse.Together()
		}
		triangles := f.Scene.Triangles()
		if fitted := sink.about().fitted; fitted != nil {
			triangles = fitted(f.Scene)
		}
		one.frame.Reuse = one.frame.Reuse.Fitted(triangles, l.Multiprocessors)
		if len(list) > 1 {
			one.sample = sink.sample(f.Scene, one.frame.Reuse)
			x := measures(&one.frame, &l, one.sample, largest)
			one.micros = micros(costsOf(&l), one.parts, x, l.Multiprocessors)
			if l.Costs != nil && l.Multiprocessors > 0 && !slices.ContainsFunc(one.parts, unknownTo(&GPUCosts)) {
				one.table = micros(&GPUCosts, one.parts, x, l.Multiprocessors)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.micros, b.micros) })
	usual := 0 // index of the fastest candidate by GPUCosts
	for i, c := range list {
		if c.table > 0 && (list[usual].table == 0 || c.table < list[usual].table) {
			usual = i
		}
	}
	if kept := list[usual]; kept.micros <= keptWithin*list[0].micros {
		list = slices.Insert(slices.Delete(list, usual, usual+1), 0, kept)
	}
	return list
}

// sampled runs a strategy's reference over some batches of a scene, and returns its statistics.
func sampled(s *geometry.Scene, c reuse.Config) sample {
	var indices, shaded, lanes int
	batches := reuse.SampleBatches(s, c)
	for _, batch := range batches {
		indices += len(batch)
		c.Strategy.Reference(c, batch, func(it *reuse.Iteration) {
			shaded, lanes = shaded+len(it.Unique), lanes+it.LaneSlots
		})
	}
	n := float64(max(1, indices))
	return sample{float64(shaded) / n, float64(lanes) / n, float64(lanes) / float64(cmp.Or(c.Lanes, c.Workgroup)*max(1, len(batches)))}
}

// why returns the reason for choosing the first candidate.
func (list candidates) why(f *renderer.Frame, l *renderer.Limits) (c Choice) {
	best := &list[0].frame
	if f.Reuse.Auto {
		c.Strategy = f.Reuse.Name() + ": " + best.Reuse.Strategy.Name + list.whyStrategy(f, l)
	}
	if f.Raster == renderer.AutoRaster && !f.NoRaster && !f.Raw {
		c.Raster = "--raster auto: " + best.Raster.String() + list.whyRaster(f, l)
	}
	return c
}

func (list candidates) whyStrategy(f *renderer.Frame, l *renderer.Limits) string {
	best := &list[0].frame
	i := slices.IndexFunc(list, func(c candidate) bool { return c.frame.Reuse.Strategy != best.Reuse.Strategy })
	if i < 0 {
		return ": the device runs no other candidate"
	}
	j := slices.IndexFunc(list, func(c candidate) bool { return c.shaded < 1 && !c.frame.Reuse.Strategy.WholeDraws })
	found := fmt.Sprintf(": %.0f %% of the indices name a vertex again", 100*(1-list[0].shaded))
	if reusing := &list[max(0, j)]; j >= 0 && !best.Reuse.Strategy.WholeDraws {
		found = fmt.Sprintf(": %.0f %% of the indices repeat within batches of %d", 100*(1-reusing.shaded), reusing.frame.Reuse.Batch)
	}
	return fmt.Sprintf("%s, load %s: %s, %s", found, f.LoadName(), list.compared(i, list[i].frame.Reuse.Strategy.Name), costsOf(l).Source)
}

// compared says how long a candidate would take compared with the first.
func (list candidates) compared(i int, name string) string {
	times := list[i].micros / list[0].micros
	if times < 1 {
		return fmt.Sprintf("%s would take about %.2f times as long, too little to leave what an H200 chooses", name, times)
	}
	return fmt.Sprintf("%s would take about %.2f times as long", name, times)
}

func (list candidates) whyRaster(f *renderer.Frame, l *renderer.Limits) string {
	i := slices.IndexFunc(list, func(c candidate) bool { return c.frame.Raster != list[0].frame.Raster })
	switch {
	case l.Multiprocessors == 0 && l.Costs == nil:
		return ": the device is a CPU, and not calibrated"
	case i < 0:
		return ": no other host is known to be faster here"
	}
	return fmt.Sprintf(": %s on %dx%d pixels, load %s: %s, %s",
		names.Count(f.Scene.Triangles(), "triangle"), f.Width, f.Height, f.LoadName(), list.compared(i, list[i].frame.Raster.String()), costsOf(l).Source)
}
