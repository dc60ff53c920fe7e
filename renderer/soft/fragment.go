package soft

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/renderer"
)

// This file mirrors shaders/include/view.glsl.

// unpackColor returns the RGB of a packed colour (GLSL unpackUnorm4x8).
func unpackColor(packed uint32) [3]float32 {
	var rgb [3]float32
	for i := range rgb {
		rgb[i] = float32(packed>>(8*i)&255) / 255
	}
	return rgb
}

// look holds the constants for the colours of pixels, as in shaders/include/view.glsl.
type look struct {
	view      renderer.View
	smooth    bool
	light     float32 // how much light may darken a colour
	shown     shownLook
	lineWidth uint32 // half the width of lines along edges, in 1/16 pixel
	heat      [6][3]float32
}

// newLook reads the constants of a pass that colours pixels.
func newLook(spec map[string]uint32) (l look) {
	l = look{
		view: renderer.View(spec["VIEW"]), smooth: spec["SMOOTH"] != 0, light: math.Float32frombits(spec["LIGHT"]), lineWidth: spec["EDGES"],
		shown: shownLook{abs: spec["SHOWN_ABS"] != 0, flat: spec["SHOWN_FLAT"] != 0, normals: renderer.View(spec["VIEW"]) == renderer.Normals},
	}
	for i := range l.heat {
		l.heat[i] = unpackColor(spec[heatNames[i]])
	}
	return l
}

var heatNames = [...]string{"HEAT_1", "HEAT_2", "HEAT_3", "HEAT_4", "HEAT_5", "HEAT_6"}

// weights returns the weights of the primitive's corners at a pixel where the edge functions have the values in `at`:
// perspective-correct, and not normalized. If the triangle is not clipped, they are rounded as in raster/resolve.comp.
func (t *triangle) weights(at *[3]int64) (w [3]float32) {
	if t.clipped != nil {
		var sum [3]float64
		for i := range at {
			for k := range sum {
				sum[k] += float64(float64(at[i]) * t.clipped[i][k])
			}
		}
		for k := range w {
			w[k] = float32(sum[k])
		}
		return w
	}
	for i, value := range at {
		w[t.corners[i]] = float32(value) * t.inverseW[i]
	}
	return w
}

// nearest returns the corner with the largest weight, the first among equals.
func nearest(w *[3]float32) int {
	switch {
	case w[0] >= w[1] && w[0] >= w[2]:
		return 0
	case w[1] >= w[2]:
		return 1
	}
	return 2
}

// counted returns the colour of a pixel of the counts view, and its step of the palette.
func (l *look) counted(t *triangle, w [3]float32) (base [3]float32, shows uint8) {
	shows = t.times[nearest(&w)]
	if !l.smooth {
		return l.heat[shows-1], shows
	}
	sum := w[0] + w[1] + w[2]
	for i, times := range t.times {
		for k, c := range l.heat[times-1] {
			base[k] += float32(c * (w[i] / sum))
		}
	}
	return base, shows
}

// onLine reports whether a line along one of the primitive's edges covers the pixel where the edge functions have the values in `at`.
func (l *look) onLine(t *triangle, edges *[3]edgeFunction, at *[3]int64) bool {
	half := float32(l.lineWidth) / 16
	half *= half
	if t.clipped != nil {
		return t.onClippedLine(edges, at, float64(half))
	}
	area := float32(at[0] + at[1] + at[2])
	var longest float32
	near := false
	for i := range edges {
		x, y, value := float32(edges[i].stepX), float32(edges[i].stepY), float32(at[i])
		across := float32(x*x) + float32(y*y)
		longest = max(longest, across)
		near = near || float32(value*value) < float32(half*across)
	}
	lineHeight := float32(l.lineWidth) * 0.375 // three line widths: a triangle less high than that shows no lines
	return near && float32(area*area) >= float32(lineHeight*lineHeight*longest)
}

// onClippedLine is onLine for a triangle that was clipped. The corner weights of the primitive,
// divided by w, are linear in the picture.
func (t *triangle) onClippedLine(edges *[3]edgeFunction, at *[3]int64, half float64) bool {
	for k := range 3 {
		var value, x, y float64
		for i := range edges {
			value += float64(at[i]) * t.clipped[i][k]
			x += float64(edges[i].stepX) * t.clipped[i][k]
			y += float64(edges[i].stepY) * t.clipped[i][k]
		}
		if value*value < half*(x*x+y*y) {
			return true
		}
	}
	return false
}

func (l *look) pixel(to []uint8, base [3]float32, light float32, line bool, shows uint8) {
	if light < 57.5/255 { // of a dimmed draw
		light *= 5
		for k := range base {
			base[k] = float32(storeUnorm8(float32(base[k]*0.2)+0.16)) / 255
		}
	}
	if line {
		for k := range base {
			base[k] *= 0.35
		}
	}
	light = 1 - float32((1-lightStep(light))*l.light)
	for k := range base {
		to[k] = storeUnorm8(base[k] * light)
	}
	to[3] = 255 - shows
}

// lightStep rounds light to 64 steps; NaN and negative light become 0.
func lightStep(light float32) float32 {
	step := float32(light*63) + 0.5
	if !(step >= 0) {
		return 0
	}
	return float32(int32(min(step, 64))) * (1.0 / 63)
}

// storeUnorm8 returns a value as RGBA8 stores it: clamped to 0..1, and rounded to 8 bits.
func storeUnorm8(x float32) uint8 {
	return uint8(packUnorm8(x))
}

// The rest of this file mirrors shaders/include/shown.glsl and weights.glsl, and the function resolve_shown.

// Floats of 21 bits: sign, 6 bits of exponent, 14 of mantissa.
const (
	shownBits   = 21
	shownMost   = 1<<20 - 1
	shownRebias = (127 - 31) << 14
)

func packShown(x float32) uint32 {
	word := math.Float32bits(x)
	magnitude := word & 0x7fffffff
	rounded := (magnitude + 0x100) >> 9
	if magnitude > 0x7f800000 || rounded < shownRebias+1<<14 {
		return 0
	}
	return min(rounded-shownRebias, shownMost) | word>>31<<20
}

func unpackShown(bits uint32) float32 {
	magnitude := bits & shownMost
	if magnitude == 0 {
		return 0
	}
	return math.Float32frombits((magnitude+shownRebias)<<9 | bits&(1<<20)<<11)
}

// storeShown packs a vertex shader's output, or the normal, into the vertex's attributes.
func storeShown(v [3]float32, dimmed bool) [2]uint32 {
	g := packShown(v[1])
	high := g>>(32-shownBits) | packShown(v[2])<<10
	if dimmed {
		high |= 1 << 31
	}
	return [2]uint32{packShown(v[0]) | g<<shownBits, high}
}

func loadShown(stored [2]uint32) [3]float32 {
	return [3]float32{unpackShown(stored[0]), unpackShown(stored[0]>>shownBits | stored[1]<<(32-shownBits)), unpackShown(stored[1] >> 10)}
}

// shownLight returns the light of a vertex in the varying and normals views: less in dimmed draws.
func shownLight(stored [2]uint32) float32 {
	if stored[1]>>31 != 0 {
		return 0.2
	}
	return 1
}

// shownLook says how the varying and normals views map values to colours.
type shownLook struct{ abs, flat, normals bool }

// shown is a triangle of the varying or normals view.
type shown struct {
	corners [3][4]float32 // in clip space
	values  [3]mgl32.Vec3 // by component: its values at the corners
}

// color returns the colour of a pixel of a picture of the given size.
func (s *shown) color(look shownLook, width, height, px, py int) (base [3]float32) {
	weights, _, _ := weightsAt(&s.corners, width, height, px, py)
	for i := range weights {
		weights[i] = max(weights[i], 0)
	}
	sum := dot(&weights, &mgl32.Vec3{1, 1, 1})
	var value mgl32.Vec3
	for k := range value {
		value[k] = s.values[k][0]
		if !look.flat && sum >= leastWeights {
			value[k] = dot(&weights, &s.values[k]) * (1 / sum)
		}
	}
	if look.normals {
		value = unit(&value)
	}
	for k, v := range value {
		if look.normals {
			v = float32(v*0.5) + 0.5
		}
		if look.abs {
			v = max(v, -v)
		}
		base[k] = min(max(v, 0), 1)
	}
	return base
}

const leastWeights = 8.271806125530277e-25

// weightsAt returns the weights of a triangle's corners at a pixel's centre, perspective-correct and
// not normalized, and their change per pixel to the right and down.
func weightsAt(corners *[3][4]float32, width, height, px, py int) (weights, perX, perY mgl32.Vec3) {
	most := uint32(0)
	for c := range corners {
		for _, k := range [...]int{0, 1, 3} {
			most = max(most, math.Float32bits(corners[c][k])&0x7fffffff)
		}
	}
	scale := math.Float32frombits(uint32(min(max(253-int(most>>23), 1), 252)) << 23)
	halfW, halfH := 0.5*float32(width), 0.5*float32(height)
	atX, atY := float32(px)+0.5-halfW, float32(py)+0.5-halfH
	var x, y, w mgl32.Vec3
	for c := range corners {
		p := &corners[c]
		w[c] = p[3] * scale
		x[c] = float32(float32(p[0]*scale)*halfW) - float32(atX*w[c])
		y[c] = float32(float32(p[1]*scale)*halfH) - float32(atY*w[c])
	}
	weights, perX, perY = crossed(&x, &y), crossed(&y, &w), crossed(&w, &x)
	if dot(&weights, &mgl32.Vec3{1, 1, 1}) < 0 {
		return weights.Mul(-1), perX.Mul(-1), perY.Mul(-1)
	}
	return weights, perX, perY
}
