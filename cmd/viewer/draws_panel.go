package main

import (
	"fmt"
	"image"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/renderer"
)

// drawsPanel lists the draws of a captured frame; a click looks at one.
func (a *app) drawsPanel(size image.Point) {
	s, l := float32(a.gui.scale), &a.drawList
	if a.shownAlone == 0 || l.plan == nil { // the list stays that of all while one is shown
		l.follow(&a.side)
		if a.shownAlone > 0 { // from the beginning
			l.rows[0].draw, l.selected = a.shownAlone-1, a.shownAlone-1
		}
	}
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) - guiMargin*s, Y: guiMargin * s}, imgui.ConditionFirstUseEver, imgui.Vec2{X: 1})
	imgui.SetNextWindowSizeV(imgui.Vec2{X: guiDrawsWidth * s, Y: max(min(float32(size.Y)-(guiMargin+guiLegend)*s, 300*s), 80*s)}, imgui.ConditionFirstUseEver)
	defer imgui.End()
	if !imgui.BeginV(fmt.Sprintf("%s draws###draws", thousands(len(l.rows))), nil, imgui.WindowFlagsNoNav) {
		return
	}
	a.label("search")
	if imgui.InputText("##search", &l.search) {
		l.arrange()
	}
	imgui.AlignTextToFramePadding()
	imgui.Text(fmt.Sprintf("%s found; a click looks at one, Enter at all", thousands(len(l.shown))))
	imgui.SameLine()
	only := a.alone > 0
	if imgui.Checkbox("alone", &only) {
		a.alone = 0
		if only {
			a.alone = l.selected + 1 // 0 where none is selected
		}
	}
	flags := imgui.TableFlagsSortable | imgui.TableFlagsScrollY | imgui.TableFlagsRowBg | imgui.TableFlagsResizable | imgui.TableFlagsBordersInnerV
	if !imgui.BeginTableV("draws", len(drawColumns), flags, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	a.drawsHeader()
	var clipper imgui.ListClipper
	clipper.Begin(len(l.shown))
	for clipper.Step() {
		for i := clipper.DisplayStart; i < clipper.DisplayEnd; i++ {
			a.drawLine(&l.rows[l.shown[i]])
		}
	}
}

// drawsHeader is the line whose columns are clicked to sort by them.
func (a *app) drawsHeader() {
	l := &a.drawList
	for i, c := range drawColumns {
		flags := imgui.TableColumnFlagsWidthFixed
		if c.width == 0 {
			flags = imgui.TableColumnFlagsWidthStretch
		}
		if c.backward {
			flags |= imgui.TableColumnFlagsPreferSortDescending
		}
		if i == l.start.column() {
			flags |= imgui.TableColumnFlagsDefaultSort
		}
		imgui.TableSetupColumnV(c.name, flags, c.width*float32(a.gui.scale), uint(i))
	}
	imgui.TableSetupScrollFreeze(0, 1)
	imgui.TableHeadersRow()
	specs := imgui.TableGetSortSpecs()
	if !specs.SpecsDirty() {
		return
	}
	specs.ClearSpecsDirty()
	if list := specs.Specs(); len(list) > 0 {
		l.column, l.backward = int(list[0].ColumnIndex), list[0].SortDirection == imgui.SortDirectionDescending
		l.arrange()
	}
}

func (a *app) drawLine(r *drawRow) {
	imgui.TableNextRow()
	imgui.TableNextColumn()
	if imgui.SelectableV(fmt.Sprint(r.draw), r.draw == a.drawList.selected, imgui.SelectableFlagsSpanAllColumns, imgui.Vec2{}) {
		a.drawList.selected = r.draw
		if a.alone > 0 {
			a.alone = r.draw + 1
		} else {
			a.lookAt(r.draw)
		}
	}
	for _, text := range []string{
		r.name, thousands(r.triangles), fmt.Sprintf("%.3f", r.reuse()), fmt.Sprintf("%.3f", r.ideal()), thousands(r.wasted()),
	} {
		imgui.TableNextColumn()
		imgui.Text(text)
		if text == r.name && imgui.IsItemHovered() {
			imgui.SetTooltip(text) // the column may be too narrow for it
		}
	}
}

// lookAt moves the camera to where it sees one draw, from the same direction.
func (a *app) lookAt(draw int) {
	box := drawBox(a.whole, draw)
	a.move(func(c *renderer.Camera) {
		c.Fit(box, a.aspect)
		c.SetPlanes(a.box)
	})
}
