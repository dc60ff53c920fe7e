package soft

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// This file mirrors shaders/vertex/displace.vert.

// displace holds the noise's constants.
type displace struct {
	cells  float32 // lattice cells per scene unit
	height float32 // scene units by which noise of 1 moves a vertex
}

func newDisplace(spec map[string]uint32) displace {
	return displace{math.Float32frombits(spec["DISPLACE_CELLS"]), math.Float32frombits(spec["DISPLACE_HEIGHT"])}
}

const displaceOctaves = 4

// latticePrimes spread a cell's coordinates over the bits.
var latticePrimes = [3]uint32{0x8da6b343, 0xd8163841, 0xcb1ab31f}

// displaceRandom returns a number in -1..1, exact in 24 bits, for a lattice point, whose
// coordinates are multiplied and combined before.
func displaceRandom(point uint32) float32 {
	point ^= point >> 15
	point *= 0x2c1b3c6d
	point ^= point >> 13
	point *= 0x297a2d39
	point ^= point >> 16
	return float32(float32(point>>8)*(1.0/8388608.0)) - 1
}

// displaceNoise returns the noise at a position in lattice units: its derivative, and its value,
// in -1..1.
func displaceNoise(place *mgl32.Vec3, octave uint32) (derivative mgl32.Vec3, value float32) {
	var blend, slope [3]float32
	var low, high [3]uint32
	for k, p := range place {
		cell := float32(math.Floor(float64(p)))
		f := p - cell
		blend[k] = float32(float32(f*f)*f) * (float32(f*(float32(f*6)-15)) + 10)
		slope[k] = float32(float32(f*f)*30) * (float32(f*(f-2)) + 1)
		low[k] = uint32(int32(cell)) * latticePrimes[k]
		if k == 0 {
			low[k] += octave * 0x9e3779b1
		}
		high[k] = low[k] + latticePrimes[k]
	}
	var differenceX, alongX [4]float32
	for c, yz := range [4]uint32{low[1] ^ low[2], low[1] ^ high[2], high[1] ^ low[2], high[1] ^ high[2]} {
		left, right := displaceRandom(yz^low[0]), displaceRandom(yz^high[0])
		differenceX[c] = right - left
		alongX[c] = left + float32(blend[0]*differenceX[c])
	}
	var differenceY, alongY, slopeX [2]float32
	for c := range 2 {
		differenceY[c] = alongX[c+2] - alongX[c]
		alongY[c] = alongX[c] + float32(blend[1]*differenceY[c])
		slopeX[c] = differenceX[c] + float32(blend[1]*(differenceX[c+2]-differenceX[c]))
	}
	derivative = mgl32.Vec3{
		float32((slopeX[0] + float32(blend[2]*(slopeX[1]-slopeX[0]))) * slope[0]),
		float32((differenceY[0] + float32(blend[2]*(differenceY[1]-differenceY[0]))) * slope[1]),
		float32((alongY[1] - alongY[0]) * slope[2]),
	}
	return derivative, alongY[0] + float32(blend[2]*(alongY[1]-alongY[0]))
}

func (d *displace) surface(posObject, normalObject *mgl32.Vec3) (pos, normal mgl32.Vec3) {
	var place, gradient mgl32.Vec3
	for k := range place {
		place[k] = float32(posObject[k] * d.cells)
	}
	sum, weight := float32(0), float32(1)
	for octave := range uint32(displaceOctaves) {
		derivative, value := displaceNoise(&place, octave)
		for k := range gradient {
			gradient[k] += derivative[k]
			place[k] *= 2
		}
		sum += float32(value * weight)
		weight *= 0.5
	}
	height, steepness := d.height*sum, d.height*d.cells
	for k := range gradient {
		gradient[k] = float32(gradient[k] * steepness)
	}
	along := dot(&gradient, normalObject)
	for k := range pos {
		pos[k] = posObject[k] + float32(normalObject[k]*height)
		normal[k] = normalObject[k] - (gradient[k] - float32(normalObject[k]*along))
	}
	return pos, normal
}
