package envelope

import (
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
