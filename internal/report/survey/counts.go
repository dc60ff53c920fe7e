package survey

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/renderer"
)

// job counts one order of a scene with a list of counters.
type job struct {
	scene    *geometry.Scene
	name     string // Scene.Name in the report
	order    string
	counters []counter
	rows     []report.Reuse
	ctx      context.Context    // receives the progress; nil for none
	frame    bool               // whether it counts a captured frame in its own order, whose draws the report lists
	counted  []*measure.Counted // if frame is set, the counts of the streaming strategies
	err      error
}

// countMemory bounds the total memory of concurrent jobs, in bytes. A job that needs more runs
// alone.
const countMemory = 1 << 30

// bytes estimates the peak memory of a job, at most countMemory: a copy of the indices, what an order
// keeps for each triangle, and the counters' memory for each vertex.
func (j *job) bytes() int64 {
	return min(countMemory, 32*int64(j.scene.IndexStreamLen())+40*int64(j.scene.DrawVertices()))
}

// pool runs jobs concurrently on all cores, in at most countMemory bytes.
type pool struct {
	memory  *semaphore.Weighted
	cores   chan struct{}
	jobs    []*job
	group   sync.WaitGroup
	stopped atomic.Bool
	backend plan.Backend
	fixed   plan.Backend // backend with the limits that it had at the beginning, since free memory changes during the work
	device  sync.Mutex   // a backend does one thing at a time
}

// fixedLimits is a backend whose Limits any goroutine may call.
type fixedLimits struct {
	plan.Backend
	limits renderer.Limits
}

func (f *fixedLimits) Limits() renderer.Limits { return f.limits }

func newPool(b plan.Backend) *pool {
	p := &pool{memory: semaphore.NewWeighted(countMemory), cores: make(chan struct{}, cores.Count()), backend: b}
	if b != nil {
		p.fixed = &fixedLimits{b, b.Limits()}
	}
	return p
}

// start waits until there is room for the job, and starts it.
func (p *pool) start(j *job) {
	weight := j.bytes()
	_ = p.memory.Acquire(context.Background(), weight) // fails only if its context ends
	p.cores <- struct{}{}
	p.jobs = append(p.jobs, j)
	p.group.Go(func() {
		j.err = j.scene.Guard(func() error { return p.run(j) })
		<-p.cores
		p.memory.Release(weight)
	})
}

// run orders the scene and runs the job's counters. Once the pool is stopped, run skips the remaining work.
func (p *pool) run(j *job) error {
	scene, err := order.Apply(context.Background(), j.scene, j.order)
	if err != nil {
		return err
	}
	j.rows = make([]report.Reuse, len(j.counters))
	for i, c := range j.counters {
		if p.stopped.Load() {
			return nil
		}
		counted, err := p.count(c, scene)
		if err != nil {
			return fmt.Errorf("%s: %w", c.row.Counter, err)
		}
		if j.ctx != nil {
			progress.Tell(j.ctx, float64(i+1)/float64(len(j.counters)))
		}
		if j.frame && c.streams() {
			j.counted = append(j.counted, counted)
		}
		row := c.row
		row.Scene, row.Order, row.Stats = j.name, j.order, counted.Stats
		j.rows[i] = row
	}
	j.scene = nil // free the scene while others run
	return nil
}

func (p *pool) count(c counter, s *geometry.Scene) (*measure.Counted, error) {
	if c.Kind == measure.KindHardware {
		p.device.Lock()
		defer p.device.Unlock()
		return c.Count(p.backend, s)
	}
	return c.Count(p.fixed, s)
}

// rows waits for all jobs, and returns their rows in the order in which the jobs started.
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

// countScenes opens the scenes one after another, and counts each with the counters `everything` in
// the paper's order, and with the counters `others` in the other orders.
func (m *survey) countScenes(paths []string, everything, others []counter) (err error) {
	defer must.Catch(&err)
	p := newPool(m.backend)
	for i, path := range paths {
		share := counted / float64(len(paths))
		ctx := m.Stage(share*float64(i), share*float64(i+1), "counting %s, scene %d of %d", path, i+1, len(paths))
		scene, err := m.Open(path)
		if err != nil {
			if err = m.Failed(err); err == nil {
				m.note("%s: it could not be opened.", names.Printable(m.Shown(path)))
				continue
			}
			p.stopped.Store(true)
			p.group.Wait()
			return err
		}
		name := m.addScene(path, scene)
		if m.Hint != nil && !m.Quick {
			m.Hint(measure.SlowHint(scene, "counting", fmt.Sprintf("--quick counts in 2 orders in place of %d", len(m.orders()))))
		}
		each := 1 / float64(len(m.orders()))
		for k, o := range m.orders() {
			counters := others
			if o == report.PaperOrder {
				counters = everything
			}
			at := progress.Part(ctx, each*float64(k), each*float64(k+1))
			p.start(&job{scene: scene, name: name, order: o, counters: counters, frame: scene.Capture != nil && o == fileOrder, ctx: at})
		}
		if scene.Capture != nil {
			m.countSet(p, name, scene, everything)
		}
	}
	rows := must.Get(p.rows())
	for _, j := range p.jobs {
		if j.frame {
			m.frames = append(m.frames, frame{j.name, j.counted})
		}
	}
	enter(m.report, rows)
	enter(m.report.Sets, rows)
	return nil
}

// enter adds to a report the rows about its scenes, and sets Referenced of these scenes.
func enter(r *report.Report, rows []report.Reuse) {
	for _, row := range rows {
		if at := slices.IndexFunc(r.Scenes, func(s report.Scene) bool { return s.Name == row.Scene }); at >= 0 {
			r.Scenes[at].Referenced = row.Stats.Referenced
			r.Reuse = append(r.Reuse, row)
		}
	}
}

// countSet starts counting a frame's low-reuse set in the paper's order, if the frame has both
// such draws and others.
func (m *survey) countSet(p *pool, name string, s *geometry.Scene, counters []counter) {
	chosen, _, err := measure.Below(s, report.LowIdeal)
	if err != nil || len(chosen.Draws) == len(s.Draws) {
		return
	}
	set := report.Scene{
		Name: report.SetName(name), Of: name, Draws: len(chosen.Draws), Vertices: chosen.DrawVertices(), Triangles: chosen.Triangles(),
	}
	m.report.Sets.Scenes = append(m.report.Sets.Scenes, set)
	p.start(&job{scene: chosen, name: set.Name, order: report.PaperOrder, counters: counters})
}

// orders returns the orders in which every scene is counted.
func (m *survey) orders() []string {
	if m.Quick {
		return []string{fileOrder, report.PaperOrder}
	}
	return order.Names()
}

// sceneName returns a built-in scene's name, or a file's name without .gz and .zst. For a frame it also
// removes .zip and the extension of the program that wrote the frame.
func sceneName(path string, frame bool) string {
	if name, ok := strings.CutPrefix(path, "asset:"); ok {
		return name
	}
	endings := []string{".zst", ".gz"}
	if frame {
		endings = slices.Concat(endings, []string{".zip"}, capture.Readers().Extensions())
	}
	name := filepath.Base(path)
	for ext := filepath.Ext(name); ext != name && slices.Contains(endings, strings.ToLower(ext)); ext = filepath.Ext(name) {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// addScene adds a scene to the report under a unique name, and returns that name.
func (m *survey) addScene(path string, s *geometry.Scene) string {
	base := names.Printable(sceneName(path, s.Capture != nil))
	name := base
	for taken := 2; m.paths[name] != ""; taken++ {
		name = fmt.Sprintf("%s (%d)", base, taken)
	}
	m.paths[name] = path
	if text := s.LeftOut(); text != "" {
		m.note("Of %s: %s.", name, names.Printable(text))
	}
	m.report.Scenes = append(m.report.Scenes, report.Scene{
		Name: name, Path: names.Printable(m.Shown(path)), Paper: report.Recognize(len(s.Draws), s.DrawVertices(), s.Triangles()),
		Draws: len(s.Draws), Vertices: s.DrawVertices(), Triangles: s.Triangles(), Frame: s.Capture != nil,
		Given: slices.Contains(m.Given, path),
	})
	return name
}

// countFocus counts how often the vertices of one scene are shaded, for each size in the sweeps. A quick report's call
// histogram needs orders that countScenes has left out: countFocus counts in these, too.
func (m *survey) countFocus(name string, others []counter) {
	scene := must.Get(m.open(name))
	if m.Quick {
		p := newPool(m.backend)
		for _, o := range report.CallOrders {
			if !slices.Contains(m.orders(), o) {
				p.start(&job{scene: scene, name: name, order: o, counters: others})
			}
		}
		m.report.Reuse = append(m.report.Reuse, must.Get(p.rows())...)
	}
	ordered := must.Get(order.Apply(context.Background(), scene, report.PaperOrder))
	all := sweepCounters()
	for _, sweep := range []struct {
		counters []counter
		rows     *[]report.Reuse
	}{{all.lanes, &m.report.Lanes}, {all.batches, &m.report.Batches}, {all.uniques, &m.report.Uniques}} {
		p := newPool(m.backend)
		for _, c := range sweep.counters {
			p.start(&job{scene: ordered, name: name, order: fileOrder, counters: []counter{c}})
		}
		rows := must.Get(p.rows())
		for i := range rows {
			rows[i].Order = report.PaperOrder // the scene is already in this order
		}
		*sweep.rows = append(*sweep.rows, rows...)
	}
}
