package app

import (
	"math"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
)

// pose is a scene at a time of its animation.
type pose struct {
	of      *geometry.Scene
	seconds float64
	made    *geometry.Scene
}

// Animation returns the animation of the file on the screen; nil if it has none, or if an application
// shows what it made of the file.
func (a *App) Animation() geometry.Animation {
	if s := a.Shown.Left.Source; s != nil && a.Doing.App == results.None {
		return s.Animation
	}
	return nil
}

// posed returns a scene in the pose that the state asks for. Vertices are placed anew, and the scene's
// indices are shared.
func (a *App) posed(s *geometry.Scene) *geometry.Scene {
	if s == nil || s.Animation == nil || a.Animation() == nil || a.Pose == cli.RestTime {
		return s
	}
	for _, p := range a.poses {
		if p.of == s && p.seconds == a.Pose {
			return p.made
		}
	}
	made, err := s.Animation.Pose(s, float32(a.Pose))
	if err != nil {
		a.say(err)
		a.Pose, a.Play = cli.RestTime, false
		return s
	}
	a.poses = [2]pose{a.poses[1], {s, a.Pose, made}}
	return made
}

// plays reports whether time goes on.
func (a *App) plays() bool {
	still := a.Animation() == nil || !a.Play || a.quota > 0 || a.turn.frames > 0
	if !still {
		_, still = a.untimed() // strategies are timed first, which needs the device
	}
	return !still
}

// followPose goes on in the animation by the time that passed.
func (a *App) followPose(now time.Time) {
	if !a.plays() {
		a.posedAt = time.Time{}
		return
	}
	passed := 0.
	if !a.posedAt.IsZero() {
		passed = now.Sub(a.posedAt).Seconds()
	}
	a.Pose, a.posedAt = math.Mod(max(0, a.Pose)+passed, max(float64(a.Animation().Length()), 1e-3)), now
}

// poseDue returns the time until the next pose; negative means never.
func (a *App) poseDue() time.Duration {
	if !a.plays() {
		return -1
	}
	return max(0, timeRest-time.Since(a.posedAt))
}
