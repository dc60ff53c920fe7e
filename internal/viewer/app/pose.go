package app

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
)

// pose is a scene in a pose: `by` made it (`made`) from the scene `of`, for the animation's time `seconds`.
type pose struct {
	of      *geometry.Scene
	by      geometry.Animation
	seconds float64
	made    *geometry.Scene
}

// Animations returns the animations of the file on the screen; none if an application shows its own mesh.
func (a *App) Animations() []geometry.Animation {
	if s := a.Shown.Left.Source; s != nil && a.Doing.App == results.None {
		return s.Animations
	}
	return nil
}

// Animation returns the chosen animation of the file; nil if the file has none.
func (a *App) Animation() geometry.Animation {
	all := a.Animations()
	if len(all) == 0 {
		return nil
	}
	of, err := cli.FindAnimation(all, a.Clip)
	if err != nil {
		a.say(err)
		a.Clip = ""
	}
	return all[of]
}

// posed returns s in the requested pose: a scene with new positions and the indices of s. It returns s if no pose is requested.
func (a *App) posed(s *geometry.Scene) *geometry.Scene {
	by := a.Animation()
	if s == nil || by == nil || len(s.Animations) == 0 || a.Pose == cli.RestTime {
		return s
	}
	for _, p := range a.poses {
		if p.of == s && p.by == by && p.seconds == a.Pose {
			return p.made
		}
	}
	made, err := by.Pose(s, float32(a.Pose))
	if err != nil {
		a.say(err)
		a.Pose, a.Play = cli.RestTime, false
		return s
	}
	a.poses = [2]pose{a.poses[1], {s, by, a.Pose, made}}
	return made
}

// plays reports whether the animation plays.
func (a *App) plays() bool {
	still := a.Animation() == nil || !a.Play || a.quota > 0 || a.turn.frames > 0
	if !still {
		_, still = a.untimed() // strategies that wait to be timed need the device first
	}
	return !still
}

// followPose advances the animation by the time that has passed.
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

// uncounted reports whether an animation plays and a side's legend has no shares of pixels yet. These must then be
// counted before the next pose. A legend that has shares keeps those of an earlier pose while the animation plays.
func (a *App) uncounted() bool {
	return a.plays() && slices.ContainsFunc(a.unseen(), func(i int) bool { return a.Shown.Halves()[i].Seen == nil })
}

// SurveyOf returns the survey of a side's scene without a pose. A pose does not change counts, so the figures
// stay while an animation plays.
func (a *App) SurveyOf(d *model.Half) inspect.Survey {
	of := inspect.SurveyOf(d.Plan)
	if whole := a.orders.Get(d.Source, d.Order); d.Applied == nil && whole != nil {
		of.Scene = a.Part(whole, d.Alone)
	}
	return of
}

// stored returns the file's scene in an order, without a pose; the shown scene while that order is being made.
func (a *App) stored(order string) *geometry.Scene {
	left := &a.Shown.Left
	return cmp.Or(a.orders.Get(left.Source, order), left.Whole)
}
