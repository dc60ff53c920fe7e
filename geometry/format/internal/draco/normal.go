package draco

import (
	"encoding/binary"
	"math"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// octahedron is a square of integers onto which directions are mapped: the octahedron's right half
// is the diamond in its middle, and the left half is folded out to the corners.
// Cigolla et al., "A survey of efficient representations for independent unit vectors", 2014.
type octahedron struct {
	most   int32 // highest coordinate; the lowest is 0
	center int32
}

func newOctahedron(bits int) octahedron {
	if bits < 2 || bits > 30 {
		must.Fail("normals of %d bits", bits)
	}
	most := int32(1)<<bits - 2
	return octahedron{most, most / 2}
}

// correct adds a prediction to corrections, in place. The corrections are relative to the
// prediction after it was turned into the lower left quarter of the diamond.
func (o octahedron) correct(predicted, corrections []int32) {
	x, y := predicted[0]-o.center, predicted[1]-o.center
	inside := uint32(abs(x))+uint32(abs(y)) <= uint32(o.center)
	if !inside {
		x, y = o.fold(x, y)
	}
	turns := 0
	switch {
	case x == 0 && y == 0 || x < 0 && y <= 0:
	case x >= 0 && y < 0:
		turns = 1
	case x > 0:
		turns = 2
	default:
		turns = 3
	}
	x, y = turn(x, y, turns)
	x, y = o.wrap(x+corrections[0]), o.wrap(y+corrections[1])
	x, y = turn(x, y, (4-turns)%4)
	if !inside {
		x, y = o.fold(x, y)
	}
	corrections[0], corrections[1] = x+o.center, y+o.center
}

// turn turns a point clockwise by quarters.
func turn(x, y int32, quarters int) (int32, int32) {
	for range quarters {
		x, y = y, -x
	}
	return x, y
}

// wrap moves a coordinate into the square.
func (o octahedron) wrap(x int32) int32 {
	switch {
	case x > o.center:
		return x - o.most - 1
	case x < -o.center:
		return x + o.most + 1
	}
	return x
}

// fold exchanges the inside and the outside of the diamond. If a coordinate is 0, the other one
// decides to which quarter the point belongs.
func (o octahedron) fold(x, y int32) (int32, int32) {
	signX, signY := int32(-1), int32(-1)
	if x > 0 || x == 0 && y >= 0 {
		signX = 1
	}
	if y > 0 || y == 0 && x >= 0 {
		signY = 1
	}
	cornerX, cornerY := signX*o.center, signY*o.center
	x, y = 2*x-cornerX, 2*y-cornerY
	if signX == signY {
		x, y = -y, -x
	} else {
		x, y = y, x
	}
	return (x + cornerX) / 2, (y + cornerY) / 2
}

func abs[T int32 | int64 | float32](v T) T {
	if v < 0 {
		return -v
	}
	return v
}

// normal predicts a vertex's normal: the sum of the normals of the triangles around it, weighted by area.
func (p *predictor) normal(value int, predicted []int32) bool {
	t, first := p.group.table, p.group.corners[value]
	center := p.position(first)
	var sum vector
	eachCorner(t, first, func(c int32) bool {
		a, b := p.position(next(c)).sub(center), p.position(previous(c)).sub(center)
		sum[0] += a[1]*b[2] - a[2]*b[1]
		sum[1] += a[2]*b[0] - a[0]*b[2]
		sum[2] += a[0]*b[1] - a[1]*b[0]
		return true
	})
	const longest = 1 << 29
	if q := sum.length() / longest; q > 0 {
		sum = vector{sum[0] / q, sum[1] / q, sum[2] / q}
	}
	predicted[0], predicted[1] = p.octahedron.of(sum, p.flips.next())
	return true
}

// length returns the sum of the absolute coordinates, or the highest int64 if the sum is higher.
func (a vector) length() (sum int64) {
	for _, v := range a {
		if v = abs(v); sum > math.MaxInt64-v {
			return math.MaxInt64
		}
		sum += v
	}
	return sum
}

// of returns the point of the square for a direction, or for the opposite direction if `flip` is
// set.
func (o octahedron) of(v vector, flip bool) (s, t int32) {
	center := int64(o.center)
	if length := v.length(); length == 0 {
		v[0] = center
	} else {
		v[0], v[1] = v[0]*center/length, v[1]*center/length
		rest := center - abs(v[0]) - abs(v[1])
		if v[2] < 0 {
			rest = -rest
		}
		v[2] = rest
	}
	x, y, z := int32(v[0]), int32(v[1]), int32(v[2])
	if flip {
		x, y, z = -x, -y, -z
	}
	switch {
	case x >= 0:
		s, t = y+o.center, z+o.center
	default:
		s, t = abs(z), abs(y)
		if y >= 0 {
			s = o.most - s
		}
		if z >= 0 {
			t = o.most - t
		}
	}
	return o.canonical(s, t)
}

// canonical returns the same point for all points of the square's border that stand for one direction. It
// returns other points as they are.
func (o octahedron) canonical(s, t int32) (int32, int32) {
	switch {
	case s == 0 && (t == 0 || t == o.most), s == o.most && t == 0:
		return o.most, o.most
	case s == 0 && t > o.center, s == o.most && t < o.center:
		return s, o.most - t
	case t == o.most && s < o.center, t == 0 && s > o.center:
		return o.most - s, t
	}
	return s, t
}

// storeNormals stores directions as unit vectors.
func (d *decoder) storeNormals(g *group, a *attribute) {
	o := newOctahedron(int(d.u8()))
	scale := 2 / float32(o.most)
	d.store(g, a, func(value int, to []byte) {
		// The conversions keep products from being fused with sums.
		y := float32(float32(a.values[2*value])*scale) - 1
		z := float32(float32(a.values[2*value+1])*scale) - 1

		x := 1 - abs(y) - abs(z)
		fold := max(-x, 0)
		unfold := func(v float32) float32 {
			if v < 0 {
				return v + fold
			}
			return v - fold
		}
		y, z = unfold(y), unfold(z)
		v := [3]float32{x, y, z}
		square := float32(x*x) + float32(y*y) + float32(z*z)
		inverse := 1 / float32(math.Sqrt(float64(square)))
		if float64(square) < 1e-6 {
			v, inverse = [3]float32{}, 1
		}
		for k := range v {
			binary.LittleEndian.PutUint32(to[4*k:], math.Float32bits(v[k]*inverse))
		}
	})
}
