package soft

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/renderer"
)

// This file mirrors shaders/include/view.glsl.

// unpackColor returns the RGB of a packed colour.
func unpackColor(packed uint32) [3]float32 {
	var rgb [3]float32
	for i := range rgb {
		rgb[i] = float32(packed>>(8*i)&255) * (1.0 / 255)
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

// spot is a pixel's position in its triangle, as in raster/resolve.comp.
type spot struct {
	place   weights
	weights mgl32.Vec3 // those that are not below 0
	sum     float32
}

func (t *triangle) spot(width, height, px, py int) spot {
	p := spot{place: weightsAt(&t.posClip, width, height, px, py)}
	for i, w := range p.place.corners {
		p.weights[i] = max(w, 0)
	}
	if p.sum = dot(&p.weights, &mgl32.Vec3{1, 1, 1}); p.sum < leastWeights {
		p.weights, p.sum = mgl32.Vec3{1, 0, 0}, 1
	}
	return p
}

// light returns the light at the pixel, like resolve_light.
func (p *spot) light(stored *mgl32.Vec3) float32 {
	unit := float32(1.0 / 63)
	steps := dot(stored, &p.weights) * (63.0 / 255)
	if stored[0] < 255*dimmedBelow {
		unit, steps = 1.0/(5*63), dot(stored, &p.weights)*(5*63.0/255)
	}
	step := float32(math.Floor(float64(float32(steps/p.sum) + 0.5)))
	if above := (step + 0.5) * p.sum; above <= steps {
		step++
	} else if below := (step - 0.5) * p.sum; below > steps {
		step--
	}
	return step * unit
}

// dimmedBelow divides the light of dimmed draws from that of others.
const dimmedBelow = 57.5 / 255

// onLine reports whether one of the lines along the triangle's edges covers the pixel.
func (l *look) onLine(p *weights) bool {
	if l.lineWidth == 0 {
		return false
	}
	lineHeight, half := float32(l.lineWidth)*0.375, float32(l.lineWidth)/16 // a triangle less high than three line widths shows no lines
	area := dot(&p.corners, &p.w)
	near := false
	for i, w := range p.w {
		perPixel := float32(p.perX[i]*p.perX[i]) + float32(p.perY[i]*p.perY[i])
		near = near || p.corners[i]*p.corners[i] < half*half*perPixel
		if low := lineHeight*lineHeight*float32(w*w*perPixel) > area*area; low && min(p.w[0], p.w[1], p.w[2]) > 0 {
			return false
		}
	}
	return near
}

// nearest returns the corner with the largest weight, the first among equals.
func nearest(w *mgl32.Vec3) int {
	switch {
	case w[0] >= w[1] && w[0] >= w[2]:
		return 0
	case w[1] >= w[2]:
		return 1
	}
	return 2
}

// counted returns the colour of a pixel of the counts view, and its step of the palette.
func (l *look) counted(t *triangle, p *spot) (base [3]float32, shows uint8) {
	shows = t.times[nearest(&p.weights)]
	if !l.smooth {
		return l.heat[shows-1], shows
	}
	weights := p.weights.Mul(reciprocal(p.sum))
	for k := range base {
		base[k] = dot(&mgl32.Vec3{l.heat[t.times[0]-1][k], l.heat[t.times[1]-1][k], l.heat[t.times[2]-1][k]}, &weights)
	}
	return base, shows
}

func (l *look) pixel(to []uint8, base [3]float32, light float32, line bool, shows uint8) {
	if light < dimmedBelow { // of a dimmed draw
		light *= 5
		for k := range base {
			base[k] = float32(packUnorm8(float32(base[k]*0.2)+0.16)) * (1.0 / 255)
		}
	}
	if line {
		for k := range base {
			base[k] *= 0.35
		}
	}
	light = 1 - float32((1-lightStep(light))*l.light)
	for k := range base {
		to[k] = uint8(packUnorm8(base[k] * light))
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

// shownLight returns a vertex's light in the varying and normals views, of 255: less in dimmed draws.
func shownLight(stored [2]uint32) float32 {
	if stored[1]>>31 != 0 {
		return 51
	}
	return 255
}

// shownLook says how the varying and normals views map values to colours.
type shownLook struct{ abs, flat, normals bool }

// shown is a triangle of the varying or normals view: by component its values at the corners.
type shown [3]mgl32.Vec3

// color returns the colour of a pixel.
func (s *shown) color(look shownLook, p *spot) (base [3]float32) {
	var value mgl32.Vec3
	for k := range value {
		value[k] = s[k][0]
		if !look.flat {
			value[k] = dot(&p.weights, &s[k]) * reciprocal(p.sum)
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

// weights are those of include/weights.glsl.
type weights struct {
	corners, perX, perY, w mgl32.Vec3
}

// weightsAt returns the weights of a triangle's corners at a pixel's centre, perspective-correct and
// not normalized, and their change per pixel to the right and down.
func weightsAt(corners *[3][4]float32, width, height, px, py int) weights {
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
	p := weights{exact.Cross(x, y), exact.Cross(y, w), exact.Cross(w, x), w}
	if dot(&p.corners, &mgl32.Vec3{1, 1, 1}) < 0 {
		return weights{p.corners.Mul(-1), p.perX.Mul(-1), p.perY.Mul(-1), w}
	}
	return p
}
