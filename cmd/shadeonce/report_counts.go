package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// measurement fills a report.
type measurement struct {
	flags   *reportFlags
	backend plan.Backend
	report  *report.Report
	paths   map[string]string // by Scene.Name: what to open
	say     func(format string, args ...any)
}

// all measures everything that the flags ask for. Counts come first, on all
// cores; then the device has the machine to itself.
func (m *measurement) all(paths []string) error {
	hardware, said, err := reportHardware(m.backend)
	if err != nil {
		return err
	}
	m.report.Hardware = said
	strategies, err := strategyCounters()
	if err != nil {
		return err
	}
	everything := append(modelCounters(), strategies...)
	if said.Measured {
		everything = append(everything, hardware)
	}
	others := append([]counter{hardware}, strategies...)
	if err := m.countScenes(paths, everything, others); err != nil {
		return err
	}
	focus := report.Focus(m.report.Scenes)
	for _, name := range focus {
		if err := m.countFocus(name, others); err != nil {
			return err
		}
	}
	if err := m.times(); err != nil {
		return err
	}
	return m.pictures(focus)
}

// job is one order of a scene, with what counts it and where the rows go.
type job struct {
	scene    *geometry.Scene
	name     string // Scene.Name in the report
	order    string
	counters []counter
	rows     []report.Reuse
	err      error
}

// countMemory bounds what jobs that run at once hold; one that alone needs more
// runs alone.
const countMemory = 1 << 30

// bytes estimates what a job holds at most: a copy of the indices, what an order
// keeps a triangle, and counts and stamps.
func (j *job) bytes() int64 {
	return min(countMemory, 32*int64(j.scene.IndexStreamLen())+40*int64(j.scene.DrawVertices()))
}

// run counts, until the pool is stopped.
func (j *job) run(stopped *atomic.Bool) error {
	scene, err := order.Apply(context.Background(), j.scene, j.order)
	if err != nil {
		return err
	}
	j.rows = make([]report.Reuse, len(j.counters))
	for i, c := range j.counters {
		if stopped.Load() {
			return nil
		}
		row := c.row
		row.Scene, row.Order = j.name, j.order
		if row.Stats, err = c.count(scene); err != nil {
			return fmt.Errorf("%s: %w", row.Counter, err)
		}
		j.rows[i] = row
	}
	j.scene = nil // not kept while others run
	return nil
}

// pool runs jobs on all cores within countMemory.
type pool struct {
	memory  *semaphore.Weighted
	cores   chan struct{}
	jobs    []*job
	group   sync.WaitGroup
	stopped atomic.Bool
}

func newPool() *pool {
	return &pool{memory: semaphore.NewWeighted(countMemory), cores: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// start returns when there is room for the job, and runs it.
func (p *pool) start(j *job) {
	weight := j.bytes()
	_ = p.memory.Acquire(context.Background(), weight) // fails only with its context
	p.cores <- struct{}{}
	p.jobs = append(p.jobs, j)
	p.group.Go(func() {
		j.err = j.run(&p.stopped)
		<-p.cores
		p.memory.Release(weight)
	})
}

// rows waits, and gives the rows of all jobs in the order of their start.
func (p *pool) rows() ([]report.Reuse, error) {
	p.group.Wait()
	var all []report.Reuse
	for _, j := range p.jobs {
		if j.err != nil {
			return nil, fmt.Errorf("%s: order %s: %w", j.name, j.order, j.err)
		}
		all = append(all, j.rows...)
	}
	return all, nil
}

// countScenes opens every scene once, in turn, and counts it in the paper's
// order with everything and in the other orders with those counters.
func (m *measurement) countScenes(paths []string, everything, others []counter) error {
	p, sets := newPool(), &setJobs{}
	for i, path := range paths {
		m.say("counting %s, scene %d of %d", path, i+1, len(paths))
		scene, err := cli.OpenUntilInterrupted(path)
		if err != nil {
			p.stopped.Store(true)
			p.group.Wait()
			return err
		}
		name := m.addScene(path, scene)
		for _, o := range m.orders() {
			counters := others
			if o == report.PaperOrder {
				counters = everything
			}
			p.start(&job{scene: scene, name: name, order: o, counters: counters})
		}
		if scene.Capture != nil {
			m.countSet(p, sets, name, scene, everything)
		}
	}
	rows, err := p.rows()
	rows = sets.take(rows, m.report)
	m.report.Reuse = rows
	for i := range m.report.Scenes {
		for k := range rows {
			if rows[k].Scene == m.report.Scenes[i].Name {
				m.report.Scenes[i].Referenced = rows[k].Stats.Referenced
				break
			}
		}
	}
	return err
}

// orders are those that every scene is counted in.
func (m *measurement) orders() []string {
	if m.flags.quick {
		return []string{report.PaperOrder}
	}
	return order.Names()
}

// sceneName is a file's name without its packing, and of a frame without
// everything that says what wrote it; or a built-in scene's.
func sceneName(path string, frame bool) string {
	if name, ok := strings.CutPrefix(path, "asset:"); ok {
		return name
	}
	endings := []string{".zst", ".gz"}
	if frame {
		endings = append(endings, ".zip")
		endings = append(endings, capture.Readers().Extensions()...)
	}
	name := filepath.Base(path)
	for {
		ext := filepath.Ext(name)
		if ext == name || !slices.Contains(endings, strings.ToLower(ext)) {
			return name
		}
		name = strings.TrimSuffix(name, ext)
	}
}

// addScene enters a scene under a name of its own.
func (m *measurement) addScene(path string, s *geometry.Scene) string {
	base := cli.Printable(sceneName(path, s.Capture != nil))
	name := base
	for taken := 2; m.paths[name] != ""; taken++ {
		name = fmt.Sprintf("%s (%d)", base, taken)
	}
	m.paths[name] = path
	if text := s.LeftOut(); text != "" {
		m.note("Of %s: %s.", name, cli.Printable(text))
	}
	m.report.Scenes = append(m.report.Scenes, report.Scene{
		Name: name, Path: cli.Printable(path), Paper: report.Recognize(len(s.Draws), s.DrawVertices(), s.Triangles()),
		Draws: len(s.Draws), Vertices: s.DrawVertices(), Triangles: s.Triangles(), Frame: s.Capture != nil,
	})
	return name
}

// countFocus counts the sweeps on a scene, and its other orders where
// countScenes has left them out.
func (m *measurement) countFocus(name string, others []counter) error {
	m.say("sweeping %s", name)
	scene, err := m.open(name)
	if err != nil {
		return err
	}
	if m.flags.quick {
		p := newPool()
		for _, o := range report.CallOrders {
			if o != report.PaperOrder {
				p.start(&job{scene: scene, name: name, order: o, counters: others})
			}
		}
		rows, err := p.rows()
		if err != nil {
			return err
		}
		m.report.Reuse = append(m.report.Reuse, rows...)
	}
	ordered, err := order.Apply(context.Background(), scene, report.PaperOrder)
	if err != nil {
		return err
	}
	all := sweepCounters()
	for _, sweep := range []struct {
		counters []counter
		rows     *[]report.Reuse
	}{{all.lanes, &m.report.Lanes}, {all.batches, &m.report.Batches}, {all.uniques, &m.report.Uniques}} {
		p := newPool()
		for _, c := range sweep.counters {
			p.start(&job{scene: ordered, name: name, order: "original", counters: []counter{c}})
		}
		rows, err := p.rows()
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i].Order = report.PaperOrder // the scene already is in it
		}
		*sweep.rows = append(*sweep.rows, rows...)
	}
	return nil
}

// open opens a scene of the report again: scenes are not all kept in memory.
func (m *measurement) open(name string) (*geometry.Scene, error) {
	return cli.OpenUntilInterrupted(m.paths[name])
}
