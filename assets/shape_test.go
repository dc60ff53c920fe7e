package assets

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
)

// closed requires that in a scene of one draw every edge has two triangles, which traverse it in
// opposite directions. It returns the Euler characteristic.
func closed(t *testing.T, s *geometry.Scene) int {
	require.Len(t, s.Draws, 1)
	edges := make(map[[2]uint32]bool, len(s.Indices))
	for k := 0; k < len(s.Indices); k += 3 {
		for c := range 3 {
			edge := [2]uint32{s.Indices[k+c], s.Indices[k+(c+1)%3]}
			require.NotEqual(t, edge[0], edge[1])
			require.False(t, edges[edge], "edge %v runs twice in one direction", edge)
			edges[edge] = true
		}
	}
	for edge := range edges {
		require.True(t, edges[[2]uint32{edge[1], edge[0]}], "edge %v has one triangle", edge)
	}
	return len(s.Positions) - len(edges)/2 + s.Triangles()
}

// volume returns the signed volume of a closed scene: positive if faces are counter-clockwise
// seen from outside.
func volume(s *geometry.Scene) float64 {
	sum := 0.0
	for k := 0; k < len(s.Indices); k += 3 {
		a, b, c := s.Positions[s.Indices[k]], s.Positions[s.Indices[k+1]], s.Positions[s.Indices[k+2]]
		sum += exact.Double(a).Dot(exact.Double(b).Cross(exact.Double(c))) / 6
	}
	return sum
}

func TestSphere(t *testing.T) {
	t.Parallel()
	levels := 8
	if testing.Short() {
		levels = 6
	}
	for level := range levels {
		s := sphere(level)
		faces := 20 << (2 * level)
		require.Equal(t, faces, s.Triangles())
		require.Len(t, s.Positions, faces/2+2)
		require.Equal(t, 2, closed(t, s))
		require.Equal(t, s.Positions, s.Normals)
	}
	require.InDelta(t, 4.18879, volume(sphere(6)), 0.01)
}

func TestSphereKeepsItsFacesInOrder(t *testing.T) {
	t.Parallel()
	coarse, fine := sphere(2), sphere(3)
	for k := 0; k < len(coarse.Indices); k += 3 {
		for c := range 3 {
			require.Equal(t, coarse.Indices[k+c], fine.Indices[4*k+3*c], "triangle %d", k/3)
		}
	}
}

func TestKnot(t *testing.T) {
	t.Parallel()
	for _, sides := range []int{3, 7, 32} {
		s := knot(sides)
		require.Len(t, s.Positions, 16*sides*sides)
		require.Equal(t, 32*sides*sides, s.Triangles())
		require.Equal(t, 0, closed(t, s))
		require.Positive(t, volume(s))
	}
}

func TestTerrainSamplesOneShape(t *testing.T) {
	t.Parallel()
	coarse, fine := terrain(16), terrain(64)
	lo, hi := fine.Bounds().Min[1], fine.Bounds().Max[1]
	require.Greater(t, hi-lo, float32(2))
	for z := range 17 {
		for x := range 17 {
			require.Equal(t, coarse.Positions[z*17+x], fine.Positions[4*z*65+4*x])
		}
	}
}

func TestGridStripsCoverEveryQuadOnce(t *testing.T) {
	t.Parallel()
	for _, strip := range []int{1, 3, 16, 40} {
		b := newBuilder(0, 0)
		b.gridQuads(0, 20, 20, strip)
		seen := map[[3]uint32]bool{}
		for k := 0; k < len(b.scene.Indices); k += 3 {
			seen[[3]uint32(b.scene.Indices[k:k+3])] = true
		}
		require.Len(t, b.scene.Indices, 3*800)
		require.Len(t, seen, 800)
	}
}

// TestPatchesAreOneSurface: the joined form has the same triangles in the same places, bit for
// bit.
func TestPatchesAreOneSurface(t *testing.T) {
	t.Parallel()
	many, one := made(t, "patches"), made(t, "patches-joined")
	require.Len(t, many.Draws, 100)
	require.Len(t, one.Draws, 1)
	require.Equal(t, 70000, one.Triangles())
	require.Equal(t, many.Triangles(), one.Triangles())
	corner := 0
	transforms, colors := map[[16]float32]bool{}, map[[4]float32]bool{}
	for i, d := range many.Draws {
		require.Equal(t, uint32(2100), d.IndexCount)
		require.Equal(t, uint32(390), d.VertexCount)
		transforms[d.Transform], colors[d.Color] = true, true
		for _, id := range many.DrawIndices(i) {
			p := many.Positions[d.VertexOffset+id]
			moved := one.Positions[one.Indices[corner]]
			for axis := range 3 {
				require.Equal(t, moved[axis], p[axis]+d.Transform[12+axis])
			}
			require.Equal(t, many.Normals[d.VertexOffset+id], one.Normals[one.Indices[corner]])
			corner++
		}
	}
	require.Len(t, transforms, 100)
	require.Len(t, colors, 100)
	require.NotEqual(t, many.Positions[:390], many.Positions[390:780])

	instances := made(t, "patches-instanced")
	require.Len(t, instances.Draws, 100)
	require.Len(t, instances.Positions, 390)
	for i, d := range instances.Draws {
		require.Equal(t, many.Draws[i].Transform, d.Transform)
	}
}
