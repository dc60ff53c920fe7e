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
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// A picture's side in pixels: the large one, and the one on the page, which takes every n-th
// pixel.
const (
	pictureSize = thumbStep * 360
	thumbStep   = 3
)

// mostPictureCounts bounds the counts of a scene for which every strategy's counts are kept.
const mostPictureCounts = 1 << 26

// pictureZoom moves closer to the scene than the fitted camera.
const pictureZoom = 1.25

// pictures draws the first of the scenes in focus in four orders, and the other given ones and
// the sphere in two.
func (m *survey) pictures(focus []string) error {
	for i, name := range focus {
		if i > 0 && len(m.Given) == 0 {
			break
		}
		if err := m.drawScene(name, m.pictureOrders(i == 0)); err != nil {
			return err
		}
	}
	for _, s := range m.report.Scenes {
		if s.Paper == "sphere" && !slices.Contains(focus, s.Name) && !m.Quick {
			return m.drawScene(s.Name, m.pictureOrders(false))
		}
	}
	return nil
}

func (m *survey) pictureOrders(first bool) []string {
	if m.Quick || !first {
		return []string{fileOrder, report.PaperOrder}
	}
	return []string{fileOrder, report.PaperOrder, "hoppe", "random"}
}

func (m *survey) drawScene(name string, orders []string) error {
	scene, err := m.open(name)
	if err != nil {
		return err
	}
	if n := scene.DrawVertices(); n > mostPictureCounts {
		m.note("Pictures of %s: its draws have %d vertices, at most %d are drawn here; shadeonce render draws it.", name, n, mostPictureCounts)
		return nil
	}
	for _, o := range orders {
		m.Stage(applied, 1, "drawing %s in %s order", name, o)
		ordered, err := order.Apply(context.Background(), scene, o)
		if err != nil {
			return err
		}
		if err := m.drawOrder(name, o, ordered); err != nil {
			return fmt.Errorf("%s: order %s: %w", m.paths[name], o, err)
		}
	}
	return nil
}

// drawOrder draws one picture for all strategies that shade every vertex alike.
func (m *survey) drawOrder(name, orderName string, s *geometry.Scene) error {
	var drawn []report.Picture
	var counts [][]uint32
	if m.report.Hardware.Measured {
		measured, err := m.drawHardware(s)
		if err != nil {
			return fmt.Errorf("%s: %w", measure.KindHardware, err)
		}
		measured.Scene, measured.Order = name, orderName
		drawn, counts = append(drawn, measured), append(counts, nil)
	}
	for _, strategy := range reuse.Strategies {
		c, err := paperParams(strategy).Resolve(strategy.Name)
		if err != nil {
			return err
		}
		st, own := reuse.Analyze(s, c)
		if at := slices.IndexFunc(counts, func(other []uint32) bool { return slices.Equal(other, own) }); at >= 0 {
			drawn[at].Counters = append(drawn[at].Counters, strategy.Name)
			continue
		}
		p := report.Picture{Scene: name, Order: orderName, Counters: []string{strategy.Name}, Reuse: st.Reuse()}
		err = m.draw(&p, renderer.Frame{Scene: s, Reuse: c}, own, st)
		if renderer.DoesNotFit(err) {
			m.note("Pictures of %s: %s is left out: %v.", name, strategy.Name, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		counts, drawn = append(counts, own), append(drawn, p)
	}
	for i := range drawn {
		drawn[i].Alt = fmt.Sprintf("%s in %s order, coloured by how often %s shaded each vertex", name, orderName, strings.Join(drawn[i].Counters, ", "))
	}
	m.report.Pictures = append(m.report.Pictures, drawn...)
	return nil
}

// drawHardware draws what the device's graphics pipeline shades. The counts are its own; the
// triangles come from a strategy, which changes no pixel.
func (m *survey) drawHardware(s *geometry.Scene) (p report.Picture, err error) {
	counts, _, err := measure.CountHardware(m.backend, s)
	if err != nil {
		return p, err
	}
	c, err := reuse.Resolve("naive", 0, 0)
	if err != nil {
		return p, err
	}
	st := reuse.NewStats(s, counts)
	p.Counters, p.Reuse = []string{measure.KindHardware}, st.Reuse()
	return p, m.draw(&p, renderer.Frame{Scene: s, Reuse: c, Shown: counts}, counts, st)
}

// draw draws the counts view, and checks that the counts are those given.
func (m *survey) draw(p *report.Picture, frame renderer.Frame, want []uint32, st reuse.Stats) error {
	s := frame.Scene
	frame.Width, frame.Height = pictureSize, pictureSize
	if m.report.Run.Backend == cpu {
		frame.Raster = renderer.SoftRaster
	}
	camera := renderer.FitCamera(s.Bounds(), 1)
	camera.Zoom(pictureZoom, s.Bounds())
	out, drawn, err := plan.Render(m.backend, frame, camera, renderer.WantColor|renderer.WantCounts)
	if err != nil {
		return err
	}
	if err := measure.Compare(out.Counts, want); err != nil {
		return err
	}
	if p.PNG, err = encode(thumbnail(out.Color)); err != nil {
		return err
	}
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
