package main

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// drawListStart is how the list of draws is searched and sorted at first.
type drawListStart struct {
	search string
	sort   string // of inspect.DrawSorts; empty is inspect.LostColumn
}

func (s drawListStart) column() int {
	return slices.Index(inspect.DrawSorts(), cmp.Or(s.sort, inspect.LostColumn))
}

// drawList is the list of draws as it is shown.
type drawList struct {
	inspect.DrawTable
	start    drawListStart
	plan     *plan.Plan // of the rows
	selected int        // in Scene.Draws; -1 for none
	fresh    bool       // the list is to show the selected one
	begun    bool       // start has been taken
	foretold bool       // the rows are by a survey that has found something

	corners corners // of the selected draw's box
}

// corners are those of a draw's box; the scene has the vertices where they are drawn.
type corners struct {
	plan  *plan.Plan // nil until they are known
	scene *geometry.Scene
	at    []mgl32.Vec3
}

// choose selects a draw.
func (l *drawList) choose(draw int) {
	l.selected, l.fresh, l.corners = draw, draw >= 0, corners{}
}

// beside is the row that is shown some lines after the selected one; false where there is
// none.
func (l *drawList) beside(by int) (inspect.DrawRow, bool) {
	at := slices.IndexFunc(l.Shown, func(i int) bool { return l.Rows[i].Draw == l.selected })
	if at < 0 && by < 0 {
		at = len(l.Shown)
	}
	if at += by; at < 0 || at >= len(l.Shown) {
		return inspect.DrawRow{}, false
	}
	return l.Rows[l.Shown[at]], true
}

// follow lists the draws of a side.
func (l *drawList) follow(d *views.Half) {
	if l.plan == d.Plan {
		return
	}
	l.begin()
	if l.plan != nil && l.plan.Frame.Scene.Name != d.Plan.Frame.Scene.Name {
		l.Search = "" // it stays sorted as it was
		l.choose(-1)
	}
	l.plan, l.Rows = d.Plan, inspect.DrawRows(d.Plan.Frame.Scene, d.Counts, d.Plan.Frame.Cull)
	l.Arrange()
}

// begin searches and sorts as it was asked for at first.
func (l *drawList) begin() {
	if l.begun {
		return
	}
	l.Search, l.Column, l.begun = l.start.search, l.start.column(), true
	l.choose(-1)
	l.Descending = inspect.DrawColumns[l.Column].Descending
}

// survey is that of all draws, where one has been shown alone from the beginning: nobody
// has drawn the others. It is of no scene where none is needed.
func (l *drawList) survey(d *views.Half) (of inspect.Survey) {
	if l.plan == nil && d.Plan != nil && d.Alone > 0 {
		of = inspect.Survey{Scene: d.Whole, Config: d.Plan.Frame.Reuse}
	}
	return of
}

// foretell lists the draws by a survey, which may not have found anything yet.
func (l *drawList) foretell(d *views.Half, found inspect.Surveyed) {
	if known := found.Draws != nil; !l.begun || known != l.foretold {
		l.foretold = known
		l.begin()
		l.choose(d.Alone - 1)
		l.Rows = inspect.SurveyedRows(d.Whole, found.Draws)
		l.Arrange()
	}
}

// drawWidths are the widths of the columns, in pixels of a display of ordinary density.
// The column of width 0 takes the rest.
var drawWidths = []float32{30, 0, 70, 46, 42, 58, 58}

// drawsPanel lists the draws of a captured frame; a click looks at one.
func (a *app) drawsPanel() {
	l := &a.drawList
	if d := &a.Shown.Left; d.Alone == 0 {
		l.follow(d)
	} else if l.plan == nil { // else the list stays that of all while one is shown
		found, _ := a.surveys.Get(l.survey(d))
		l.foretell(d, found)
	}
	a.panel("draws", names.Count(len(l.Rows), "draw"), nil, a.drawLines)
}

// drawLines are the search and the list below it.
func (a *app) drawLines() {
	l := &a.drawList
	a.label("search")
	if a.findDraw {
		imgui.SetKeyboardFocusHere()
		a.findDraw = false
	}
	if imgui.InputText("##search", &l.Search) {
		l.Arrange()
	}
	only := a.Alone > 0
	if a.checkbox("alone", &only) {
		a.Alone = 0
		if only {
			a.Alone = l.selected + 1 // 0 where none is selected
		}
	}
	imgui.SameLine()
	imgui.Text(fmt.Sprintf("%s found; a click looks at one, Enter at all", inspect.Thousands(len(l.Shown))))
	a.markControls()
	flags := imgui.TableFlagsSortable | imgui.TableFlagsScrollY | imgui.TableFlagsRowBg | imgui.TableFlagsResizable | imgui.TableFlagsBordersInnerV
	if !imgui.BeginTableV("draws", len(inspect.DrawColumns), flags, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	a.drawsHeader()
	if l.fresh {
		if at := slices.IndexFunc(l.Shown, func(i int) bool { return l.Rows[i].Draw == l.selected }); at >= 0 {
			scrollTo(at)
		}
		l.fresh = false
	}
	var clipper imgui.ListClipper
	clipper.Begin(len(l.Shown))
	for clipper.Step() {
		for i := clipper.DisplayStart; i < clipper.DisplayEnd; i++ {
			a.drawLine(&l.Rows[l.Shown[i]])
		}
	}
}

// markControls dim and hide draws. Counts are of all draws all the same.
func (a *app) markControls() {
	if a.Alone > 0 {
		return
	}
	m := &a.Want.Marks
	dim := m.Highlight != ""
	if a.checkbox("dim the others", &dim) {
		m.Highlight = ""
		a.dimOthers(dim)
	}
	imgui.SameLine()
	if a.button("hide") && a.drawList.selected >= 0 {
		m.Hide, m.Isolate = strings.TrimPrefix(fmt.Sprintf("%s,%d", m.Hide, a.drawList.selected), ","), ""
	}
	imgui.SameLine()
	if a.button("show all") {
		*m = cli.MarkFlags{}
	}
	if m.Hide != "" || m.Isolate != "" {
		imgui.SameLine()
		imgui.Text("some are hidden")
	}
}

// dimOthers dims all draws but the selected one.
func (a *app) dimOthers(on bool) {
	if on && a.drawList.selected >= 0 {
		a.Want.Marks.Highlight = fmt.Sprint(a.drawList.selected)
	}
}

// drawsHeader is the line whose columns are clicked to sort by them.
func (a *app) drawsHeader() {
	l := &a.drawList
	for i, c := range inspect.DrawColumns {
		flags := imgui.TableColumnFlagsWidthFixed
		if drawWidths[i] == 0 {
			flags = imgui.TableColumnFlagsWidthStretch
		}
		if c.Descending {
			flags |= imgui.TableColumnFlagsPreferSortDescending
		}
		if i == l.start.column() {
			flags |= imgui.TableColumnFlagsDefaultSort
		}
		imgui.TableSetupColumnV(c.Name, flags, drawWidths[i]*a.gui.scale, uint(i))
	}
	imgui.TableSetupScrollFreeze(0, 1)
	imgui.TableHeadersRow()
	specs := imgui.TableGetSortSpecs()
	if !specs.SpecsDirty() {
		return
	}
	specs.ClearSpecsDirty()
	if list := specs.Specs(); len(list) > 0 {
		l.Column, l.Descending = int(list[0].ColumnIndex), list[0].SortDirection == imgui.SortDirectionDescending
		l.Arrange()
	}
}

func (a *app) drawLine(r *inspect.DrawRow) {
	imgui.TableNextRow()
	imgui.TableNextColumn()
	if imgui.SelectableV(fmt.Sprint(r.Draw), r.Draw == a.drawList.selected, imgui.SelectableFlagsSpanAllColumns, imgui.Vec2{}) {
		a.chooseDraw(r.Draw)
	}
	name := inspect.OneLine(r.Name)
	texts := []string{name, inspect.Thousands(r.Triangles), inspect.Ratio(r.Reuse(), 3), inspect.Ratio(r.Ideal(), 3), inspect.Thousands(r.Saved()), inspect.Thousands(r.Lost())}
	if r.Invocations < 0 {
		texts = append(texts[:2], figureToCome, figureToCome, figureToCome, figureToCome)
	} else if r.Culled {
		texts[4] = inspect.Ratio(r.Reuse(), 3)
	}
	for _, text := range texts {
		imgui.TableNextColumn()
		imgui.Text(text)
		if text == name && imgui.IsItemHovered() {
			imgui.SetTooltip(text) // the column may be too narrow for it
		}
	}
}

// listsDraws reports whether there is a list of draws.
func (a *app) listsDraws() bool {
	return a.Shown.Left.Plan != nil && len(a.Shown.Left.Whole.Draws) > 1 && a.Doing.App == showing.None
}

// chooseDraw selects a draw, and looks at it.
func (a *app) chooseDraw(draw int) {
	if s := &a.selection; s.plan != nil && a.Shown.Left.DrawNumber(s.hit.Draw) != draw {
		a.unselect()
	}
	a.drawList.choose(draw)
	a.dimOthers(a.Want.Marks.Highlight != "")
	a.unshown, a.rest = true, guiRest
	if a.Alone > 0 {
		a.Alone = draw + 1
	} else {
		a.lookAt(draw)
	}
}

// markDraw outlines the box of the selected draw.
func (a *app) markDraw(list imgui.DrawList, size image.Point) {
	l, d := &a.drawList, &a.Shown.Left
	if l.selected < 0 || d.Alone > 0 || !a.listsDraws() || d.Applied != nil || l.selected >= len(d.Scene.Draws) || !inspect.Followable(d.Plan) {
		return
	}
	if l.corners.plan != d.Plan {
		p := a.pickers.Of(d.Plan)
		if p == nil {
			return
		}
		l.corners = corners{d.Plan, p.Scene, p.Corners(l.selected)}
	}
	from, to := a.part(false, size)
	list.PushClipRect(from, to)
	defer list.PopClipRect()
	projection := inspect.NewProjector(d.Camera, l.corners.scene, l.selected, size).Of(l.corners.at)
	for _, e := range inspect.BoxEdges {
		x0, y0, ok0 := projection.Place(uint32(e[0]))
		x1, y1, ok1 := projection.Place(uint32(e[1]))
		if p, q := (imgui.Vec2{X: x0, Y: y0}), (imgui.Vec2{X: x1, Y: y1}); ok0 && ok1 {
			list.AddLineV(p, q, ink(0, 0, 0, 200), 3*a.gui.scale)
			list.AddLineV(p, q, ink(255, 255, 255, 255), a.gui.scale)
		}
	}
}

// lookAt moves the camera to where it sees one draw, from the same direction; not to one
// that is counted and not seen.
func (a *app) lookAt(draw int) {
	if a.Shown.Left.Whole.Placing(draw).How == geometry.Hidden {
		return
	}
	one := *a.Shown.Left.Whole
	one.Draws = one.Draws[draw : draw+1]
	a.lookAtBox(one.Bounds())
}

// lookAtBox moves the camera to where it sees a box, from the same direction.
func (a *app) lookAtBox(box geometry.Box) {
	a.Move(func(c *renderer.Camera) {
		c.FitInto(box, a.Aspect, a.Within)
		c.SetPlanes(a.Box)
	})
}
