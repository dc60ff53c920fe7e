package survey

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/renderer"
)

// Number of timed runs if the user gives none.
const (
	runsGPU      = 25
	runsSoftware = 5
	runsQuick    = 3
)

const timesQueueBudget = 2 << 30 // bytes; the queues hold most scenes completely, as in bench

// largeScene is the least size of the scenes that a CPU device times at fewer loads and in fewer runs.
const largeScene = 100_000 // triangles

// times times every strategy on every scene in the paper's index order, as bench does: first the
// paper's scenes, then the others, small ones first. pace estimates each scene's time. A scene that
// would exceed the budget is left out and named in a note.
func (m *survey) times() {
	if m.report.Run.Backend == cpu {
		return
	}
	whole := m.geometry()
	scenes := slices.Clone(m.report.Scenes)
	slices.SortStableFunc(scenes, func(a, b report.Scene) int {
		if paper := a.Paper != ""; paper != (b.Paper != "") {
			return map[bool]int{true: -1, false: 1}[paper]
		}
		return cmp.Compare(a.Triangles, b.Triangles)
	})
	begin := time.Now()
	var p pace
	var left, reduced []string
	for i := range scenes {
		s, bench := &scenes[i], whole
		if m.report.Run.Software && s.Triangles >= largeScene {
			bench = m.reduced(whole)
		}
		work := float64(s.Triangles) * float64(len(bench.Loads)*(bench.Runs+1))
		if m.spent+time.Since(begin)+p.estimate(len(bench.Loads), work) > m.Budget || m.Budget == 0 {
			left = append(left, s.Name)
			continue
		}
		if len(bench.Loads) < len(whole.Loads) {
			reduced = append(reduced, s.Name)
		}
		share := (timed - shaded) / float64(len(scenes))
		ctx := m.Stage(shaded+share*float64(i), shaded+share*float64(i+1), "timing %s, scene %d of %d", s.Name, i+1, len(scenes))
		start := time.Now()
		m.timeScene(ctx, s.Name, &bench)
		p.learn(len(bench.Loads), work, time.Since(start))
	}
	if len(left) > 0 {
		m.note("Times of %s: with %s for timing (--time-budget) there was no room for them. The paper's scenes are timed first, then the others from small to large.",
			strings.Join(left, ", "), m.Budget)
	}
	if len(reduced) > 0 {
		m.note("Times of %s at all loads: on a device that is a CPU, scenes of %d triangles and more are timed at fewer loads and in fewer runs.",
			strings.Join(reduced, ", "), largeScene)
	}
}

// pace estimates how long timing a scene takes: a fixed warm-up per load, plus the scene's work times a
// rate. The rate was measured on the largest scene so far: times of small scenes say little
// about large ones.
type pace struct {
	work, rate float64 // of the largest scene so far: triangles times rounds, and nanoseconds per unit of work
}

func (p *pace) estimate(loads int, work float64) time.Duration {
	return time.Duration(loads)*measure.WarmUp + time.Duration(p.rate*work)
}

func (p *pace) learn(loads int, work float64, took time.Duration) {
	if work >= p.work {
		p.work, p.rate = work, max(0, float64(took-time.Duration(loads)*measure.WarmUp))/work
	}
}

// reduced returns the loads and runs with which a CPU device times a large scene.
func (m *survey) reduced(g measure.Geometry) measure.Geometry {
	g.Loads = loads(0, 512)
	if m.Runs == 0 {
		g.Runs = runsQuick
	}
	return g
}

// loads returns loads with the given cycles per shaded vertex; 0 stands for the vertex shader that only transforms.
func loads(cycles ...int) []measure.Load {
	list := make([]measure.Load, len(cycles))
	for i, n := range cycles {
		list[i] = measure.Load{Name: (&renderer.Frame{Load: n}).LoadName(), Cycles: n}
	}
	return list
}

// geometry returns what to measure of the geometry pass. It includes the strategies that the device can
// run with the sizes of paperParams, and auto.
func (m *survey) geometry() (g measure.Geometry) {
	g = measure.Geometry{Frame: measure.GeometryFrame(), Loads: loads(0, 256, 512, 1024), Runs: m.timedRuns()}
	g.Frame.QueueBudget = timesQueueBudget
	m.report.TimedAt = map[string]string{}
	g.LeaveOut = func(notice string) { m.note("Times of %s.", notice) }
	if m.Quick {
		g.Loads = loads(0, 512)
	}
	for _, s := range reuse.Strategies {
		p := paperParams(s)
		m.report.TimedAt[s.Name] = flagsOf(p)
		p.FitBatch = true
		c := must.Get(p.Resolve(s.Name))
		if err := plan.Fits(renderer.Frame{Reuse: c, NoRaster: true}, m.backend.Limits()); err != nil {
			m.note("Times of %s: this device cannot run it: %s.", s.Name, err)
			continue
		}
		g.Configs = append(g.Configs, c)
	}
	g.Configs = append(g.Configs, must.Get(reuse.Resolve(reuse.Auto, 0, 0)))
	return g
}

// timedRuns returns how often each pass is timed.
func (m *survey) timedRuns() int {
	switch {
	case m.Runs > 0:
		return m.Runs
	case m.Quick:
		return runsQuick
	case m.report.Run.Software:
		return runsSoftware
	}
	return runsGPU
}

func (m *survey) timeScene(ctx context.Context, name string, g *measure.Geometry) {
	defer must.Place("%s: order %s", m.paths[name], report.PaperOrder)
	scene := must.Get(order.Apply(progress.Silent(ctx), must.Get(m.open(name)), report.PaperOrder))
	rows := must.Get(g.Time(ctx, m.backend, measure.Subject{File: name, Order: report.PaperOrder, Scene: scene}))
	m.report.Times = append(m.report.Times, rows...)
}

const fileOrder = "original" // the name of the file's own order

const shadersPart = 4 // the games' own shaders get 1/shadersPart of the budget

// frame is a captured frame with its counts by strategy, in the game's own order.
type frame struct {
	name    string // Scene.Name in the report
	counted []*measure.Counted
}

// streams reports whether a counter is a streaming strategy, other than the naive ones, at its default sizes.
func (c *counter) streams() bool {
	s := c.Config.Strategy
	return s != nil && c.row.Counter == s.Name && s.Streams() && !strings.HasPrefix(s.Name, report.Baseline)
}

// shaders lists the draws of the captured frames, and times the games' own vertex shaders if
// there is a device.
func (m *survey) shaders() {
	begin := time.Now()
	for i, f := range m.frames {
		share := (shaded - swept) / float64(len(m.frames))
		ctx := m.Stage(swept+share*float64(i), swept+share*float64(i+1), "timing the shaders of %s, frame %d of %d", f.name, i+1, len(m.frames))
		ctx, cancel := context.WithDeadline(ctx, begin.Add(m.Budget/shadersPart))
		err := m.listDraws(ctx, &f)
		cancel()
		must.OK(measure.About(m.paths[f.name], err))
	}
	m.spent = time.Since(begin)
}

// listDraws opens a frame again, with its shaders, and adds a row for each draw and strategy.
func (m *survey) listDraws(ctx context.Context, f *frame) error {
	scene, err := m.OpenShaded(m.paths[f.name])
	if err != nil {
		return err
	}
	return scene.Guard(func() error {
		if len(scene.Draws) != len(f.counted[0].Draws) {
			return geometry.ErrChanged
		}
		of := measure.Subject{File: f.name, Order: fileOrder, Scene: scene}
		rows := measure.AnalyzeDraws(of, f.counted)
		if scene.Shading != nil && m.report.Run.Backend != cpu && m.Budget > 0 {
			err = m.timeDraws(ctx, of, f.counted, rows)
		}
		m.report.Draws = append(m.report.Draws, rows...)
		return err
	})
}

// timeDraws times the shaders of a frame with the strategies. On a CPU device, or for a quick report, it
// times only the strategy with the fewest invocations.
func (m *survey) timeDraws(ctx context.Context, of measure.Subject, counted []*measure.Counted, rows []measure.DrawAnalysis) error {
	if m.Quick || m.report.Run.Software {
		least := slices.MinFunc(counted, func(a, b *measure.Counted) int { return cmp.Compare(a.Invocations, b.Invocations) })
		counted = []*measure.Counted{least}
	}
	timing := measure.Draws{Runs: m.timedRuns()}
	for _, c := range counted {
		f := measure.GeometryFrame()
		f.Reuse = c.Config
		if plan.Fits(f, m.backend.Limits()) == nil { // the method geometry notes the strategies that the device cannot run
			timing.Configs = append(timing.Configs, c.Config)
		}
	}
	if err := m.canShade(of.Scene); err != nil {
		m.note("Times of %s with its own vertex shaders: %v.", of.File, err)
		return nil
	}
	err := timing.Time(ctx, m.backend, of, rows)
	if errors.Is(err, context.DeadlineExceeded) {
		m.note("Times of some draws of %s: in a quarter of the time for timing (--time-budget) there was no room for all vertex shaders of captured frames. The largest are timed first.", of.File)
		return nil
	}
	return err
}

// canShade returns nil if a frame's own vertex shaders can run on the device, else an error that says why not.
func (m *survey) canShade(s *geometry.Scene) (err error) {
	defer must.Catch(&err)
	f := measure.GeometryFrame()
	f.Scene, f.Reuse = s, must.Get(reuse.Resolve(report.Baseline, 0, 0))
	f.Shading = must.Get(shade.Captured.Shading(s, ""))
	_, err = plan.New(f, m.backend.Limits())
	return err
}
