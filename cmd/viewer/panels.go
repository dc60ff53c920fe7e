package main

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
)

// Metrics of the panels, in pixels of a display of ordinary density.
const (
	guiMargin     = 12
	guiWidth      = 330
	guiDrawsWidth = 520
	guiLegend     = 120 // kept free below, for the legend
	guiLabel      = 116 // from the left of a panel to its values
)

// buildPanels tells ImGui what to show. Controls change the state, as keys do.
func (a *app) buildPanels() {
	a.drawMarks()
	a.busyPanel(a.screen.size())
	if a.Shown.Left.Plan == nil {
		a.noticePanel(a.screen.size())
	}
	if !a.panels || a.Shown.Left.Plan == nil {
		return
	}
	s := float32(a.gui.scale)
	size := a.screen.size()
	room := max(float32(size.Y)-(guiMargin+guiLegend)*s, 80*s)
	imgui.SetNextWindowPosV(imgui.Vec2{X: guiMargin * s, Y: guiMargin * s}, imgui.ConditionFirstUseEver, imgui.Vec2{})
	imgui.SetNextWindowSizeV(imgui.Vec2{X: guiWidth * s, Y: min(room, 690*s)}, imgui.ConditionFirstUseEver)
	if imgui.BeginV("shadeonce  (P hides)", nil, imgui.WindowFlagsNoNav) {
		if imgui.CollapsingHeaderV("Settings", imgui.TreeNodeFlagsDefaultOpen) {
			a.settingsPanel()
		}
		if imgui.CollapsingHeaderV("Compare", imgui.TreeNodeFlagsDefaultOpen) {
			a.comparePanel()
		}
		if imgui.CollapsingHeaderV("Numbers", imgui.TreeNodeFlagsDefaultOpen) {
			a.numbersPanel()
		}
		if imgui.CollapsingHeaderV("Times shaded", imgui.TreeNodeFlagsDefaultOpen) {
			a.histogramPanel()
		}
		if imgui.CollapsingHeaderV("Passes", imgui.TreeNodeFlagsDefaultOpen) {
			a.passesPanel()
		}
		if imgui.CollapsingHeaderV("Applications", imgui.TreeNodeFlagsNone) {
			a.label("application (A)")
			a.choice("##application", a.Doing.App.String(), showing.AppNames, func(i int) { a.Doing.App = showing.App(i) })
			imgui.Checkbox("wireframe (X)", &a.wireframe)
		}
		if imgui.CollapsingHeaderV("Pictures", imgui.TreeNodeFlagsNone) {
			a.picturesPanel()
		}
	}
	imgui.End()
	a.appPanel(size)
	if a.listsDraws() {
		a.drawsPanel(size)
	}
	a.batchPanel(size)
	a.goToPanel(size)
	a.noticePanel(size)
}

// label writes the name of the next widget, and gives that the rest of the line.
func (a *app) label(text string) {
	imgui.AlignTextToFramePadding()
	imgui.Text(text)
	imgui.SameLineV(guiLabel*float32(a.gui.scale), 0)
	imgui.SetNextItemWidth(-1)
}

func (a *app) settingsPanel() {
	for _, k := range views.Knobs {
		a.label(k.Name)
		a.choice("##"+k.Name, k.Value(a.Want), k.Values, func(i int) {
			k.Set(&a.Want, i)
			a.Turned = nil
		})
	}
	a.label("index order")
	a.orderChoice("##order", &a.IndexOrder)
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
		a.limit("unique limit", &a.Want.Unique, 0, 1, reuse.MaxUnique)
		return
	}
	a.label("unique limit")
	imgui.Text("none: static batches")
}

// comparePanel sets the right side of a comparison.
func (a *app) comparePanel() {
	a.label("compare")
	a.choice("##compare", a.Compare.String(), views.CompareNames, func(i int) {
		if a.Compare = views.CompareMode(i); a.Compare == views.CompareBefore {
			a.Compare = views.CompareOff
			a.toggleBefore()
		}
	})
	if a.split() {
		a.label("divider")
		a.slider("##divider", &a.divider, 0, 1, "%.2f", imgui.SliderFlagsNone)
	}
	if !a.compares() {
		return
	}
	names := reuse.Names()
	a.label("right strategy")
	a.choice("##right strategy", a.Other.Strategy, names, func(i int) { a.Other.Strategy = names[i] })
	a.label("right lanes")
	a.choice("##right lanes", fmt.Sprint(a.Other.Lanes), views.LanesKnob.Values, func(i int) { a.Other.Lanes = reuse.LaneCounts[i] })
	a.label("right order")
	a.orderChoice("##right order", &a.Other.Order)
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
			a.notice = ""
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
	if imgui.Checkbox("renumber vertices"+id, &fetch) {
		a.notice = ""
		*value = base + suffix[fetch]
	}
}

// picturesPanel saves what the window shows.
func (a *app) picturesPanel() {
	if imgui.Button("save (F12)") {
		a.shots, a.again = append(a.shots, shot{legend: true}), true
	}
	imgui.SameLine()
	if imgui.Button("save the scene alone (Ctrl+F12)") {
		a.shots, a.again = append(a.shots, shot{}), true
	}
	imgui.Checkbox("without background or panels", &a.transparent)
}

// leastLimit is the vertices of a triangle: no batch has fewer.
const leastLimit = 3

// limit edits a number. The value 0 stands for the strategy's own limit, which is then
// shown. Where own is 0 there is no limit by default: batches are static.
func (a *app) limit(name string, value *int, own, step, most int) {
	a.label(name)
	shown := int32(cmp.Or(*value, own))
	if imgui.InputIntV("##"+name, &shown, step, 10*step, imgui.InputTextFlagsEnterReturnsTrue) {
		a.notice, a.Turned = "", nil
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
	if own == 0 && *value == 0 && imgui.IsItemHovered() {
		imgui.SetTooltip("0: static batches, without a limit")
	}
}

// numbersPanel shows the figures, of both sides where two are compared.
func (a *app) numbersPanel() {
	sides := a.sides()
	if !imgui.BeginTableV("numbers", 1+len(sides), imgui.TableFlagsSizingStretchSame|imgui.TableFlagsRowBg, imgui.Vec2{}, 0) {
		return
	}
	row := func(name string, value func(*views.Half) string) {
		imgui.TableNextRow()
		imgui.TableNextColumn()
		imgui.Text(name)
		for _, d := range sides {
			imgui.TableNextColumn()
			imgui.Text(value(d))
		}
	}
	if len(sides) > 1 {
		row("", func(d *views.Half) string { return d.Name() })
		row("order", func(d *views.Half) string { return d.Order })
	}
	for _, n := range numbers {
		row(n.name, func(d *views.Half) string { return n.value(a, d) })
	}
	imgui.EndTable()
}

// numbers are the figures of a side, in the order in which they are listed.
var numbers = []struct {
	name  string
	value func(*app, *views.Half) string
}{
	{"reuse", func(_ *app, d *views.Half) string { return inspect.Ratio(d.Stats.Reuse(), 4) }},
	{"ideal reuse", func(_ *app, d *views.Half) string { return inspect.Ratio(d.Stats.Ideal(), 4) }},
	{"ACMR", func(_ *app, d *views.Half) string { return ofTriangles(d, inspect.Ratio(d.Stats.ACMR(), 4)) }},
	{"ATVR", func(_ *app, d *views.Half) string { return inspect.Ratio(d.Stats.ATVR(), 4) }},
	{"invocations", func(_ *app, d *views.Half) string { return inspect.Thousands(d.Stats.Invocations) }},
	{"triangles", func(_ *app, d *views.Half) string { return ofTriangles(d, inspect.Thousands(d.Stats.Triangles)) }},
	{"lanes in use", func(a *app, d *views.Half) string {
		if d.Plan.Frame.Cull {
			return "-" // the reference does not know what is seen
		}
		if d.Applied != nil {
			return fmt.Sprintf("%.1f %%", 100*d.Stats.LaneUtilization())
		}
		if u := a.surveys.Utilization(d.Plan); u > 0 {
			return fmt.Sprintf("%.1f %%", 100*u)
		}
		return "..."
	}},
	{"batch fill", func(_ *app, d *views.Half) string {
		if d.Applied != nil { // batches of streams
			return fmt.Sprintf("%.1f %%", 100*float64(d.Stats.Indices)/float64(max(d.Stats.Batches*d.Plan.Frame.Reuse.Batch, 1)))
		}
		if fill := inspect.BatchFill(d.Plan); fill > 0 {
			return fmt.Sprintf("%.1f %%", 100*fill)
		}
		return "-"
	}},
	{"all passes", func(_ *app, d *views.Half) string {
		if len(d.Timings) == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f ms", inspect.Milliseconds(inspect.SumTimings(d.Timings)))
	}},
}

// ofTriangles is a figure about triangles, of which a walk has none.
func ofTriangles(d *views.Half, text string) string {
	if d.Applied != nil && d.Applied.Cells != nil {
		return "-"
	}
	return text
}

// histogramPanel shows how many vertices were shaded 1, 2, .. 6 and more times, in
// the colours of the picture.
func (a *app) histogramPanel() {
	steps, total := inspect.HistogramSteps(a.sides()[0].Stats.Histogram)
	colors, labels := a.Shown.Left.Settings.Palette.Colors(), a.Shown.Left.Settings.Palette.Labels()
	for i, n := range steps {
		share := float32(n) / float32(max(total, 1))
		c := colors[i]
		imgui.AlignTextToFramePadding()
		imgui.Text(fmt.Sprintf("%-2s", labels[i]))
		imgui.SameLine()
		imgui.PushStyleColor(imgui.StyleColorPlotHistogram, imgui.Vec4{X: float32(c.R) / 255, Y: float32(c.G) / 255, Z: float32(c.B) / 255, W: 1})
		imgui.ProgressBarV(share, imgui.Vec2{X: 110 * float32(a.gui.scale), Y: imgui.FrameHeight()}, " ")
		imgui.PopStyleColor()
		imgui.SameLine()
		imgui.Text(fmt.Sprintf("%s (%.1f %%)", inspect.Thousands(n), 100*share))
	}
}

// followScale makes the panels anew for a display of another density.
func (a *app) followScale() error {
	scale := a.screen.scale()
	if scale == a.gui.scale {
		return nil
	}
	a.gui.close()
	a.overlay.Close()
	a.gui, a.overlay = newGUI(scale), nil
	var err error
	if a.overlay, err = a.screen.device.NewOverlay(a.gui.font()); err != nil {
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
	if !a.panels && !a.busyShown() {
		return false
	}
	a.gui.pointer(float64(at.X), float64(at.Y))
	a.guiFrame()
	return a.gui.io.WantCaptureMouse()
}

// guiFrame builds the panels with the input so far, and notes whether a control was used.
func (a *app) guiFrame() {
	size := a.screen.size()
	if size.X < 1 || size.Y < 1 {
		return
	}
	before := a.Wishes()
	a.gui.frame(size, &a.flat, a.buildPanels)
	a.unshown = true
	if a.Wishes() != before {
		a.again = true
	}
}
