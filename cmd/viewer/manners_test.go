package main

import (
	"testing"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

func TestFlyMovesTheEyeAndLooksAround(t *testing.T) {
	s := newState(t, 1)
	home := s.Camera
	require.False(t, s.flyKey(glfw.KeyW, true), "not flying: W is not taken")
	pressKey(t, s, glfw.KeyF, 0)
	require.True(t, s.flyKey(glfw.KeyW, true))
	require.False(t, s.flyKey(glfw.KeyX, true))
	now := time.Now()
	s.flyStep(now)
	require.Equal(t, home, s.Camera, "no time has passed")
	s.flyStep(now.Add(50 * time.Millisecond))
	moved := s.Camera.Eye().Sub(home.Eye())
	want := float64(s.Box.Radius()) * flySpeed * 0.05
	require.InDelta(t, want, float64(moved.Dot(home.Forward())), 1e-3*want)
	require.InDelta(t, want, float64(moved.Len()), 1e-3*want, "straight ahead")
	require.NoError(t, s.Camera.Check())

	s.flyKey(glfw.KeyW, false)
	rest := s.Camera
	s.flyStep(now.Add(time.Second))
	require.Equal(t, rest, s.Camera)

	// Looking around leaves the eye where it is.
	s.cursor(100, 100, 500)
	s.press(glfw.MouseButtonLeft, true, 0)
	s.cursor(150, 80, 500)
	s.press(glfw.MouseButtonLeft, false, 0)
	require.NotEqual(t, rest.Azimuth, s.Camera.Azimuth)
	require.InDelta(t, 0, float64(s.Camera.Eye().Sub(rest.Eye()).Len()), 1e-4*float64(s.Box.Radius()))

	before := s.Camera
	s.wheel(5)
	require.Equal(t, before, s.Camera, "the wheel sets the speed")
	require.Greater(t, s.fly.speed, flySpeed)
	pressKey(t, s, glfw.KeyEscape, 0)
	require.False(t, s.fly.on)
	require.False(t, s.quit)
	pressKey(t, s, glfw.KeyEscape, 0)
	require.True(t, s.quit)
}

func TestFlyingFarKeepsTheCameraValid(t *testing.T) {
	for _, size := range []float32{1e-15, 1, 1e15} {
		s := newState(t, size)
		s.toggleFly()
		s.fly.faster(1e9)
		for _, key := range []glfw.Key{glfw.KeyW, glfw.KeyD, glfw.KeyE, glfw.KeyLeftShift} {
			s.flyKey(key, true)
		}
		now := time.Now()
		for i := range 200 {
			s.flyStep(now.Add(time.Duration(i) * time.Second))
			require.NoError(t, s.Camera.Check())
			require.LessOrEqual(t, s.Camera.Target.Sub(s.Box.Center()).Len(), 1.01*renderer.FurthestTarget*s.Box.Radius())
		}
	}
}

func TestViewerOpensChangedFilesAnew(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		file := saveAsset(t, s.folder, "model.obj", "cube")
		s.start("--panels=false", "--size", "320x240", file)
		s.titled("model.obj", "24 invocations")
		first := s.look()
		s.key("7")
		cube := s.other(first)
		saveAsset(t, s.folder, "model.obj", "knot4")
		s.wrote(file)
		s.titled("model.obj", "reuse")
		require.NotContains(t, s.named, "24 invocations")
		s.other(cube)
		s.write("model.obj", "f 1 2 3\n")
		s.titled("refused")
		saveAsset(t, s.folder, "model.obj", "cube")
		s.wrote(file)
		s.same(cube) // from where it was looked at
		s.Alone = 1
		s.settle()
		s.wrote(file)
		require.Equal(t, [2]int{1, 1}, [2]int{s.Alone, s.Shown.Left.Alone}, "the same draw is shown alone")
		s.leave("refused")
	})
}

// Flying goes on while a key is held, and rests when it is let go.
func TestFlyingMovesThePicture(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--panels=false", "--size", "320x240", "asset:cube")
		first := s.look()
		s.key("f")
		s.hold("w")
		s.pass(300 * time.Millisecond)
		s.letGo("w")
		s.settle()
		there := s.other(first)
		s.pass(time.Minute)
		s.same(there)
		s.key("Escape", "Return")
		s.same(first)
	})
}
