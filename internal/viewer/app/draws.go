package app

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// ListColumn returns the column of the list of draws for a name in inspect.DrawSorts, or -1.
func ListColumn(sort string) int {
	return slices.Index(inspect.DrawSorts(), cmp.Or(sort, inspect.LostColumn))
}

// DrawList is the state of the list of draws.
type DrawList struct {
	inspect.DrawTable
	Start    model.Listed // first search and sorting of the list
	Plan     *plan.Plan   // plan of the rows
	Selected int          // index in Scene.Draws, or -1
	Fresh    bool         // scroll to the selected draw
	begun    bool         // Start was applied
	foretold bool         // the rows come from a survey that has found something

	Corners Corners // of the selected draw's box
}

// Corners are the corners of a draw's box, in a scene whose vertices are where they are drawn.
type Corners struct {
	Plan  *plan.Plan // nil until they are known
	Scene *geometry.Scene
	At    []mgl32.Vec3
}

// choose selects a draw.
func (l *DrawList) choose(draw int) {
	l.Selected, l.Fresh, l.Corners = draw, draw >= 0, Corners{}
}

// beside returns the row that many lines after the selected row, and false if there is none.
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

// Follow lists the draws of a side.
func (l *DrawList) Follow(d *model.Half) {
	if l.Plan == d.Plan {
		return
	}
	l.begin()
	if l.Plan != nil && l.Plan.Frame.Scene.Name != d.Plan.Frame.Scene.Name {
		l.Search = "" // keeps the sorting
		l.choose(-1)
	}
	l.Plan, l.Rows = d.Plan, inspect.DrawRows(d.Plan.Frame.Scene, d.Counts, d.Plan.Counting().FollowsCamera)
	l.Arrange()
}

// begin applies the first search and sorting.
func (l *DrawList) begin() {
	if l.begun {
		return
	}
	l.Search, l.Column, l.begun = l.Start.Search, ListColumn(l.Start.Sort), true
	l.choose(-1)
	l.Descending = inspect.DrawColumns[l.Column].Descending
}

// Survey returns the survey of all draws if one draw has been shown alone from the beginning,
// since nobody has drawn the others. Its scene is nil if no survey is needed.
func (l *DrawList) Survey(d *model.Half) (of inspect.Survey) {
	if l.Plan == nil && d.Plan != nil && d.Alone > 0 {
		of = inspect.Survey{Scene: d.Whole, Config: d.Plan.Frame.Reuse}
	}
	return of
}

// Foretell lists the draws of a survey, which may not have found anything yet.
func (l *DrawList) Foretell(d *model.Half, found inspect.Surveyed) {
	if known := found.Draws != nil; !l.begun || known != l.foretold {
		l.foretold = known
		l.begin()
		l.choose(d.DrawIndex(0))
		l.Rows = inspect.SurveyedRows(d.Whole, found.Draws)
		l.Arrange()
	}
}

// DimOthers dims all draws but the selected one.
func (a *App) DimOthers(on bool) {
	if on && a.DrawList.Selected >= 0 {
		a.Want.Marks.Highlight = fmt.Sprint(a.Shown.Left.Whole.Number(a.DrawList.Selected))
	}
}

// ListsDraws reports whether there is a list of draws.
func (a *App) ListsDraws() bool {
	return a.Shown.Left.Plan != nil && len(a.Shown.Left.Whole.Draws) > 1 && a.Doing.App == results.None
}

// ChooseDraw selects a draw and moves the camera to it.
func (a *App) ChooseDraw(draw int) {
	if s := &a.Selection; s.Plan != nil && a.Shown.Left.DrawIndex(s.Hit.Draw) != draw {
		a.Unselect()
	}
	a.DrawList.choose(draw)
	a.DimOthers(a.Want.Marks.Highlight != "")
	a.Unshown, a.rest = true, guiRest
	if a.Alone > 0 {
		a.Alone = a.Shown.Left.Whole.Number(draw) + 1
	} else {
		a.lookAt(draw)
	}
}

// lookAt moves the camera, from the same direction, so that it sees a draw; it leaves the camera
// if the draw is counted but not visible.
func (a *App) lookAt(draw int) {
	if a.Shown.Left.Whole.Placing(draw).How == geometry.Hidden {
		return
	}
	one := *a.Shown.Left.Whole
	one.Draws = one.Draws[draw : draw+1]
	a.lookAtBox(one.Bounds())
}

// lookAtBox moves the camera, from the same direction, so that it sees a box.
func (a *App) lookAtBox(box geometry.Box) {
	a.Move(func(c *renderer.Camera) {
		c.FitInto(box, a.Aspect, a.Within)
		c.SetPlanes(a.Box)
	})
}
