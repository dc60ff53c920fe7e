package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
)

var start = settings{strategy: "warp", lanes: 32, load: renderer.SimpleLoad}

// newState looks at a box of that size about a far-off centre.
func newState(t *testing.T, size float32) *state {
	s := &state{want: start}
	center := mgl32.Vec3{3 * size, -size, 7 * size}
	half := mgl32.Vec3{size, size / 2, size / 3}
	require.NoError(t, s.look(geometry.Box{Min: center.Sub(half), Max: center.Add(half)}, 1.5))
	return s
}

// press is a key as a user presses it.
func pressKey(t *testing.T, s *state, key glfw.Key, mods glfw.ModifierKey) {
	b := find(key, mods)
	require.NotNil(t, b, "key %d with %d", key, mods)
	b.do(s)
}

func TestEveryKeyIsBoundOnce(t *testing.T) {
	type press struct {
		key  glfw.Key
		mods glfw.ModifierKey
	}
	seen := map[press]string{}
	for _, b := range bindings {
		require.NotEmpty(t, b.label)
		require.NotEmpty(t, b.doc)
		require.NotNil(t, b.do)
		for _, k := range b.keys {
			require.Empty(t, seen[press{k, b.mods}], "bound twice: %s", b.label)
			seen[press{k, b.mods}] = b.label
		}
	}
}

func TestKnobsTurnBothWaysThroughAllValues(t *testing.T) {
	for _, k := range []*knob{&strategyKnob, &viewKnob, &lanesKnob, &queueKnob, &subgroupsKnob, &rasterKnob, &cullKnob, &paletteKnob} {
		for _, step := range []int{1, -1} {
			seen := map[string]bool{}
			s := start
			for range k.values {
				s = k.turned(s, step)
				seen[k.value(s)] = true
			}
			require.Equal(t, start, s, "%s is back after all its values", k.name)
			require.Len(t, seen, len(k.values), k.name)
		}
	}
	up := lanesKnob.turned(start, 1)
	require.Equal(t, 64, up.lanes)
	require.Equal(t, 4, lanesKnob.turned(up, 1).lanes)
	require.Equal(t, 16, lanesKnob.turned(start, -1).lanes)
}

func TestKeysChangeTheState(t *testing.T) {
	s := newState(t, 1)
	pressKey(t, s, glfw.KeyS, glfw.ModShift)
	names := reuse.Names()
	require.Equal(t, names[slices.Index(names, "warp")-1], s.want.strategy)
	pressKey(t, s, glfw.KeyS, glfw.ModCapsLock)
	require.Equal(t, "warp", s.want.strategy)
	pressKey(t, s, glfw.KeyV, 0)
	require.Equal(t, renderer.Batches, s.want.view)
	pressKey(t, s, glfw.KeyU, 0)
	require.Equal(t, renderer.Expanded, s.want.queue)
	pressKey(t, s, glfw.KeyR, 0)
	require.Equal(t, renderer.ComputeRaster, s.want.raster)
	pressKey(t, s, glfw.KeyN, 0)
	require.Equal(t, renderer.NativeSubgroups, s.want.subgroups)
	require.Same(t, &subgroupsKnob, s.turned)
	pressKey(t, s, glfw.KeyRight, 0)
	pressKey(t, s, glfw.KeyPageDown, 0)
	pressKey(t, s, glfw.KeyLeft, 0)
	require.Equal(t, 1, s.skip)
	pressKey(t, s, glfw.KeyF12, 0)
	pressKey(t, s, glfw.KeyF12, glfw.ModControl)
	require.Equal(t, []shot{{true}, {false}}, s.shots)
	pressKey(t, s, glfw.KeyH, 0)
	require.True(t, s.help)
	require.False(t, s.quit)
	pressKey(t, s, glfw.KeyEscape, 0)
	require.True(t, s.quit)
	require.Nil(t, find(glfw.KeyF12, glfw.ModShift), "modifiers count")
	require.Nil(t, find(glfw.KeyW, 0))
}

func TestViewsLookAlongTheAxes(t *testing.T) {
	s := newState(t, 1)
	home := s.camera
	for key, forward := range map[glfw.Key]mgl32.Vec3{
		glfw.Key1: {0, 0, -1}, glfw.KeyKP3: {-1, 0, 0}, glfw.Key7: {0, -1, 0},
		glfw.Key9: mgl32.Vec3{-1, -1, -1}.Normalize(),
	} {
		pressKey(t, s, key, 0)
		require.NotEqual(t, home, s.camera)
		require.InDelta(t, 1, s.camera.Forward().Dot(forward), 1e-6, "key %d", key)
		require.Equal(t, home.Target, s.camera.Target)
	}
	pressKey(t, s, glfw.Key5, 0)
	require.True(t, s.camera.Orthographic)
	pressKey(t, s, glfw.KeyEnter, 0)
	require.Equal(t, home, s.camera)
}

func TestResetGoesBackToTheCommandLinesCamera(t *testing.T) {
	s := &state{view: "top,ortho"}
	require.NoError(t, s.look(geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, 1))
	home := s.camera
	require.True(t, home.Orthographic)
	s.wheel(3)
	s.reset()
	require.Equal(t, home, s.camera)
}

func TestLettersFollowTheUsersLayout(t *testing.T) {
	require.Equal(t, glfw.KeyQ, layoutKey(glfw.KeyA, "q"), "AZERTY")
	require.Equal(t, glfw.KeyA, layoutKey(glfw.KeyA, "ф"), "no Latin letter: the key's place")
	require.Equal(t, glfw.KeyA, layoutKey(glfw.KeyA, ""))
}

func TestHelpNamesEveryKeyAndItsValue(t *testing.T) {
	s := newState(t, 1)
	pressKey(t, s, glfw.KeyU, 0)
	text := strings.Join(helpLines(s), "\n")
	for _, b := range bindings {
		require.Contains(t, text, b.label)
		require.Contains(t, text, b.doc)
	}
	for _, value := range []string{"warp", "counts", "32", "expanded", "auto", "off"} {
		require.Contains(t, text, value)
	}
}

func TestDragsOrbitAndPan(t *testing.T) {
	s := newState(t, 1)
	home := s.camera
	s.cursor(100, 100, 500)
	require.Equal(t, home, s.camera, "no button, no drag")

	s.press(glfw.MouseButtonLeft, true, 0)
	s.press(glfw.MouseButtonMiddle, true, 0)
	s.press(glfw.MouseButtonMiddle, false, 0)
	s.cursor(150, 100, 500)
	require.InDelta(t, home.Azimuth-24, s.camera.Azimuth, 1e-4, "the scene follows the drag to the right")
	require.Equal(t, home.Target, s.camera.Target)
	s.cursor(150, 9000, 500)
	require.Equal(t, float32(90), s.camera.Elevation)
	s.cursor(150, -9000, 500)
	require.Equal(t, float32(-90), s.camera.Elevation)
	s.press(glfw.MouseButtonLeft, false, 0)

	s.reset()
	s.cursor(0, 0, 500)
	s.press(glfw.MouseButtonLeft, true, glfw.ModShift)
	before := project(s.camera, s.box.Center())
	s.cursor(50, 20, 500)
	after := project(s.camera, s.box.Center())
	// What was under the cursor stays under it: 0.1 and 0.04 window heights.
	require.InDelta(t, 0.1*2, float64(after[0]-before[0]), 1e-3)
	require.InDelta(t, 0.04*2, float64(after[1]-before[1]), 1e-3)
}

// project is where a point falls in a square window, -1..1.
func project(c renderer.Camera, p mgl32.Vec3) mgl32.Vec2 {
	clip := c.ViewProj(1).Mul4x1(p.Vec4(1))
	return mgl32.Vec2{clip[0] / clip[3], clip[1] / clip[3]}
}

func TestExtremesKeepTheCameraValid(t *testing.T) {
	for _, size := range []float32{1e-15, 1e-3, 1, 1e6, 1e15} {
		s := newState(t, size)
		require.NoError(t, s.camera.Check())
		for _, notches := range []float64{1, 1e9, 1, -1, -1e9, -1, math.Inf(1), math.Inf(-1), math.NaN()} {
			for range 20 {
				s.wheel(notches)
				require.NoError(t, s.camera.Check(), "size %g, %g notches", size, notches)
			}
			for _, button := range []glfw.MouseButton{glfw.MouseButtonLeft, glfw.MouseButtonMiddle} {
				s.press(button, true, 0)
				for _, d := range []float64{1, 1e4, -1e9, 1e300, math.Inf(1), math.NaN(), 0} {
					s.cursor(d, -d, 500)
					require.NoError(t, s.camera.Check(), "size %g, drag by %g", size, d)
					require.LessOrEqual(t, s.camera.Target.Sub(s.box.Center()).Len(), 1.01*renderer.FurthestTarget*s.box.Radius())
				}
				s.press(button, false, 0)
			}
		}
		home := newState(t, size).camera
		s.reset()
		require.Equal(t, home, s.camera)
	}
}

// TestReplayedFrameBeginsWithItsOwnView, and a mesh after it does not.
func TestReplayedFrameBeginsWithItsOwnView(t *testing.T) {
	s := &state{want: start, view: cli.Captured}
	box := geometry.Box{Max: mgl32.Vec3{1, 1, 1}}
	s.captured = &geometry.View{Elevation: 12, Distance: 5, FovY: 80, Near: .5, Far: 100, Aspect: 1.5}
	require.NoError(t, s.look(box, 1.5))
	require.Equal(t, float32(80), s.camera.FovY)
	s.camera.Dolly(box, 1)
	s.reset()
	require.Equal(t, float32(5), s.camera.Distance)
	s.captured = nil
	require.NoError(t, s.look(box, 1.5))
	require.Equal(t, renderer.FitCamera(box, 1.5), s.camera)
	require.Equal(t, cli.Captured, s.view, "the next may be one")
}
