package main

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

const (
	// orbitDegrees is the turn for a drag over the whole height of the window.
	orbitDegrees = 240
	// zoomStep is the factor of one notch of the wheel.
	zoomStep = 1.15
	// The eye stays within these multiples of the scene's radius from the target,
	// and the target from the scene's centre: beyond, float32 has no digits left.
	nearestEye, furthestEye, furthestTarget = 2e-3, 1e3, 1e2
)

// orbit turns the camera about its target by a drag, in window heights.
func orbit(c *renderer.Camera, dx, dy float64) {
	c.Azimuth = wrapDegrees(float64(c.Azimuth) - dx*orbitDegrees)
	c.Elevation = float32(min(max(float64(c.Elevation)+dy*orbitDegrees, -90), 90))
}

// wrapDegrees brings an angle to -180..180.
func wrapDegrees(a float64) float32 { return float32(math.Remainder(a, 360)) }

// pan moves the target so that the scene follows a drag, in window heights.
func pan(c *renderer.Camera, box geometry.Box, dx, dy float64) {
	visible := 2 * float64(c.Distance) * math.Tan(float64(c.FovY)*math.Pi/360)
	right, up := c.Basis()
	target := c.Target.Sub(right.Mul(float32(dx * visible))).Add(up.Mul(float32(dy * visible)))
	c.Target = heldNear(target, box)
	c.Zoom(1, box) // planes about the new target
}

// zoom moves the eye towards the target by notches of the wheel.
func zoom(c *renderer.Camera, box geometry.Box, notches float64) {
	factor := math.Pow(zoomStep, min(max(notches, -50), 50))
	distance := float64(c.Distance) / factor
	r := float64(radius(box))
	distance = min(max(distance, nearestEye*r), furthestEye*r)
	c.Zoom(float32(float64(c.Distance)/distance), box)
}

func radius(box geometry.Box) float32 { return max(box.Radius(), 1e-20) }

// turnTo looks from a direction, at what was looked at.
func turnTo(c *renderer.Camera, azimuth, elevation float32) {
	c.Azimuth, c.Elevation = azimuth, elevation
}

// isometric is the elevation from which a cube's edges look equally long.
var isometric = mgl32.RadToDeg(float32(math.Atan(math.Sqrt2 / 2)))
