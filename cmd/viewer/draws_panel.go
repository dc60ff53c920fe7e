package main

import (
	"cmp"
	"fmt"
	"image"
	"slices"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// drawListStart is how the list of draws is searched and sorted at first.
type drawListStart struct {
	search string
	sort   string // of inspect.DrawSorts; empty is inspect.WastedColumn
}

func (s drawListStart) column() int {
	return slices.Index(inspect.DrawSorts(), cmp.Or(s.sort, inspect.WastedColumn))
}

// drawList is the list of draws as it is shown.
type drawList struct {
	inspect.DrawTable
	start    drawListStart
	plan     *plan.Plan // of the rows
	selected int        // in Scene.Draws; -1 for none
}

// follow lists the draws of a side.
func (l *drawList) follow(d *views.Half) {
	if l.plan == d.Plan {
		return
	}
	switch {
	case l.plan == nil:
		l.Search, l.Column, l.selected = l.start.search, l.start.column(), -1
		l.Descending = inspect.DrawColumns[l.Column].Descending
	case l.plan.Frame.Scene.Name != d.Plan.Frame.Scene.Name:
		l.Search, l.selected = "", -1 // it stays sorted as it was
	}
	l.plan, l.Rows = d.Plan, inspect.DrawRows(d.Plan.Frame.Scene, d.Counts, d.Plan.Frame.Cull)
	l.Arrange()
}

// drawWidths are the widths of the columns, in pixels of a display of ordinary density.
// The column of width 0 takes the rest.
var drawWidths = []float32{34, 0, 72, 46, 46, 66}

// drawsPanel lists the draws of a captured frame; a click looks at one.
func (a *app) drawsPanel(size image.Point) {
	s, l := float32(a.gui.scale), &a.drawList
	if a.Shown.Left.Alone == 0 || l.plan == nil { // the list stays that of all while one is shown
		l.follow(&a.Shown.Left)
		if a.Shown.Left.Alone > 0 { // from the beginning
			l.Rows[0].Draw, l.selected = a.Shown.Left.Alone-1, a.Shown.Left.Alone-1
		}
	}
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) - guiMargin*s, Y: guiMargin * s}, imgui.ConditionFirstUseEver, imgui.Vec2{X: 1})
	imgui.SetNextWindowSizeV(imgui.Vec2{X: guiDrawsWidth * s, Y: max(min(float32(size.Y)-(guiMargin+guiLegend)*s, 300*s), 80*s)}, imgui.ConditionFirstUseEver)
	defer imgui.End()
	if !imgui.BeginV(fmt.Sprintf("%s draws###draws", inspect.Thousands(len(l.Rows))), nil, imgui.WindowFlagsNoNav) {
		return
	}
	a.label("search")
	if imgui.InputText("##search", &l.Search) {
		l.Arrange()
	}
	imgui.AlignTextToFramePadding()
	imgui.Text(fmt.Sprintf("%s found; a click looks at one, Enter at all", inspect.Thousands(len(l.Shown))))
	imgui.SameLine()
	only := a.Alone > 0
	if imgui.Checkbox("alone", &only) {
		a.Alone = 0
		if only {
			a.Alone = l.selected + 1 // 0 where none is selected
		}
	}
	flags := imgui.TableFlagsSortable | imgui.TableFlagsScrollY | imgui.TableFlagsRowBg | imgui.TableFlagsResizable | imgui.TableFlagsBordersInnerV
	if !imgui.BeginTableV("draws", len(inspect.DrawColumns), flags, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	a.drawsHeader()
	var clipper imgui.ListClipper
	clipper.Begin(len(l.Shown))
	for clipper.Step() {
		for i := clipper.DisplayStart; i < clipper.DisplayEnd; i++ {
			a.drawLine(&l.Rows[l.Shown[i]])
		}
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
		imgui.TableSetupColumnV(c.Name, flags, drawWidths[i]*float32(a.gui.scale), uint(i))
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
		a.drawList.selected = r.Draw
		if a.Alone > 0 {
			a.Alone = r.Draw + 1
		} else {
			a.lookAt(r.Draw)
		}
	}
	name := inspect.OneLine(r.Name)
	for _, text := range []string{
		name, inspect.Thousands(r.Triangles), inspect.Ratio(r.Reuse(), 3), inspect.Ratio(r.Ideal(), 3), inspect.Thousands(r.Wasted()),
	} {
		imgui.TableNextColumn()
		imgui.Text(text)
		if text == name && imgui.IsItemHovered() {
			imgui.SetTooltip(text) // the column may be too narrow for it
		}
	}
}

// lookAt moves the camera to where it sees one draw, from the same direction.
func (a *app) lookAt(draw int) {
	one := *a.Shown.Left.Whole
	one.Draws = one.Draws[draw : draw+1]
	box := one.Bounds()
	a.Move(func(c *renderer.Camera) {
		c.Fit(box, a.Aspect)
		c.SetPlanes(a.Box)
	})
}
