package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// groupShare is the share of a category's width that its bars take.
const groupShare = 0.82

// bars is one series of grouped bars, in units of the axes. gonum's own bars have a width in
// points, which would depend on the panel's width.
type bars struct {
	values   []float64 // one per category, NaN for none
	at, of   int       // number of the series, and number of all series
	color    color.Color
	baseline float64
}

// span returns where the bar of a category begins and ends.
func (b bars) span(category int) (lo, hi float64) {
	width := groupShare / float64(b.of)
	lo = float64(category) - groupShare/2 + width*float64(b.at)
	return lo, lo + width*0.94
}

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for k, v := range b.values {
		if math.IsNaN(v) {
			continue
		}
		lo, hi := b.span(k)
		corners := []vg.Point{{X: x(lo), Y: y(b.baseline)}, {X: x(hi), Y: y(b.baseline)}, {X: x(hi), Y: y(v)}, {X: x(lo), Y: y(v)}}
		c.FillPolygon(b.color, c.ClipPolygonXY(corners))
	}
}

// DataRange implements plot.DataRanger.
func (b bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	ymin, ymax = b.baseline, b.baseline
	for _, v := range b.values {
		if !math.IsNaN(v) {
			ymin, ymax = min(ymin, v), max(ymax, v)
		}
	}
	return -0.5, float64(len(b.values)) - 0.5, ymin, ymax
}

// Thumbnail implements plot.Thumbnailer.
func (b bars) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.color, []vg.Point{
		{X: c.Min.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Min.X, Y: c.Max.Y},
	})
}

// bars draws groups of bars, a group per category, and the paper's figures as rings over the bars
// with the same name.
func (p panel) bars(g *plot.Plot, entry func(string, ...plot.Thumbnailer)) error {
	var rings plotter.XYs
	for i, s := range p.Series {
		chart := bars{values: s.Y, at: i, of: len(p.Series), color: styleOf(i).color}
		if p.LogY {
			chart.baseline = 1
		}
		g.Add(chart)
		entry(s.Name, chart)
		for _, m := range p.Marks {
			for k, y := range m.Y {
				if lo, hi := chart.span(k); m.Name == s.Name && !math.IsNaN(y) {
					rings = append(rings, plotter.XY{X: (lo + hi) / 2, Y: y})
				}
			}
		}
	}
	g.NominalX(p.Categories...)
	g.X.Tick.Label.Font = sans(tickSize)
	g.X.Min, g.X.Max = -0.5, float64(len(p.Categories))-0.5
	if len(rings) == 0 {
		return nil
	}
	scatter, err := plotter.NewScatter(rings)
	if err != nil {
		return err
	}
	scatter.GlyphStyle = draw.GlyphStyle{Color: color.Black, Radius: vg.Points(3), Shape: draw.RingGlyph{}}
	g.Add(scatter)
	entry("the paper", scatter)
	return nil
}
