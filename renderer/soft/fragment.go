package soft

import (
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// This file is shaders/raster/view.frag.

// hashColor is a colour for a number: neighbours differ.
func hashColor(n uint32) [3]float32 {
	n = (n + 1) * 0x9e3779b1
	n ^= n >> 15
	n *= 0x85ebca77
	n ^= n >> 13
	var rgb [3]float32
	for i := range rgb {
		rgb[i] = float32(64+3*(n>>(8*i)&63)) / 255
	}
	return rgb
}

// unpackColor is the RGB of a packed colour (GLSL unpackUnorm4x8).
func unpackColor(packed uint32) [3]float32 {
	var rgb [3]float32
	for i := range rgb {
		rgb[i] = float32(packed>>(8*i)&255) / 255
	}
	return rgb
}

// heatColors is the scale as the shader unpacks it.
func heatColors(p picture.Palette) (scale [6][3]float32) {
	for i, c := range p.Colors() {
		scale[i] = [3]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255}
	}
	return scale
}

// heatIndex is the step of the heat scale, 0..5.
func heatIndex(heat float32) int {
	switch n := heat + 0.5; {
	case !(n >= 2):
		return 0
	case n >= 6:
		return 5
	default:
		return int(n) - 1
	}
}

// lightStep is light in 64 steps.
func lightStep(light float32) float32 {
	step := float32(light*63) + 0.5
	if !(step >= 0) {
		return 0
	}
	return float32(int32(min(step, 64))) * (1.0 / 63)
}

// storeUnorm8 is how RGBA8 stores a value: to nearest, held within 0..1.
func storeUnorm8(x float32) uint8 {
	return uint8(packUnorm8(x))
}
