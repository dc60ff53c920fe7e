// Package model holds the current and the requested contents of the viewer's window: the settings, the two
// sides of a comparison, the jobs that lead from one to the other, and the painter that draws them.
//
// It knows no window and no panel, so its transitions are tested on the CPU backend.
package model

import (
	"fmt"
	"image"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// Views owns the picture. There are three values: the job being drawn, the window's contents, and
// the request. Views holds the first two; the request is made from Wanted whenever no job is
// running. Job returns the job to draw next, step returns the job's next step, and Adopt replaces the
// window's contents by a job's outcome. Between jobs, only Half.Seen and Half.Stale of Shown change.
type Views struct {
	Drawing *Drawing // the job's drawing; nil if there is none
	Shown   Shown

	Stuck   image.Point // a window size that is not tried again: its picture could not be drawn, or was cancelled
	unsized bool        // the picture for Stuck was cancelled: that size is tried again after the next picture
	Singles []single
}

// Asked is the request that jobs work towards.
type Asked struct {
	Wishes
	Knob     *Setting  // the setting changed last, for settle
	Step     int       // by how many values it was changed
	Depth    bool      // lines over the pictures need their depth
	Fallback *Settings // used if the requested settings cannot be drawn; nil for none
	Size     image.Point

	File       *load.Loaded    // an opened file to show next; nil for none
	Box        geometry.Box    // of the part of the file to show
	Whole      *geometry.Scene // the scene in the requested order; nil until it is ordered
	RightWhole *geometry.Scene // the scene in the right side's order; nil until it is ordered
	Pose       float64         // of Whole and RightWhole
	Clip       string          // of Whole and RightWhole

	Applied, RightApplied *results.Result // what an application made for each side; nil without one, or while it is made
	Waits                 bool            // the left side waits for its application's result
}

// Look determines the picture of a side, except for the camera.
type Look struct {
	Source   *geometry.Scene // the scene as its file stores it
	Whole    *geometry.Scene // the source in an index order and a pose
	Order    string
	Pose     float64
	Clip     string
	Scene    *geometry.Scene // what is drawn: all of Whole, one draw of it, or what an application made of that
	Applied  *results.Result // what an application made; nil without one
	Alone    int             // n+1 shows only the draws with number n (geometry.Scene.Number); 0 shows all draws
	Settings Settings
	Size     image.Point
}

// Change is the part of the left side that a job changes. A job changes only one part, so that a
// failure has one cause.
type Change int

const (
	NoChange Change = iota
	NewFile
	NewOrder // another index order or pose
	NewSettings
	NewAlone
	NewApplied
	NewSize
)

// Job is a picture to be drawn.
type Job struct {
	Asked  Asked
	from   Shown // the window before the job
	Change Change
	left   Look

	compare    CompareMode
	rightWhole *geometry.Scene // nil leaves the right side as it is
	rightScene *geometry.Scene
	camera     renderer.Camera
	box        geometry.Box // of the draws to show alone; set if Change is NewAlone
}

// Job returns the next job towards the request. It returns false if the window already shows the request, or
// if there is neither a picture nor a file to show.
func (v *Views) Job(w Asked) (Job, bool) {
	if l := &v.Shown.Left; w.Waits { // settings, order and draws stay until the application's result is ready
		w.Want, w.Whole, w.Alone, w.Applied = l.Settings, nil, l.Alone, l.Applied
	}
	j := Job{Asked: w, from: v.Shown, left: v.Shown.Left.Look, compare: w.Compare, camera: w.Camera}
	if w.Compare == CompareBefore && w.Applied == nil && !w.Waits {
		j.compare = CompareOff
	}
	l := &j.left
	switch {
	case w.File != nil:
		j.Change = NewFile
		*l = Look{Source: w.File.Source, Whole: w.File.Scene, Order: w.File.IndexOrder, Pose: cli.RestTime, Alone: w.Alone, Settings: w.Want, Size: w.Size}
	case v.Shown.Left.Plan == nil:
		return j, false
	case w.Whole != nil && (w.IndexOrder != l.Order || w.Whole != l.Whole && (w.Pose != l.Pose || w.Clip != l.Clip)):
		j.Change, l.Whole, l.Order, l.Pose, l.Clip = NewOrder, w.Whole, w.IndexOrder, w.Pose, w.Clip
	case w.Want != l.Settings:
		j.Change, l.Settings = NewSettings, w.Want
	case w.Alone != l.Alone:
		j.Change, l.Alone = NewAlone, w.Alone
	case v.leftApplied(w) != l.Applied:
		j.Change = NewApplied
	case w.Size != l.Size && w.Size != v.Stuck:
		j.Change, l.Size = NewSize, w.Size
	}
	l.Scene = v.Part(l.Whole, l.Alone)
	if l.Applied = v.leftApplied(w); l.Applied != nil {
		l.Scene = l.Applied.Scene
	}
	if j.Change == NewAlone { // the camera moves to show the draw
		j.box = l.Scene.Bounds()
		j.camera.FitInto(j.box, float32(w.Size.X)/float32(w.Size.Y), w.Within)
	}
	if j.Change != NewFile { // a new file has no other order yet
		j.followRight(v)
	}
	return j, j.step(&v.Shown) != stepNone
}

// leftApplied returns the application's result for the left side, or nil. A comparison of before and
// after shows the unchanged mesh there.
func (v *Views) leftApplied(w Asked) *results.Result {
	switch {
	case w.Waits:
		return v.Shown.Left.Applied
	case w.File != nil, w.Compare == CompareBefore:
		return nil
	}
	return w.Applied
}

// followRight sets the right side's scene; nil while it is being made.
func (j *Job) followRight(v *Views) {
	w := &j.Asked
	switch {
	case w.Waits:
	case j.compare == CompareBefore:
		j.rightWhole, j.rightScene = j.left.Whole, w.Applied.Scene
	case w.Applied == nil:
		j.rightWhole, j.rightScene = w.RightWhole, v.Part(w.RightWhole, j.left.Alone)
	case w.RightApplied != nil:
		j.rightWhole, j.rightScene = w.RightWhole, w.RightApplied.Scene
	}
}

// step is a part of a job that can be left out, or fail, by itself.
type step int

const (
	stepNone step = iota
	stepLeft
	stepDropRight
	stepRight
	stepDifference
	stepDropDifference
	stepDraw
	stepCompare
)

// step returns the job's next step; `now` is what has been drawn so far.
func (j *Job) step(now *Shown) step {
	switch right := now.Right.Plan != nil; {
	case j.left != now.Left.Look:
		return stepLeft
	case j.compare == CompareOff && right:
		return stepDropRight
	case j.compare != CompareOff && j.rightScene != nil && j.right(now) != now.Right.Look:
		return stepRight
	case j.differs(now) && (now.Difference.Left != now.Left.Plan || now.Difference.Right != now.Right.Plan):
		return stepDifference
	case !j.differs(now) && now.Difference.Plan != nil:
		return stepDropDifference
	case now.Left.Rerun, right && now.Right.Rerun, now.Left.Camera != j.camera, right && now.Right.Camera != j.camera,
		j.Asked.Depth && (now.Left.Depth == nil || right && now.Difference.Plan == nil && now.Right.Depth == nil):
		return stepDraw
	case j.mode(now) != now.Compare:
		return stepCompare
	}
	return stepNone
}

// right returns the requested Look of the right side.
func (j *Job) right(now *Shown) Look {
	l := now.Left.Look
	l.Whole, l.Scene = j.rightWhole, j.rightScene
	if j.compare == CompareBefore {
		l.Applied = j.Asked.Applied
		return l
	}
	l.Applied, l.Order, l.Settings = j.Asked.RightApplied, j.Asked.Other.Order, j.Asked.Other.Settings(l.Settings)
	return l
}

// differs reports whether the picture of differences should be shown. It waits until both sides show the same draws.
func (j *Job) differs(now *Shown) bool {
	l, r := &now.Left, &now.Right
	if j.compare != CompareDifference || r.Plan == nil || (l.Applied == nil) != (r.Applied == nil) {
		return false
	}
	made := l.Applied != nil || l.Scene.Computed != nil // these meshes do not keep the vertices' numbers in the file
	return inspect.SameDraws(l.Scene, r.Scene) && (!made || l.Order == r.Order)
}

// mode returns how two sides are compared; CompareOff until there are two.
func (j *Job) mode(now *Shown) CompareMode {
	if now.Right.Plan == nil {
		return CompareOff
	}
	return j.compare
}

// Outcome is the result of a job.
type Outcome struct {
	Job   Job
	shown Shown
	Fresh bool // pictures were drawn, and are in the window
	Drew  bool // the last picture was drawn for another camera
	Timed bool // a side has new times that do not come from its plan's first run

	GivenUp bool // the job was cancelled

	// Why a side or the difference is not as requested. The left side may then have other settings than requested.
	Refused, refusedRight, refusedDifference error
	unshown                                  error // why the window still shows the old picture
}

// Adopt makes a job's outcome the shown state. It drops requests that could not be drawn, unless the
// user has changed them since. It returns errors to show to the user. The caller must drop a file
// that cannot be shown.
func (v *Views) Adopt(out Outcome, s *Wanted) (tell []error) {
	w, left := &out.Job.Asked, &out.shown.Left
	w.Camera.Time = 0 // set by the clock, not by the user
	v.Drawing, v.Shown = nil, out.shown
	if out.GivenUp {
		v.back(w, s)
		return nil
	}
	if v.unsized && out.Fresh {
		v.Stuck, v.unsized = image.Point{}, false
	}
	refused := out.Refused != nil
	if refused && out.Job.Change != NewFile {
		tell = append(tell, out.Refused)
	}
	switch change := out.Job.Change; {
	case change == NewFile && left.Source == w.File.Source:
		if refused { // the remembered settings
			tell = append(tell, fmt.Errorf("without the settings that were remembered: %w", out.Refused))
			s.Want = left.Settings
		}
		s.Alone, s.Box, s.Captured = left.Alone, w.Box, w.File.Source.View()
		if w.File.Again && !s.Fits() { // keep a camera that the user has moved
			s.Move(func(c *renderer.Camera) { c.SetPlanes(s.Box) })
		} else {
			s.Camera, s.home = w.Camera, w.Camera
		}
	case change == NewOrder && refused && s.IndexOrder == w.IndexOrder:
		s.IndexOrder, s.Pose, s.Clip = left.Order, left.Pose, left.Clip
	case change == NewSettings && s.Want == w.Want:
		s.Want, s.Turned = left.Settings, nil
	case change == NewAlone && refused && s.Alone == w.Alone:
		s.Alone = left.Alone
	case change == NewAlone && !refused:
		s.Box = out.Job.box
		if s.Camera == w.Camera {
			s.Camera = left.Camera
			s.Camera.Time = 0
		}
	case change == NewApplied && refused && s.Doing == w.Doing:
		s.Doing.App = results.None
		if left.Applied != nil {
			s.Doing = left.Applied.Choice
		}
	case change == NewSize && refused:
		v.Stuck = w.Size
	}
	if out.refusedRight != nil {
		tell = append(tell, fmt.Errorf("compare with %s: %w", w.Other, out.refusedRight))
		v.backToRight(w.Other, s)
	}
	if out.refusedDifference != nil {
		tell = append(tell, out.refusedDifference)
		if s.Compare == CompareDifference {
			s.Compare = CompareSplit
		}
	}
	if out.unshown != nil {
		tell = append(tell, out.unshown)
	}
	return tell
}

// other returns a side's strategy, lanes and order.
func (h *Half) other() OtherSide {
	return OtherSide{h.Settings.Strategy, h.Settings.Lanes, h.Order}
}

// backToRight takes back a request for a right side that could not be drawn. It requests the shown right
// side again, or no comparison if there is none or it is the one refused. Newer requests stay.
func (v *Views) backToRight(refused OtherSide, s *Wanted) {
	if s.Compare == CompareBefore {
		s.Compare = CompareOff
	}
	if s.Other != refused {
		return
	}
	r := &v.Shown.Right
	back := r.other()
	if r.Plan != nil && back != s.Other {
		s.Other = back
		return
	}
	s.Compare = CompareOff
}

// single is a scene that has only the draws with one number. It shares the whole scene's pools.
type single struct {
	of    *geometry.Scene // the whole scene
	alone int             // the draws' number plus 1
	scene *geometry.Scene
}

// KeptSingles bounds the number of cached singles: the current and the previous one of each side of a comparison.
const KeptSingles = 4

// Part returns the part of a scene to draw: all, or the draws with one number. For the same number
// it returns the same scene again, if that is still cached, so that it is uploaded only once.
func (v *Views) Part(scene *geometry.Scene, alone int) *geometry.Scene {
	if alone == 0 || scene == nil {
		return scene
	}
	i := slices.IndexFunc(v.Singles, func(s single) bool { return s.of == scene && s.alone == alone })
	if i >= 0 {
		return v.Singles[i].scene
	}
	draws, err := scene.Numbered(alone-1, alone-1)
	if err != nil {
		return scene
	}
	one := scene.Only(draws)
	v.Singles = append(v.Singles[max(0, len(v.Singles)+1-KeptSingles):], single{scene, alone, one})
	return one
}

// CheckAlone returns an error if no draw of a scene has the number alone-1, or only empty draws have it. It returns nil for 0, which means all draws.
func CheckAlone(scene *geometry.Scene, alone int) error {
	if alone == 0 {
		return nil
	}
	draws, err := scene.Numbered(alone-1, alone-1)
	if err != nil {
		return fmt.Errorf("draw %d: %w", alone-1, err)
	}
	if !slices.ContainsFunc(draws, func(i int) bool { return scene.Draws[i].IndexCount > 0 }) {
		return fmt.Errorf("draw %d draws nothing", alone-1)
	}
	return nil
}
