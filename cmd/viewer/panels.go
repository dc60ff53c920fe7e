package main

import (
	"cmp"
	"image"
	"slices"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// Metrics of the panels, in pixels of a display of ordinary density.
const (
	guiMargin     = 12
	guiWidth      = 330
	guiHeight     = 900
	guiDrawsWidth = 520
	guiLegend     = 120 // kept free below notices, for the legend
	guiLabel      = 116 // from the left of a panel to its values
)

// buildPanels tells ImGui what to show. Controls change the state, as keys do.
func (a *app) buildPanels() {
	a.drawMarks()
	a.busyPanel(a.size())
	defer a.helpPanel(a.size())
	defer a.noticePanel(a.size())
	if a.Shown.Left.Plan == nil {
		return
	}
	if !a.panels {
		a.places.hide()
		return
	}
	size := a.size()
	var legends []image.Rectangle
	for _, o := range a.overlays(size) {
		legends = append(legends, o.Panel.Rect.Add(o.At))
	}
	a.places.begin(size, a.gui.scale, legends)
	a.panel("settings", "shadeonce  (H: keys, P hides)", nil, a.mainPanel)
	a.appPanel()
	a.shaderPanel()
	if a.listsDraws() {
		a.drawsPanel()
	}
	a.batchPanel()
	a.strategiesPanel()
	a.goToPanel(size)
	a.places.end()
}

// mainPanel has the settings and the figures.
func (a *app) mainPanel() {
	section := func(name string, flags imgui.TreeNodeFlags, body func()) {
		if imgui.CollapsingHeaderV(name, flags) {
			body()
		}
	}
	section("Settings", imgui.TreeNodeFlagsDefaultOpen, a.settingsPanel)
	section("Compare", imgui.TreeNodeFlagsDefaultOpen, a.comparePanel)
	section("Numbers", imgui.TreeNodeFlagsDefaultOpen, a.numbersPanel)
	section("Times shaded", imgui.TreeNodeFlagsDefaultOpen, a.histogramPanel)
	section("Passes", imgui.TreeNodeFlagsDefaultOpen, a.passesPanel)
	section("Applications", imgui.TreeNodeFlagsNone, func() {
		a.label("application (A)")
		a.choice("##application", a.Doing.App.String(), showing.AppNames, func(i int) { a.Doing.App = showing.App(i) })
		a.checkbox("wireframe (X)", &a.wireframe)
	})
	section("Files", imgui.TreeNodeFlagsNone, a.filesPanel)
	section("Pictures", imgui.TreeNodeFlagsNone, a.picturesPanel)
	section("Camera and window", imgui.TreeNodeFlagsNone, a.windowPanel)
}

// windowPanel sets up the camera, and sets panels and settings back.
func (a *app) windowPanel() {
	a.label("up axis (Z)")
	a.choice("##up axis", a.Up.String(), renderer.UpAxisNames, func(i int) { a.SetUp(renderer.UpAxis(i)) })
	a.checkbox("full screen (F11)", &a.fullscreen)
	if a.button("reset the panels") {
		a.places.reset()
	}
	imgui.SameLine()
	if a.button("reset the settings") {
		a.resetSettings()
	}
}

// resetSettings asks for what the command line asks for, without what was remembered. The
// scene and the camera stay.
func (a *app) resetSettings() {
	p := &a.plain
	a.Turned = nil
	a.Want, a.IndexOrder, a.Compare, a.Other, a.Doing = p.Want, p.IndexOrder, p.Compare, p.Other, p.Doing
	a.appState, a.divider, a.transparent, a.Alone = p.appState, p.divider, p.transparent, 0
}

// label writes the name of the next widget, and gives that the rest of the line.
func (a *app) label(text string) {
	imgui.AlignTextToFramePadding()
	imgui.Text(text)
	a.tip(text)
	imgui.SameLineV(guiLabel*a.gui.scale, 0)
	imgui.SetNextItemWidth(-1)
}

func (a *app) settingsPanel() {
	defer a.reasons()
	for _, k := range views.Knobs {
		a.label(k.Name)
		more, set := a.shader.choices(k)
		a.choice("##"+k.Name, k.Value(a.Want), slices.Concat(k.Values, more), func(i int) {
			if a.Turned = nil; i < len(k.Values) {
				k.Set(&a.Want, i)
			} else {
				set(&a.Want, i-len(k.Values))
			}
		})
	}
	a.label("index order")
	a.orderChoice("##order", &a.IndexOrder)
	if a.Want.Strategy == reuse.Auto {
		return
	}
	plain := a.Want
	plain.Batch = 0
	own, err := plain.Config()
	if err != nil {
		return // such settings are passed over before the next frame
	}
	if p := a.Shown.Left.Plan; p != nil && p.FittedTo > 0 && p.Frame.Reuse.Strategy == own.Strategy {
		own.Batch = p.Frame.Reuse.Batch
	}
	a.limit("batch limit", &a.Want.Batch, own.Batch, 3, reuse.MaxBatch)
	if slices.Contains(own.Strategy.Batchings, reuse.DynamicBatching) {
		unique := 0
		if own.Strategy.Batchings[0] == reuse.DynamicBatching {
			unique = reuse.DefaultUnique
		}
		a.limit("unique limit", &a.Want.Unique, unique, 1, own.Strategy.LargestUnique())
		return
	}
	a.label("unique limit")
	imgui.Text("none: static batches")
}

// reasons says why auto chose as it did, where it chose.
func (a *app) reasons() {
	if p := a.Shown.Left.Plan; p != nil && p.Choice.String() != "" {
		imgui.PushTextWrapPos()
		imgui.Text(strings.TrimSuffix(p.Choice.String(), "\n"))
		imgui.PopTextWrapPos()
	}
}

// slider is a slider for a number.
func (a *app) slider(id string, value *float64, least, most float32, format string, flags imgui.SliderFlags) {
	shown := float32(*value)
	if imgui.SliderFloatV(id, &shown, least, most, format, flags) {
		*value = float64(shown)
	}
}

// choice is a list to choose one value from.
func (a *app) choice(id, value string, values []string, choose func(int)) {
	if !imgui.BeginComboV(id, value, imgui.ComboFlagsHeightLarge) {
		return
	}
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

// orderChoice chooses an index order, and whether vertices are renumbered too.
func (a *app) orderChoice(id string, value *string) {
	base, fetch := strings.CutSuffix(*value, order.FetchSuffix)
	suffix := map[bool]string{true: order.FetchSuffix}
	names := order.Names()
	a.choice(id, *value, names, func(i int) { *value = names[i] + suffix[fetch] })
	if a.checkbox("renumber vertices"+id, &fetch) {
		*value = base + suffix[fetch]
	}
}

// picturesPanel saves what the window shows.
func (a *app) picturesPanel() {
	if a.button("save (F12)") {
		a.shots, a.again = append(a.shots, shot{legend: true}), true
	}
	imgui.SameLine()
	if a.button("save the scene alone (Ctrl+F12)") {
		a.shots, a.again = append(a.shots, shot{}), true
	}
	a.checkbox("without background or panels", &a.transparent)
}

// leastLimit is the vertices of a triangle: no batch has fewer.
const leastLimit = 3

// limit edits a number. The value 0 stands for the strategy's own limit, which is then
// shown. Where own is 0 there is no limit by default: batches are static.
func (a *app) limit(name string, value *int, own, step, most int) {
	a.label(name)
	shown := int32(cmp.Or(*value, own))
	if imgui.InputIntV("##"+name, &shown, step, 10*step, imgui.InputTextFlagsEnterReturnsTrue) {
		a.Turned = nil
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

// followScale makes the panels anew for a display of another density.
func (a *app) followScale() error {
	scale := a.scale()
	if scale == a.gui.scale {
		return nil
	}
	a.gui.close()
	a.overlay.Close()
	a.gui, a.overlay = newGUI(scale), nil
	var err error
	if a.overlay, err = a.device.NewOverlay(a.gui.font); err != nil {
		return err
	}
	if a.Shown.Left.Plan != nil {
		a.relegend()
	}
	a.unshown, a.rest = true, guiRest
	return nil
}

// overGUI reports whether a place in the window, in pixels, belongs to a panel.
func (a *app) overGUI(at image.Point) bool {
	if !a.panels && !a.help && !a.busyShown() && !a.noticeShown() {
		return false
	}
	a.gui.pointer(float64(at.X), float64(at.Y))
	a.guiFrame()
	return a.gui.io.WantCaptureMouse()
}

// guiFrame builds the panels with the input so far, and notes whether a control was used.
func (a *app) guiFrame() {
	size := a.size()
	if size.X < 1 || size.Y < 1 {
		return
	}
	before, chosen := a.Wishes(), a.choices()
	a.gui.frame(size, &a.flat, a.buildPanels)
	a.unshown = true
	if a.Wishes() != before {
		a.again = true
	}
	a.history.noteDrag(chosen, a.choices(), imgui.IsMouseDown(0))
}
