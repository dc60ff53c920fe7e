package main

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

var start = views.Settings{Strategy: "warp", Lanes: 32, Raster: renderer.AutoRaster, Load: renderer.SimpleLoad}

// newState looks at a box of that size about a far-off centre.
func newState(t *testing.T, size float32) *state {
	s := &state{Wanted: views.Wanted{Want: start}}
	center := mgl32.Vec3{3 * size, -size, 7 * size}
	half := mgl32.Vec3{size, size / 2, size / 3}
	require.NoError(t, s.Look(geometry.Box{Min: center.Sub(half), Max: center.Add(half)}, 1.5))
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
	for _, k := range []*views.Knob{&views.StrategyKnob, &views.ViewKnob, &views.LanesKnob, &views.QueueKnob, &views.SubgroupsKnob, &views.RasterKnob, &views.CullKnob, &views.PaletteKnob} {
		for _, step := range []int{1, -1} {
			seen := map[string]bool{}
			s := start
			for range k.Values {
				s = k.Turned(s, step)
				seen[k.Value(s)] = true
			}
			require.Equal(t, start, s, "%s is back after all its values", k.Name)
			require.Len(t, seen, len(k.Values), k.Name)
		}
	}
	up := views.LanesKnob.Turned(start, 1)
	require.Equal(t, 64, up.Lanes)
	require.Equal(t, 4, views.LanesKnob.Turned(up, 1).Lanes)
	require.Equal(t, 16, views.LanesKnob.Turned(start, -1).Lanes)
}

func TestKeysChangeTheState(t *testing.T) {
	s := newState(t, 1)
	pressKey(t, s, glfw.KeyS, glfw.ModShift)
	names := reuse.Names()
	require.Equal(t, names[slices.Index(names, "warp")-1], s.Want.Strategy)
	pressKey(t, s, glfw.KeyS, glfw.ModCapsLock)
	require.Equal(t, "warp", s.Want.Strategy)
	pressKey(t, s, glfw.KeyV, 0)
	require.Equal(t, renderer.Batches, s.Want.View)
	pressKey(t, s, glfw.KeyU, 0)
	require.Equal(t, renderer.Expanded, s.Want.Queue)
	pressKey(t, s, glfw.KeyR, 0)
	require.Equal(t, renderer.HardwareRaster, s.Want.Raster)
	pressKey(t, s, glfw.KeyN, 0)
	require.Equal(t, renderer.NativeSubgroups, s.Want.Subgroups)
	require.Same(t, &views.SubgroupsKnob, s.Turned)
	pressKey(t, s, glfw.KeyRight, 0)
	pressKey(t, s, glfw.KeyPageDown, 0)
	pressKey(t, s, glfw.KeyLeft, 0)
	require.Equal(t, 1, s.skip)
	pressKey(t, s, glfw.KeyF12, 0)
	pressKey(t, s, glfw.KeyF12, glfw.ModControl)
	require.Equal(t, []shot{{true}, {false}}, s.shots)
	pressKey(t, s, glfw.KeyH, 0)
	require.True(t, s.help)
	pressKey(t, s, glfw.KeyEscape, 0)
	require.False(t, s.help, "Esc closes help before it quits")
	require.False(t, s.quit)
	pressKey(t, s, glfw.KeyEscape, 0)
	require.True(t, s.quit)
	require.Nil(t, find(glfw.KeyF12, glfw.ModShift), "modifiers count")
	require.Nil(t, find(glfw.KeyY, 0))
}

func TestViewsLookAlongTheAxes(t *testing.T) {
	s := newState(t, 1)
	home := s.Camera
	for key, forward := range map[glfw.Key]mgl32.Vec3{
		glfw.Key1: {0, 0, -1}, glfw.KeyKP3: {-1, 0, 0}, glfw.Key7: {0, -1, 0},
		glfw.Key9: mgl32.Vec3{-1, -1, -1}.Normalize(),
	} {
		pressKey(t, s, key, 0)
		require.NotEqual(t, home, s.Camera)
		require.InDelta(t, 1, s.Camera.Forward().Dot(forward), 1e-6, "key %d", key)
		require.Equal(t, home.Target, s.Camera.Target)
	}
	for key, forward := range map[glfw.Key]mgl32.Vec3{glfw.Key1: {0, 0, 1}, glfw.Key3: {1, 0, 0}, glfw.Key7: {0, 1, 0}} {
		pressKey(t, s, key, glfw.ModControl)
		require.InDelta(t, 1, s.Camera.Forward().Dot(forward), 1e-6, "ctrl and key %d", key)
	}
	pressKey(t, s, glfw.Key5, 0)
	require.True(t, s.Camera.Orthographic)
	pressKey(t, s, glfw.KeyEnter, 0)
	require.Equal(t, home, s.Camera)
}

func TestResetGoesBackToTheCommandLinesCamera(t *testing.T) {
	s := &state{Wanted: views.Wanted{View: "top,ortho"}}
	require.NoError(t, s.Look(geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, 1))
	home := s.Camera
	require.True(t, home.Orthographic)
	s.wheel(3)
	s.Reset()
	require.Equal(t, home, s.Camera)
}

func TestLettersFollowTheUsersLayout(t *testing.T) {
	require.Equal(t, glfw.KeyQ, layoutKey(glfw.KeyA, "q"), "AZERTY")
	require.Equal(t, glfw.KeyA, layoutKey(glfw.KeyA, "ф"), "no Latin letter: the key's place")
	require.Equal(t, glfw.KeyA, layoutKey(glfw.KeyA, ""))
}

func TestHelpNamesEveryKeyAndItsValue(t *testing.T) {
	s := newState(t, 1)
	pressKey(t, s, glfw.KeyU, 0)
	text := fmt.Sprint(helpGroups(s))
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
	home := s.Camera
	s.cursor(100, 100, 500)
	require.Equal(t, home, s.Camera, "no button, no drag")

	s.press(glfw.MouseButtonLeft, true, 0)
	s.press(glfw.MouseButtonMiddle, true, 0)
	s.press(glfw.MouseButtonMiddle, false, 0)
	s.cursor(150, 100, 500)
	require.InDelta(t, home.Azimuth-24, s.Camera.Azimuth, 1e-4, "the scene follows the drag to the right")
	require.Equal(t, home.Target, s.Camera.Target)
	s.cursor(150, 9000, 500)
	require.Equal(t, float32(90), s.Camera.Elevation)
	s.cursor(150, -9000, 500)
	require.Equal(t, float32(-90), s.Camera.Elevation)
	s.press(glfw.MouseButtonLeft, false, 0)

	s.Reset()
	s.cursor(0, 0, 500)
	s.press(glfw.MouseButtonLeft, true, glfw.ModShift)
	before := project(s.Camera, s.Box.Center())
	s.cursor(50, 20, 500)
	after := project(s.Camera, s.Box.Center())
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
		require.NoError(t, s.Camera.Check())
		for _, notches := range []float64{1, 1e9, 1, -1, -1e9, -1, math.Inf(1), math.Inf(-1), math.NaN()} {
			for range 20 {
				s.wheel(notches)
				require.NoError(t, s.Camera.Check(), "size %g, %g notches", size, notches)
			}
			for _, button := range []glfw.MouseButton{glfw.MouseButtonLeft, glfw.MouseButtonMiddle} {
				s.press(button, true, 0)
				for _, d := range []float64{1, 1e4, -1e9, 1e300, math.Inf(1), math.NaN(), 0} {
					s.cursor(d, -d, 500)
					require.NoError(t, s.Camera.Check(), "size %g, drag by %g", size, d)
					require.LessOrEqual(t, s.Camera.Target.Sub(s.Box.Center()).Len(), 1.01*renderer.FurthestTarget*s.Box.Radius())
				}
				s.press(button, false, 0)
			}
		}
		home := newState(t, size).Camera
		s.Reset()
		require.Equal(t, home, s.Camera)
	}
}

// TestReplayedFrameBeginsWithItsOwnView, and a mesh after it does not.
func TestReplayedFrameBeginsWithItsOwnView(t *testing.T) {
	s := &state{Wanted: views.Wanted{Want: start, View: cli.Captured}}
	box := geometry.Box{Max: mgl32.Vec3{1, 1, 1}}
	s.Captured = &geometry.View{Elevation: 12, Distance: 5, FovY: 80, Near: .5, Far: 100, Aspect: 1.5}
	require.NoError(t, s.Look(box, 1.5))
	require.Equal(t, float32(80), s.Camera.FovY)
	s.Camera.Dolly(box, 1)
	s.Reset()
	require.Equal(t, float32(5), s.Camera.Distance)
	s.Captured = nil
	require.NoError(t, s.Look(box, 1.5))
	require.Equal(t, renderer.FitCamera(box, 1.5), s.Camera)
	require.Equal(t, cli.Captured, s.View, "the next may be one")
}
