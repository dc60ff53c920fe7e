package renderer

import (
	"fmt"
	"image/color"

	"github.com/shadeonce/shadeonce/renderer/picture"
)

// Look is the appearance of a picture, whatever its view. The zero Look is the default.
type Look struct {
	// Light is the light of the counts and batches views. The shaded view is fully lit.
	Light Light

	// Smooth makes the counts view interpolate the colours of a triangle's corners. By default a
	// pixel has the colour of its nearest vertex: the corner with the largest weight.
	Smooth bool

	// Edges is the width of lines along the edges of triangles, in pixels; 0 is none.
	Edges float32

	// Background is the colour where nothing is drawn; zero is picture.Background.
	Background color.RGBA
}

// EdgeWidth is an ordinary width for Look.Edges, in pixels.
const EdgeWidth = 1.125

// maxEdgeWidth bounds Look.Edges, in pixels.
const maxEdgeWidth = 256

// Light says how much light may darken colours.
type Light uint32

// The lights.
const (
	SoftLight Light = iota // at most .15: every colour stays nearest to its own in the legend
	FullLight              // at most .75; the hue stays
	NoLight                // colours equal the legend's
)

// LightNames are the names of the lights, in value order.
var LightNames = []string{"soft", "on", "off"}

func (l Light) String() string { return nameOf(LightNames, uint32(l)) }

// Strength scales the distance of the vertices' light (.25 to 1) from 1: 0 means full light
// everywhere.
func (l Light) Strength() float32 { return [...]float32{0.2, 1, 0}[l] }

// Darkest is what a legend says of the light: the share of a colour that is left where the
// light is weakest, or 0 where every colour stays nearest to its own.
func (l Light) Darkest() float64 { return [...]float64{0, .25, 0}[l] }

// BackgroundColor is the colour where nothing is drawn.
func (l *Look) BackgroundColor() color.RGBA {
	if l.Background != (color.RGBA{}) {
		return l.Background
	}
	return picture.Background
}

func (l *Look) check() error {
	switch {
	case int(l.Light) >= len(LightNames):
		return fmt.Errorf("light %s", l.Light)
	case !(l.Edges >= 0 && l.Edges <= maxEdgeWidth):
		return fmt.Errorf("edge lines of %g pixels: must be 0 to %d", l.Edges, maxEdgeWidth)
	}
	return nil
}

// Weighs reports whether pixels need the weights of their triangle's corners. The graphics
// pipeline then shades three vertices per triangle, and each of them knows which corner it is.
func (f *Frame) Weighs() bool { return f.View == Counts || f.Look.Edges > 0 || f.Textured() }

// Textured reports whether pixels need textures: the view shows them, or their alpha test may drop
// pixels.
func (f *Frame) Textured() bool {
	return f.Scene != nil && f.Scene.Textures != nil && (f.View == Shaded || f.Scene.Masked())
}

// Mark is how a draw is shown. It changes no count.
type Mark uint8

// The marks.
const (
	Plain  Mark = iota
	Hidden      // not visible; culling drops it
	Dimmed      // drawn dimly, next to highlighted draws
)

// Flags returns the shaders' DRAW_* flags.
func (m Mark) Flags() uint32 { return [...]uint32{0, DrawHidden, DrawDimmed}[m] }
