package measure

import (
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

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

// Hardware is the counter that is no model: the device's own graphics pipeline
// draws, and its vertex shader counts.
func Hardware() *Counter {
	return &Counter{Name: KindHardware, Kind: KindHardware, count: func(b plan.Backend, s *geometry.Scene, _ reuse.Config) (*Counted, error) {
		counts, notice, err := CountHardware(b, s)
		if err != nil {
			return nil, About(KindHardware, err)
		}
		return &Counted{Stats: reuse.NewStats(s, counts), Draws: draws(s, counts), Notice: notice}, nil
	}}
}

// CanCountHardware refuses a backend that cannot count.
func CanCountHardware(b plan.Backend) error {
	if _, can := b.(hardwareCounter); !can {
		return fmt.Errorf("model %s: the %s backend cannot count what a graphics pipeline shades", KindHardware, b.Name())
	}
	return nil
}

// CountHardware counts what the backend's graphics pipeline shades. No reference
// says what it must be; but where the device has both ways to count, the notice
// says whether they disagree.
func CountHardware(b plan.Backend, s *geometry.Scene) (counts []uint32, notice string, err error) {
	if err := CanCountHardware(b); err != nil {
		return nil, "", err
	}
	counter := b.(hardwareCounter)
	counts, invocations, err := counter.HardwareCounts(s)
	if err != nil {
		return nil, "", err
	}
	lacks := counter.HardwareLacks()
	if counts == nil {
		return nil, "", fmt.Errorf("model %s: %s", KindHardware, lacks)
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
