package app

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// ListColumn returns the index of a name in inspect.DrawSorts; "" stands for LostColumn. It returns -1 for an unknown name.
func ListColumn(sort string) int {
	return slices.Index(inspect.DrawSorts(), cmp.Or(sort, inspect.LostColumn))
}

// ListStrategy is the strategy whose figures the list of draws shows, whichever strategy draws the
// picture: even beside a picture without reuse, the list shows what reuse would save.
const ListStrategy = "claim"

// DrawList is the state of the list of draws.
type DrawList struct {
	inspect.DrawTable
	Start    model.Listed     // first search and sorting of the list
	of       inspect.Survey   // the survey of the rows; its Scene is nil before the first rows
	found    inspect.Surveyed // the survey's result; its Draws are nil until the survey has ended
	Selected int              // index in Scene.Draws, or -1
	Fresh    bool             // whether the list must still scroll to the selected draw

	Corners Corners // of the selected draw's box
	marks   drawMarks
}

// Corners are the corners of a draw's box. Scene has its vertices where they are drawn, since a vertex shader may move them.
type Corners struct {
	Plan  *plan.Plan // nil until they are known
	Scene *geometry.Scene
	At    []mgl32.Vec3
}

// choose selects a draw.
func (l *DrawList) choose(draw int) {
	l.Selected, l.Fresh, l.Corners = draw, draw >= 0, Corners{}
}

// beside returns the shown row that is `by` rows below the selected one, or above it if `by` is negative; false if there is none.
// If no row is selected, it counts from before the first row or, if `by` is negative, from after the last.
func (l *DrawList) beside(by int) (inspect.DrawRow, bool) {
	at := slices.IndexFunc(l.Shown, func(i int) bool { return l.Rows[i].Draw == l.Selected })
	if at < 0 && by < 0 {
		at = len(l.Shown)
	}
	if at += by; at < 0 || at >= len(l.Shown) {
		return inspect.DrawRow{}, false
	}
	return l.Rows[l.Shown[at]], true
}

// drawsSurvey returns the survey of all draws for their list.
func (a *App) drawsSurvey() inspect.Survey {
	l := &a.Shown.Left
	s := l.Settings
	s.Strategy, s.Batch, s.Unique = ListStrategy, 0, 0
	config, err := s.Config()
	if err != nil {
		config = l.Plan.Frame.Reuse // cannot happen: the picture was drawn with these lanes
	}
	return inspect.Survey{Scene: a.stored(l.Order), Config: config.Fitted(l.Whole.Triangles(), a.painter.Left.Limits().Multiprocessors)}
}

// FollowDraws updates the list to the draws of the left side, with the counts of their survey.
func (a *App) FollowDraws() {
	of := a.drawsSurvey()
	found, _ := a.Surveys.Get(of)
	a.DrawList.follow(&a.Shown.Left, of, found)
}

func (l *DrawList) follow(d *model.Half, of inspect.Survey, found inspect.Surveyed) {
	before := l.of.Scene
	if of == l.of && (found.Draws != nil) == (l.found.Draws != nil) {
		return
	}
	switch {
	case before == nil:
		l.Search, l.Column = l.Start.Search, ListColumn(l.Start.Sort)
		l.Descending = inspect.DrawColumns[l.Column].Descending
		if l.choose(-1); d.Alone > 0 {
			l.choose(d.DrawIndex(0))
		}
	case before.Name != of.Scene.Name:
		l.Search = "" // for another file, keep the sorting but not the search
		l.choose(-1)
	}
	l.of, l.found, l.Rows = of, found, inspect.DrawRows(of.Scene, found.Draws)
	l.Fresh = l.Selected >= 0
	l.Arrange()
}

// drawMarks are the marks of a scene's draws, and how many of the draws are hidden.
type drawMarks struct {
	scene  *geometry.Scene
	flags  cli.MarkFlags
	list   []renderer.Mark // nil if no draw is marked
	hidden int
}

// wholeMarks returns the requested marks of all draws of the file.
func (a *App) wholeMarks() *drawMarks {
	m, scene := &a.DrawList.marks, a.Shown.Left.Whole
	if m.scene == scene && m.flags == a.Want.Marks {
		return m
	}
	*m = drawMarks{scene: scene, flags: a.Want.Marks}
	m.list, _ = m.flags.Marks(scene) // drawing the picture reports the error
	for _, mark := range m.list {
		if mark == renderer.Hidden {
			m.hidden++
		}
	}
	return m
}

// Hides reports whether a draw is hidden.
func (a *App) Hides(draw int) bool {
	m := a.wholeMarks()
	return m.list != nil && m.list[draw] == renderer.Hidden
}

// HiddenDraws returns how many draws are hidden.
func (a *App) HiddenDraws() int { return a.wholeMarks().hidden }

// Hide hides a draw and all others with the same number, or shows them again.
func (a *App) Hide(draw int, hide bool) {
	scene, m := a.Shown.Left.Whole, &a.Want.Marks
	number := scene.Number(draw)
	if m.Isolate == "" {
		m.Hide = cli.WithDraw(m.Hide, scene, number, hide)
	} else if m.Isolate = cli.WithDraw(m.Isolate, scene, number, !hide); m.Isolate == "" {
		m.Hide = cli.WithDraw("", scene, -1, true) // the last isolated draw was hidden: hide all draws
	}
	a.Unshown, a.rest = true, guiRest
}

// Isolate hides all draws except the given draw and those with the same number.
func (a *App) Isolate(draw int) {
	a.Want.Marks.Hide, a.Want.Marks.Isolate = "", fmt.Sprint(a.Shown.Left.Whole.Number(draw))
	a.Unshown, a.rest = true, guiRest
}

// DimOthers dims all draws but the selected one, if `on` is set and a draw is selected.
func (a *App) DimOthers(on bool) {
	if on && a.DrawList.Selected >= 0 {
		a.Want.Marks.Highlight = fmt.Sprint(a.Shown.Left.Whole.Number(a.DrawList.Selected))
	}
}

// ListsDraws reports whether the panels list draws: if the scene has several and no application is chosen.
func (a *App) ListsDraws() bool {
	return a.Shown.Left.Plan != nil && len(a.Shown.Left.Whole.Draws) > 1 && a.Doing.App == results.None
}

// ChooseDraw selects a draw and moves the camera to it. If one draw is shown alone, the selected draw replaces it instead.
func (a *App) ChooseDraw(draw int) {
	a.selectDraw(draw)
	if a.Alone > 0 {
		a.Alone = a.Shown.Left.Whole.Number(draw) + 1
	} else {
		a.lookAt(draw)
	}
}

// selectDraw selects a draw, and deselects the selected vertex if that belongs to another draw.
func (a *App) selectDraw(draw int) {
	if s := &a.Selection; s.Plan != nil && a.Shown.Left.DrawIndex(s.Hit.Draw) != draw {
		a.Unselect()
	}
	a.DrawList.choose(draw)
	a.DimOthers(a.Want.Marks.Highlight != "")
	a.Unshown, a.rest = true, guiRest
}

// lookAt moves the camera, without turning it, so that a draw is in view. It does not move the camera
// if the draw is counted but not visible.
func (a *App) lookAt(draw int) {
	if a.Shown.Left.Whole.Placing(draw).How == geometry.Hidden {
		return
	}
	one := *a.Shown.Left.Whole
	one.Draws = one.Draws[draw : draw+1]
	a.lookAtBox(one.Bounds())
}

// lookAtBox moves the camera, without turning it, so that a box is in view.
func (a *App) lookAtBox(box geometry.Box) {
	a.Move(func(c *renderer.Camera) {
		c.FitInto(box, a.Aspect, a.Within)
		c.SetPlanes(a.Box)
	})
}

// GoTo is the panel that asks for the number of the vertex, batch or draw to go to.
type GoTo struct {
	Kind int // index in GoToKinds
	Text string
	Err  string // why the text names no vertex, batch or draw
	Open bool   // shown in the last frame
}

// GoToKinds are the kinds of things that the panel can go to.
var GoToKinds = []string{"vertex", "batch", "draw"}

const (
	GoToVertex = iota
	GoToBatch
	GoToDraw
)

// ChosenDraw returns the draw of the left side's selected vertex, else the selected draw, else 0.
func (a *App) ChosenDraw() int {
	if s := a.Selected(); s != nil && !s.Right {
		return s.Hit.Draw
	}
	if n := a.DrawList.Selected; a.Shown.Left.Alone == 0 && n >= 0 && n < len(a.Shown.Left.Plan.Frame.Scene.Draws) {
		return n
	}
	return 0
}

// GoNow goes to the number that was typed.
func (a *App) GoNow() (err error) {
	defer must.Catch(&err)
	g, d := &a.Going, &a.Shown.Left
	if d.Applied != nil || a.Walked != nil {
		return fmt.Errorf("nothing has a number while an application is shown")
	}
	first, second, two := strings.Cut(strings.TrimSpace(g.Text), ":")
	n, err := strconv.ParseUint(first, 10, 31)
	var vertex uint64
	if two && err == nil && g.Kind == GoToVertex {
		vertex, err = strconv.ParseUint(second, 10, 31)
	}
	if err != nil || two && g.Kind != GoToVertex {
		return fmt.Errorf("%q is no number", g.Text)
	}
	var found inspect.Hit
	switch g.Kind {
	case GoToDraw:
		must.OK(model.CheckAlone(d.Whole, int(n)+1))
		a.ChooseDraw(must.Get(d.Whole.Numbered(int(n), int(n)))[0])
		return nil
	case GoToBatch:
		found = must.Get(inspect.FindBatch(d.Plan, int(n)))
	default:
		draw := a.ChosenDraw()
		if two {
			draws, err := d.Scene.Numbered(int(n), int(n))
			must.OK(measure.About(fmt.Sprintf("draw %d", n), err))
			draw, n = draws[0], vertex
		}
		found = must.Get(inspect.FindVertex(d.Scene, draw, uint32(n)))
	}
	a.Pick(d, found)
	a.lookAtSelection()
	return nil
}

// lookAtSelection moves the camera, without turning it, so that the selected batch or triangle is in view. On either
// side there is a margin as wide as the bounding box of the batch or triangle.
func (a *App) lookAtSelection() {
	s := &a.Selection
	one := *s.Plan.Frame.Scene
	d := one.Draws[s.Hit.Draw]
	if s.Batch >= 0 {
		d.FirstIndex, d.IndexCount = s.At.FirstIndex, s.At.IndexCount
	} else {
		d.FirstIndex, d.IndexCount = d.FirstIndex+uint32(3*s.Hit.Triangle), 3
	}
	one.Draws = []geometry.Draw{d}
	box := one.Bounds()
	room := box.Max.Sub(box.Min)
	a.lookAtBox(geometry.Box{Min: box.Min.Sub(room), Max: box.Max.Add(room)})
}
