package model

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

var start = Settings{Strategy: "warp", Lanes: 32, Raster: renderer.AutoRaster, Load: renderer.SimpleLoad}

// newState returns a state that looks at a box of the given size around a distant centre.
func newState(t *testing.T, size float32) *State {
	s := &State{Wanted: Wanted{Choices: Choices{Want: start}}}
	center := mgl32.Vec3{3 * size, -size, 7 * size}
	half := mgl32.Vec3{size, size / 2, size / 3}
	require.NoError(t, s.Look(geometry.Box{Min: center.Sub(half), Max: center.Add(half)}, 1.5))
	return s
}

func TestResetGoesBackToTheCommandLinesCamera(t *testing.T) {
	s := &State{Wanted: Wanted{View: "top,ortho"}}
	require.NoError(t, s.Look(geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, 1))
	home := s.Camera
	require.True(t, home.Orthographic)
	s.Wheel(8)
	for _, parallel := range []bool{false, true} {
		press(t, s, "5")
		require.Equal(t, parallel, s.Camera.Orthographic)
		planes := s.Camera
		planes.SetPlanes(s.Box)
		require.Equal(t, planes, s.Camera)
	}
	press(t, s, "Enter")
	require.Equal(t, home, s.Camera)
}

func TestHelpNamesEveryKeyAndItsValue(t *testing.T) {
	s := newState(t, 1)
	press(t, s, "U")
	text := fmt.Sprint(s.HelpGroups())
	for _, k := range rows {
		require.Contains(t, text, k.Key)
		require.Contains(t, text, k.Effect)
	}
	for _, value := range []string{"warp", "counts", "32", "expanded", "auto", "off"} {
		require.Contains(t, text, value)
	}
}

func TestDragsOrbitAndPan(t *testing.T) {
	s := newState(t, 1)
	home := s.Camera
	s.MoveCursor(100, 100, 500)
	require.Equal(t, home, s.Camera, "no button, no drag")

	s.PressButton(LeftButton, true, false)
	s.PressButton(MiddleButton, true, false)
	s.PressButton(MiddleButton, false, false)
	s.MoveCursor(150, 100, 500)
	require.InDelta(t, home.Azimuth-24, s.Camera.Azimuth, 1e-4, "the scene follows the drag to the right")
	require.Equal(t, home.Target, s.Camera.Target)
	s.MoveCursor(150, 9000, 500)
	require.Equal(t, float32(90), s.Camera.Elevation)
	s.MoveCursor(150, -9000, 500)
	require.Equal(t, float32(-90), s.Camera.Elevation)
	s.PressButton(LeftButton, false, false)

	for button, shift := range map[Button]bool{LeftButton: true, MiddleButton: false} {
		s.Reset()
		s.MoveCursor(0, 0, 500)
		s.PressButton(button, true, shift)
		before := project(s.Camera, s.Box.Center())
		s.MoveCursor(50, 20, 500)
		after := project(s.Camera, s.Box.Center())
		// The point under the cursor stays under it: 0.1 and 0.04 window heights.
		require.InDelta(t, 0.1*2, float64(after[0]-before[0]), 1e-3)
		require.InDelta(t, 0.04*2, float64(after[1]-before[1]), 1e-3)
		s.PressButton(button, false, shift)
	}

	// Dragging up by a tenth of the window moves closer, as turning the wheel by a tenth of dragNotches does.
	s.Reset()
	s.PressButton(RightButton, true, false)
	s.MoveCursor(50, -30, 500)
	s.PressButton(RightButton, false, false)
	wheeled := newState(t, 1)
	wheeled.Wheel(.1 * dragNotches)
	require.Equal(t, wheeled.Camera, s.Camera)
	require.Less(t, s.Camera.Distance, home.Distance)
}

// project returns where a point falls in a square window, -1..1.
func project(c renderer.Camera, p mgl32.Vec3) mgl32.Vec2 {
	clip := c.ViewProj(1).Mul4x1(p.Vec4(1))
	return mgl32.Vec2{clip[0] / clip[3], clip[1] / clip[3]}
}

// valueOf returns the value of a row of the table in these settings.
func valueOf(k *Setting, w Settings) string {
	var s State
	s.Want = w
	return k.Value(&s)
}

// Each key moves the eye in its direction, for as long as the key is held.
func TestFlyMovesTheEyeAndLooksAround(t *testing.T) {
	s := newState(t, 1)
	require.False(t, s.FlyKey("W", true), "not flying: W is not taken")
	press(t, s, "F")
	require.False(t, s.FlyKey("X", true))
	now := time.Now()
	right, up := s.Camera.Basis()
	forward := s.Camera.Forward()
	for key, direction := range map[string]mgl32.Vec3{
		"W": forward, "S": forward.Mul(-1), "D": right, "A": mgl32.Vec3(right).Mul(-1), "E": up, "Q": mgl32.Vec3(up).Mul(-1),
	} {
		require.True(t, s.FlyKey(key, true))
		for i, c := range []struct {
			after time.Duration
			want  float64 // seconds at the usual speed
		}{{time.Hour, 0}, {50 * time.Millisecond, .05}, {time.Hour, flyLongest}, {10 * time.Millisecond, .01 * flyFast}} {
			s.FlyKey(ShiftKey, i == 3)
			now = now.Add(c.after)
			before := s.Camera.Eye()
			s.FlyStep(now)
			want := direction.Mul(float32(c.want*flySpeed) * s.Box.Radius())
			require.InDelta(t, 0, s.Camera.Eye().Sub(before).Sub(want).Len(), 2e-5, "%s: step %d", key, i)
			require.NoError(t, s.Camera.Check())
		}
		s.FlyKey(ShiftKey, false)
		s.FlyKey(key, false)
		rest := s.Camera
		s.FlyStep(now.Add(time.Second))
		require.Equal(t, rest, s.Camera)
	}
	s.FlyKey("W", true)
	require.True(t, s.Fly.Moving())
	s.Fly.LetGo()
	require.False(t, s.Fly.Moving(), "the keys are let go elsewhere")

	// Looking around leaves the eye where it is.
	rest := s.Camera
	s.MoveCursor(100, 100, 500)
	s.PressButton(LeftButton, true, false)
	s.MoveCursor(150, 80, 500)
	s.PressButton(LeftButton, false, false)
	require.NotEqual(t, rest.Azimuth, s.Camera.Azimuth)
	require.InDelta(t, 0, float64(s.Camera.Eye().Sub(rest.Eye()).Len()), 1e-4*float64(s.Box.Radius()))

	before := s.Camera
	s.Wheel(5)
	require.Equal(t, before, s.Camera, "the wheel sets the speed")
	require.Greater(t, s.Fly.speed, flySpeed)
	s.Wheel(-8)
	require.Less(t, s.Fly.speed, flySpeed)
	press(t, s, "Esc")
	require.False(t, s.Fly.On)
	require.False(t, s.Quit)
}

func TestFlyingFarKeepsTheCameraValid(t *testing.T) {
	for _, size := range []float32{1e-15, 1, 1e15} {
		s := newState(t, size)
		s.ToggleFly()
		s.Wheel(1e9)
		for _, key := range []string{"W", "D", "E", ShiftKey} {
			s.FlyKey(key, true)
		}
		now := time.Now()
		for i := range 200 {
			s.FlyStep(now.Add(time.Duration(i) * time.Second))
			require.NoError(t, s.Camera.Check())
			require.LessOrEqual(t, s.Camera.Target.Sub(s.Box.Center()).Len(), 1.01*renderer.FurthestTarget*s.Box.Radius())
		}
	}
}

func TestTheKeyOTurnsThroughAllOrders(t *testing.T) {
	for _, key := range []string{"O", "Shift+O"} {
		s := newState(t, 1)
		s.IndexOrder = load.FileOrder
		seen := map[string]bool{}
		for range order.Names() {
			press(t, s, key)
			must.Get(order.Lookup(s.IndexOrder))
			seen[s.IndexOrder] = true
			require.Contains(t, fmt.Sprint(s.HelpGroups()), s.IndexOrder)
		}
		require.Equal(t, load.FileOrder, s.IndexOrder)
		require.Len(t, seen, len(order.Names()))
		require.Equal(t, start, s.Want, "no new plan follows before the scene is there")
		require.Nil(t, s.Turned)
	}
	names := order.Names()
	require.Equal(t, names[1], load.TurnOrder(load.FileOrder, 1))
	require.Equal(t, names[len(names)-1], load.TurnOrder(load.FileOrder, -1))
	require.Equal(t, "hoppe+fetch", load.TurnOrder("forsyth32+fetch", 1))
}

func TestExtremesKeepTheCameraValid(t *testing.T) {
	for _, size := range []float32{1e-15, 1e-3, 1, 1e6, 1e15} {
		s := newState(t, size)
		require.NoError(t, s.Camera.Check())
		for _, notches := range []float64{1, 1e9, 1, -1, -1e9, -1, math.Inf(1), math.Inf(-1), math.NaN()} {
			for range 20 {
				s.Wheel(notches)
				require.NoError(t, s.Camera.Check(), "size %g, %g notches", size, notches)
			}
			for _, button := range []Button{LeftButton, MiddleButton} {
				s.PressButton(button, true, false)
				for _, d := range []float64{1, 1e4, -1e9, 1e300, math.Inf(1), math.NaN(), 0} {
					s.MoveCursor(d, -d, 500)
					require.NoError(t, s.Camera.Check(), "size %g, drag by %g", size, d)
					require.LessOrEqual(t, s.Camera.Target.Sub(s.Box.Center()).Len(), 1.01*renderer.FurthestTarget*s.Box.Radius())
				}
				s.PressButton(button, false, false)
			}
		}
		home := newState(t, size).Camera
		s.Reset()
		require.Equal(t, home, s.Camera)
	}
}

// TestReplayedFrameBeginsWithItsOwnView: a replayed frame sets the camera to the game's view; a
// mesh opened after it gets the usual view.
func TestReplayedFrameBeginsWithItsOwnView(t *testing.T) {
	s := &State{Wanted: Wanted{Choices: Choices{Want: start}, View: cli.Captured}}
	box := geometry.Box{Max: mgl32.Vec3{1, 1, 1}}
	s.Captured = &geometry.View{Elevation: 12, Distance: 5, FovY: 80, Near: .5, Far: 100, Aspect: 1.5}
	require.NoError(t, s.Look(box, 1.5))
	require.Equal(t, float32(80), s.Camera.FovY)
	s.Camera.Dolly(box, 1)
	s.Frame(renderer.Part{Center: mgl32.Vec2{.25, 0}, Half: mgl32.Vec2{.5, 1}}, 1.5)
	require.Zero(t, s.Camera.Center, "it fills the window, whatever panels leave")
	s.Frame(renderer.Part{}, 1.5)
	s.Reset()
	require.Equal(t, float32(5), s.Camera.Distance)
	s.Captured = nil
	require.NoError(t, s.Look(box, 1.5))
	require.Equal(t, renderer.FitCamera(box, 1.5), s.Camera)
	require.Equal(t, cli.Captured, s.View, "the next may be one")
}

// Steps are clamped to their range. A step back restarts a walk.
func TestApplicationsStep(t *testing.T) {
	s := newState(t, 1)
	for _, c := range []struct {
		app          results.App
		from, by, to int
	}{
		{results.Subdivide, 0, 1, 1}, {results.Subdivide, results.MaxLevels, 1, results.MaxLevels}, {results.Subdivide, 0, -1, 0}, {results.Subdivide, 2, -1, 1},
		{results.Walk, 0, 1, 1}, {results.Walk, walk.MaxSteps, 1, walk.MaxSteps}, {results.Walk, 7, -1, 0},
	} {
		s.Doing = results.Choice{App: c.app, Levels: c.from, Step: c.from}
		s.StepApp(c.by)
		want := results.Choice{App: c.app, Levels: c.to, Step: c.from}
		if c.app == results.Walk {
			want.Levels, want.Step = c.from, c.to
		}
		require.Equal(t, want, s.Doing)
	}
}

// Another up axis turns the scene. A fitted camera fits it again; a moved camera keeps its distance.
func TestAnotherAxisPointsUp(t *testing.T) {
	s := newState(t, 1)
	fitted := newState(t, 1)
	fitted.Up = renderer.UpZ
	fitted.Reset()
	s.SetUp(renderer.UpZ)
	require.Equal(t, fitted.Camera, s.Camera)
	s.Wheel(3)
	moved := s.Camera
	s.SetUp(renderer.UpY)
	moved.Up = renderer.UpY
	require.Equal(t, moved, s.Camera)
}

// Undo restores settings. A walk's current step is not a setting, so undo does not change it.
func TestUndoLeavesTheWalk(t *testing.T) {
	s := newState(t, 1)
	var h History
	choose := func(change func()) {
		before := s.Choices
		change()
		h.Note(before, s.Choices)
	}
	s.Doing.Step, s.Doing.Agents = 3, 5
	choose(func() { s.Doing.Agents = 7 })
	choose(func() { s.Doing.Step = 8 })
	for at := 8; at < 12; at += 2 { // the walk continues meanwhile
		s.Doing.Step = at
		c, some := h.Back(s.Choices)
		require.True(t, some)
		s.Choose(c)
		require.Equal(t, []any{5, at}, []any{s.Doing.Agents, s.Doing.Step})
		s.Doing.Step++
		c, some = h.Again(s.Choices)
		require.True(t, some)
		s.Choose(c)
		require.Equal(t, []any{7, at + 1}, []any{s.Doing.Agents, s.Doing.Step})
	}
}
