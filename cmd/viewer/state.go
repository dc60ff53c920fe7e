package main

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/renderer"
)

// state is what input changes: what the user wants to see. The loop in app.go
// makes the picture follow it. There is no window and no device in it.
type state struct {
	want   settings
	turned *knob // the knob that was turned last, and how: see settle
	step   int

	indexOrder string // wanted

	panels      bool
	transparent bool // pictures that are saved have no background

	alone int // 0 to show all draws, else the number of one, plus 1

	compare compareMode
	other   otherSide // wanted of the right side
	divider float64   // 0 at the left end of the window, 1 at the right

	appState

	camera renderer.Camera
	box    geometry.Box // of the scene
	aspect float32      // width by height of the window
	view   string       // what --camera said; reset goes back to it

	captured *geometry.View // the scene's own view, or nil

	help  bool
	quit  bool
	shots []shot // screenshots to take
	skip  int    // files to move on by
	drag  drag
	fly   fly
	stop  bool // what is being loaded or ordered
}

// wishes is what the state asks for of the picture.
type wishes struct {
	want       settings
	indexOrder string
	compare    compareMode
	other      otherSide
	camera     renderer.Camera
	alone      int
	doing      showing.Choice
}

func (s *state) wishes() wishes {
	return wishes{s.want, s.indexOrder, s.compare, s.other, s.camera, s.alone, s.doing}
}

// shot is a screenshot that was asked for.
type shot struct{ legend bool }

// turn moves a knob on.
func (s *state) turn(k *knob, step int) {
	s.want = k.turned(s.want, step)
	s.turned, s.step = k, step
}

// look puts the camera where it sees a whole scene.
func (s *state) look(box geometry.Box, aspect float32) error {
	c, err := s.cameraOf(box, s.captured, aspect)
	if err == nil {
		s.camera, s.box, s.aspect = c, box, aspect
	}
	return err
}

// cameraOf is the camera that sees a whole scene, as --camera says, or from the scene's
// own view.
func (s *state) cameraOf(box geometry.Box, captured *geometry.View, aspect float32) (renderer.Camera, error) {
	text := s.view
	if text == cli.Captured && captured == nil {
		text = "" // this one is no frame
	}
	c, err := cli.SceneCamera(text, box, captured, aspect)
	if err == nil {
		err = c.Check()
	}
	return c, err
}

// reset fits the scene again.
func (s *state) reset() {
	// The scene was looked at before: its camera is valid for any aspect.
	_ = s.look(s.box, s.aspect)
}

// move changes the camera, unless the new camera would be invalid.
func (s *state) move(change func(*renderer.Camera)) {
	c := s.camera
	change(&c)
	if c == s.camera || c.Check() != nil {
		return
	}
	s.camera = c
}
