package results

import (
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// maxSquares bounds the number of squares per side of a shown grid. In a larger grid each square
// stands for several cells and shows their highest value.
const maxSquares = 512

// Grid lays out a walk's cells as squares in the window.
type Grid struct {
	Area   image.Rectangle // in pixels
	cells  int             // cells per side of the grid
	bundle int             // cells per side of a square
	side   int             // squares per side of the grid
}

// NewGrid fits a grid of cells into a part of the window.
func NewGrid(cells int, room image.Rectangle) Grid {
	g := Grid{cells: cells, bundle: (cells + maxSquares - 1) / maxSquares}
	g.side = (cells + g.bundle - 1) / g.bundle
	wide := max(min(room.Dx(), room.Dy()), 1)
	if wide >= g.side { // squares of whole pixels
		wide -= wide % g.side
	}
	corner := image.Pt((room.Min.X+room.Max.X-wide)/2, (room.Min.Y+room.Max.Y-wide)/2)
	g.Area = image.Rectangle{corner, corner.Add(image.Pt(wide, wide))}
	return g
}

// At returns the cell at a pixel; false outside the grid.
func (g *Grid) At(p image.Point) (x, y int, ok bool) {
	if !p.In(g.Area) {
		return 0, 0, false
	}
	scale := func(from int) int { return min(from*g.side*g.bundle/g.Area.Dx(), g.cells-1) }
	return scale(p.X - g.Area.Min.X), scale(p.Y - g.Area.Min.Y), true
}

// most returns the highest value of a square's cells.
func (g *Grid) most(values []uint32, column, row int) (most uint32) {
	for y := row * g.bundle; y < min((row+1)*g.bundle, g.cells); y++ {
		for x := column * g.bundle; x < min((column+1)*g.bundle, g.cells); x++ {
			most = max(most, values[y*g.cells+x])
		}
	}
	return most
}

// Cells draws a grid in which `paint` gives the colour of each cell's value. Neighbours in a row with the same colour become one rectangle.
func (f *Flat) Cells(g Grid, values []uint32, paint func(uint32) color.RGBA) {
	f.clip(g.Area)
	edge := func(from, at int) float32 { return float32(from) + float32(at)*float32(g.Area.Dx())/float32(g.side) }
	for row := range g.side {
		first, last := 0, color.RGBA{}
		for column := 0; column <= g.side; column++ {
			c := color.RGBA{}
			if column < g.side {
				c = paint(g.most(values, column, row))
			}
			if c == last {
				continue
			}
			if last.A > 0 {
				f.rectangle(edge(g.Area.Min.X, first), edge(g.Area.Min.Y, row), edge(g.Area.Min.X, column), edge(g.Area.Min.Y, row+1), ink(last, 1))
			}
			first, last = column, c
		}
	}
}

// Density returns a function from a number of agents to its colour, on a logarithmic scale up to c.Most.
func (c *Cells) Density(p picture.Palette) func(uint32) color.RGBA {
	ramp := walk.DensityColors(p)
	return func(n uint32) color.RGBA { return ramp[walk.DensityStep(n, c.Most)] }
}

// TimesShaded returns a function from how often a cell was shaded to its colour; 0 is black.
func TimesShaded(p picture.Palette) func(uint32) color.RGBA {
	colors := p.Colors()
	return func(n uint32) color.RGBA {
		if n == 0 {
			return color.RGBA{A: 255}
		}
		return colors[min(int(n), len(colors))-1]
	}
}

// Flat holds triangles over a picture, in pixels from its upper left corner. Later ones lie on top
// and are blended by alpha.
type Flat struct {
	Vertices []shaders.OverlayVertex
	Indices  []uint32 // three vertices a triangle
	Runs     []Run

	U, V float32 // texture coordinates of all vertices: a fully covered texel
}

// Run is a list of triangles with one clip rectangle.
type Run struct {
	Clip           image.Rectangle
	First, Indices int
}

// clip begins a run with a clip rectangle.
func (f *Flat) clip(r image.Rectangle) { f.Runs = append(f.Runs, Run{Clip: r, First: len(f.Indices)}) }

// triangle adds a triangle to the last run.
func (f *Flat) triangle(a, b, c uint32) {
	f.Indices = append(f.Indices, a, b, c)
	f.Runs[len(f.Runs)-1].Indices += 3
}

func (f *Flat) vertex(x, y float32, c uint32) {
	f.Vertices = append(f.Vertices, shaders.OverlayVertex{XPx: x, YPx: y, U: f.U, V: f.V, Color: c})
}

func (f *Flat) rectangle(left, top, right, bottom float32, c uint32) {
	f.quad([4][2]float32{{left, top}, {right, top}, {right, bottom}, {left, bottom}}, c)
}

func (f *Flat) quad(corners [4][2]float32, c uint32) {
	a := uint32(len(f.Vertices))
	for _, p := range corners {
		f.vertex(p[0], p[1], c)
	}
	f.triangle(a, a+1, a+2)
	f.triangle(a, a+2, a+3)
}

// line adds a line of the given width, as a rectangle.
func (f *Flat) line(x0, y0, x1, y1, width float32, c uint32) {
	dx, dy := x1-x0, y1-y0
	length := float32(math.Hypot(float64(dx), float64(dy)))
	if length < 1e-3 {
		return
	}
	sideX, sideY := -dy/length*width/2, dx/length*width/2
	f.quad([4][2]float32{{x0 + sideX, y0 + sideY}, {x1 + sideX, y1 + sideY}, {x1 - sideX, y1 - sideY}, {x0 - sideX, y0 - sideY}}, c)
}

// Fill covers a part of the window with a background.
func (f *Flat) Fill(part image.Rectangle, background color.RGBA) {
	f.clip(part)
	c := ink(background, 1)
	f.rectangle(float32(part.Min.X), float32(part.Min.Y), float32(part.Max.X), float32(part.Max.Y), c)
}

// ink packs a colour and its opacity.
func ink(c color.RGBA, alpha float32) uint32 {
	return uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16 | uint32(255*min(max(alpha, 0), 1)+.5)<<24
}

// LevelRamp returns the colours of envelope levels, from vertices that stay to those that move the
// whole distance.
func LevelRamp(p picture.Palette) []color.RGBA {
	stops := p.Colors()
	if p == picture.PaperPalette { // the palette's first colour, green, marks vertices that move the whole distance
		slices.Reverse(stops[:])
	}
	return picture.Ramp(stops[:], 257)
}
