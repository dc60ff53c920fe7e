package panels

import (
	"image"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/renderer"
)

// The gizmo's size, in pixels of a display of ordinary density.
const gizmoArm, gizmoKnob = 32, 8

// gizmoEnd is the end of one of the axes that the gizmo shows.
type gizmoEnd struct {
	axis  mgl32.Vec3
	label string // empty at the negative end
	color imgui.PackedColor
	at    imgui.Vec2
	depth float32
}

// gizmoRoom is the least width and height of the room for a gizmo.
const gizmoRoom = 280

// gizmo returns the ends of the axes as the camera sees them, the farthest first, and their centre,
// in the lower right corner of the room beside the panels. It returns none if the room is small.
func (ui *Panels) gizmo(c renderer.Camera) (middle imgui.Vec2, ends []gizmoEnd) {
	s := ui.gui.scale
	room := ui.places.free
	if room.Empty() {
		room = image.Rectangle{Max: ui.Size()}
	}
	if float32(min(room.Dx(), room.Dy())) < gizmoRoom*s {
		return middle, nil
	}
	inset := (gizmoArm + gizmoKnob + app.Margin) * s
	middle = imgui.Vec2{X: float32(room.Max.X) - inset, Y: float32(room.Max.Y) - inset}
	right, up := c.Basis()
	forward := c.Forward()
	colors := []imgui.PackedColor{ink(235, 80, 80, 255), ink(110, 200, 80, 255), ink(90, 150, 255, 255)}
	for i, label := range []string{"X", "Y", "Z"} {
		for _, sign := range []float32{1, -1} {
			var axis mgl32.Vec3
			axis[i] = sign
			e := gizmoEnd{axis: axis, color: colors[i], depth: axis.Dot(forward)}
			if sign > 0 {
				e.label = label
			}
			e.at = imgui.Vec2{X: middle.X + gizmoArm*s*axis.Dot(right), Y: middle.Y - gizmoArm*s*axis.Dot(up)}
			ends = append(ends, e)
		}
	}
	slices.SortFunc(ends, func(a, b gizmoEnd) int { return int(math.Copysign(1, float64(b.depth-a.depth))) })
	return middle, ends
}

// gizmoPlace returns the part of the window that the gizmo takes; empty if there is none.
func (ui *Panels) gizmoPlace() image.Rectangle {
	if ui.Shown.Left.Plan == nil || !ui.Panels {
		return image.Rectangle{}
	}
	middle, ends := ui.gizmo(ui.Shown.Left.Camera)
	if ends == nil {
		return image.Rectangle{}
	}
	reach := ceil((gizmoArm + gizmoKnob) * ui.gui.scale)
	at := image.Pt(ceil(middle.X), ceil(middle.Y))
	return image.Rectangle{Min: at, Max: at}.Inset(-reach)
}

// drawGizmo draws the axes.
func (ui *Panels) drawGizmo(list imgui.DrawList) {
	s := ui.gui.scale
	middle, ends := ui.gizmo(ui.Shown.Left.Camera)
	for _, e := range ends {
		if e.label == "" {
			list.AddCircleFilled(e.at, .6*gizmoKnob*s, e.color&0xffffff|0x80000000)
			continue
		}
		list.AddLineV(middle, e.at, e.color, 2*s)
		list.AddCircleFilled(e.at, gizmoKnob*s, e.color)
		size := imgui.CalcTextSize(e.label, false, 0)
		list.AddText(imgui.Vec2{X: e.at.X - size.X/2, Y: e.at.Y - size.Y/2}, ink(15, 15, 20, 255), e.label)
	}
}

// AxisAt returns the axis whose end is at a pixel, if the gizmo is shown.
func (ui *Panels) AxisAt(at image.Point) (mgl32.Vec3, bool) {
	if !ui.Panels || ui.Walked != nil {
		return mgl32.Vec3{}, false
	}
	_, ends := ui.gizmo(ui.Shown.Left.Camera)
	for _, e := range slices.Backward(ends) {
		if math.Hypot(float64(e.at.X)-float64(at.X), float64(e.at.Y)-float64(at.Y)) <= gizmoKnob*float64(ui.gui.scale) {
			return e.axis, true
		}
	}
	return mgl32.Vec3{}, false
}
