package survey

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"

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

// thumbStep says which pixels of a picture are on the page: every n-th.
const thumbStep = 3

// mostPictureCounts bounds the counts of a scene for which every strategy's counts are kept.
const mostPictureCounts = 1 << 26

// pictures draws the first of the scenes in focus in four orders, and the other given ones and
// the sphere in two.
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
	if m.Quick || !first {
		return []string{fileOrder, report.PaperOrder}
	}
	return []string{fileOrder, report.PaperOrder, "hoppe", "random"}
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

// drawOrder draws one picture for all strategies that shade every vertex alike.
func (m *survey) drawOrder(name, orderName string, s *geometry.Scene) {
	defer must.Place("%s: order %s", m.paths[name], orderName)
	var drawn []report.Picture
	var counts [][]uint32
	if m.report.Hardware.Measured {
		measured := m.drawHardware(s)
		measured.Scene, measured.Order = name, orderName
		drawn, counts = append(drawn, measured), append(counts, nil)
	}
	for _, c := range strategyCounters() { // as in the tables
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

// drawHardware draws what the device's graphics pipeline shades. The counts are its own; the
// triangles come from a strategy, which changes no pixel.
func (m *survey) drawHardware(s *geometry.Scene) (p report.Picture) {
	defer must.Place(measure.KindHardware)
	counts, _, err := measure.CountHardware(m.backend, s)
	must.OK(err)
	c := must.Get(reuse.Resolve("naive", 0, 0))
	st := must.Get(reuse.NewStats(s, counts))
	p.Counters, p.Reuse = []string{measure.KindHardware}, st.Reuse()
	must.OK(m.draw(&p, renderer.Frame{Scene: s, Reuse: c, Shown: counts}, counts, st))
	return p
}

// draw draws the counts view, and checks that the counts are those given.
func (m *survey) draw(p *report.Picture, frame renderer.Frame, want []uint32, st reuse.Stats) (err error) {
	defer must.Catch(&err)
	s := frame.Scene
	frame.Width, frame.Height = report.PictureSize, report.PictureSize
	if m.report.Run.Backend == cpu {
		frame.Raster = renderer.SoftRaster
	}
	camera := renderer.FitCamera(s.Bounds(), 1)
	camera.Zoom(report.PictureZoom, s.Bounds())
	out, drawn, err := plan.Render(m.backend, frame, camera, renderer.WantColor|renderer.WantCounts)
	if err != nil {
		return err
	}
	must.OK(measure.Compare(out.Counts, want))
	p.PNG = must.Get(encode(thumbnail(out.Color)))
	picture.DrawLegend(out.Color, drawn.Legend(st, &out.Seen))
	p.Large, err = encode(out.Color)
	return err
}

func encode(img image.Image) ([]byte, error) {
	var data bytes.Buffer
	err := png.Encode(&data, img)
	return data.Bytes(), err
}

// thumbnail takes every n-th pixel, so that colours are not mixed.
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

// heatmaps keeps given scenes for the page, as far as it holds them.
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

// heatmap counts a scene in its own order and in the paper's, which keeps vertices' numbers.
func heatmap(name string, s *geometry.Scene, c reuse.Config) report.Heatmap {
	h := report.Heatmap{Scene: name}
	for i := range s.Draws {
		h.Positions, h.Indices = s.AppendWorld(i, h.Positions, h.Indices)
	}
	ordered := must.Get(order.Apply(context.Background(), s, report.PaperOrder))
	_, h.Counts[0] = must.Get2(reuse.Analyze(s, c))
	_, h.Counts[1] = must.Get2(reuse.Analyze(ordered, c))
	return h
}
