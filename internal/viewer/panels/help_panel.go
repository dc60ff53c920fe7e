package panels

import (
	"image"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// The measures of the help, in pixels of a display of ordinary density: the width of a column
// and of its keys and values, and the most columns.
const helpWidth, helpKey, helpValue, helpColumns = 400, 118, 72, 3

// helpPanel lists what mouse and keys do, in as many columns as the window has room for. It
// scrolls where the window is small.
func (ui *Panels) helpPanel(size image.Point) {
	if !ui.Help {
		return
	}
	s := ui.gui.scale
	groups := ui.HelpGroups()
	var whole float32
	for _, g := range groups {
		whole += helpHeight(g, s)
	}
	columns := min(max(int(float32(size.X)/(helpWidth*s)), 1), helpColumns)
	pad := imgui.CurrentStyle().WindowPadding()
	high := whole/float32(columns) + 3*imgui.FrameHeight() + 2*pad.Y // groups are not divided
	center := imgui.Vec2{X: float32(size.X) / 2, Y: float32(size.Y) / 2}
	imgui.SetNextWindowPosV(center, imgui.ConditionAlways, imgui.Vec2{X: .5, Y: .5})
	imgui.SetNextWindowSize(imgui.Vec2{X: min(float32(columns)*helpWidth*s+2*pad.X, float32(size.X)), Y: min(high, float32(size.Y))})
	imgui.SetNextWindowBgAlpha(1)
	imgui.SetNextWindowFocus()
	open := true
	defer imgui.End()
	flags := imgui.WindowFlagsNoNav | imgui.WindowFlagsNoMove | imgui.WindowFlagsNoResize | imgui.WindowFlagsNoCollapse
	if !imgui.BeginV("Mouse and keys  (H or Esc closes)###help", &open, flags) {
		return
	}
	if imgui.BeginTableV("help", columns, imgui.TableFlagsNone, imgui.Vec2{}, 0) {
		imgui.TableNextColumn()
		var at float32
		for _, g := range groups {
			high := helpHeight(g, s)
			if column := imgui.TableGetColumnIndex(); column < columns-1 && (at+high/2)*float32(columns) > whole*float32(column+1) {
				imgui.TableNextColumn()
			}
			imgui.PushStyleColor(imgui.StyleColorText, imgui.Vec4{X: .55, Y: .75, Z: 1, W: 1})
			imgui.Text(g.Name)
			imgui.PopStyleColor()
			helpTable(g, s)
			at += high
		}
		imgui.EndTable()
	}
	if !open {
		ui.Help = false
	}
}

// helpWide are the widths of the columns of a group.
func helpWide(scale float32) [3]float32 {
	style := imgui.CurrentStyle()
	return [3]float32{helpKey * scale, (helpWidth-helpKey-helpValue)*scale - 8*style.CellPadding().X, helpValue * scale}
}

// helpHeight is what a group takes of a column.
func helpHeight(g model.HelpGroup, scale float32) float32 {
	high := 2 * imgui.TextLineHeightWithSpacing()
	for _, line := range g.Lines {
		var row float32
		for i, text := range line {
			row = max(row, imgui.CalcTextSize(text, false, helpWide(scale)[i]).Y)
		}
		high += row + 2*imgui.CurrentStyle().CellPadding().Y
	}
	return high
}

func helpTable(g model.HelpGroup, scale float32) {
	if !imgui.BeginTableV("keys "+g.Name, 3, imgui.TableFlagsRowBg, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	for i, wide := range helpWide(scale) {
		imgui.TableSetupColumnV("", imgui.TableColumnFlagsWidthFixed, wide, uint(i))
	}
	for _, line := range g.Lines {
		imgui.TableNextRow()
		for _, text := range line {
			imgui.TableNextColumn()
			imgui.PushTextWrapPos()
			imgui.Text(text)
			imgui.PopTextWrapPos()
		}
	}
	imgui.Spacing()
}
