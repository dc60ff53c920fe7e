package main

import (
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// views owns the picture. It holds two of three values, each of which is replaced and
// never changed: the job that is being drawn, and what the window shows. The third, what
// is asked for, is made of the state whenever no job is under way (app.asked). This file
// has all transitions between them: job says what to draw next, step what a job has to do
// first, and adopt takes over what became of a job.
type views struct {
	drawing *drawing // of a job; nil where none is under way
	shown   shown

	stuck   image.Point // a size that nothing could be drawn at
	singles []single
}

// asked is what is asked for.
type asked struct {
	wishes
	knob     *knob // that was turned last, and how: see settle
	step     int
	fallback *settings // where those asked for cannot be drawn; nil for none
	size     image.Point

	file       *loading.Loaded // opened, to be shown in place of what is; nil for none
	box        geometry.Box    // of what the file is to show
	whole      *geometry.Scene // what is shown, in the order asked for; nil while that is made
	rightWhole *geometry.Scene // the same in the right side's order

	applied, rightApplied *showing.Result // what an application made for each side; nil without one, or while it is made
	waits                 bool            // for what an application makes for the left side
}

// look is what the picture of a side follows from, but for the camera.
type look struct {
	source   *geometry.Scene // as its file has it
	whole    *geometry.Scene // the source in an index order
	order    string
	scene    *geometry.Scene // what is drawn: the whole, or one draw of it, or what an application made of that
	applied  *showing.Result // by an application; nil without one
	alone    int             // number of that draw, plus 1; 0 for the whole
	settings settings
	size     image.Point
}

// half is one side of the window: what it shows, and what drawing that brought.
type half struct {
	look
	plan    *plan.Plan // nil where there is nothing
	camera  renderer.Camera
	stats   reuse.Stats
	counts  []uint32
	timings []renderer.Timing
	rerun   bool // to be drawn once more: the timings are of a plan's first run, or the picture is gone
}

// shown is what the window shows. Without a comparison the left side fills it.
type shown struct {
	left, right half
	compare     compareMode // compareOff where there is no right side
	difference  difference
	took        time.Duration // to draw it for another camera
}

// difference is the picture of which vertices the right side shades more often.
type difference struct {
	inspect.Difference
	plan        *plan.Plan    // its Frame.Shown are the differences, by the left's vertices
	left, right *plan.Plan    // that it is of
	match       inspect.Match // between their vertices
}

// halves are the sides that there are.
func (s *shown) halves() []*half {
	if s.right.plan != nil {
		return []*half{&s.left, &s.right}
	}
	return []*half{&s.left}
}

// change is what a job changes of the left side. It is one thing at a time, so that it is
// known what could not be drawn.
type change int

const (
	noChange change = iota
	newFile
	newOrder
	newSettings
	newAlone
	newApplied
	newSize
)

// job is a picture to be drawn.
type job struct {
	asked  asked
	from   shown // what is shown before
	change change
	left   look

	compare    compareMode
	rightWhole *geometry.Scene // nil leaves the right side as it is
	rightScene *geometry.Scene
	camera     renderer.Camera
	box        geometry.Box // of what the left side is to show, where change is newAlone
}

// job is what has to be drawn so that the window shows what is asked for; false where it
// does.
func (v *views) job(w asked) (job, bool) {
	if l := &v.shown.left; w.waits { // all but the size stays
		w.want, w.whole, w.alone, w.applied = l.settings, nil, l.alone, l.applied
	}
	j := job{asked: w, from: v.shown, left: v.shown.left.look, compare: w.compare, camera: w.camera}
	if w.compare == compareBefore && w.applied == nil && !w.waits {
		j.compare = compareOff
	}
	l := &j.left
	switch {
	case w.file != nil:
		j.change = newFile
		*l = look{source: w.file.Source, whole: w.file.Scene, order: w.file.IndexOrder, alone: w.alone, settings: w.want, size: w.size}
	case v.shown.left.plan == nil:
		return j, false
	case w.whole != nil && w.indexOrder != l.order:
		j.change, l.whole, l.order = newOrder, w.whole, w.indexOrder
	case w.want != l.settings:
		j.change, l.settings = newSettings, w.want
	case w.alone != l.alone:
		j.change, l.alone = newAlone, w.alone
	case v.leftApplied(w) != l.applied:
		j.change = newApplied
	case w.size != l.size && w.size != v.stuck:
		j.change, l.size = newSize, w.size
	}
	l.scene = v.part(l.whole, l.alone)
	if l.applied = v.leftApplied(w); l.applied != nil {
		l.scene = l.applied.Scene
	}
	if j.change == newAlone { // and the camera goes where it sees it
		j.box = l.scene.Bounds()
		j.camera.Fit(j.box, float32(w.size.X)/float32(w.size.Y))
	}
	if j.change != newFile { // of which there is no other order yet
		j.followRight(v)
	}
	return j, j.step(&v.shown) != stepNone
}

// leftApplied is what the left side is to show of an application. Before and after a
// refinement are compared with the mesh as it was on the left.
func (v *views) leftApplied(w asked) *showing.Result {
	switch {
	case w.waits:
		return v.shown.left.applied
	case w.file != nil, w.compare == compareBefore:
		return nil
	}
	return w.applied
}

// followRight sets what the right side is to show: nothing new where that is still made.
func (j *job) followRight(v *views) {
	w := &j.asked
	switch {
	case w.waits:
	case j.compare == compareBefore:
		j.rightWhole, j.rightScene = j.left.whole, w.applied.Scene
	case w.applied == nil:
		j.rightWhole, j.rightScene = w.rightWhole, v.part(w.rightWhole, j.left.alone)
	case w.rightApplied != nil:
		j.rightWhole, j.rightScene = w.rightWhole, w.rightApplied.Scene
	}
}

// step is what a job does at once: some of its steps can be left out, or fail.
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

// step is what has to be done next, where now is what has been drawn.
func (j *job) step(now *shown) step {
	switch right := now.right.plan != nil; {
	case j.left != now.left.look:
		return stepLeft
	case j.compare == compareOff && right:
		return stepDropRight
	case j.compare != compareOff && j.rightScene != nil && j.right(now) != now.right.look:
		return stepRight
	case j.differs(now) && (now.difference.left != now.left.plan || now.difference.right != now.right.plan):
		return stepDifference
	case !j.differs(now) && now.difference.plan != nil:
		return stepDropDifference
	case now.left.rerun, now.left.camera != j.camera, right && now.right.camera != j.camera:
		return stepDraw
	case j.mode(now) != now.compare:
		return stepCompare
	}
	return stepNone
}

// right is what the right side is to show.
func (j *job) right(now *shown) look {
	l := now.left.look
	l.whole, l.scene = j.rightWhole, j.rightScene
	if j.compare == compareBefore {
		l.applied = j.asked.applied
		return l
	}
	l.applied, l.order, l.settings = j.asked.rightApplied, j.asked.other.order, j.asked.other.settings(l.settings)
	return l
}

// differs reports whether the picture of differences is to be shown. It waits until both
// sides show the same draws.
func (j *job) differs(now *shown) bool {
	l, r := &now.left, &now.right
	if j.compare != compareDifference || r.plan == nil || (l.applied == nil) != (r.applied == nil) {
		return false
	}
	made := l.applied != nil || l.scene.Computed != nil // such meshes do not know their vertices' numbers in the file
	return inspect.SameDraws(l.scene, r.scene) && (!made || l.order == r.order)
}

// mode is how two sides are compared: not at all before there are two.
func (j *job) mode(now *shown) compareMode {
	if now.right.plan == nil {
		return compareOff
	}
	return j.compare
}

// outcome is what became of a job.
type outcome struct {
	job   job
	shown shown
	fresh bool // pictures were drawn, and are in the window
	drew  bool // the last of them for another camera
	timed bool // by a run of the left side that is not its plan's first

	// Why the left side, the right side and the difference are not what was asked for. The
	// left side may show other settings then.
	refused, refusedRight, refusedDifference error
	unshown                                  error // why the window still shows the old picture
}

// adopt makes what was drawn what is shown. What could not be drawn is not asked for any
// more, unless something else is by now. It returns what the user is to be told; a file
// that cannot be shown is the caller's to refuse.
func (v *views) adopt(out outcome, s *state) (tell []error) {
	w, left := &out.job.asked, &out.shown.left
	v.drawing, v.shown = nil, out.shown
	refused := out.refused != nil
	if refused && out.job.change != newFile {
		tell = append(tell, out.refused)
	}
	switch change := out.job.change; {
	case change == newFile && left.source == w.file.Source:
		if refused { // its first settings
			tell = append(tell, fmt.Errorf("without the settings that were remembered: %w", out.refused))
			s.want = left.settings
		}
		s.alone, s.box, s.captured = left.alone, w.box, w.file.Source.View()
		if w.file.Again { // what is looked at stays
			s.move(func(c *renderer.Camera) { c.SetPlanes(s.box) })
		} else {
			s.camera = w.camera
		}
	case change == newOrder && refused && s.indexOrder == w.indexOrder:
		s.indexOrder = left.order
	case change == newSettings && s.want == w.want:
		s.want, s.turned = left.settings, nil
	case change == newAlone && refused && s.alone == w.alone:
		s.alone = left.alone
	case change == newAlone && !refused:
		s.box = out.job.box
		if s.camera == w.camera {
			s.camera = left.camera
		}
	case change == newApplied && refused && s.doing == w.doing:
		s.doing.App = showing.None
		if left.applied != nil {
			s.doing = left.applied.Choice
		}
	case change == newSize && refused:
		v.stuck = w.size
	}
	if out.refusedRight != nil {
		tell = append(tell, fmt.Errorf("compare with %s: %w", w.other, out.refusedRight))
		v.backToRight(w.other, s)
	}
	if out.refusedDifference != nil {
		tell = append(tell, out.refusedDifference)
		if s.compare == compareDifference {
			s.compare = compareSplit
		}
	}
	if out.unshown != nil {
		tell = append(tell, out.unshown)
	}
	return tell
}

// backToRight asks for the right side as it was, or for no comparison where that was
// refused too or there was none. It leaves what was asked for since.
func (v *views) backToRight(refused otherSide, s *state) {
	if s.compare == compareBefore {
		s.compare = compareOff
	}
	if s.other != refused {
		return
	}
	r := &v.shown.right
	back := otherSide{r.settings.strategy, r.settings.lanes, r.order}
	if r.plan != nil && back != s.other {
		s.other = back
		return
	}
	s.compare = compareOff
}

// single is one draw of a scene as a scene of its own. Its pools are the scene's.
type single struct {
	of    *geometry.Scene
	alone int // look.alone
	scene *geometry.Scene
}

// keptSingles is how many are kept: both sides of a comparison, and those before.
const keptSingles = 4

// part is what is drawn of a scene: all, or one draw, which is always the same scene so
// that it is uploaded once.
func (v *views) part(scene *geometry.Scene, alone int) *geometry.Scene {
	if alone == 0 || scene == nil || alone > len(scene.Draws) {
		return scene
	}
	i := slices.IndexFunc(v.singles, func(s single) bool { return s.of == scene && s.alone == alone })
	if i >= 0 {
		return v.singles[i].scene
	}
	one := *scene
	one.Draws = scene.Draws[alone-1 : alone]
	v.singles = append(v.singles[max(0, len(v.singles)+1-keptSingles):], single{scene, alone, &one})
	return &one
}

// checkAlone refuses a draw that a scene does not have, or that draws nothing.
func checkAlone(scene *geometry.Scene, alone int) error {
	switch {
	case alone > len(scene.Draws):
		return fmt.Errorf("draw %d: there are draws 0 to %d", alone-1, len(scene.Draws)-1)
	case alone > 0 && scene.Draws[alone-1].IndexCount == 0:
		return fmt.Errorf("draw %d draws nothing", alone-1)
	}
	return nil
}
