package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Runs of each time where the user names no number.
const (
	runsGPU      = 25
	runsSoftware = 5
	runsQuick    = 3
)

// A device that is a CPU times large scenes at fewer loads, in fewer runs.
const largeScene = 100_000 // triangles

// times times every strategy on every scene, as bench does, in the paper's
// order: first the scenes that the paper has, then the others, small ones first.
// A scene that would overrun the budget, judged by the largest before it, is left
// out and named.
func (m *measurement) times() error {
	if m.backend.Name() == cli.CPU {
		return nil
	}
	whole := m.bench()
	configs, err := m.timed(&whole)
	if err != nil {
		return err
	}
	scenes := slices.Clone(m.report.Scenes)
	slices.SortStableFunc(scenes, func(a, b report.Scene) int {
		return cmp.Or(strings.Compare(paperLast(a), paperLast(b)), cmp.Compare(a.Triangles, b.Triangles))
	})
	begin := time.Now()
	var p pace
	var left, reduced []string
	for i := range scenes {
		s, bench := &scenes[i], whole
		if m.report.Run.Software && s.Triangles >= largeScene {
			bench = m.reduced(whole)
		}
		work := float64(s.Triangles) * float64(len(bench.loads)*(bench.runs+1))
		if time.Since(begin)+p.estimate(len(bench.loads), work) > m.flags.budget || m.flags.budget == 0 {
			left = append(left, s.Name)
			continue
		}
		if len(bench.loads) < len(whole.loads) {
			reduced = append(reduced, s.Name)
		}
		m.say("timing %s, scene %d of %d", s.Name, i+1, len(scenes))
		start := time.Now()
		if err := m.timeScene(s.Name, &bench, configs); err != nil {
			return fmt.Errorf("%s: order %s: %w", m.paths[s.Name], report.PaperOrder, err)
		}
		p.learn(len(bench.loads), work, time.Since(start))
	}
	if len(left) > 0 {
		m.note("Times of %s: with %s for timing (--time-budget) there was no room for them. The paper's scenes are timed first, then the others from small to large.",
			strings.Join(left, ", "), m.flags.budget)
	}
	if len(reduced) > 0 {
		m.note("Times of %s at all loads: on a device that is a CPU, scenes of %d triangles and more are timed at fewer loads and in fewer runs.",
			strings.Join(reduced, ", "), largeScene)
	}
	return nil
}

// pace is how long scenes take to be timed: a warm-up a load whatever the scene,
// and a rate. The rate is that of the most work so far, since what small scenes
// take says little about large ones.
type pace struct {
	work, rate float64 // in triangles times rounds; nanoseconds of each
}

func (p *pace) estimate(loads int, work float64) time.Duration {
	return time.Duration(loads)*warmUp + time.Duration(p.rate*work)
}

func (p *pace) learn(loads int, work float64, took time.Duration) {
	if work >= p.work {
		p.work, p.rate = work, max(0, float64(took-time.Duration(loads)*warmUp))/work
	}
}

// reduced is what a CPU device times of a large scene.
func (m *measurement) reduced(f benchFlags) benchFlags {
	f.loads = []string{renderer.SimpleLoad, "512"}
	if m.flags.runs == 0 {
		f.runs = runsQuick
	}
	return f
}

// paperLast sorts scenes that the paper has ahead of those that it has not.
func paperLast(s report.Scene) string {
	if s.Paper != "" {
		return "a"
	}
	return "b"
}

// note adds a sentence on what was left out.
func (m *measurement) note(format string, args ...any) {
	m.report.Notes = append(m.report.Notes, fmt.Sprintf(format, args...))
}

// bench are the flags that bench would be called with.
func (m *measurement) bench() benchFlags {
	f := benchFlags{runs: cmp.Or(m.flags.runs, m.defaultRuns()), loads: []string{renderer.SimpleLoad, "256", "512", "1024"}}
	if m.flags.quick {
		f.loads = []string{renderer.SimpleLoad, "512"}
	}
	f.Strategies, f.Orders = []string{"all"}, []string{report.PaperOrder}
	f.Given = func(string) bool { return false }
	return f
}

func (m *measurement) defaultRuns() int {
	switch {
	case m.flags.quick:
		return runsQuick
	case m.report.Run.Software:
		return runsSoftware
	}
	return runsGPU
}

// timed are the strategies that the device can run, at their defaults.
func (m *measurement) timed(f *benchFlags) ([]reuse.Config, error) {
	configs, err := f.Configs()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(configs, func(c reuse.Config) bool {
		err := plan.Fits(renderer.Frame{Reuse: c, NoRaster: true}, m.backend.Limits())
		if err != nil {
			m.note("Times of %s: this device cannot run it: %s.", c.Strategy.Name, err)
		}
		return err != nil
	}), nil
}

// timeScene times the strategies on one scene.
func (m *measurement) timeScene(name string, f *benchFlags, configs []reuse.Config) error {
	scene, err := m.open(name)
	if err != nil {
		return err
	}
	if scene, err = order.Apply(context.Background(), scene, report.PaperOrder); err != nil {
		return err
	}
	rows, err := f.benchScene(m.backend, benchFrame(scene), configs)
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		m.report.Times = append(m.report.Times, report.Time{
			Scene: name, Order: report.PaperOrder, Strategy: r.Strategy, Sizes: sizesText(r), Load: r.Load, Queue: r.Queue, Chunks: r.Chunks,
			Ms: r.MsMedian, MsMin: r.MsMin, MsMax: r.MsMax, Runs: r.Runs, Reuse: r.Reuse,
			BatchingMs: r.BatchingMs, Bytes: r.Bytes,
		})
	}
	return nil
}

// benchFrame is the frame that bench times unless told otherwise.
func benchFrame(s *geometry.Scene) renderer.Frame {
	return renderer.Frame{Scene: s, NoRaster: true, View: renderer.NoView, QueueBudget: 2 << 30}
}

// sizesText is how a strategy was run.
func sizesText(r *benchRow) string {
	text := fmt.Sprintf("%s, %d indices", r.Batching, r.Batch)
	switch {
	case r.Lanes > 0 && r.Native:
		return text + fmt.Sprintf(", %d lanes native", r.Lanes)
	case r.Lanes > 0:
		return text + fmt.Sprintf(", %d lanes virtual", r.Lanes)
	case r.Batching == reuse.DynamicBatching.String():
		text += fmt.Sprintf(" / %d vertices", r.Unique)
	}
	return text + fmt.Sprintf(", workgroup %d", r.Workgroup)
}
