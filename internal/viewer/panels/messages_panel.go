package panels

import (
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
)

// busyPanel tells what is under way and how much of it is done, and lets it be given
// up. Where that is not known, the bar only says that it goes on.
func (ui *Panels) busyPanel(size image.Point) {
	if !ui.BusyShown() {
		return
	}
	s := ui.gui.scale
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) / 2, Y: app.Margin * s}, imgui.ConditionAlways, imgui.Vec2{X: 0.5})
	imgui.BeginV("##busy", nil, imgui.WindowFlagsAlwaysAutoResize|imgui.WindowFlagsNoDecoration|imgui.WindowFlagsNoNav|imgui.WindowFlagsNoFocusOnAppearing)
	text, passed, share := ui.Busy()
	text = fmt.Sprintf("%s, %.1f s", inspect.OneLine(text), passed.Seconds())
	done := float32(share)
	if done > 0 {
		text += fmt.Sprintf(", %d %%", int(100*done))
	}
	imgui.Text(text)
	origin, wide, high := imgui.CursorScreenPos(), 220*s, 8*s
	imgui.Dummy(imgui.Vec2{X: wide, Y: high})
	list := imgui.WindowDrawList()
	list.AddRectFilled(origin, imgui.Vec2{X: origin.X + wide, Y: origin.Y + high}, ink(40, 60, 90, 255))
	phase := float32(passed%(2*time.Second)) / float32(2*time.Second)
	left, right := origin.X+phase*(wide-wide/4), origin.X+phase*(wide-wide/4)+wide/4
	if done > 0 {
		left, right = origin.X, origin.X+done*wide
	}
	list.AddRectFilled(imgui.Vec2{X: left, Y: origin.Y}, imgui.Vec2{X: right, Y: origin.Y + high}, ink(90, 170, 255, 255))
	if ui.button("cancel (Backspace)") {
		ui.Stop = true
	}
	imgui.End()
}

// noticePanel shows the notices whole: what does not fit scrolls.
func (ui *Panels) noticePanel(size image.Point) {
	if !ui.NoticeShown() {
		ui.noticed = ""
		return
	}
	s := ui.gui.scale
	wide, high := min(460*s, float32(size.X)), float32(size.Y)
	text := printable(ui.Notices.Join("\n"))
	inner := wide - 2*imgui.CurrentStyle().WindowPadding().X - imgui.CurrentStyle().ScrollbarSize()
	need := imgui.CalcTextSize(text, false, inner).Y + imgui.FrameHeightWithSpacing() + 3*imgui.CurrentStyle().WindowPadding().Y
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) / 2, Y: max(high-guiLegend*s, min(need, high))}, imgui.ConditionAlways, imgui.Vec2{X: .5, Y: 1})
	imgui.SetNextWindowSize(imgui.Vec2{X: wide, Y: min(need, high)})
	if ui.noticed != text { // once: a window that takes the focus takes clicks on the others away
		imgui.SetNextWindowFocus()
		ui.noticed = text
	}
	imgui.BeginV("##notice", nil, imgui.WindowFlagsNoTitleBar|imgui.WindowFlagsNoResize|imgui.WindowFlagsNoMove|imgui.WindowFlagsNoNav|imgui.WindowFlagsNoFocusOnAppearing)
	imgui.PushTextWrapPosV(0)
	imgui.Text(text)
	imgui.PopTextWrapPos()
	if ui.button("dismiss (Esc)") {
		ui.Dismiss()
	}
	imgui.End()
}

// printable takes what no font has out of a text of several lines.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}
