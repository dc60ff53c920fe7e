package soft

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/shaders"
)

// near is placed_near of shaders/include/placed.glsl along one axis, with the errors that Vulkan
// allows: quotient is the reciprocal of w, off by up to 2.5 units in the last place, and the last
// product may or may not be rounded before the sum.
func near(x, quotient float32, side int, fused bool) (place float64, ok bool) {
	const origin = 3 << 22
	scale := float32(side) * subpixel / 2
	offset := scale + (origin - float32(subpixel)/2)
	var sum float32
	if ndc := float32(x * quotient); fused {
		sum = float32(float64(ndc)*float64(scale) + float64(offset)) // exact but for the last rounding
	} else {
		sum = float32(ndc*scale) + offset
	}
	place = float64(sum) - origin
	return place, math.Abs(place) <= 1<<20
}

// TestApproximatePlaces: with the errors that Vulkan allows (see near), approximate positions are at most
// 3 subpixels (PLACED_ERROR) from the positions of setup.project, and some are 1 subpixel or more away.
func TestApproximatePlaces(t *testing.T) {
	n := 10_000_000
	if testing.Short() {
		n /= 20
	}
	r := rand.New(rand.NewPCG(11, 0))
	most, tried := 0., 0
	for range n {
		side := 1 + r.IntN(shaders.SiftedSide)
		if r.IntN(4) == 0 {
			side = shaders.SiftedSide
		}
		s := &setup{width: side, height: side}
		w := float32(math.Ldexp(1+r.Float64(), r.IntN(190)-95))
		// Up to 8192 pixels to either side of pixel 0's centre, often in the middle between two subpixels.
		sub := (r.Float64()*4 - 2) * float64(1<<20)
		if r.IntN(2) == 0 {
			sub = math.Floor(sub) + .5
		}
		x := float32((sub/float64(subpixel) + .5 - float64(side)/2) / (float64(side) / 2) * float64(w))
		exact, ok := snap(first(s.pixel(x, 0, reciprocal(w))))
		if !ok {
			continue
		}
		quotient := 1 / float64(w) // the farthest floats that are within 2.5 units in the last place
		unit := math.Ldexp(1, math.Ilogb(quotient)-23)
		for _, off := range []float64{-2, -1, 0, 1, 2} {
			for _, fused := range []bool{false, true} {
				place, ok := near(x, float32(quotient+off*unit), side, fused)
				if !ok {
					continue
				}
				tried++
				most = max(most, math.Abs(place-float64(exact)))
			}
		}
	}
	require.Greater(t, tried, n)
	require.LessOrEqual(t, most, 3.)
	require.GreaterOrEqual(t, most, 1., "the test reaches no bad case")
	t.Logf("at most %g subpixels", most)
}

func first(a, _ float32) float32 { return a }

// TestReciprocals: reciprocals of all float32 of one binade are off by less than 1.5 parts of 2^24 (placed.glsl relies on
// it), those of others are the same but for the exponent, and from 2^125 on they are 0.
func TestReciprocals(t *testing.T) {
	most := 0.
	for word := uint32(0x3f800000); word < 0x40000000; word++ {
		w := math.Float32frombits(word)
		most = max(most, math.Abs(float64(reciprocal(w))*float64(w)-1))
	}
	require.Less(t, most, 1.5*0x1p-24)
	for _, exponent := range []int{-96, -1, 1, 124} {
		require.Equal(t, math.Ldexp(float64(reciprocal(1.7)), -exponent), float64(reciprocal(float32(math.Ldexp(float64(float32(1.7)), exponent)))))
	}
	require.EqualValues(t, 1, reciprocal(1))
	require.Zero(t, reciprocal(0x1p125))
	require.Zero(t, reciprocal(math.MaxFloat32))
}
