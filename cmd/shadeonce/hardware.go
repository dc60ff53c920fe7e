package main

import (
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// hardwareModel is the name of what is no model: the graphics pipeline of the
// device at hand, counted.
const hardwareModel = "hardware"

// hardwareCounter is a backend that can draw a scene by the device's own graphics
// pipeline and count how often that shades each vertex.
type hardwareCounter interface {
	// CountHardware returns counts laid out as reuse.Analyze does, and how often
	// the device says that the vertex shader ran.
	CountHardware(s *geometry.Scene) (counts []uint32, invocations int, err error)
}

// canCountHardware refuses a backend that cannot count.
func canCountHardware(b renderer.Backend) error {
	if _, can := b.(hardwareCounter); !can {
		return fmt.Errorf("model %s: the %s backend cannot count what a graphics pipeline shades", hardwareModel, b.Name())
	}
	return nil
}

// countHardware counts what the backend's graphics pipeline shades. That is what
// the device did, and no reference says what it must be; but the two ways to
// count, where the device has both, are to agree.
func countHardware(b renderer.Backend, s *geometry.Scene) ([]uint32, string, error) {
	if err := canCountHardware(b); err != nil {
		return nil, "", err
	}
	counts, invocations, err := b.(hardwareCounter).CountHardware(s)
	if err != nil {
		return nil, "", err
	}
	if len(counts) != s.DrawVertices() {
		return nil, "", fmt.Errorf("%d counts came back for %d vertices", len(counts), s.DrawVertices())
	}
	sum := 0
	for n := range slices.Values(counts) {
		sum += int(n)
	}
	if sum != invocations {
		return counts, fmt.Sprintf("hardware: the counts add up to %d invocations, the device's statistics say %d", sum, invocations), nil
	}
	return counts, "", nil
}
