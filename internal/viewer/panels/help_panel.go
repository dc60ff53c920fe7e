package panels

import (
	"image"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// Sizes in the help, in pixels of a display of ordinary density: the least and the greatest width
// of a column, and the widths of its keys and values.
const helpLeast, helpMost, helpKey, helpValue = 330, 400, 118, 72

// helpPanel lists the functions of mouse and keys, in as many columns as fit the window. It scrolls
// if the window is small.
func (ui *Panels) helpPanel(size image.Point) {
	if !ui.Help {
		return
	}
	s, style := ui.gui.scale, imgui.CurrentStyle()
	pad := imgui.Vec2{X: 2*style.WindowPadding().X + style.ScrollbarSize(), Y: 2 * style.WindowPadding().Y}
	room := max(float32(size.X)-pad.X, 1)
	columns := min(max(int(room/(helpLeast*s)), 1), 3)
	wide := min(helpMost*s, room/float32(columns))
	widths := [3]float32{helpKey * s, max(wide-(helpKey+helpValue)*s-8*style.CellPadding().X, 1), helpValue * s}
	groups := ui.HelpGroups()
	var whole float32
	for _, g := range groups {
		whole += helpHeight(g, widths)
	}
	high := whole/float32(columns) + 3*imgui.FrameHeight() + pad.Y // groups are not divided
	center := imgui.Vec2{X: float32(size.X) / 2, Y: float32(size.Y) / 2}
	imgui.SetNextWindowPosV(center, imgui.ConditionAlways, imgui.Vec2{X: .5, Y: .5})
	imgui.SetNextWindowSize(imgui.Vec2{X: min(float32(columns)*wide+pad.X, float32(size.X)), Y: min(high, float32(size.Y))})
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
			high := helpHeight(g, widths)
			if column := imgui.TableGetColumnIndex(); column < columns-1 && (at+high/2)*float32(columns) > whole*float32(column+1) {
				imgui.TableNextColumn()
			}
			imgui.PushStyleColor(imgui.StyleColorText, ui.gui.colors.heading)
			imgui.Text(g.Name)
			imgui.PopStyleColor()
			helpTable(g, widths)
			at += high
		}
		imgui.EndTable()
	}
	if !open {
		ui.Help = false
	}
}

// helpHeight returns the height that a group takes in a column.
func helpHeight(g model.HelpGroup, widths [3]float32) float32 {
	high := 2 * imgui.TextLineHeightWithSpacing()
	for _, line := range g.Lines {
		var row float32
		for i, text := range line {
			row = max(row, imgui.CalcTextSize(text, false, widths[i]).Y)
		}
		high += row + 2*imgui.CurrentStyle().CellPadding().Y
	}
	return high
}

func helpTable(g model.HelpGroup, widths [3]float32) {
	if !imgui.BeginTableV("keys "+g.Name, 3, imgui.TableFlagsRowBg, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	for i, wide := range widths {
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
