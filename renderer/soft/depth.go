package soft

import (
	"math/bits"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// This file mirrors shaders/include/depth.glsl. A depth is a whole number of units of 2^-31. That
// is finer than a float32 above 2^-7, where almost all of a perspective picture is, and whole
// numbers are the same on every device.

const (
	depthBits = 31
	farDepth  = 1 << depthBits // depth of a cleared picture
)

// smallestInverseW is the smallest float32 that no device treats as zero.
const smallestInverseW = 1.0 / (1 << 63) / (1 << 63)

// fixDepth clamps a depth to 0..1 and converts it to fixed point, rounding down.
func fixDepth(z float32) uint32 {
	return uint32(min(max(z, 0), 1) * farDepth)
}

func (r *raster) depths() []float32 {
	return plan.DepthsOf(len(r.depth), func(i int) uint32 { return farDepth - r.depth[i] })
}

// depthPlane is a triangle's depth as a function of its edge functions. Weights are edge functions
// divided by the area, in units of 2^-30. Weights and the weighted sum are rounded down, so that the
// result never leaves the range of the corners' depths.
type depthPlane struct {
	z0, dz1, dz2 int64
	shift        int    // to the left, which brings the area's highest bit to bit 63
	reciprocal   uint64 // 2^63 / the area at 32 bits
}

func newDepthPlane(t *triangle, area int64) depthPlane {
	p := depthPlane{z0: int64(t.z[0]), shift: bits.LeadingZeros64(uint64(area))}
	p.dz1, p.dz2 = int64(t.z[1])-p.z0, int64(t.z[2])-p.z0
	p.reciprocal = (1<<63 - 1) / p.normal(area)
	return p
}

// normal returns the upper 32 bits of a value between 0 and the area, shifted as the area is.
func (p *depthPlane) normal(value int64) uint64 { return uint64(value) << p.shift >> 32 }

// weight converts an edge function to a weight, in units of 2^-30.
func (p *depthPlane) weight(edge int64) int64 {
	return int64(p.normal(edge) * p.reciprocal >> 33)
}

// at returns the depth at a pixel where edge functions 1 and 2 have the values e1 and e2.
func (p *depthPlane) at(e1, e2 int64) uint32 {
	return uint32(p.z0 + (p.weight(e1)*p.dz1+p.weight(e2)*p.dz2)>>30)
}
