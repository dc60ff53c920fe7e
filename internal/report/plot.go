package report

import (
	"bytes"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// plotted is a plot: panels side by side, and one legend for all of them.
type plotted struct {
	Name   string // name of its file, without the extension
	Alt    string // what it shows, in one sentence
	panels []panel
	SVG    []byte // set once it is drawn
}

// palette is Okabe and Ito's, whose colours colour-blind readers can distinguish, with a dark grey in place of black.
// Its yellow comes last.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{86, 180, 233, 255}, {213, 94, 0, 255}, {90, 90, 90, 255}, {240, 228, 66, 255},
}

// style is the look of a series: a colour, dashes and a mark. Every other series has a dashed line. From the ninth
// on colours and marks repeat, and lines are dotted.
type style struct {
	color  color.Color
	dashes []vg.Length
	mark   draw.GlyphDrawer
}

func styleOf(i int) style {
	marks := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}}
	s := style{color: palette[i%len(palette)], mark: marks[i%len(marks)]}
	switch {
	case i >= len(palette):
		s.dashes = []vg.Length{vg.Points(2), vg.Points(2)}
	case i%2 == 1: // a line below stays visible between the dashes
		s.dashes = []vg.Length{vg.Points(7), vg.Points(5)}
	}
	return s
}

// merged returns the panel with equal series joined into one, whose name lists theirs: their lines would hide one another.
func (p panel) merged() panel {
	var merged []series
	for _, s := range p.Series {
		if same := first(merged, func(m *series) bool { return slices.Equal(m.X, s.X) && slices.Equal(m.Y, s.Y) }); same != nil {
			same.Name += ", " + s.Name
		} else {
			merged = append(merged, s)
		}
	}
	p.Series = merged
	return p
}

// series is the data that a plot shows in one colour. If X is set, Y has one value for each X, else one for each category.
// NaN means no value.
type series struct {
	Name string
	X, Y []float64
}

// Sizes of plots, in points.
const (
	plotHeight = 250
	labelSize  = 11
	tickSize   = 10
)

// legendSlack scales the measured width of the legend: a reader's sans serif font may be wider than
// the one used for measuring.
const legendSlack = 1.2

// panel is one set of axes with what is drawn on them.
type panel struct {
	Title, X, Y string
	Categories  []string // names of the groups of bars; nil for a plot of lines
	Series      []series
	Marks       []series // the paper's figures, over the bars with the same name
	Line        float64  // Y of a horizontal reference line; NaN for none
	LogX        bool     // the X axis is logarithmic, to base 2
	LogY        bool     // logarithmic Y with bars that start at 1, for ratios
	Top         float64  // the Y axis extends at least to this value
}

// draw draws the panels and the legend into p.SVG.
func (p *plotted) draw() error {
	c := vgsvg.New(vg.Points(760), vg.Points(plotHeight))
	err := paint(c, p.panels)
	var b bytes.Buffer
	if err == nil {
		_, err = c.WriteTo(&b)
	}
	if err != nil {
		return fmt.Errorf("report: plot %s: %w", p.Name, err)
	}
	// Readers without Liberation Sans may have a font with the same metrics.
	p.SVG = bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	return nil
}

// paint draws the panels and the legend on any canvas, so that tests can examine pixels.
func paint(c vg.CanvasSizer, panels []panel) error {
	all := draw.New(c)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.TextStyle.Font = sans(labelSize)
	legend.Padding = vg.Points(3)
	legend.ThumbnailWidth = vg.Points(20)
	plots := make([]*plot.Plot, len(panels))
	for i, p := range panels {
		var err error
		if plots[i], err = p.plot(&legend, i == 0); err != nil {
			return err
		}
	}
	side := legendSlack*legend.Rectangle(all).Size().X + vg.Points(14)
	left := (all.Size().X - side) / vg.Length(len(panels))
	for i, p := range plots {
		p.Draw(draw.Crop(all, left*vg.Length(i), -side-left*vg.Length(len(plots)-1-i), vg.Points(4), -vg.Points(4)))
	}
	legend.Draw(draw.Crop(all, all.Size().X-side+vg.Points(8), 0, 0, -vg.Points(24)))
	return nil
}

func sans(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Points(size)}
}

// plot makes the panel's axes and contents; the first panel fills the legend.
func (p panel) plot(legend *plot.Legend, first bool) (*plot.Plot, error) {
	g := plot.New()
	g.Title.Text, g.X.Label.Text, g.Y.Label.Text = p.Title, p.X, p.Y
	g.Title.TextStyle.Font = sans(12)
	for _, axis := range []*plot.Axis{&g.X, &g.Y} {
		axis.Label.TextStyle.Font = sans(labelSize)
		axis.Tick.Label.Font = sans(tickSize)
		axis.LineStyle.Color = color.Gray{90}
		axis.Tick.LineStyle.Color = color.Gray{90}
	}
	g.X.Padding, g.Y.Padding = vg.Points(6), vg.Points(4)
	g.Y.Tick.Marker = evenTicks{}
	lines := plotter.NewGrid()
	lines.Vertical.Width = 0
	lines.Horizontal.Color = color.Gray{220}
	g.Add(lines)
	entry := func(name string, thumbs ...plot.Thumbnailer) {
		if first {
			legend.Add(name, thumbs...)
		}
	}
	var err error
	if p.Categories != nil {
		err = p.bars(g, entry)
	} else {
		err = p.lines(g, entry)
	}
	if !math.IsNaN(p.Line) {
		level := plotter.NewFunction(func(float64) float64 { return p.Line })
		level.Color, level.Width, level.Dashes = color.Black, vg.Points(1), []vg.Length{vg.Points(2), vg.Points(2)}
		g.Add(level)
		g.Y.Max, g.Y.Min = max(g.Y.Max, p.Line), min(g.Y.Min, p.Line)
	}
	g.Y.Max = max(g.Y.Max, p.Top)
	if p.LogY {
		g.Y.Min, g.Y.Max = g.Y.Min/1.15, g.Y.Max*1.15
		g.Y.Scale, g.Y.Tick.Marker = plot.LogScale{}, ratioTicks(g.Y.Min, g.Y.Max)
	}
	return g, err
}

// lines draws a line per series, with a mark at each point.
func (p panel) lines(g *plot.Plot, entry func(string, ...plot.Thumbnailer)) error {
	ticks := map[float64]bool{}
	for i, s := range p.Series {
		var points plotter.XYs
		for k, x := range s.X {
			if math.IsNaN(s.Y[k]) {
				continue
			}
			ticks[x] = true
			if p.LogX {
				x = math.Log2(x)
			}
			points = append(points, plotter.XY{X: x, Y: s.Y[k]})
		}
		if len(points) == 0 {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		look := styleOf(i)
		// Later lines are thinner, so that coinciding lines stay visible.
		line.Color, line.Dashes, line.Width = look.color, look.dashes, vg.Points(1.2+4.8*(1-float64(i+1)/float64(len(p.Series))))
		marks.Color, marks.Shape, marks.Radius = look.color, look.mark, vg.Points(3)
		g.Add(line, marks)
		entry(s.Name, line, marks)
	}
	if p.LogX {
		g.X.Tick.Marker = powers(ticks)
	}
	return nil
}

// powers puts a tick at each swept value on an axis of base-2 logarithms. If there are many, only some have labels.
func powers(values map[float64]bool) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, v := range slices.Sorted(maps.Keys(values)) {
		label := ""
		if log := math.Log2(v); len(values) <= 8 || log == math.Trunc(log) || math.Mod(v, 3) == 0 && log-math.Trunc(log) < .6 {
			label = strings.TrimSuffix(fmt.Sprintf("%g", v), ".0")
		}
		ticks = append(ticks, plot.Tick{Value: math.Log2(v), Label: label})
	}
	return ticks
}

// ratioTicks returns a tick for each of the ratios .01, .02, .05, .1 .. 500 from `lo` to `hi`.
func ratioTicks(lo, hi float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, v := range []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 50, 100, 200, 500} {
		if v >= lo && v <= hi {
			ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%g ×", v)})
		}
	}
	return ticks
}

// evenTicks labels every step of 1, 2 or 5 times a power of ten, such that an axis has four to
// ten labels.
type evenTicks struct{}

// Ticks implements plot.Ticker.
func (evenTicks) Ticks(lo, hi float64) []plot.Tick {
	if !(hi > lo) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(hi-lo)))
	for _, part := range []float64{1, .5, .2, .1} {
		if (hi-lo)/(step*part) >= 4 {
			step *= part
			break
		}
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: fmt.Sprintf("%.*f", digits, k*step+0)})
	}
	return ticks
}

const groupShare = 0.82 // the share of a category's width that its bars take

// bars is one series of grouped bars, in units of the axes. gonum's own bars have a width in
// points, which would depend on the panel's width.
type bars struct {
	values   []float64 // one per category, NaN for none
	at, of   int       // index of the series, and how many series there are
	color    color.Color
	baseline float64
}

// span returns where the bar of a category begins and ends on the X axis.
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
