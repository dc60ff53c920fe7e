package geometry

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
)

// MaxCopiedDraws is how many draws a scene of copies may have.
const MaxCopiedDraws = 100_000

// Copies is a scene of n instances of this one, side by side on a square grid in
// the plane of X and Z, row after row. The draws of all share the pools of this
// scene. One instance is the scene itself.
func (s *Scene) Copies(n int) (*Scene, error) {
	if n == 1 {
		return s, nil
	}
	// Divided, so that nothing overflows.
	switch {
	case n < 1:
		return nil, fmt.Errorf("%d copies: at least 1", n)
	case n > MaxCopiedDraws/max(len(s.Draws), 1):
		return nil, fmt.Errorf("%d copies of %d draws: at most %d draws are made", n, len(s.Draws), MaxCopiedDraws)
	case int64(n) > (maxStream-1)/max(int64(s.IndexStreamLen()), int64(s.DrawVertices()), 1):
		return nil, fmt.Errorf("%d copies of %d indices and %d vertices: at most %d of each are supported", n, s.IndexStreamLen(), s.DrawVertices(), maxStream-1)
	}
	size := s.Bounds()
	step := max(size.Max[0]-size.Min[0], size.Max[2]-size.Min[2]) * 1.1
	if !finite(step * float32(n)) {
		return nil, fmt.Errorf("%d copies, %g apart: too far for single precision", n, step)
	}
	side := int(math.Ceil(math.Sqrt(float64(n))))
	out := *s
	out.Draws = make([]Draw, 0, n*len(s.Draws))
	copied := make([]int, 0, n*len(s.Draws))
	for i := range n {
		at := mgl32.Translate3D(step*float32(i%side), 0, step*float32(i/side))
		for k, d := range s.Draws {
			d.Transform = at.Mul4(d.Transform)
			out.Draws = append(out.Draws, d)
			copied = append(copied, k)
		}
	}
	out.ShadeDraws(s, copied)
	if c := s.Capture; c != nil {
		out.Capture = &Capture{View: c.View, Clip: c.Clip, Placings: slices.Repeat(c.Placings, n)}
	}
	return &out, nil
}

// Only is the scene with some of its draws, in the given order. The pools are
// those of this scene.
func (s *Scene) Only(draws []int) *Scene {
	out := *s
	out.Draws = nil
	out.ShadeDraws(s, draws)
	if s.Capture != nil {
		out.Capture = &Capture{View: s.Capture.View, Clip: s.Capture.Clip}
	}
	for _, i := range draws {
		out.Draws = append(out.Draws, s.Draws[i])
		if s.Capture != nil && len(s.Capture.Placings) > 0 {
			out.Capture.Placings = append(out.Capture.Placings, s.Capture.Placings[i])
		}
	}
	return &out
}
