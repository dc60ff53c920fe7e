package shape_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/shape"
)

// TestShapesDifferByTheirVertices: draws with the same indices but different numbers of vertices
// have their own counts.
func TestShapesDifferByTheirVertices(t *testing.T) {
	s := &geometry.Scene{Indices: []uint32{0, 1, 2}, Draws: []geometry.Draw{
		{IndexCount: 3, VertexCount: 3}, {IndexCount: 3, VertexCount: 4}, {IndexCount: 3, VertexCount: 3},
	}}
	require.Len(t, shape.Scene(s).Draws, 2)
	offsets, total := shape.Offsets(s)
	require.Equal(t, []uint32{0, 3, 0}, offsets)
	require.Equal(t, 7, total)
	require.Equal(t, 6, shape.Indices(s))
}
