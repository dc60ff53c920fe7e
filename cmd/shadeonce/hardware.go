package main

import (
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// hardwareModel is the name of what is no model: the graphics pipeline of the
// device at hand, counted.
const hardwareModel = "hardware"

// hardwareCounter is a backend that can draw a scene by the device's own graphics
// pipeline and count how often that shades each vertex.
type hardwareCounter interface {
	// HardwareCounts returns counts laid out as reuse.Analyze does, nil where the
	// device cannot keep them, and how often its statistics say that the vertex
	// shader ran, 0 where it has none.
	HardwareCounts(s *geometry.Scene) (counts []uint32, invocations uint64, err error)
	// HardwareLacks says in a line which of the two the device lacks.
	HardwareLacks() string
}

// canCountHardware refuses a backend that cannot count.
func canCountHardware(b plan.Backend) error {
	if _, can := b.(hardwareCounter); !can {
		return fmt.Errorf("model %s: the %s backend cannot count what a graphics pipeline shades", hardwareModel, b.Name())
	}
	return nil
}

// countHardware counts what the backend's graphics pipeline shades. That is what
// the device did, and no reference says what it must be; but the two ways to
// count, where the device has both, are to agree.
func countHardware(b plan.Backend, s *geometry.Scene) ([]uint32, string, error) {
	if err := canCountHardware(b); err != nil {
		return nil, "", err
	}
	counter := b.(hardwareCounter)
	counts, invocations, err := counter.HardwareCounts(s)
	if err != nil {
		return nil, "", err
	}
	lacks := counter.HardwareLacks()
	if counts == nil {
		return nil, "", fmt.Errorf("model %s: %s", hardwareModel, lacks)
	}
	if len(counts) != s.DrawVertices() {
		return nil, "", fmt.Errorf("%d counts came back for %d vertices", len(counts), s.DrawVertices())
	}
	sum := uint64(0)
	for n := range slices.Values(counts) {
		sum += uint64(n)
	}
	if lacks == "" && sum != invocations {
		return counts, fmt.Sprintf("hardware: the counts add up to %d invocations, the device's statistics say %d", sum, invocations), nil
	}
	return counts, lacks, nil
}
