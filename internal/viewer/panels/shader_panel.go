package panels

import (
	"fmt"
	"math"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
)

// guiShaderWidth is the width of the shader's panel, in pixels of a display of ordinary
// density.
const guiShaderWidth = 330

// shaderHeight returns the height of the panel. It leaves no room for errors, so that an error does not
// move the scene; the panel scrolls instead.
func shaderHeight(e *app.ShaderEditor) float64 {
	lines := 3
	for _, v := range e.Values {
		lines += max(1, len(v.Rows))
	}
	return 60 + 26*float64(lines)
}

// shaderPanel shows the values of the user's vertex shader, and the errors of its files.
func (ui *Panels) shaderPanel() {
	s := ui.ShownShader()
	if s == nil {
		return
	}
	if e := ui.Shader; e.Of != s {
		e.Of, e.Values = s, s.Values()
	}
	ui.panel("shader", "Vertex shader: "+ui.Want.Shader.Name(), nil, func() { ui.shaderControls(s) })
}

func (ui *Panels) shaderControls(s *shade.Shader) {
	e := ui.Shader
	if len(e.Failed) > 0 {
		imgui.PushTextWrapPosV(0)
		imgui.PushStyleColor(imgui.StyleColorText, ui.gui.colors.wrong)
		imgui.Text(wrapped(printable(strings.Join(e.Failed, "\n")), imgui.ContentRegionAvail().X))
		imgui.PopStyleColor()
		imgui.Text("The picture is of the file before.")
		imgui.PopTextWrapPos()
	}
	if len(e.Missing) > 0 && ui.button("add what is missing") {
		ui.AddMissing()
	}
	if s.Follows(geometry.Time) {
		ui.checkbox("time runs", &e.Runs)
		ui.label("time, s")
		imgui.DragFloatV("##time", &ui.Time, .02, 0, math.MaxFloat32, "%.2f", imgui.SliderFlagsNone)
	}
	for i := range e.Values {
		ui.shaderValue(s, &e.Values[i])
	}
}

// shaderValue shows a value. It can be edited unless it is a matrix or an array, or the frame fills it in by its name.
func (ui *Panels) shaderValue(s *shade.Shader, v *shade.Value) {
	imgui.AlignTextToFramePadding()
	imgui.Text(printable(v.Name))
	if imgui.IsItemHovered() {
		ui.tooltip(printable(v.Name + ": " + v.Type))
	}
	imgui.SameLineV(guiLabel*ui.gui.scale, 0)
	imgui.SetNextItemWidth(-1)
	switch {
	case v.Says != "":
		imgui.Text("the frame's " + v.Says)
	case len(v.Rows) == 0:
		imgui.Text(v.Type)
	case !v.Editable():
		lines := make([]string, len(v.Rows))
		for i, row := range v.Rows {
			lines[i] = strings.Trim(fmt.Sprintf("%7.3g", row), "[]")
		}
		imgui.Text(strings.Join(lines, "\n"))
	default:
		if numbers := append([]float64(nil), v.Rows[0]...); ui.editNumbers("##"+v.Name, v, numbers) {
			if changed, err := s.Set(*v, numbers); err == nil {
				ui.Want.Shader = changed
			}
		}
	}
}

// dragSpeed returns how much a pixel of dragging changes numbers: more for large ones.
func dragSpeed(numbers []float64) float32 {
	most := 1.0
	for _, f := range numbers {
		most = max(most, math.Abs(f))
	}
	return float32(.005 * most)
}

// editNumbers edits the numbers of a value and reports whether they changed.
func (ui *Panels) editNumbers(id string, v *shade.Value, numbers []float64) (changed bool) {
	if v.Kind != module.Float {
		return editWhole(id, v, numbers)
	}
	list := make([]float32, len(numbers))
	for i, f := range numbers {
		list[i] = float32(f)
	}
	speed := dragSpeed(numbers)
	const form = "%.3f"
	switch {
	case len(list) == 1:
		changed = imgui.DragFloatV(id, &list[0], speed, 0, 0, form, 0)
	case v.Color && len(list) == 3:
		changed = imgui.ColorEdit3V(id, (*[3]float32)(list), imgui.ColorEditFlagsFloat)
	case v.Color:
		changed = imgui.ColorEdit4V(id, (*[4]float32)(list), imgui.ColorEditFlagsFloat)
	case len(list) == 2:
		changed = imgui.DragFloat2V(id, (*[2]float32)(list), speed, 0, 0, form, 0)
	case len(list) == 3:
		changed = imgui.DragFloat3V(id, (*[3]float32)(list), speed, 0, 0, form, 0)
	default:
		changed = imgui.DragFloat4V(id, (*[4]float32)(list), speed, 0, 0, form, 0)
	}
	for i, f := range list {
		if f != float32(numbers[i]) {
			numbers[i] = float64(f)
		}
	}
	return changed
}

// editWhole is editNumbers for whole numbers.
func editWhole(id string, v *shade.Value, numbers []float64) (changed bool) {
	least, most := float64(math.MinInt32), float64(math.MaxInt32)
	if v.Kind == module.Uint {
		least = 0
	}
	list := make([]int32, len(numbers))
	for i, f := range numbers {
		list[i] = int32(min(max(f, least), most))
	}
	switch len(list) {
	case 1:
		changed = imgui.DragIntV(id, &list[0], .2, int32(least), int32(most), "%d", 0)
	case 2:
		changed = imgui.DragInt2V(id, (*[2]int32)(list), .2, int32(least), int32(most), "%d", 0)
	case 3:
		changed = imgui.DragInt3V(id, (*[3]int32)(list), .2, int32(least), int32(most), "%d", 0)
	default:
		changed = imgui.DragInt4V(id, (*[4]int32)(list), .2, int32(least), int32(most), "%d", 0)
	}
	if changed {
		for i, n := range list {
			numbers[i] = float64(n)
		}
	}
	return changed
}
