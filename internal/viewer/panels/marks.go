package panels

import (
	"image"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// drawMarks draws the marks over the picture and below the panels.
func (ui *Panels) drawMarks() {
	size := ui.Size()
	list := imgui.BackgroundDrawList()
	if ui.Panels {
		if ui.Shown.Left.Plan != nil && ui.Walked == nil {
			ui.drawGizmo(list)
		}
		ui.markDraw(list, size)
		ui.markSelection(list, size)
		ui.markHover(list, size)
	}
	ui.labelGuides(list, size)
	if ui.Split() {
		x, s := float32(ui.DividerX(size.X)), ui.gui.scale
		color := ink(235, 238, 242, 255)
		if app.IsLight(ui.Shown.Left.Settings.Look.BackgroundColor()) {
			color = ink(40, 45, 55, 255)
		}
		list.AddRectFilled(imgui.Vec2{X: x - s, Y: 0}, imgui.Vec2{X: x + s, Y: float32(size.Y)}, color)
		y := float32(size.Y) / 2
		list.AddRectFilledV(imgui.Vec2{X: x - 4*s, Y: y - 18*s}, imgui.Vec2{X: x + 4*s, Y: y + 18*s}, color, 3*s, imgui.DrawFlagsRoundCornersAll)
	}
}

// labelGuides writes sizes beside the box, and the spacing of the grid's lines beside the grid.
func (ui *Panels) labelGuides(list imgui.DrawList, size image.Point) {
	left := &ui.Shown.Left
	if left.Plan == nil || ui.Walked != nil {
		return
	}
	guides := ui.GuidesOf(left)
	s := ui.gui.scale
	for _, l := range guides.Labels(results.View{Camera: left.Camera, Size: size}) {
		wide := imgui.CalcTextSize(l.Text, false, 0)
		at := imgui.Vec2{X: l.X - wide.X/2, Y: l.Y + 3*s}
		list.AddRectFilledV(imgui.Vec2{X: at.X - 4*s, Y: at.Y - s}, imgui.Vec2{X: at.X + wide.X + 4*s, Y: at.Y + wide.Y + s}, ink(20, 22, 26, 190), 3*s, imgui.DrawFlagsRoundCornersAll)
		list.AddText(at, ink(235, 238, 242, 255), l.Text)
	}
}

// ink packs a colour as ImGui does.
func ink(r, g, b, a uint32) imgui.PackedColor { return imgui.PackedColor(r | g<<8 | b<<16 | a<<24) }

// markHover marks the vertex under the cursor and describes it.
func (ui *Panels) markHover(list imgui.DrawList, size image.Point) {
	h := &ui.Hover
	if h.Text == nil || h.Side.Plan != h.Plan || h.Camera != ui.Shown.Left.Camera || !ui.Inspects() || ui.gui.io.WantCaptureMouse() {
		return
	}
	s := ui.gui.scale
	if h.Scene != nil {
		projection := inspect.NewProjector(ui.Shown.Left.Camera, h.Scene, h.Found.Draw, size)
		if x, y, ok := projection.Place(h.Found.Vertex()); ok {
			list.AddCircleFilled(imgui.Vec2{X: x, Y: y}, 4*s, ink(255, 255, 255, 255))
			list.AddCircleFilled(imgui.Vec2{X: x, Y: y}, 2.5*s, ink(20, 90, 200, 255))
		}
	}
	at := ui.gui.io.MousePosition()
	ui.tipBeside(strings.Join(h.Text, "\n"), func(size imgui.Vec2) []imgui.Vec2 {
		right, left, below, above := at.X+16*s, at.X-8*s-size.X, at.Y+16*s, at.Y-8*s-size.Y
		return []imgui.Vec2{{X: right, Y: below}, {X: left, Y: below}, {X: right, Y: above}, {X: left, Y: above}, {X: right, Y: at.Y}, {X: left, Y: at.Y}}
	})
}

// clip restricts the following marks to a side's part of the window.
func (ui *Panels) clip(list imgui.DrawList, right bool, size image.Point) {
	part := ui.SidePart(right, size)
	list.PushClipRect(imgui.Vec2{X: float32(part.Min.X)}, imgui.Vec2{X: float32(part.Max.X), Y: float32(part.Max.Y)})
}

// markSelection draws the selected batch, triangle and vertex over the picture.
func (ui *Panels) markSelection(list imgui.DrawList, size image.Point) {
	s := ui.Selected()
	if s == nil || s.Scene == nil {
		return
	}
	ui.clip(list, s.Right, size)
	defer list.PopClipRect()
	scale := ui.gui.scale
	projection := inspect.NewProjector(ui.Shown.Left.Camera, s.Scene, s.Hit.Draw, size)
	triangle := func(corners [3]uint32, draw func(a, b, c imgui.Vec2)) {
		var places [3]imgui.Vec2
		for i, v := range corners {
			x, y, ok := projection.Place(v)
			if !ok { // lines that reach behind the eye are left out
				return
			}
			places[i] = imgui.Vec2{X: x, Y: y}
		}
		draw(places[0], places[1], places[2])
	}
	if s.Batch >= 0 {
		indices := inspect.Indices(s.Plan, s.At)
		for k := 0; k+2 < len(indices); k += 3 {
			triangle([3]uint32(indices[k:]), func(p, q, r imgui.Vec2) {
				list.AddTriangleFilled(p, q, r, ink(90, 170, 255, 90))
				list.AddTriangle(p, q, r, ink(235, 245, 255, 200))
			})
		}
	}
	triangle(s.Hit.Corners, func(p, q, r imgui.Vec2) {
		list.AddTriangleV(p, q, r, ink(0, 0, 0, 255), 4*scale)
		list.AddTriangleV(p, q, r, ink(255, 255, 255, 255), 2*scale)
	})
	if x, y, ok := projection.Place(s.Hit.Vertex()); ok {
		ring(list, imgui.Vec2{X: x, Y: y}, scale)
	}
}

// ring marks a place with black and white rings, so that it is visible on any colour.
func ring(list imgui.DrawList, at imgui.Vec2, scale float32) {
	at = imgui.Vec2{X: float32(app.Floor(at.X)) + .5, Y: float32(app.Floor(at.Y)) + .5} // whole pixels are sharp
	for _, r := range []struct {
		radius float32
		color  imgui.PackedColor
	}{{9, ink(0, 0, 0, 255)}, {7.5, ink(255, 255, 255, 255)}, {5, ink(0, 0, 0, 255)}, {3, ink(255, 255, 255, 255)}} {
		list.AddCircleFilled(at, r.radius*scale, r.color)
	}
}

// markDraw outlines the box of the selected draw.
func (ui *Panels) markDraw(list imgui.DrawList, size image.Point) {
	l, d := &ui.DrawList, &ui.Shown.Left
	if l.Selected < 0 || d.Alone > 0 || !ui.ListsDraws() || d.Applied != nil || l.Selected >= len(d.Scene.Draws) || !inspect.Followable(d.Plan) {
		return
	}
	if l.Corners.Plan != d.Plan {
		p := ui.Pickers.Of(d.Plan)
		if p == nil {
			return
		}
		l.Corners = app.Corners{Plan: d.Plan, Scene: p.Scene, At: p.Corners(l.Selected)}
	}
	ui.clip(list, false, size)
	defer list.PopClipRect()
	projection := inspect.NewProjector(d.Camera, l.Corners.Scene, l.Selected, size).Of(l.Corners.At)
	for _, e := range inspect.BoxEdges {
		x0, y0, ok0 := projection.Place(uint32(e[0]))
		x1, y1, ok1 := projection.Place(uint32(e[1]))
		if p, q := (imgui.Vec2{X: x0, Y: y0}), (imgui.Vec2{X: x1, Y: y1}); ok0 && ok1 {
			list.AddLineV(p, q, ink(0, 0, 0, 200), 3*ui.gui.scale)
			list.AddLineV(p, q, ink(255, 255, 255, 255), ui.gui.scale)
		}
	}
}

// The length of the gizmo's arms and the radius of their ends, in pixels of a display of ordinary density.
const gizmoArm, gizmoKnob = 32, 8

// gizmoEnd is the end of one of the axes that the gizmo shows.
type gizmoEnd struct {
	axis  mgl32.Vec3
	label string // empty at the negative end
	color imgui.PackedColor
	at    imgui.Vec2
	depth float32
}

const gizmoRoom = 280 // the least width and height of the room for a gizmo, in pixels of a display of ordinary density

// gizmo returns the ends of the axes as the camera sees them, the farthest first, and the point where the axes
// meet, in the lower right corner of the room beside the panels. If the room is small, it returns no ends.
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

// gizmoPlace returns the gizmo's rectangle in the window; empty if there is none.
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

// AxisAt returns the axis whose end is at a pixel; false if there is none, or the gizmo is not shown.
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
