package renderer

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

func TestCapturedCamera(t *testing.T) {
	view := geometry.View{Eye: mgl32.Vec3{1, 2, 3}, Azimuth: 90, Elevation: 30, Distance: 10, FovY: 50, Near: .5, Far: 400, Aspect: 2}
	c := CapturedCamera(&view, 2)
	require.NoError(t, c.Check())
	require.InDelta(t, 0, c.Eye().Sub(view.Eye).Len(), 1e-5)
	require.InDelta(t, 10, c.Target.Sub(view.Eye).Len(), 1e-5)
	require.Equal(t, [3]float32{50, .5, 400}, [3]float32{c.FovY, c.Near, c.Far})
	world := geometry.Box{Min: mgl32.Vec3{-9e3, -9e3, -9e3}, Max: mgl32.Vec3{9e3, 9e3, 9e3}}
	moved := c
	moved.Zoom(1.1, world)
	require.Equal(t, float32(.5), moved.Near, "a large world does not push the near plane away")
	require.Greater(t, moved.Far, float32(9e3))
	wide := CapturedCamera(&view, 3)
	require.Equal(t, c.FovY, wide.FovY)

	// A narrow picture still shows what the game showed at the sides.
	edge := c.Target.Add(mgl32.Vec3{0, 0, 1}.Mul(-9))
	narrow := CapturedCamera(&view, 1)
	require.InDelta(t, project(c, 2, edge)[0], project(narrow, 1, edge)[0], 1e-4)
}
