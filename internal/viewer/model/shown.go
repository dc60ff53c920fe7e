package model

import (
	"fmt"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/renderer"
)

// Half is one side of the window: what it shows, and the results of drawing it.
type Half struct {
	Look
	Plan    *plan.Plan // nil if nothing is shown
	Camera  renderer.Camera
	Stats   reuse.Stats
	Counts  []uint32
	Depth   []float32 // of the picture, row by row; nil unless it was asked for
	Timings []renderer.Timing
	Seen    *picture.Seen // counts of the visible picture; nil until the camera rests
	Stale   bool          // Seen was counted in the picture of an earlier pose
	Rerun   bool          // the side has to be drawn again: the times are of a plan's first run, or the picture is lost
}

// Name returns the strategy, and the number of lanes if it uses them: "claim 32".
func (h *Half) Name() string {
	c := &h.Plan.Frame.Reuse
	if c.Strategy.UsesLanes {
		return fmt.Sprintf("%s %d", c.Strategy.Name, c.Lanes)
	}
	return c.Strategy.Name
}

// TimesShaded is how often the side's geometry stage shaded a vertex of a draw.
func (h *Half) TimesShaded(draw int, vertex uint32) int {
	return inspect.TimesShaded(h.Plan.Frame.Scene, h.Counts, draw, vertex)
}

// DrawIndex converts a draw's index in the shown scene to its index in the file's scene.
func (h *Half) DrawIndex(draw int) int {
	if h.Alone > 0 {
		if draws, err := h.Whole.Numbered(h.Alone-1, h.Alone-1); err == nil {
			return draws[draw]
		}
	}
	return draw
}

// DrawNumber returns the number of a draw of the shown scene: see geometry.Scene.Number.
func (h *Half) DrawNumber(draw int) int { return h.Whole.Number(h.DrawIndex(draw)) }

// ShowsCounts reports whether a side shows shading counts.
func (h *Half) ShowsCounts() bool { return h.Plan.Frame.View == renderer.Counts }

// Shown is the window's contents. Without a comparison, the left side fills it.
type Shown struct {
	Left, Right Half
	Compare     CompareMode // CompareOff if there is no right side
	Difference  Difference
	Took        time.Duration // time that the last drawing for another camera took
}

// Difference is the picture that shows which vertices the right side shades more or less often than the left.
type Difference struct {
	inspect.Difference
	Plan        *plan.Plan     // its Frame.Shown holds the differences, by the left side's vertices
	Left, Right *plan.Plan     // the plans compared
	Match       geometry.Match // between the vertices of both sides
}

// plans returns how many plans the left side's canvas keeps: its own and, if shown, the difference's.
func (s *Shown) plans() int {
	if s.Difference.Plan != nil {
		return 2
	}
	return 1
}

// Halves returns the sides that are shown.
func (s *Shown) Halves() []*Half {
	if s.Right.Plan != nil {
		return []*Half{&s.Left, &s.Right}
	}
	return []*Half{&s.Left}
}

// Wanted is what the user asks for.
type Wanted struct {
	Choices
	Turned *Setting // the setting whose key was pressed last, for settle
	Step   int      // number of values by which that key stepped

	Camera renderer.Camera
	Box    geometry.Box  // of the scene
	Aspect float32       // width by height of the window
	Within renderer.Part // the part of the window that the scene is fitted into
	View   string        // the value of --camera; reset returns to it
	Up     renderer.UpAxis

	Captured *geometry.View // the scene's own view, or nil

	Time float32 // seconds that vertex shaders see; Camera.Time stays 0
	Pose float64 // seconds of the file's animation; cli.RestTime for the shape as it is stored
	Clip string  // the chosen animation of the file, as cli.FindAnimation takes it

	home renderer.Camera // the camera that fits the scene
}

// Wishes is the part of the state that the picture depends on.
type Wishes struct {
	Choices
	Camera renderer.Camera
	Within renderer.Part
}

// Wishes returns the part of the state that the picture depends on. It leaves out AllEdges,
// since edges are drawn over the picture.
func (w *Wanted) Wishes() Wishes {
	wishes := Wishes{w.Choices, w.Camera, w.Within}
	wishes.Camera.Time, wishes.AllEdges = w.Time, false
	return wishes
}

// Fits reports whether the user has left the camera where it fits the scene.
func (w *Wanted) Fits() bool { return w.Camera == w.home }

// Look moves the camera to see a whole scene. On an error it changes nothing.
func (w *Wanted) Look(box geometry.Box, aspect float32) error {
	c, err := w.CameraOf(box, w.Captured, aspect)
	if err == nil {
		w.Camera, w.Box, w.Aspect, w.home = c, box, aspect, c
	}
	return err
}

// CameraOf returns the camera that sees a whole scene: the one that --camera describes, or the scene's own view.
func (w *Wanted) CameraOf(box geometry.Box, captured *geometry.View, aspect float32) (renderer.Camera, error) {
	if w.shows(captured) {
		return cli.SceneCamera(w.View, box, captured, aspect)
	}
	text := w.View
	if text == cli.Captured {
		text = "" // this scene has no view of its own
	}
	c, err := cli.ParseCameraInto(text+",up="+w.Up.String(), box, aspect, w.Within)
	if err == nil {
		err = c.Check()
	}
	c.Time = 0
	return c, err
}

// shows reports whether a scene is shown from its own view `captured`: true if that is not nil and the user chose no other.
func (w *Wanted) shows(captured *geometry.View) bool {
	return captured != nil && (w.View == "" || w.View == cli.Captured)
}

// Frame fits the scene into a part of the window. A camera that the user has moved keeps its
// distance. A scene's own view fills the window.
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
	// Look succeeded for this scene before, and its camera is valid for any aspect.
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
