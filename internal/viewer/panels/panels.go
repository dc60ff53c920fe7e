// Package panels builds the viewer's panels and the marks over its picture with Dear ImGui. They
// read app.App and change its state, as keys do.
//
// It knows no window and no device: it makes triangles, and app draws them.
package panels

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// Metrics of the panels, in pixels of a display of ordinary density.
const (
	guiWidth      = 330
	guiDrawsWidth = 540
	guiLabel      = 116  // from the left of a panel to its values
	guiRoomy      = 1000 // the height of a panel that shows all groups
)

// buildPanels builds all panels. Controls change the state, as keys do.
func (ui *Panels) buildPanels() {
	ui.onTop = ui.onTop[:0]
	ui.drawMarks()
	defer ui.busyPanel(ui.Size())
	defer ui.helpPanel(ui.Size())
	defer ui.noticePanel(ui.Size())
	if !ui.Panels {
		ui.places.hide()
		return
	}
	size := ui.Size()
	if ui.Shown.Left.Plan == nil {
		ui.places.begin(size, ui.gui.scale, nil)
		ui.panel("settings", "shadeonce  (H: help)", nil, ui.firstPanel)
		ui.pathPanel(size)
		ui.places.end()
		return
	}
	var legends []image.Rectangle
	for _, o := range ui.Legends(size) { // even while the help covers them, so that the scene stays in place
		legends = append(legends, o.Panel.Rect.Add(o.At))
	}
	ui.places.begin(size, ui.gui.scale, legends)
	ui.panel("settings", "shadeonce  (H: help)", nil, ui.mainPanel)
	ui.appPanel()
	ui.shaderPanel()
	if ui.ListsDraws() {
		ui.drawsPanel()
	}
	ui.FindDraw = false
	ui.batchPanel()
	ui.strategiesPanel()
	ui.goToPanel(size)
	ui.pathPanel(size)
	ui.drawMenu()
	ui.places.end()
}

// section shows a group that the user can open and close. `open` says whether it is open at first.
func section(name string, open bool, body func()) {
	flags := imgui.TreeNodeFlagsNone
	if open {
		flags = imgui.TreeNodeFlagsDefaultOpen
	}
	if imgui.CollapsingHeaderV(name, flags) {
		body()
	}
}

// firstPanel shows the settings that can be chosen before the first picture.
func (ui *Panels) firstPanel() {
	section("Strategy", true, ui.strategyPanel)
	section("Picture", true, ui.picturePanel)
}

// mainPanel shows the results, followed by the settings. The groups below the strategy begin open if there is room,
// that of a comparison also while sides are compared.
func (ui *Panels) mainPanel() {
	status := ui.Status()
	imgui.Text(shortened(status, imgui.ContentRegionAvail().X))
	if imgui.IsItemHovered() {
		ui.tooltip(status + ".\n" + help("status"))
	}
	roomy := ui.panelRoom() >= guiRoomy
	if ui.Animation() != nil {
		section("Animation", true, ui.posePanel)
	}
	section("Numbers", true, ui.numbersPanel)
	section("Times shaded", true, ui.histogramPanel)
	section("Passes", true, ui.passesPanel)
	section("Strategy", true, ui.strategyPanel)
	section("Compare", roomy || ui.ComparesSides(), ui.comparePanel)
	section("Scene", roomy, ui.scenePanel)
	section("Picture", roomy, ui.picturePanel)
	section("Device", roomy, ui.devicePanel)
	section("Window", roomy, ui.windowPanel)
}

// scenePanel shows the controls that choose the scene, its up axis, and what an application makes of it.
func (ui *Panels) scenePanel() {
	ui.settings("application (A)", "up axis (Z)")
	ui.passChoice()
	ui.filesPanel()
}

// devicePanel shows the settings that choose how the device draws.
func (ui *Panels) devicePanel() {
	ui.settings("raster host")
	reason(ui.Shown.Left.Plan.Choice.Raster)
	ui.settings("culling", "queue form", "subgroups", "load", "coarse while moving")
}

// windowPanel shows the settings of the window, and buttons that save the settings, reset them, and reset the panels.
func (ui *Panels) windowPanel() {
	ui.settings("theme", "full screen (F11)")
	ui.actions(action{"keep the settings", ui.KeepSettings}, action{"reset the settings", ui.ForgetSettings})
	ui.actions(action{"reset the panels", ui.places.reset})
}

// label writes the name of the next widget, which then gets the rest of the line.
func (ui *Panels) label(text string) {
	imgui.AlignTextToFramePadding()
	imgui.Text(text)
	ui.tip(text)
	imgui.SameLineV(guiLabel*ui.gui.scale, 0)
	imgui.SetNextItemWidth(-1)
}

// strategyPanel shows the settings that choose how repeated indices are found.
func (ui *Panels) strategyPanel() {
	ui.settings("strategy", "lanes")
	ui.orderChoice("index order", &ui.IndexOrder)
	if reuse.IsAuto(ui.Want.Strategy) {
		reason(ui.WhyAuto())
		return
	}
	plain := ui.Want
	plain.Batch = 0
	own, err := plain.Config()
	if err != nil {
		return // invalid settings are replaced before the next frame
	}
	if p := ui.Shown.Left.Plan; p != nil && p.FittedTo > 0 && p.Frame.Reuse.Strategy == own.Strategy {
		own.Batch = p.Frame.Reuse.Batch
	}
	ui.limit("batch limit", &ui.Want.Batch, own.Batch, 3, reuse.MaxBatch)
	if slices.Contains(own.Strategy.Batchings, reuse.DynamicBatching) {
		unique := 0
		if own.Strategy.Batchings[0] == reuse.DynamicBatching {
			unique = reuse.DefaultUnique
		}
		ui.limit("unique limit", &ui.Want.Unique, unique, 1, own.Strategy.LargestUnique())
		return
	}
	ui.label("unique limit")
	imgui.Text("none: static batches")
}

// reason shows a wrapped text, such as the reason for auto's choice.
func reason(text string) {
	if text != "" {
		imgui.Text(wrapped(text, imgui.ContentRegionAvail().X))
	}
}

// settings shows the controls of the named settings.
func (ui *Panels) settings(names ...string) {
	for _, name := range names {
		ui.setting(model.Named(name))
	}
}

func (ui *Panels) setting(k *model.Setting) {
	if k.Values != nil {
		values := k.Offered(&ui.State)
		more, set := ui.Shader.Choices(k)
		ui.choice(k.Name, k.Value(&ui.State), slices.Concat(values, more), func(i int) {
			if ui.Turned = nil; i < len(values) {
				k.Choose(&ui.State, i)
			} else {
				set(&ui.Want, i-len(values))
			}
		})
		return
	}
	switch at := k.At(&ui.State).(type) {
	case *bool:
		if on := *at; ui.checkbox(k.Name, &on) {
			k.Press(&ui.State, 1)
		}
	case *float64:
		ui.label(k.Name)
		flags, shown := imgui.SliderFlagsNone, float32(*at)
		if k.Slider.Logarithmic {
			flags = imgui.SliderFlagsLogarithmic
		}
		if imgui.SliderFloatV("##"+k.Name, &shown, k.Slider.Least, k.Slider.Most, k.Slider.Format, flags) {
			*at = float64(shown)
		}
	case *color.RGBA:
		ui.label(k.Name)
		shown := cmp.Or(*at, picture.Background)
		rgb := [3]float32{float32(shown.R) / 255, float32(shown.G) / 255, float32(shown.B) / 255}
		if imgui.ColorEdit3V("##"+k.Name, &rgb, imgui.ColorEditFlagsNone) {
			byteOf := func(x float32) uint8 { return uint8(255*min(max(x, 0), 1) + .5) }
			*at = color.RGBA{byteOf(rgb[0]), byteOf(rgb[1]), byteOf(rgb[2]), 255}
		}
	case *int:
		*at = ui.whole(k, *at)
	case *uint32:
		*at = uint32(ui.whole(k, int(*at)))
	}
}

// whole shows a control for an integer setting, and returns the new value.
func (ui *Panels) whole(k *model.Setting, n int) int {
	ui.label(k.Name)
	shown := int32(n)
	if s := k.Slider; s != nil && imgui.SliderInt("##"+k.Name, &shown, int32(s.Least), int32(s.Most)) {
		return min(max(int(shown), int(s.Least)), int(s.Most))
	} else if s == nil && imgui.InputIntV("##"+k.Name, &shown, 1, 100, imgui.InputTextFlagsEnterReturnsTrue) {
		return min(max(int(shown), k.Least), k.Most)
	}
	return n
}

// choice shows a name and a value, and a list to choose another value from.
func (ui *Panels) choice(name, value string, values []string, choose func(int)) {
	ui.label(name)
	if !imgui.BeginComboV("##"+name, value, imgui.ComboFlagsHeightLarge) {
		return
	}
	ui.over()
	for i, v := range values {
		if imgui.SelectableV(v, v == value, 0, imgui.Vec2{}) && v != value {
			choose(i)
		}
		if v == value {
			imgui.SetItemDefaultFocus()
		}
	}
	imgui.EndCombo()
}

// orderChoice shows controls that choose an index order, and whether vertices are renumbered too.
func (ui *Panels) orderChoice(name string, value *string) {
	base, fetch := strings.CutSuffix(*value, order.FetchSuffix)
	suffix := map[bool]string{true: order.FetchSuffix}
	names, id := order.Names(), "##"+name
	ui.choice(name, *value, names, func(i int) { *value = names[i] + suffix[fetch] })
	if ui.checkbox("renumber vertices"+id, &fetch) {
		*value = base + suffix[fetch]
	}
}

// picturePanel shows the settings that choose how the picture looks, and buttons that save it.
func (ui *Panels) picturePanel() {
	ui.settings("view", "colour map")
	if ui.Want.View == renderer.Varying {
		ui.settings("values")
	} else if v := ui.Want.View; v == renderer.Counts || v == renderer.Batches {
		ui.settings("colours", "light")
	}
	ui.settings("background", "edges (X)", "box and grid (G)")
	save := func(legend bool) func() {
		return func() { ui.Shots, ui.Again = append(ui.Shots, model.Shot{Legend: legend}), true }
	}
	ui.actions(action{"save (F12)", save(true)}, action{"save the scene alone (Ctrl+F12)", save(false)})
	ui.settings("without background or panels")
}

const leastLimit = 3 // the smallest limit of vertices per batch: one triangle has 3

// limit shows a control for a batch limit. The value 0 means the strategy's `own` limit, which is then
// shown. If `own` is 0, the strategy has no default limit, since its batches are static.
func (ui *Panels) limit(name string, value *int, own, step, most int) {
	ui.label(name)
	shown := int32(cmp.Or(*value, own))
	if imgui.InputIntV("##"+name, &shown, step, 10*step, imgui.InputTextFlagsEnterReturnsTrue) {
		ui.Turned = nil
		static := *value == 0
		*value = min(max(int(shown), 0), most)
		switch {
		case *value == own:
			*value = 0
		case own == 0 && *value < leastLimit && static:
			*value = reuse.DefaultUnique // stepped up from static batches
		case own == 0 && *value < leastLimit:
			*value = 0
		}
	}
}

// Panels are the viewer's panels. There can be only one at a time, since ImGui's state is
// global.
type Panels struct {
	*app.App
	gui     *gui
	places  places
	noticed string            // the text of the notices when their panel last took the focus
	spread  bool              // the notices are shown in full
	onTop   []image.Rectangle // rectangles that lie over the legends in this frame
}

// New makes the panels of a viewer. scale is the display's density; moved has the places of panels that the user has moved.
func New(of *app.App, scale float32, moved map[string]layout.Place) app.UI {
	ui := &Panels{App: of}
	ui.renew(scale)
	ui.places.wishes, ui.places.standard, ui.places.begins = moved, ui.standardPlace, ui.begins
	return ui
}

// Build builds the panels, over the triangles of `under`, with the input so far. held reports whether the left button is down.
func (ui *Panels) Build(size image.Point, under *results.Flat) (held bool) {
	ui.gui.paint(ui.Theme)
	ui.gui.frame(size, under, ui.buildPanels)
	return imgui.IsMouseDown(0)
}

// renew replaces ImGui's state by a new one.
func (ui *Panels) renew(scale float32) {
	ui.gui.close()
	ui.gui = newGUI(scale)
	ui.gui.io.SetClipboard(clipboard{ui.Display})
}

// Rescale rebuilds the panels for another density of the display.
func (ui *Panels) Rescale(scale float32) {
	ui.renew(scale)
	for _, x := range ui.places.list {
		x.anew = true
	}
}

// Methods for the frame loop, which app.UI describes.

func (ui *Panels) Scale() float32                   { return ui.gui.scale }
func (ui *Panels) Close()                           { ui.gui.close() }
func (ui *Panels) Mesh() gpu.OverlayMesh            { return ui.gui.mesh }
func (ui *Panels) Font() *image.Alpha               { return ui.gui.font }
func (ui *Panels) WholeTexel() (u, v float32)       { return ui.gui.whole() }
func (ui *Panels) Key(name string, down bool)       { ui.gui.key(name, down) }
func (ui *Panels) Text(r rune)                      { ui.gui.io.AddInputCharacters(string(r)) }
func (ui *Panels) Wheel(x, y float64)               { ui.gui.io.AddMouseWheelDelta(float32(x), float32(y)) }
func (ui *Panels) Button(b model.Button, down bool) { ui.gui.io.SetMouseButtonDown(int(b), down) }
func (ui *Panels) Typing() bool                     { return ui.gui.io.WantTextInput() || ui.gui.listOpen() }
func (ui *Panels) OnTop() []image.Rectangle         { return ui.onTop }
func (ui *Panels) TakesPointer() bool               { return ui.gui.io.WantCaptureMouse() }
func (ui *Panels) Point(at image.Point) {
	ui.gui.io.SetMousePosition(imgui.Vec2{X: float32(at.X), Y: float32(at.Y)})
}
func (ui *Panels) Free() (free image.Rectangle, window image.Point) {
	return ui.places.free, ui.places.window
}
func (ui *Panels) Moved() map[string]layout.Place { return ui.places.wishes }
func (ui *Panels) Foresee(window image.Point, names []string) {
	ui.places.foresee(window, ui.gui.scale, names)
}

// comparePanel shows the settings of a comparison's right side.
func (ui *Panels) comparePanel() {
	ui.settings("compare")
	if ui.Split() {
		ui.settings("divider")
	}
	if ui.ComparesSides() {
		strategies := reuse.Choices()
		ui.choice("right strategy", ui.Other.Strategy, strategies, func(i int) { ui.Other.Strategy = strategies[i] })
		ui.choice("right lanes", fmt.Sprint(ui.Other.Lanes), model.ByFlag("lanes").Values, func(i int) { ui.Other.Lanes = reuse.LaneCounts[i] })
		ui.orderChoice("right order", &ui.Other.Order)
		if ui.button("swap sides (I)") {
			ui.SwapSides()
		}
		imgui.SameLine()
	}
	if ui.button("all strategies (Tab)") {
		ui.AllStrategies = !ui.AllStrategies
	}
}
