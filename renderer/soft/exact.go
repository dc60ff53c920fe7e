package soft

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// This file is shaders/include/exact.glsl.

// unit is v at unit length, within 3 parts in 10 million; what is next to zero
// stays short.
func unit(v *mgl32.Vec3) mgl32.Vec3 {
	lengthSquared := max(min(dot(v, v), 1e30), 1e-30)
	halved := 0.5 * lengthSquared
	y := math.Float32frombits(0x5f375a86 - math.Float32bits(lengthSquared)>>1)
	for range 3 {
		y *= 1.5 - float32(float32(halved*y)*y)
	}
	return mgl32.Vec3{v[0] * y, v[1] * y, v[2] * y}
}

// packSnorm16 is a number within -1..1 in 16 bits, to nearest; 0 where it is none.
func packSnorm16(x float32) uint32 {
	if x != x {
		return 0
	}
	scaled := float32(max(min(x, 1), -1)*32767) + 0.5
	return uint32(int32(math.Floor(float64(scaled)))) & 0xffff
}

// packNormal is a normal at unit length, three times snorm16.
func packNormal(normalWorld *mgl32.Vec3) [2]uint32 {
	u := unit(normalWorld)
	return [2]uint32{packSnorm16(u[0]) | packSnorm16(u[1])<<16, packSnorm16(u[2])}
}
