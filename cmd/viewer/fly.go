package main

import (
	"math"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/renderer"
)

// fly is flight through a scene, for captured frames: the eye moves by keys, and a
// drag looks around. Its keys mean other things while it is off.
type fly struct {
	on    bool
	speed float64 // radii of the scene a second
	held  map[glfw.Key]bool
	last  time.Time
}

const (
	flySpeed            = 0.15
	flyFast             = 5 // times as fast with shift
	slowestFly, wildFly = 1e-3, 10
	flyLongest          = 0.1                  // seconds of one step, however long the last frame took
	flyRest             = 4 * time.Millisecond // between steps
	flyHelp             = "fly: W A S D, E up, Q down, shift fast, wheel sets the speed"
)

// flyKeys are the directions that keys fly in: right, up, forward.
var flyKeys = map[glfw.Key]mgl32.Vec3{
	glfw.KeyW: {0, 0, 1}, glfw.KeyS: {0, 0, -1}, glfw.KeyD: {1, 0, 0}, glfw.KeyA: {-1, 0, 0}, glfw.KeyE: {0, 1, 0}, glfw.KeyQ: {0, -1, 0},
}

// toggleFly begins or ends the flight.
func (s *state) toggleFly() {
	speed := s.fly.speed
	if speed == 0 {
		speed = flySpeed
	}
	s.fly = fly{on: !s.fly.on, speed: speed, held: map[glfw.Key]bool{}}
}

// flyKey notes a key that is pressed or released during a flight. It reports whether the
// key moves the eye.
func (s *state) flyKey(key glfw.Key, down bool) bool {
	_, moves := flyKeys[key]
	shift := key == glfw.KeyLeftShift || key == glfw.KeyRightShift
	if !s.fly.on || !moves && !shift {
		return false
	}
	if down && len(s.fly.moving()) == 0 {
		s.fly.last = time.Time{}
	}
	s.fly.held[key] = down
	return moves
}

// moving are the directions held down.
func (f *fly) moving() (list []mgl32.Vec3) {
	for key, direction := range flyKeys {
		if f.held[key] {
			list = append(list, direction)
		}
	}
	return list
}

// flyStep moves the eye for the time since the last step.
func (s *state) flyStep(now time.Time) {
	directions := s.fly.moving()
	if !s.fly.on || len(directions) == 0 {
		return
	}
	seconds := 0.0
	if !s.fly.last.IsZero() {
		seconds = min(now.Sub(s.fly.last).Seconds(), flyLongest)
	}
	s.fly.last = now
	length := s.fly.speed * seconds * float64(max(s.Box.Radius(), 1e-20))
	if s.fly.held[glfw.KeyLeftShift] || s.fly.held[glfw.KeyRightShift] {
		length *= flyFast
	}
	s.Move(func(c *renderer.Camera) {
		for _, d := range directions {
			c.Move(s.Box, d.Mul(float32(length)))
		}
	})
}

// faster changes the speed by notches of the wheel.
func (f *fly) faster(notches float64) {
	f.speed = min(max(f.speed*math.Pow(renderer.ZoomStep, min(max(notches, -50), 50)), slowestFly), wildFly)
}
