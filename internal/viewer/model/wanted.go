package model

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
)

// Wanted is the request of the user.
type Wanted struct {
	Choices
	Turned *Setting // the setting whose key was pressed last, and by how many values: see settle
	Step   int

	Camera renderer.Camera
	Box    geometry.Box  // of the scene
	Aspect float32       // width by height of the window
	Within renderer.Part // of the window, that the scene is fitted into
	View   string        // the value of --camera; reset returns to it
	Up     renderer.UpAxis

	Captured *geometry.View // the scene's own view, or nil

	Time float32 // seconds that vertex shaders see; Camera has none

	home renderer.Camera // that fits the scene
}

// Wishes is the part of the state that the picture depends on.
type Wishes struct {
	Choices
	Camera renderer.Camera
	Within renderer.Part
}

// Wishes returns the part of the state that the picture depends on. All edges are not in it, since
// they are drawn over the picture.
func (w *Wanted) Wishes() Wishes {
	wishes := Wishes{w.Choices, w.Camera, w.Within}
	wishes.Camera.Time, wishes.AllEdges = w.Time, false
	return wishes
}

// Fits reports whether the camera has not been moved and still sees the whole scene.
func (w *Wanted) Fits() bool { return w.Camera == w.home }

// Look moves the camera to see a whole scene.
func (w *Wanted) Look(box geometry.Box, aspect float32) error {
	c, err := w.CameraOf(box, w.Captured, aspect)
	if err == nil {
		w.Camera, w.Box, w.Aspect, w.home = c, box, aspect, c
	}
	return err
}

// CameraOf returns the camera that sees a whole scene: as --camera says, or the scene's own view.
func (w *Wanted) CameraOf(box geometry.Box, captured *geometry.View, aspect float32) (renderer.Camera, error) {
	if w.shows(captured) {
		return cli.SceneCamera(w.View, box, captured, aspect)
	}
	text := w.View
	if text == cli.Captured {
		text = "" // this one is no frame
	}
	c, err := cli.ParseCameraInto(text+",up="+w.Up.String(), box, aspect, w.Within)
	if err == nil {
		err = c.Check()
	}
	c.Time = 0
	return c, err
}

// shows reports whether a scene is shown from its own view.
func (w *Wanted) shows(captured *geometry.View) bool {
	return captured != nil && (w.View == "" || w.View == cli.Captured)
}

// Frame has the scene fitted into a part of a window. A camera that was moved keeps its
// distance. A view of the scene's own fills the window.
func (w *Wanted) Frame(part renderer.Part, aspect float32) {
	if part == w.Within && aspect == w.Aspect {
		return
	}
	follows := w.Camera.Center == w.Within.Center && !w.shows(w.Captured)
	w.Within, w.Aspect = part, aspect
	switch {
	case w.Fits():
		w.Reset()
	case follows:
		w.Camera.Center = part.Center
	}
}

// SetUp makes another axis point up.
func (w *Wanted) SetUp(up renderer.UpAxis) {
	home := w.Fits()
	if w.Up = up; w.Aspect == 0 { // there is no scene yet
		return
	}
	w.Move(func(c *renderer.Camera) { c.Up = up })
	if home {
		w.Reset()
	}
}

// Reset fits the scene again.
func (w *Wanted) Reset() {
	// The scene was looked at before: its camera is valid for any aspect.
	_ = w.Look(w.Box, w.Aspect)
}

// Move changes the camera, unless the new camera would be invalid.
func (w *Wanted) Move(change func(*renderer.Camera)) {
	c := w.Camera
	change(&c)
	if c == w.Camera || c.Check() != nil {
		return
	}
	w.Camera = c
}
