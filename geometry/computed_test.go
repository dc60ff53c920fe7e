package geometry

import (
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"
)

// strip is a computed mesh: triangle t has vertices t, t+1 and t+2, and vertex v is at (v, -v, 7).
type strip struct{}

func (strip) FillIndices(first int, into []uint32) {
	for k := range into {
		into[k] = uint32((first+k)/3 + (first+k)%3)
	}
}

func (strip) Vertex(id uint32) (position, normal mgl32.Vec3) {
	return mgl32.Vec3{float32(id), -float32(id), 7}, mgl32.Vec3{0, 0, float32(id)}
}

// TestComputedEqualsStored: a computed mesh and its stored copy have the same indices, vertices and box.
func TestComputedEqualsStored(t *testing.T) {
	const triangles = validateGrain/3 + 10 // the last vertices belong to no triangle
	s := &Scene{Computed: strip{}, Draws: []Draw{{IndexCount: 3 * triangles, VertexCount: triangles + 50, Transform: mgl32.Ident4()}}}
	stored := s.Stored()
	require.Same(t, stored, stored.Stored())
	require.Equal(t, []int{triangles + 50, 0}, []int{s.ComputedVertices(), stored.ComputedVertices()})
	for _, one := range []*Scene{s, stored} {
		var all []uint32
		one.EachIndices(0, func(part []uint32) { all = append(all, part...) })
		require.True(t, slices.Equal(stored.Indices, all))
		p, n := one.Vertex(triangles + 49)
		require.Equal(t, []mgl32.Vec3{{triangles + 49, -triangles - 49, 7}, {0, 0, triangles + 49}}, []mgl32.Vec3{p, n})
		require.Equal(t, BoxOf(mgl32.Vec3{0, -triangles - 1, 7}, mgl32.Vec3{triangles + 1, 0, 7}), one.Bounds())
		require.Equal(t, []uint32{2, 3, 4, 3, 4, 5}, one.PartAt(6, 6, new([]uint32)))
	}
	require.Len(t, s.PartAt(0, 3*triangles, new([]uint32)), computedPart, "few indices are in memory at a time")
	require.Equal(t, []bool{true, false}, []bool{s.HasIndices(3*triangles, 3), stored.HasIndices(3*triangles, 3)})
}
