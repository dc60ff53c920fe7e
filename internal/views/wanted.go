package views

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/renderer"
)

// Wanted is what the user wants to see. The picture follows it.
type Wanted struct {
	Want   Settings
	Turned *Knob // the knob that was turned last, and how: see settle
	Step   int

	IndexOrder string
	Alone      int // 0 to show all draws, else the number of one, plus 1

	Compare CompareMode
	Other   OtherSide // of the right side

	Doing showing.Choice

	Camera renderer.Camera
	Box    geometry.Box // of the scene
	Aspect float32      // width by height of the window
	View   string       // what --camera said; reset goes back to it

	Captured *geometry.View // the scene's own view, or nil
}

// Wishes is what the state asks for of the picture.
type Wishes struct {
	Want       Settings
	IndexOrder string
	Compare    CompareMode
	Other      OtherSide
	Camera     renderer.Camera
	Alone      int
	Doing      showing.Choice
}

func (w *Wanted) Wishes() Wishes {
	return Wishes{w.Want, w.IndexOrder, w.Compare, w.Other, w.Camera, w.Alone, w.Doing}
}

// Turn moves a knob on.
func (w *Wanted) Turn(k *Knob, step int) {
	w.Want = k.Turned(w.Want, step)
	w.Turned, w.Step = k, step
}

// Look puts the camera where it sees a whole scene.
func (w *Wanted) Look(box geometry.Box, aspect float32) error {
	c, err := w.CameraOf(box, w.Captured, aspect)
	if err == nil {
		w.Camera, w.Box, w.Aspect = c, box, aspect
	}
	return err
}

// CameraOf is the camera that sees a whole scene, as --camera says, or from the scene's
// own view.
func (w *Wanted) CameraOf(box geometry.Box, captured *geometry.View, aspect float32) (renderer.Camera, error) {
	text := w.View
	if text == cli.Captured && captured == nil {
		text = "" // this one is no frame
	}
	c, err := cli.SceneCamera(text, box, captured, aspect)
	if err == nil {
		err = c.Check()
	}
	return c, err
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
