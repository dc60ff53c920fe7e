package inspect_test

import (
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
)

// A pyramid stands on its base, whichever way it is turned. A cube and a sphere stand on no side in
// particular.
func TestScenesStandOnTheirBase(t *testing.T) {
	for up, turn := range map[renderer.UpAxis]mgl32.Mat4{
		renderer.UpY: mgl32.Ident4(), renderer.DownY: mgl32.Scale3D(-1, -1, 1), renderer.UpZ: mgl32.HomogRotate3DX(mgl32.DegToRad(90)),
		renderer.DownZ: mgl32.HomogRotate3DX(mgl32.DegToRad(-90)), renderer.UpX: mgl32.HomogRotate3DZ(mgl32.DegToRad(-90)), renderer.DownX: mgl32.HomogRotate3DZ(mgl32.DegToRad(90)),
	} {
		pyramid := &geometry.Scene{
			Positions: []mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {.5, 2, .5}},
			Indices:   []uint32{0, 1, 2, 0, 2, 3, 1, 0, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4},
			Draws:     []geometry.Draw{{IndexCount: 18, VertexCount: 5, Transform: turn}},
		}
		got, found := inspect.Stands(pyramid)
		require.True(t, found, up)
		require.Equal(t, up, got)
	}
	for _, name := range []string{"cube", "sphere3", "knot8"} {
		_, found := inspect.Stands(viewtest.Scene(t, name))
		require.False(t, found, name)
	}
}

// In a base of very many triangles only every second triangle is examined, and the measured area is doubled.
func TestBasesOfManyTriangles(t *testing.T) {
	const leg = 1.07e-3 // the area of all small triangles is .15 of the floor's
	s := &geometry.Scene{Positions: []mgl32.Vec3{{}, {1, 1, 0}, {1, 1, 1}, {leg, 0, 0}, {leg, 0, leg}}, Indices: []uint32{0, 1, 2}}
	s.Indices = append(s.Indices, slices.Repeat([]uint32{0, 3, 4}, 1<<18)...)
	s.Draws = []geometry.Draw{{IndexCount: uint32(len(s.Indices)), VertexCount: 5, Transform: mgl32.Ident4()}}
	up, found := inspect.Stands(s)
	require.True(t, found)
	require.Equal(t, renderer.UpY, up)
}
