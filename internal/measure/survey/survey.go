// Package survey measures what a report shows: the counts of every scene by
// strategies and models, the times of the geometry pass within a budget of time,
// and pictures.
//
// It decides which scenes, orders, sizes and loads are measured; package measure
// measures them, and package report makes the page.
package survey

import (
	"context"
	"fmt"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// cpu is the name of the backend whose times say nothing.
const cpu = "cpu"

// Options say what is measured, and how.
type Options struct {
	Run    report.Run // of which the backend's fields are filled in
	Given  []string   // paths that the user named
	Quick  bool       // fewer orders, loads, runs and pictures
	Runs   int        // that are timed; 0 for the default
	Budget time.Duration
	Open   func(path string) (*geometry.Scene, error)
	// OpenShaded opens a captured frame with the vertex shaders that it holds.
	OpenShaded func(path string) (*geometry.Scene, error)
	// Stage says what is being done, between two shares of the whole. Its context takes
	// the progress.
	Stage func(from, to float64, format string, args ...any) context.Context
	// Failed is told of each file that cannot be opened. It is left out, unless Failed
	// returns an error.
	Failed func(error) error

	Applications *Applications // nil leaves them out
}

// Shares of the time that the parts of a report take, about.
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
	paths   map[string]string // by Scene.Name: what to open
	frames  []frame
	spent   time.Duration // of the budget, before times
}

// Measure measures the scenes at some paths. Counts come first, on all cores;
// then the device has the machine to itself.
func Measure(b plan.Backend, paths []string, o Options) (*report.Report, error) {
	m := &survey{Options: o, backend: b, paths: map[string]string{}, report: &report.Report{Run: o.Run, Sets: &report.Report{}}}
	m.describe()
	hardware, said, err := hardwareCounter(b)
	if err != nil {
		return nil, err
	}
	m.report.Hardware = said
	strategies, err := strategyCounters()
	if err != nil {
		return nil, err
	}
	everything := append(modelCounters(), strategies...)
	if said.Measured {
		everything = append(everything, hardware)
	}
	others := append([]counter{hardware}, strategies...)
	if err := m.countScenes(paths, everything, others); err != nil {
		return nil, err
	}
	focus := report.Focus(m.report.Scenes)
	for i, name := range focus {
		each := (swept - counted) / float64(len(focus))
		m.Stage(counted+each*float64(i), counted+each*float64(i+1), "sweeping %s", name)
		if err := m.countFocus(name, others); err != nil {
			return nil, err
		}
	}
	if err := m.shaders(); err != nil {
		return nil, err
	}
	if err := m.times(); err != nil {
		return nil, err
	}
	if err := m.applications(); err != nil {
		return nil, err
	}
	return m.report, m.pictures(focus)
}

// describe says what the report is made on.
func (m *survey) describe() {
	run, on := &m.report.Run, measure.OnBackend(m.backend)
	run.Quick, run.Backend, run.Device, run.Driver, run.Subgroup = m.Quick, on.Backend, on.Device, on.Driver, on.Subgroup
	if d, ok := m.backend.(interface{ Software() bool }); ok {
		run.Software = d.Software()
	}
}

// note adds a sentence on what was left out.
func (m *survey) note(format string, args ...any) {
	m.report.Notes = append(m.report.Notes, fmt.Sprintf(format, args...))
}

// open opens a scene of the report again: not all scenes are kept in memory.
func (m *survey) open(name string) (*geometry.Scene, error) { return m.Open(m.paths[name]) }
