package soft

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// This file mirrors shaders/include/shown.glsl and weights.glsl, and resolve_shown.

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

// storeShown returns what a vertex stores of an output.
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

// shownLight is the light of a vertex in these views.
func shownLight(stored [2]uint32) float32 {
	if stored[1]>>31 != 0 {
		return 0.2
	}
	return 1
}

// shownLook says how the varying and the normals view show values.
type shownLook struct{ abs, flat, normals bool }

// shown is a triangle of these views.
type shown struct {
	corners [3][4]float32 // in clip space
	values  [3]mgl32.Vec3 // by component: at the corners
}

// color returns the colour of a pixel of a picture of that size.
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
// not normalized, and by how much they grow per pixel.
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
