// Package survey measures what a report shows: the counts of every scene by strategies and
// models, the times of the geometry pass within a time budget, and pictures.
//
// It decides which scenes, orders, sizes and loads are measured; package measure measures them,
// and package report makes the page.
package survey

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/renderer"
)

const cpu = "cpu" // the name of the backend whose times are meaningless

// Options say what to measure, and how.
type Options struct {
	Run    report.Run               // Measure fills in its fields about the backend
	Given  []string                 // paths that the user named
	Shown  func(path string) string // returns the name that the page shows for a path; if nil, the page shows paths
	Quick  bool                     // fewer orders, loads, runs and pictures
	Runs   int                      // number of timed runs; 0 means the default
	Budget time.Duration
	Open   func(path string) (*geometry.Scene, error)
	// OpenShaded opens a captured frame with its vertex shaders.
	OpenShaded func(path string) (*geometry.Scene, error)
	// Stage is called when a part of the work begins. During the part the progress of the whole goes from `from` to `to`;
	// format and its arguments name the part. The returned context receives the part's own progress.
	Stage func(from, to float64, format string, args ...any) context.Context
	// Hint is called before work that may take minutes, with a text that names a quicker way; may be nil.
	Hint func(string)
	// Failed is called for each file that cannot be opened. The file is left out, unless Failed
	// returns an error.
	Failed func(error) error

	Applications *Applications // nil leaves them out
}

// When each part of a report ends, as approximate shares of the whole time.
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
	spent   time.Duration // how much of the budget was spent before the method times began
}

// Measure measures the scenes at the given paths. It counts first, on all cores; then it measures times, while
// nothing else runs.
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

// describe records the backend and device that the report is made on.
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

// Applications run the paper's applications on the device, with every strategy. The caller provides them
// as functions, since the code that runs them depends on devices.
type Applications struct {
	Subdivide, Envelope func(context.Context, measure.Subject) ([]measure.ApplicationRow, error)
	Walk                func(context.Context) ([]measure.ApplicationRow, error)
}

// shapes are the paper's scenes of tables 3 and 4.
var shapes = []string{"bunny", "sphere", "buddha"}

// applications runs the applications on the paper's scenes: only subdivision on a Vulkan device that is a
// CPU, and none on the CPU backend.
func (m *survey) applications() {
	a := m.Applications
	if a == nil || m.report.Run.Backend == cpu {
		return
	}
	for _, s := range m.report.Scenes {
		if slices.Contains(shapes, s.Paper) {
			m.shape(m.Stage(timed, applied, "subdividing %s and making its envelope", s.Name), &s)
		}
	}
	if !m.report.Run.Software && a.Walk != nil {
		m.keep(a.Walk(m.Stage(timed, applied, "walking")))
	}
}

// shape runs subdivision on a scene and, unless the device is a CPU, the envelope as well.
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

const thumbStep = 3 // the page shows every thumbStep-th pixel of a picture

const mostPictureCounts = 1 << 26 // scenes with more (draw, vertex) pairs are not drawn, since drawOrder keeps every strategy's counts

// pictures draws the first scene in focus in four orders, and the other given scenes in focus and the
// sphere in two. A quick report draws two orders of each, and no sphere.
func (m *survey) pictures(focus []string) {
	for i, name := range focus {
		if i > 0 && len(m.Given) == 0 {
			break
		}
		m.drawScene(name, m.pictureOrders(i == 0))
	}
	for _, s := range m.report.Scenes {
		if s.Paper == "sphere" && !slices.Contains(focus, s.Name) && !m.Quick {
			m.drawScene(s.Name, m.pictureOrders(false))
			return
		}
	}
}

func (m *survey) pictureOrders(first bool) []string {
	all := []string{fileOrder, report.PaperOrder, "hoppe", "random"}
	if m.Quick || !first {
		return all[:2]
	}
	return all
}

func (m *survey) drawScene(name string, orders []string) {
	scene := must.Get(m.open(name))
	if n := scene.DrawVertices(); n > mostPictureCounts {
		m.note("Pictures of %s: its draws have %d vertices, at most %d are drawn here; shadeonce render draws it.", name, n, mostPictureCounts)
		return
	}
	for _, o := range orders {
		m.Stage(applied, 1, "drawing %s in %s order", name, o)
		m.drawOrder(name, o, must.Get(order.Apply(context.Background(), scene, o)))
	}
}

// drawOrder draws the hardware's counts if it has any, and one picture for each group of strategies with equal counts for every vertex.
func (m *survey) drawOrder(name, orderName string, s *geometry.Scene) {
	defer must.Place("%s: order %s", m.paths[name], orderName)
	var drawn []report.Picture
	var counts [][]uint32
	if m.report.Hardware.Measured {
		measured := m.drawHardware(s)
		measured.Scene, measured.Order = name, orderName
		drawn, counts = append(drawn, measured), append(counts, nil)
	}
	for _, c := range strategyCounters() { // the counters of the tables
		st, own := must.Get2(reuse.Analyze(s, c.Config))
		if at := slices.IndexFunc(counts, func(other []uint32) bool { return slices.Equal(other, own) }); at >= 0 {
			drawn[at].Counters = append(drawn[at].Counters, c.row.Counter)
			continue
		}
		p := report.Picture{Scene: name, Order: orderName, Counters: []string{c.row.Counter}, Reuse: st.Reuse()}
		err := m.draw(&p, renderer.Frame{Scene: s, Reuse: c.Config}, own, st)
		if renderer.DoesNotFit(err) {
			m.note("Pictures of %s: %s is left out: %v.", name, c.row.Counter, err)
			continue
		}
		must.OK(measure.About(c.Config.String(), err))
		counts, drawn = append(counts, own), append(drawn, p)
	}
	for i := range drawn {
		drawn[i].Alt = fmt.Sprintf("%s in %s order, coloured by how often %s shaded each vertex", name, orderName, strings.Join(drawn[i].Counters, ", "))
	}
	m.report.Pictures = append(m.report.Pictures, drawn...)
}

// drawHardware draws the counts of the device's graphics pipeline, by that pipeline alone.
func (m *survey) drawHardware(s *geometry.Scene) (p report.Picture) {
	defer must.Place(measure.KindHardware)
	counts, _, err := measure.CountHardware(m.backend, s)
	must.OK(err)
	st := must.Get(reuse.NewStats(s, counts))
	p.Counters, p.Reuse = []string{measure.KindHardware}, st.Reuse()
	must.OK(m.draw(&p, renderer.Frame{Scene: s, Raw: true, Shown: counts}, nil, st))
	return p
}

// draw draws the counts view of a frame. It returns an error if the counts that it reads back differ from `want`, which is
// nil for a frame that counts nothing.
func (m *survey) draw(p *report.Picture, frame renderer.Frame, want []uint32, st reuse.Stats) (err error) {
	defer must.Catch(&err)
	s := frame.Scene
	frame.Width, frame.Height = report.PictureSize, report.PictureSize
	if m.report.Run.Backend == cpu {
		frame.Raster = renderer.SoftRaster
	}
	outputs := renderer.WantColor
	if want != nil {
		outputs |= renderer.WantCounts
	}
	out, drawn, err := plan.Render(m.backend, frame, renderer.FitCamera(s.Bounds(), 1), outputs)
	if err != nil {
		return err
	}
	must.OK(measure.Compare(out.Counts, want))
	p.PNG = must.Get(encode(thumbnail(out.Color)))
	picture.DrawLegend(out.Color, frame.Look.BackgroundColor(), drawn.Legend(st, &out.Seen))
	p.Large, err = encode(out.Color)
	return err
}

func encode(img image.Image) ([]byte, error) {
	var data bytes.Buffer
	err := png.Encode(&data, img)
	return data.Bytes(), err
}

// thumbnail takes every thumbStep-th pixel, so that colours are not mixed.
func thumbnail(img *image.RGBA) *image.RGBA {
	size := img.Bounds().Size().Div(thumbStep)
	small := image.NewRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			small.SetRGBA(x, y, img.RGBAAt(img.Rect.Min.X+thumbStep*x, img.Rect.Min.Y+thumbStep*y))
		}
	}
	return small
}

// heatmaps adds heatmaps of the given scenes to the page, up to the page's bounds on their number and size. A note names
// each scene that is left out.
func (m *survey) heatmaps() {
	c := must.Get(reuse.Resolve(report.HeatmapStrategy, 0, 0))
	for _, s := range m.report.Scenes {
		switch {
		case !s.Given:
		case s.Triangles > report.HeatmapTriangles || len(m.report.Heatmaps) == report.MostHeatmaps:
			m.note("%s cannot be turned on this page, which holds %d scenes of %d triangles at most; it has %d: the viewer shows it.",
				s.Name, report.MostHeatmaps, report.HeatmapTriangles, s.Triangles)
		default:
			m.report.Heatmaps = append(m.report.Heatmaps, heatmap(s.Name, must.Get(m.open(s.Name)), c))
		}
	}
}

// heatmap counts a scene in its own order and in PaperOrder, which does not renumber vertices.
func heatmap(name string, s *geometry.Scene, c reuse.Config) report.Heatmap {
	h := report.Heatmap{Scene: name}
	for i := range s.Draws {
		h.Positions, h.Indices = s.AppendWorld(i, h.Positions, h.Indices)
	}
	_, h.Counts[0] = must.Get2(reuse.Analyze(s, c))
	_, h.Counts[1] = must.Get2(reuse.Analyze(must.Get(order.Apply(context.Background(), s, report.PaperOrder)), c))
	return h
}
