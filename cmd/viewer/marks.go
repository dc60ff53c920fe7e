package main

import (
	"github.com/inkyblackness/imgui-go/v4"
)

// drawMarks draws what lies over the picture and under the panels.
func (a *app) drawMarks() {
	size := a.size()
	list := imgui.BackgroundDrawList()
	if a.panels {
		if a.Shown.Left.Plan != nil && a.walked == nil {
			a.drawGizmo(list)
		}
		a.markDraw(list, size)
		a.markSelection(list, size)
		a.markHover(list, size)
	}
	if a.split() {
		x, s := float32(a.dividerX(size.X)), a.gui.scale
		list.AddRectFilled(imgui.Vec2{X: x - s, Y: 0}, imgui.Vec2{X: x + s, Y: float32(size.Y)}, ink(235, 238, 242, 255))
		y := float32(size.Y) / 2
		list.AddRectFilledV(imgui.Vec2{X: x - 4*s, Y: y - 18*s}, imgui.Vec2{X: x + 4*s, Y: y + 18*s}, ink(235, 238, 242, 255), 3*s, imgui.DrawFlagsRoundCornersAll)
	}
}

// ink is a colour as ImGui packs it.
func ink(r, g, b, a uint32) imgui.PackedColor { return imgui.PackedColor(r | g<<8 | b<<16 | a<<24) }
