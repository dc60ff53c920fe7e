package cgal

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
)

// refined returns CGAL's result for a mesh, in double precision.
type refined struct {
	Positions [][3]float64
	Triangles []uint32
}

// TestLoop compares one and two levels with CGAL's: the same number of vertices, which match one to
// one by position, and the same triangles. CGAL refuses meshes that are not manifold.
func TestLoop(t *testing.T) {
	t.Parallel()
	loop := program(t, "loop")
	for _, name := range []string{
		"cube", "triangle", "sphere4", "knot24", "grid8", "terrain48",
		"spot.obj", "kitten.obj", "bun_zipper.ply", "camelhead.off.zst", "fandisk.obj.zst", "rocker-arm.obj.zst",
	} {
		t.Run(name, func(t *testing.T) {
			m := referenced(meshtest.Mesh(t, name))
			fine := m
			for levels := 1; levels <= 2; levels++ {
				level := must.Get(subdivide.NewLevel(t.Context(), fine))
				fine = must.Get(level.Refine(t.Context()))
				most := compare(t, fine, decode(t, run(t, m, loop, strconv.Itoa(levels))))
				t.Logf("level %d: %d triangles, vertices at most %.1e of the diagonal apart", levels, fine.Faces(), most)
			}
		})
	}
}

// TestCompareCatches moves a vertex, turns over a triangle, and puts two vertices in one place: differs finds each.
func TestCompareCatches(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "sphere2")
	other := refined{Triangles: slices.Clone(m.Triangles)}
	for _, p := range m.Positions {
		other.Positions = append(other.Positions, [3]float64{float64(p[0]), float64(p[1]), float64(p[2])})
	}
	_, problem := differs(m, other)
	require.Empty(t, problem)
	other.Positions[3][0] += 1e-5
	_, problem = differs(m, other)
	require.Contains(t, problem, "no vertex of ours")
	other.Positions[3][0] -= 1e-5
	other.Triangles[0], other.Triangles[1] = other.Triangles[1], other.Triangles[0]
	_, problem = differs(m, other)
	require.Equal(t, "the triangles differ", problem)
	other.Positions[3] = other.Positions[4]
	_, problem = differs(m, other)
	require.Contains(t, problem, "is that of two")
}

// referenced returns a mesh without its unreferenced vertices.
func referenced(m *apps.Mesh) *apps.Mesh {
	out := &apps.Mesh{}
	number := map[uint32]uint32{}
	for _, v := range m.Triangles {
		if _, known := number[v]; !known {
			number[v] = uint32(len(out.Positions))
			out.Positions = append(out.Positions, m.Positions[v])
		}
		out.Triangles = append(out.Triangles, number[v])
	}
	return out
}

func decode(t *testing.T, data []byte) refined {
	in := bytes.NewReader(data)
	var counts [2]uint32
	require.NoError(t, binary.Read(in, binary.LittleEndian, &counts))
	r := refined{make([][3]float64, counts[0]), make([]uint32, 3*counts[1])}
	require.NoError(t, binary.Read(in, binary.LittleEndian, r.Positions))
	require.NoError(t, binary.Read(in, binary.LittleEndian, r.Triangles))
	require.Zero(t, in.Len())
	return r
}

func compare(t *testing.T, ours *apps.Mesh, theirs refined) (most float64) {
	most, problem := differs(ours, theirs)
	require.Empty(t, problem)
	return most
}
