package inspect_test

import (
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
