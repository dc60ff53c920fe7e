// Package survey measures what a report shows: the counts of every scene by strategies and
// models, the times of the geometry pass within a time budget, and pictures.
//
// It decides which scenes, orders, sizes and loads are measured; package measure measures them,
// and package report makes the page.
package survey

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/report"
)

// cpu is the name of the backend whose times are meaningless.
const cpu = "cpu"

// Options say what is measured, and how.
type Options struct {
	Run    report.Run               // with the backend's fields filled in
	Given  []string                 // paths that the user named
	Shown  func(path string) string // its name on the page; nil shows paths
	Quick  bool                     // fewer orders, loads, runs and pictures
	Runs   int                      // number of timed runs; 0 means the default
	Budget time.Duration
	Open   func(path string) (*geometry.Scene, error)
	// OpenShaded opens a captured frame with its vertex shaders.
	OpenShaded func(path string) (*geometry.Scene, error)
	// Stage says what is being done, between two shares of the whole. Its context receives the
	// progress.
	Stage func(from, to float64, format string, args ...any) context.Context
	// Hint is called before work that may take minutes, and says what is quicker; nil says nothing.
	Hint func(string)
	// Failed is called for each file that cannot be opened. The file is left out, unless Failed
	// returns an error.
	Failed func(error) error

	Applications *Applications // nil leaves them out
}

// Approximate shares of time of the parts of a report.
const (
	counted = .3
	swept   = .4
	shaded  = .5
	timed   = .85
	applied = .92
)

// survey fills a report.
type survey struct {
	Options
	backend plan.Backend
	report  *report.Report
	paths   map[string]string // by Scene.Name: the path to open
	frames  []frame
	spent   time.Duration // of the budget, before times
}

// Measure measures the scenes at some paths. Counts come first, on all cores; then the device has
// the machine to itself.
func Measure(b plan.Backend, paths []string, o Options) (_ *report.Report, err error) {
	defer must.Catch(&err)
	if o.Shown == nil {
		o.Shown = func(path string) string { return path }
	}
	m := &survey{Options: o, backend: b, paths: map[string]string{}, report: &report.Report{Run: o.Run, Sets: &report.Report{}}}
	m.describe()
	hardware, said := hardwareCounters(b)
	m.report.Hardware = said
	strategies := strategyCounters()
	everything := append(modelCounters(), strategies...)
	if said.Measured {
		everything = append(everything, hardware[0])
	}
	others := append(hardware, strategies...)
	must.OK(m.countScenes(paths, everything, others))
	focus := report.Focus(m.report.Scenes)
	for i, name := range focus {
		each := (swept - counted) / float64(len(focus))
		m.Stage(counted+each*float64(i), counted+each*float64(i+1), "sweeping %s", name)
		m.countFocus(name, others)
	}
	m.shaders()
	m.times()
	m.applications()
	m.pictures(focus)
	m.heatmaps()
	return m.report, nil
}

// describe records what the report is made on.
func (m *survey) describe() {
	run, on := &m.report.Run, measure.OnBackend(m.backend)
	run.Quick, run.Backend, run.Device, run.Driver, run.Subgroup = m.Quick, on.Backend, on.Device, on.Driver, on.Subgroup
	run.Software = m.backend.Info().Software
	if run.Deterministic {
		run.Device, run.Driver = "the CPU", "without Vulkan"
	}
}

// note adds a sentence on what was left out.
func (m *survey) note(format string, args ...any) {
	m.report.Notes = append(m.report.Notes, fmt.Sprintf(format, args...))
}

// open opens a scene of the report again, since not all scenes are kept in memory.
func (m *survey) open(name string) (*geometry.Scene, error) { return m.Open(m.paths[name]) }

// Applications run the paper's applications on the device, with every strategy. They are
// functions, since the code that runs them depends on devices.
type Applications struct {
	Subdivide, Envelope func(context.Context, measure.Subject) ([]measure.ApplicationRow, error)
	Walk                func(context.Context) ([]measure.ApplicationRow, error)
}

// shapes are the paper's scenes of tables 3 and 4.
var shapes = []string{"bunny", "sphere", "buddha"}

// applications runs the applications on the paper's scenes. A CPU device only subdivides.
func (m *survey) applications() {
	a := m.Applications
	if a == nil || m.report.Run.Backend == cpu {
		return
	}
	for i := range m.report.Scenes {
		s := &m.report.Scenes[i]
		if !slices.Contains(shapes, s.Paper) {
			continue
		}
		ctx := m.Stage(timed, applied, "subdividing %s and making its envelope", s.Name)
		m.shape(ctx, s)
	}
	if m.report.Run.Software || a.Walk == nil {
		return
	}
	m.keep(a.Walk(m.Stage(timed, applied, "walking")))
}

// shape runs the applications on a mesh.
func (m *survey) shape(ctx context.Context, s *report.Scene) {
	defer must.Place("%s: order %s", m.paths[s.Name], report.PaperOrder)
	scene := must.Get(order.Apply(ctx, must.Get(m.open(s.Name)), report.PaperOrder))
	subject := measure.Subject{File: s.Name, Order: report.PaperOrder, Scene: scene}
	m.keep(m.Applications.Subdivide(ctx, subject))
	if !m.report.Run.Software {
		m.keep(m.Applications.Envelope(ctx, subject))
	}
}

func (m *survey) keep(rows []measure.ApplicationRow, err error) {
	must.OK(err)
	m.report.Applications = append(m.report.Applications, rows...)
}
