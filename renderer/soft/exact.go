package soft

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// This file mirrors shaders/include/exact.glsl.

// unit scales v to unit length, within 3 parts in 10 million; vectors close to zero stay short.
func unit(v *mgl32.Vec3) mgl32.Vec3 {
	lengthSquared := max(min(dot(v, v), 1e30), 1e-30)
	halved := 0.5 * lengthSquared
	y := math.Float32frombits(0x5f375a86 - math.Float32bits(lengthSquared)>>1)
	for range 3 {
		y *= 1.5 - float32(float32(halved*y)*y)
	}
	return mgl32.Vec3{v[0] * y, v[1] * y, v[2] * y}
}

// packSnorm16 rounds a number in -1..1 to 16 bits; NaN gives 0.
func packSnorm16(x float32) uint32 {
	if x != x {
		return 0
	}
	scaled := float32(max(min(x, 1), -1)*32767) + 0.5
	return uint32(int32(math.Floor(float64(scaled)))) & 0xffff
}

// packNormal packs a normal at unit length as three snorm16.
func packNormal(normalWorld *mgl32.Vec3) [2]uint32 {
	u := unit(normalWorld)
	return [2]uint32{packSnorm16(u[0]) | packSnorm16(u[1])<<16, packSnorm16(u[2])}
}
