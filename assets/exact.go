package assets

import (
	"math"
	"math/rand/v2"

	"github.com/shadeonce/shadeonce/internal/base/exact"
)

// vec is a point or direction. Scenes have the same bits on every machine: products are converted
// before they are added (package exact), sine and cosine are our own, and mathgl's arithmetic is
// not used.
type vec = exact.Vec

// tangents returns u and v such that u, v, n are right-handed and orthonormal, for a unit n.
func tangents(n vec) (u, v vec) {
	axis := vec{1, 0, 0}
	if math.Abs(n[0]) > 0.6 {
		axis = vec{0, 0, 1}
	}
	u = axis.Cross(n).Unit()
	return u, n.Cross(u)
}

// sincos returns sine and cosine of an angle given in turns (1 is the full
// circle), to about 1e-15, and exactly at the quarters.
func sincos(turns float64) (sin, cos float64) {
	quarter := math.Floor(float64(turns*4) + 0.5)
	x := float64((turns - float64(quarter*0.25)) * (2 * math.Pi)) // within pi/4 of zero
	xx := float64(x * x)
	s, c := 1.0, 1.0
	for k := 16.0; k >= 2; k -= 2 { // Taylor's series, smallest term first
		s = 1 - float64(s*xx)/float64(k*(k+1))
		c = 1 - float64(c*xx)/float64(k*(k-1))
	}
	s = float64(s * x)
	switch int(quarter) & 3 {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	default:
		return -c, s
	}
}

// random is a stream of random numbers that depends only on the seed.
type random struct{ pcg *rand.PCG }

func newRandom(seed uint64) random { return random{rand.NewPCG(seed, 0x5ade0ce)} }

// between returns a number in [lo, hi).
func (r random) between(lo, hi float64) float64 {
	return lo + float64(float64(r.pcg.Uint64()>>11)*0x1p-53*(hi-lo))
}

// below returns an integer in [0, n), for n up to 65,536.
func (r random) below(n int) int { return int((r.pcg.Uint64() >> 48) * uint64(n) >> 16) }

// inBall returns a point within the unit ball, never its centre.
func (r random) inBall() vec {
	for {
		p := vec{r.between(-1, 1), r.between(-1, 1), r.between(-1, 1)}
		if d := p.Dot(p); d < 1 && d > 1e-6 {
			return p
		}
	}
}

// direction returns a uniformly distributed unit vector.
func (r random) direction() vec { return r.inBall().Unit() }
