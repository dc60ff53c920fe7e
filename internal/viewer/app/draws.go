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

// ListColumn is the column of the list of draws that a name of inspect.DrawSorts stands
// for; -1 for none.
func ListColumn(sort string) int {
	return slices.Index(inspect.DrawSorts(), cmp.Or(sort, inspect.LostColumn))
}

// DrawList is the list of draws as it is shown.
type DrawList struct {
	inspect.DrawTable
	Start    model.Listed // how the list is searched and sorted at first
	Plan     *plan.Plan   // of the rows
	Selected int          // in Scene.Draws; -1 for none
	Fresh    bool         // the list is to show the selected one
	begun    bool         // start has been taken
	foretold bool         // the rows are by a survey that has found something

	Corners Corners // of the selected draw's box
}

// Corners are those of a draw's box; the scene has the vertices where they are drawn.
type Corners struct {
	Plan  *plan.Plan // nil until they are known
	Scene *geometry.Scene
	At    []mgl32.Vec3
}

// choose selects a draw.
func (l *DrawList) choose(draw int) {
	l.Selected, l.Fresh, l.Corners = draw, draw >= 0, Corners{}
}

// beside is the row that is shown some lines after the selected one; false where there is
// none.
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
		l.Search = "" // it stays sorted as it was
		l.choose(-1)
	}
	l.Plan, l.Rows = d.Plan, inspect.DrawRows(d.Plan.Frame.Scene, d.Counts, d.Plan.Counting().FollowsCamera)
	l.Arrange()
}

// begin searches and sorts as it was asked for at first.
func (l *DrawList) begin() {
	if l.begun {
		return
	}
	l.Search, l.Column, l.begun = l.Start.Search, ListColumn(l.Start.Sort), true
	l.choose(-1)
	l.Descending = inspect.DrawColumns[l.Column].Descending
}

// Survey is that of all draws, where one has been shown alone from the beginning: nobody
// has drawn the others. It is of no scene where none is needed.
func (l *DrawList) Survey(d *model.Half) (of inspect.Survey) {
	if l.Plan == nil && d.Plan != nil && d.Alone > 0 {
		of = inspect.Survey{Scene: d.Whole, Config: d.Plan.Frame.Reuse}
	}
	return of
}

// Foretell lists the draws by a survey, which may not have found anything yet.
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

// ChooseDraw selects a draw, and looks at it.
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

// lookAt moves the camera to where it sees one draw, from the same direction; not to one
// that is counted and not seen.
func (a *App) lookAt(draw int) {
	if a.Shown.Left.Whole.Placing(draw).How == geometry.Hidden {
		return
	}
	one := *a.Shown.Left.Whole
	one.Draws = one.Draws[draw : draw+1]
	a.lookAtBox(one.Bounds())
}

// lookAtBox moves the camera to where it sees a box, from the same direction.
func (a *App) lookAtBox(box geometry.Box) {
	a.Move(func(c *renderer.Camera) {
		c.FitInto(box, a.Aspect, a.Within)
		c.SetPlanes(a.Box)
	})
}
