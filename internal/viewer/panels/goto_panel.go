package panels

import (
	"fmt"
	"image"

	"github.com/inkyblackness/imgui-go/v4"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
)

// goToPanel asks for the number of a vertex, batch or draw, and selects it.
func (ui *Panels) goToPanel(size image.Point) {
	g := &ui.Going
	if !ui.GoTo {
		g.Open = false
		return
	}
	s := ui.gui.scale
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) / 2, Y: float32(size.Y) / 4}, imgui.ConditionAppearing, imgui.Vec2{X: .5})
	imgui.SetNextWindowSizeV(imgui.Vec2{X: 300 * s}, imgui.ConditionAlways)
	defer imgui.End()
	if !imgui.BeginV("Go to (Ctrl+G)###goto", &ui.GoTo, imgui.WindowFlagsNoNav|imgui.WindowFlagsAlwaysAutoResize) {
		return
	}
	ui.label("go to")
	ui.choice("##kind", app.GoToKinds[g.Kind], app.GoToKinds, func(i int) { g.Kind, g.Err = i, "" })
	ui.label("number")
	if !g.Open {
		imgui.SetKeyboardFocusHere()
	}
	g.Open = true
	if imgui.InputTextV("##number", &g.Text, imgui.InputTextFlagsEnterReturnsTrue|imgui.InputTextFlagsAutoSelectAll, nil) {
		g.Err = ""
		if err := ui.GoNow(); err != nil {
			g.Err = err.Error()
		} else {
			ui.GoTo = false
		}
	}
	draw := ui.ChosenDraw()
	text := "Enter goes there."
	if n := len(ui.Shown.Left.Plan.Frame.Scene.Draws); g.Kind == app.GoToVertex && n > 1 {
		text = fmt.Sprintf("Of draw %d; draw:vertex names another.", ui.Shown.Left.DrawNumber(draw))
	}
	imgui.PushTextWrapPos()
	imgui.Text(text)
	if g.Err != "" {
		imgui.Text(g.Err)
	}
	imgui.PopTextWrapPos()
}
