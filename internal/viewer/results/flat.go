package results

import (
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/shaders"
)

// Flat holds triangles over a picture, in pixels from its upper left corner. Later ones lie on top
// and are blended by alpha.
type Flat struct {
	Vertices []shaders.OverlayVertex
	Indices  []uint32 // three vertices a triangle
	Runs     []Run

	U, V float32 // of all vertices: a fully covered texel
}

// Run is a list of triangles with one clip rectangle.
type Run struct {
	Clip           image.Rectangle
	First, Indices int
}

// clip begins a run.
func (f *Flat) clip(r image.Rectangle) { f.Runs = append(f.Runs, Run{Clip: r, First: len(f.Indices)}) }

// triangle adds a triangle to the last run.
func (f *Flat) triangle(a, b, c uint32) {
	f.Indices = append(f.Indices, a, b, c)
	f.Runs[len(f.Runs)-1].Indices += 3
}

func (f *Flat) vertex(x, y float32, c uint32) uint32 {
	f.Vertices = append(f.Vertices, shaders.OverlayVertex{XPx: x, YPx: y, U: f.U, V: f.V, Color: c})
	return uint32(len(f.Vertices) - 1)
}

func (f *Flat) rectangle(left, top, right, bottom float32, c uint32) {
	a := f.vertex(left, top, c)
	f.vertex(right, top, c)
	f.vertex(right, bottom, c)
	f.vertex(left, bottom, c)
	f.triangle(a, a+1, a+2)
	f.triangle(a, a+2, a+3)
}

// line adds a line of a width as a rectangle.
func (f *Flat) line(x0, y0, x1, y1, width float32, c uint32) {
	dx, dy := x1-x0, y1-y0
	length := float32(math.Hypot(float64(dx), float64(dy)))
	if length < 1e-3 {
		return
	}
	sideX, sideY := -dy/length*width/2, dx/length*width/2
	a := f.vertex(x0+sideX, y0+sideY, c)
	f.vertex(x1+sideX, y1+sideY, c)
	f.vertex(x1-sideX, y1-sideY, c)
	f.vertex(x0-sideX, y0-sideY, c)
	f.triangle(a, a+1, a+2)
	f.triangle(a, a+2, a+3)
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

// LevelRamp has the colours of envelope levels, from vertices that stay to those that move the
// whole distance.
func LevelRamp(p picture.Palette) []color.RGBA {
	stops := p.Colors()
	if p == picture.PaperPalette { // its first colour means that all is well
		slices.Reverse(stops[:])
	}
	return picture.Ramp(stops[:], 257)
}
