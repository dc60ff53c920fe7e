package assets

import (
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl32"
)

// Go lets a compiler fuse x*y + z into one rounding, and on some platforms it
// does; an explicit conversion forbids it. So every product here is converted,
// sine and cosine are our own, and the scenes avoid mathgl's arithmetic.

// vec is a point or direction in double precision.
type vec [3]float64

func (a vec) add(b vec) vec { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func (a vec) sub(b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func (a vec) scale(s float64) vec {
	return vec{float64(a[0] * s), float64(a[1] * s), float64(a[2] * s)}
}

func (a vec) dot(b vec) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

func (a vec) cross(b vec) vec {
	return vec{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// unit scales a, which must not be zero, to length 1.
func (a vec) unit() vec { return a.scale(1 / math.Sqrt(a.dot(a))) }

func (a vec) single() mgl32.Vec3 {
	return mgl32.Vec3{float32(a[0]), float32(a[1]), float32(a[2])}
}

func double(v mgl32.Vec3) vec { return vec{float64(v[0]), float64(v[1]), float64(v[2])} }

// tangents returns u and v so that u, v, n are right-handed and orthonormal,
// for a unit n.
func (n vec) tangents() (u, v vec) {
	axis := vec{1, 0, 0}
	if math.Abs(n[0]) > 0.6 {
		axis = vec{0, 0, 1}
	}
	u = axis.cross(n).unit()
	return u, n.cross(u)
}

// sincos returns sine and cosine of an angle given in turns (1 is the full
// circle), to about 1e-15, and exactly at the quarters.
func sincos(turns float64) (sin, cos float64) {
	quarter := math.Floor(float64(turns*4) + 0.5)
	x := float64((turns - float64(quarter*0.25)) * (2 * math.Pi)) // within pi/4
	xx := float64(x * x)
	s, c := 1.0, 1.0
	for k := 16.0; k >= 2; k -= 2 { // Taylor's series, from its far end
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

// random is a stream of numbers that depends only on the seed.
type random struct{ pcg *rand.PCG }

func newRandom(seed uint64) random { return random{rand.NewPCG(seed, 0x5ade0ce)} }

// between returns a number in [lo, hi).
func (r random) between(lo, hi float64) float64 {
	return lo + float64(float64(r.pcg.Uint64()>>11)*0x1p-53*(hi-lo))
}

// below returns a whole number in [0, n), for n up to 65,536.
func (r random) below(n int) int { return int((r.pcg.Uint64() >> 48) * uint64(n) >> 16) }

// inBall returns a point within the unit ball, never its centre.
func (r random) inBall() vec {
	for {
		p := vec{r.between(-1, 1), r.between(-1, 1), r.between(-1, 1)}
		if d := p.dot(p); d < 1 && d > 1e-6 {
			return p
		}
	}
}

// direction returns a unit vector, all directions alike.
func (r random) direction() vec { return r.inBall().unit() }
