package panels

import (
	"image"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// helpPanel lists the keys and what they stand at. It scrolls where the window is small.
func (ui *Panels) helpPanel(size image.Point) {
	if !ui.Help {
		return
	}
	s := ui.gui.scale
	center := imgui.Vec2{X: float32(size.X) / 2, Y: float32(size.Y) / 2}
	imgui.SetNextWindowPosV(center, imgui.ConditionAlways, imgui.Vec2{X: .5, Y: .5})
	imgui.SetNextWindowSize(imgui.Vec2{X: min(helpWidth*s, float32(size.X)), Y: min(helpHeight*s, float32(size.Y))})
	imgui.SetNextWindowFocus()
	open := true
	defer imgui.End()
	flags := imgui.WindowFlagsNoNav | imgui.WindowFlagsNoMove | imgui.WindowFlagsNoResize | imgui.WindowFlagsNoCollapse
	if !imgui.BeginV("Keys  (H or Esc closes)###help", &open, flags) {
		return
	}
	for _, g := range ui.HelpGroups() {
		imgui.Spacing()
		imgui.Text(g.Name)
		imgui.Separator()
		helpTable(g, s)
	}
	if !open {
		ui.Help = false
	}
}

func helpTable(g model.HelpGroup, scale float32) {
	if !imgui.BeginTableV("keys "+g.Name, 3, imgui.TableFlagsRowBg, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	imgui.TableSetupColumnV("key", imgui.TableColumnFlagsWidthFixed, 170*scale, 0)
	imgui.TableSetupColumnV("effect", imgui.TableColumnFlagsWidthStretch, 0, 0)
	imgui.TableSetupColumnV("value", imgui.TableColumnFlagsWidthFixed, 130*scale, 0)
	for _, line := range g.Lines {
		imgui.TableNextRow()
		for _, text := range line {
			imgui.TableNextColumn()
			imgui.PushTextWrapPos()
			imgui.Text(text)
			imgui.PopTextWrapPos()
		}
	}
}

// The size of the help where the window is large enough, in pixels of a display of
// ordinary density.
const helpWidth, helpHeight = 640, 900
