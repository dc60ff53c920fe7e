package envelope

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/internal/base/exact"
)

// TestPairsAtAnyLevels tests the proof on random pairs of triangles with 0, 1 and 2 common vertices:
// the triangles do not intersect, even if each corner stops at its own level up to the pair's.
func TestPairsAtAnyLevels(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for common, triangles := range [][]uint32{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 0, 3, 4}, {0, 1, 2, 1, 0, 3}} {
		limited, caught := 0, 0
		for range 3000 {
			e := randomPair(random, triangles)
			level := e.pairLevel(0, 1, Levels)
			if level < 0 {
				continue // they may intersect at rest
			}
			if level < Levels {
				limited++
			}
			for range 10 {
				require.False(t, meetWithArea(e.stopped(random, level)), "%v %v", e.Positions, e.Steps)
				if meetWithArea(e.stopped(random, Levels)) {
					caught++
				}
			}
		}
		t.Logf("%d vertices in common: %d of 3000 pairs limited; beyond their levels, %d of 30000 met", common, limited, caught)
		require.Greater(t, limited, 100)
		require.Greater(t, caught, 50)
	}
}

// TestStillPairs: a pair of which no corner moves has the highest level, even one triangle twice, back to back.
func TestStillPairs(t *testing.T) {
	e := randomPair(rand.New(rand.NewPCG(3, 4)), []uint32{0, 1, 2, 0, 2, 1})
	require.EqualValues(t, -1, e.pairLevel(0, 1, Levels))
	clear(e.Steps)
	require.EqualValues(t, Levels, e.pairLevel(0, 1, Levels))
}

// meetWithArea reports whether the two triangles of a mesh intersect; false if one has no area, which caps prevent.
func meetWithArea(m *apps.Mesh) bool {
	for t := range slices.Chunk(m.Triangles, 3) {
		a, b, c := m.Positions[t[0]], m.Positions[t[1]], m.Positions[t[2]]
		if orient2(a, b, c, 0) == 0 && orient2(a, b, c, 1) == 0 && orient2(a, b, c, 2) == 0 {
			return false
		}
	}
	return meet(m, 0, 1)
}

// randomPair returns two triangles whose corners move about as far as their edges are long. Every
// 64th level is on a lattice, so that corners are often in one plane.
func randomPair(random *rand.Rand, triangles []uint32) *Envelope {
	point := func(most int, unit float32) (p mgl32.Vec3) {
		for k := range p {
			p[k] = unit * float32(random.IntN(2*most+1)-most)
		}
		return p
	}
	e := &Envelope{Mesh: &apps.Mesh{Triangles: triangles}, Triangles: [][3]uint32{[3]uint32(triangles[:3]), [3]uint32(triangles[3:])}}
	for range 6 {
		e.Positions = append(e.Positions, point(4, 1./8))
		e.Steps = append(e.Steps, point(1, 1./8/64))
	}
	return e
}

// stopped moves every vertex to its own random level, at most the given one.
func (e *Envelope) stopped(random *rand.Rand, most int32) *apps.Mesh {
	unit := int32(1)
	if random.IntN(2) == 0 {
		unit = 64
	}
	m := &apps.Mesh{Triangles: e.Mesh.Triangles}
	for v := range e.Positions {
		m.Positions = append(m.Positions, e.moved(uint32(v), unit*random.Int32N(most/unit+1)))
	}
	return m
}

// TestTrianglesFaceTheirCorners: if the corners of random triangles stop at any levels up to their caps, every
// moved corner has moved to the side that its triangles face, or to the opposite side for the inner envelope.
func TestTrianglesFaceTheirCorners(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	limited, turned := 0, 0
	for range 5000 {
		e := randomPair(random, []uint32{0, 1, 2, 1, 0, 3})
		e.Side = Side(random.IntN(2))
		e.number(t.Context())
		e.addCaps(t.Context())
		for range 10 {
			out, far := make([]Shaded, len(e.Positions)), make([]Shaded, len(e.Positions))
			for v, highest := range e.Caps {
				level := random.Int32N(highest + 1)
				out[v] = Shaded{e.moved(uint32(v), level), level}
				level = random.Int32N(min(highest, 1)*Levels + 1)
				far[v] = Shaded{e.moved(uint32(v), level), level}
			}
			require.Zero(t, e.turned(out), "%v %v", e.Positions, e.Steps)
			turned += min(1, e.turned(far))
		}
		if most := slices.Max(e.Caps[:4]); most > 0 && most < Levels {
			limited++
		}
	}
	t.Logf("%d of 5000 pairs limited; beyond their caps, %d of 50000 turned", limited, turned)
	require.Greater(t, limited, 50)
	require.Greater(t, turned, 50)
}

// turned returns how many moved corners went against the facing of one of their triangles.
func (e *Envelope) turned(out []Shaded) (n int) {
	for t := range e.Triangles {
		for _, v := range e.Triangles[t] {
			i, j, k := e.corners(uint32(t), v)
			p := exact.Double(out[i].Position)
			volume := exact.Double(e.Steps[i]).Dot(exact.Double(out[j].Position).Sub(p).Cross(exact.Double(out[k].Position).Sub(p)))
			if e.Side == Inner {
				volume = -volume
			}
			if out[v].Level > 0 && e.Steps[v] != (mgl32.Vec3{}) && volume <= 0 {
				n++
			}
		}
	}
	return n
}

// This file finds which triangles of a mesh intersect, in exact arithmetic and without code of
// the package.

// orient returns the sign of the volume of a, b, c, d.
func orient(a, b, c, d mgl32.Vec3) int {
	u, v, w := exact.Double(b).Sub(exact.Double(a)), exact.Double(c).Sub(exact.Double(a)), exact.Double(d).Sub(exact.Double(a))
	bound := u.Sum1() * v.Sum1() * w.Sum1() * 1e-14
	if det := u.Cross(v).Dot(w); det > bound {
		return 1
	} else if det < -bound {
		return -1
	}
	return determinant(difference(b, a), difference(c, a), difference(d, a)).Sign()
}

type big3 [3]*big.Float

func number(x float64) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(x) }

func difference(a, b mgl32.Vec3) big3 {
	var d big3
	for k := range d {
		d[k] = new(big.Float).Sub(number(float64(a[k])), number(float64(b[k])))
	}
	return d
}

func minor(a, b, c, d *big.Float) *big.Float {
	return new(big.Float).Sub(new(big.Float).Mul(a, b), new(big.Float).Mul(c, d))
}

func determinant(u, v, w big3) *big.Float {
	x := new(big.Float).Mul(u[0], minor(v[1], w[2], v[2], w[1]))
	y := new(big.Float).Mul(u[1], minor(v[2], w[0], v[0], w[2]))
	z := new(big.Float).Mul(u[2], minor(v[0], w[1], v[1], w[0]))
	return x.Add(x, y).Add(x, z)
}

// orient2 returns the sign of the area of a, b, c, seen along axis k.
func orient2(a, b, c mgl32.Vec3, k int) int {
	u, v := difference(b, a), difference(c, a)
	i, j := (k+1)%3, (k+2)%3
	return minor(u[i], v[j], u[j], v[i]).Sign()
}

// crosses reports whether a segment meets a triangle, including its border.
func crosses(p, q mgl32.Vec3, tri [3]mgl32.Vec3) bool {
	a, b, c := tri[0], tri[1], tri[2]
	sp, sq := orient(a, b, c, p), orient(a, b, c, q)
	if sp*sq > 0 {
		return false
	}
	if sp == 0 && sq == 0 {
		return crossesFlat(p, q, tri)
	}
	s := []int{orient(p, q, a, b), orient(p, q, b, c), orient(p, q, c, a)}
	return slices.Min(s) >= 0 || slices.Max(s) <= 0
}

// crossesFlat is crosses for a segment in the triangle's plane.
func crossesFlat(p, q mgl32.Vec3, tri [3]mgl32.Vec3) bool {
	k := 0
	for k < 3 && orient2(tri[0], tri[1], tri[2], k) == 0 {
		k++
	}
	if k == 3 {
		return true // a triangle without area may meet the segment
	}
	for i := range tri {
		if meetFlat(p, q, tri[i], tri[(i+1)%3], k) {
			return true
		}
	}
	s := []int{orient2(tri[0], tri[1], p, k), orient2(tri[1], tri[2], p, k), orient2(tri[2], tri[0], p, k)}
	return slices.Min(s) >= 0 || slices.Max(s) <= 0
}

// meetFlat reports whether two segments in a plane meet.
func meetFlat(p, q, r, s mgl32.Vec3, k int) bool {
	a, b := orient2(p, q, r, k), orient2(p, q, s, k)
	c, d := orient2(r, s, p, k), orient2(r, s, q, k)
	if a == 0 && b == 0 {
		for _, i := range []int{(k + 1) % 3, (k + 2) % 3} { // all four points are on one line
			if max(p[i], q[i]) < min(r[i], s[i]) || max(r[i], s[i]) < min(p[i], q[i]) {
				return false
			}
		}
		return true
	}
	return a*b <= 0 && c*d <= 0
}

// meet reports whether two triangles meet outside of their common vertices.
func meet(m *apps.Mesh, t, s int) bool {
	a, b := m.Triangles[3*t:][:3], m.Triangles[3*s:][:3]
	corners := func(c []uint32) [3]mgl32.Vec3 {
		return [3]mgl32.Vec3{m.Positions[c[0]], m.Positions[c[1]], m.Positions[c[2]]}
	}
	own := func(c, other []uint32) (list []int) {
		for i, v := range c {
			if !slices.Contains(other, v) {
				list = append(list, i)
			}
		}
		return list
	}
	ownA, ownB := own(a, b), own(b, a)
	p, q := corners(a), corners(b)
	switch len(ownA) {
	case 0:
		return true
	case 1: // a common edge: they meet if they lie in one plane with the apexes on one side
		i, j := ownA[0], ownB[0]
		u, v := p[(i+1)%3], p[(i+2)%3]
		if orient(u, v, p[i], q[j]) != 0 {
			return false
		}
		for k := range 3 {
			if side := orient2(u, v, p[i], k); side != 0 {
				return side == orient2(u, v, q[j], k)
			}
		}
		return true
	case 2:
		return crosses(p[ownA[0]], p[ownA[1]], q) || crosses(q[ownB[0]], q[ownB[1]], p)
	}
	for i := range 3 {
		if crosses(p[i], p[(i+1)%3], q) || crosses(q[i], q[(i+1)%3], p) {
			return true
		}
	}
	return false
}

// meeting returns how many pairs of a mesh's triangles meet. It sweeps along the first axis.
func meeting(m *apps.Mesh) (pairs int) {
	lo, hi := make([]mgl32.Vec3, m.Faces()), make([]mgl32.Vec3, m.Faces())
	order := make([]int, m.Faces())
	for t := range order {
		order[t] = t
		lo[t], hi[t] = m.Positions[m.Triangles[3*t]], m.Positions[m.Triangles[3*t]]
		for _, v := range m.Triangles[3*t+1 : 3*t+3] {
			for k, x := range m.Positions[v] {
				lo[t][k], hi[t][k] = min(lo[t][k], x), max(hi[t][k], x)
			}
		}
	}
	slices.SortFunc(order, func(s, t int) int { return int(math.Copysign(1, float64(lo[s][0]-lo[t][0]))) })
	for i, t := range order {
		for _, s := range order[i+1:] {
			if lo[s][0] > hi[t][0] {
				break
			}
			if lo[s][1] <= hi[t][1] && lo[t][1] <= hi[s][1] && lo[s][2] <= hi[t][2] && lo[t][2] <= hi[s][2] && meet(m, t, s) {
				pairs++
			}
		}
	}
	return pairs
}
