package panels

import (
	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// colors are the panels' colours that ImGui's style does not have.
type colors struct {
	theme          string // that they are of; empty before the first frame
	heading, wrong imgui.Vec4
	trough         imgui.PackedColor // behind a bar
}

// paint gives the panels the colours of a theme.
func (g *gui) paint(theme model.Theme) {
	if g.colors.theme == theme.String() {
		return
	}
	g.colors = colors{theme.String(), imgui.Vec4{X: .55, Y: .75, Z: 1, W: 1}, imgui.Vec4{X: 1, Y: .45, Z: .4, W: 1}, ink(40, 60, 90, 255)}
	lists := imgui.Vec4{X: .08, Y: .08, Z: .08, W: 1}
	if imgui.StyleColorsDark(); theme == model.LightTheme {
		imgui.StyleColorsLight()
		g.colors.heading, g.colors.wrong, g.colors.trough = imgui.Vec4{X: .1, Y: .3, Z: .7, W: 1}, imgui.Vec4{X: .75, Y: .1, Z: .05, W: 1}, ink(205, 215, 230, 255)
		lists = imgui.Vec4{X: .97, Y: .97, Z: .97, W: 1}
	}
	imgui.CurrentStyle().SetColor(imgui.StyleColorPopupBg, lists) // the lines below are not read through it
}
