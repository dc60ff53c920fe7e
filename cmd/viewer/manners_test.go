package main

import (
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/format"
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

func TestViewerOpensChangedFilesAnewAndFlies(t *testing.T) {
	d := newDesktop(t)
	file := filepath.Join(d.folder, "model.obj")
	save := func(name string) {
		scene, err := assets.Make(name)
		require.NoError(t, err)
		require.NoError(t, format.Save(t.Context(), file, scene))
	}
	save("cube")
	d.start("--panels=false", "--size", "640x480", file)
	d.titled("model.obj", "24 invocations")
	first := d.settled("the cube is shown", func(img *image.RGBA) bool { return colorful(img) > changed })
	d.key("7")
	cube := d.other("the view from above", first)
	save("knot4")
	d.titled("model.obj", "reuse")
	d.until("another model is shown", func() bool { return !strings.Contains(d.title(), "24 invocations") })
	d.other("the changed file", cube)
	require.NoError(t, os.WriteFile(file, []byte("f 1 2 3\n"), 0o600))
	d.titled("refused")
	save("cube")
	d.titled("model.obj", "24 invocations")
	d.same("the first model, from where it was looked at", cube)

	d.key("f")
	d.do("keydown", "w")
	d.until("flying ahead changes the picture", func() bool { return differing(cube, d.screen()) > changed })
	d.do("keyup", "w")
	at := d.settled("the flight ends", func(*image.RGBA) bool { return true })
	time.Sleep(300 * time.Millisecond)
	require.True(t, agree(at, d.screen(), at.Rect))
	d.key("Escape", "Return")
	d.until("it still runs", func() bool { return strings.Contains(d.title(), "24 invocations") })
	d.do("keydown", "q", "keyup", "q")
	select {
	case err := <-d.ended:
		require.NoError(t, err, d.stderr.String())
		require.Contains(t, d.stderr.String(), "refused")
	case <-time.After(patience):
		t.Fatal("the viewer does not end")
	}
}

// TestDesktopsKnowTheWindow: it has the class that the desktop entry names.
func TestDesktopsKnowTheWindow(t *testing.T) {
	d := newDesktop(t)
	d.start("--panels=false", "--size", "200x100", "asset:cube")
	for _, part := range []string{"--class", "--classname"} {
		out, err := d.tool("xdotool", "search", "--onlyvisible", part, "^"+programName+"$")
		require.NoError(t, err)
		require.Equal(t, d.window, strings.TrimSpace(string(out)))
	}
	d.key("shift+v")
	d.titled("shaded")
	require.NoError(t, d.cmd.Process.Signal(syscall.SIGTERM))
	var exit *exec.ExitError
	require.ErrorAs(t, <-d.ended, &exit)
	require.Equal(t, 128+int(syscall.SIGTERM), exit.ExitCode())
	kept, err := recall(filepath.Join(d.folder, "state", "shadeonce", "viewer.json"))
	require.NoError(t, err)
	require.Equal(t, "shaded", kept.Flags["view"], "what a signal ends is remembered too")
}
