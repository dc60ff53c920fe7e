package renderer

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// Look is the appearance of a picture, whatever its view. The zero Look is the default.
type Look struct {
	// Light says how much weak light darkens the colours of the counts and batches views. The shaded
	// view always has FullLight.
	Light Light

	// Smooth makes the counts view interpolate the colours of a triangle's corners. By default a
	// pixel has the colour of its nearest vertex: the corner with the largest weight.
	Smooth bool

	// Edges is the width of lines along the edges of triangles, in pixels; 0 is none.
	Edges float32

	// Range says which values of the varying view are black, and which have full colour.
	Range Range

	// Background is the colour where nothing is drawn; zero is picture.Background.
	Background color.RGBA
}

// EdgeWidth is the width, in pixels, for Look.Edges if the user only switches edges on.
const EdgeWidth = 1.125

// maxEdgeWidth bounds Look.Edges, in pixels.
const maxEdgeWidth = 256

// Light says by which share weak light may darken colours.
type Light uint32

// The lights.
const (
	SoftLight Light = iota // at most .15, so that every colour is still nearest to its own in the legend
	FullLight              // at most .75; the hue does not change
	NoLight                // colours equal the legend's
)

// LightNames are the names of the lights, in the order of the constants.
var LightNames = []string{"soft", "on", "off"}

func (l Light) String() string { return nameOf(LightNames, uint32(l)) }

// Strength says how much weak light darkens colours: light x (.25 to 1) multiplies a colour by
// 1 - Strength*(1-x). 0 means full light everywhere.
func (l Light) Strength() float32 { return [...]float32{0.2, 1, 0}[l] }

// Darkest returns, for a legend, the share of a colour that remains under the weakest light; 0 if
// light keeps every colour nearest to its own step.
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
	case !l.Range.valid():
		return fmt.Errorf("values from %g to %g: want a lesser and a greater number", l.Range.Low, l.Range.High)
	case !(l.Edges >= 0 && l.Edges <= maxEdgeWidth):
		return fmt.Errorf("edge lines of %g pixels: must be 0 to %d", l.Edges, maxEdgeWidth)
	}
	return nil
}

// Range maps values of the varying view to colours. The zero Range shows 0 to 1.
type Range struct {
	Low, High float32 // from black to full colour; both 0 means 0 to 1
	Abs       bool    // shows the magnitudes of interpolated values, from 0 to 1; Low and High must be 0
}

// AbsRange is the text of the Range that shows magnitudes.
const AbsRange = "abs"

// ends returns the values to show as black and as full colour: Low and High, or 0 and 1 if both are 0.
func (r Range) ends() (low, high float32) {
	if r.Low == 0 && r.High == 0 {
		return 0, 1
	}
	return r.Low, r.High
}

// Map returns scale and offset such that value*scale + offset maps Low to 0 and High to 1.
func (r Range) Map() (scale, offset float32) {
	low, high := r.ends()
	scale = 1 / (high - low)
	return scale, -low * scale
}

func (r Range) valid() bool {
	scale, offset := r.Map()
	return scale > 0 && scale-scale == 0 && offset-offset == 0 && !(r.Abs && (r.Low != 0 || r.High != 0))
}

// String returns the range as ParseRange reads it.
func (r Range) String() string {
	if r.Abs {
		return AbsRange
	}
	low, high := r.ends()
	return fmt.Sprintf("%g..%g", low, high)
}

// ParseRange parses LOW..HIGH, or abs.
func ParseRange(text string) (r Range, err error) {
	if text == AbsRange {
		return Range{Abs: true}, nil
	}
	low, high, _ := strings.Cut(text, "..")
	l, err1 := strconv.ParseFloat(low, 32)
	h, err2 := strconv.ParseFloat(high, 32)
	if r = (Range{Low: float32(l), High: float32(h)}); err1 != nil || err2 != nil || !r.valid() || l == h {
		return Range{}, fmt.Errorf("%q: want LOW..HIGH, as -1..1, or %s", text, AbsRange)
	}
	if r == (Range{High: 1}) {
		r = Range{}
	}
	return r, nil
}

// Weighs reports whether pixels need the weights of their triangle's corners. The graphics pipeline
// then shades three vertices per triangle, each of which knows which corner it is.
func (f *Frame) Weighs() bool { return f.View == Counts || f.Look.Edges > 0 || f.Textured() }

// CornersApart reports whether the graphics pipeline draws queues with three vertices per triangle.
// Clip and cull distances need three too, since they are looked up by triangle.
func (f *Frame) CornersApart() bool { return f.Weighs() || f.Distances().Total() > 0 }

// Pulled reports whether the vertex shader fetches vertices itself in a frame that the graphics
// pipeline draws alone: it does if pixels need weights or normals.
func (f *Frame) Pulled() bool { return f.Weighs() || f.View == Normals }

// Textured reports whether pixels need textures: the view shows them, or their alpha test may drop
// pixels.
func (f *Frame) Textured() bool {
	return f.Scene != nil && f.Scene.Textures != nil && (f.View == Shaded || f.Scene.Masked())
}

// Mark says how a draw is shown. It changes counts only in a frame that culls, where hidden draws shade no attributes.
type Mark uint8

// The marks.
const (
	Plain  Mark = iota
	Hidden      // not visible; culling drops its triangles
	Dimmed      // drawn dimly, next to highlighted draws
)

// Flags returns the shaders' DRAW_* flags.
func (m Mark) Flags() uint32 { return [...]uint32{0, DrawHidden, DrawDimmed}[m] }

// FaceCulling says which draws lose their back faces. The values equal the shaders' FACES_*.
type FaceCulling uint32

// The choices.
const (
	FacesOfFile FaceCulling = iota // draws that their file calls one-sided (geometry.Draw.OneSided)
	AllFaces                       // all
	NoFaces                        // none: culling then drops no visible triangle
)

// FaceCullingNames are the names of the choices, as flags spell them, in the order of the constants.
var FaceCullingNames = []string{"file", "all", "none"}

func (c FaceCulling) String() string { return nameOf(FaceCullingNames, uint32(c)) }

// Culling counts the triangles that culling dropped from a frame, and the surviving ones. A
// triangle is counted by the first test that drops it.
type Culling struct {
	Frustum  int // all corners are beyond one side of the view
	ZeroArea int // no area on the subpixel grid
	BackFace int // a back face of a draw that shows none
	NoSample int // its box contains no pixel centre, or only one that it does not cover
	Survived int

	Positioned int // vertices positioned by the geometry passes
	Shaded     int // vertices whose attributes were shaded
}

// Numbers that soft and the shaders share: indices into CullCounts, and a draw's flags.
const (
	CullFrustum, CullZeroArea, CullBackFace = shaders.CullFrustum, shaders.CullZeroArea, shaders.CullBackFace
	CullNoSample, CullSurvived, CullKinds   = shaders.CullNoSample, shaders.CullSurvived, shaders.CullKinds
	CullPositioned, CullShaded, CullCounts  = shaders.CullPositioned, shaders.CullShaded, shaders.CullCounts
	DrawOneSided, DrawMirrored              = shaders.DrawOneSided, shaders.DrawMirrored
	DrawHidden, DrawDimmed, DrawUnshaded    = shaders.DrawHidden, shaders.DrawDimmed, shaders.DrawUnshaded
)

// NewCulling reads a backend's buffer CullCounts. It returns the zero Culling if the buffer is too short.
func NewCulling(counts []uint32) Culling {
	if len(counts) < CullCounts {
		return Culling{}
	}
	at := func(i int) int { return int(counts[i]) }
	return Culling{
		Frustum: at(CullFrustum), ZeroArea: at(CullZeroArea), BackFace: at(CullBackFace),
		NoSample: at(CullNoSample), Survived: at(CullSurvived),
		Positioned: at(CullPositioned), Shaded: at(CullShaded),
	}
}

func (c Culling) String() string {
	return fmt.Sprintf("%d triangles beyond the view, %d back faces, %d without area, %d on no pixel's centre, %d left; %d vertices placed, %d shaded",
		c.Frustum, c.BackFace, c.ZeroArea, c.NoSample, c.Survived, c.Positioned, c.Shaded)
}
