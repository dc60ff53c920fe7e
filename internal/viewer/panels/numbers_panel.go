package panels

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// number is a figure that the panels show for a side.
type number struct {
	name string
	// value returns the figure, or a text to show in place of it: noFigure or figureToCome.
	value func(ui *Panels, d *model.Half) (x float64, text string)
	write func(x float64) string
}

// Texts for figures that do not exist or are not known yet.
const (
	noFigure     = "-"
	figureToCome = "..."
)

func ratio(x float64) string   { return inspect.Ratio(x, 4) }
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// millis formats a time in milliseconds for a narrow column.
func millis(x float64) string {
	if math.Abs(x) >= 1000 {
		return fmt.Sprintf("%.2f s", x/1000)
	}
	return fmt.Sprintf("%.2f ms", x)
}

// whole formats a whole number for a narrow column.
func whole(x float64) string {
	if math.Abs(x) >= 1e7 {
		return fmt.Sprintf("%.2f M", x/1e6)
	}
	return inspect.Thousands(int(x))
}

// numbers lists the figures of a side in display order.
var numbers = []number{
	{"reuse", func(_ *Panels, d *model.Half) (float64, string) { return d.Stats.Reuse(), "" }, ratio},
	{"ideal", func(_ *Panels, d *model.Half) (float64, string) { return d.Stats.Ideal(), "" }, ratio},
	{"ACMR", func(_ *Panels, d *model.Half) (float64, string) { return d.Stats.ACMR(), ofTriangles(d) }, ratio},
	{"ATVR", func(_ *Panels, d *model.Half) (float64, string) { return d.Stats.ATVR(), "" }, ratio},
	{"invocations", func(_ *Panels, d *model.Half) (float64, string) { return float64(d.Stats.Invocations), "" }, whole},
	{"triangles", func(_ *Panels, d *model.Half) (float64, string) { return float64(d.Stats.Triangles), ofTriangles(d) }, whole},
	{"lanes in use", func(ui *Panels, d *model.Half) (float64, string) {
		if d.Applied != nil {
			return d.Stats.LaneUtilization(), ""
		}
		if d.Plan.Counting().FollowsCamera {
			return 0, noFigure // the reference does not know which triangles are visible
		}
		if found, ok := ui.Surveys.Get(ui.SurveyOf(d)); ok {
			return found.LaneUtilization(), ""
		}
		return 0, figureToCome
	}, percent},
	{"batch fill", func(_ *Panels, d *model.Half) (float64, string) {
		if d.Applied != nil { // applications batch streams, not the plan's scene
			return float64(d.Stats.Indices) / float64(max(d.Stats.Batches*d.Plan.Frame.Reuse.Batch, 1)), ""
		}
		if fill := inspect.BatchFill(d.Plan); fill > 0 {
			return fill, ""
		}
		return 0, noFigure
	}, percent},
	{"all passes", func(_ *Panels, d *model.Half) (float64, string) {
		if len(d.Timings) == 0 {
			return 0, noFigure
		}
		return inspect.Milliseconds(inspect.SumTimings(d.Timings)), ""
	}, millis},
}

// batching is the host's time for cutting batches before the first frame. It is listed only for
// strategies that also prepare meshlets, since these take the longest.
var batching = number{"batching", func(_ *Panels, d *model.Half) (float64, string) { return inspect.Milliseconds(d.Plan.Batching), "" }, millis}

// numbersOf returns the figures to list for the sides.
func numbersOf(sides []*model.Half) []number {
	if slices.ContainsFunc(sides, func(d *model.Half) bool { return d.Plan.Meshlets.Table != nil }) {
		return append(slices.Clone(numbers), batching)
	}
	return numbers
}

// ofTriangles returns noFigure for a walk, which has no triangles, and "" otherwise.
func ofTriangles(d *model.Half) string {
	if d.Applied != nil && d.Applied.Cells != nil {
		return noFigure
	}
	return ""
}

// text formats the figure of a side.
func (n *number) text(ui *Panels, d *model.Half) string {
	x, text := n.value(ui, d)
	if text != "" {
		return text
	}
	return n.write(x)
}

// difference formats the right side's figure minus the left's; noFigure if either is unknown.
func (n *number) difference(ui *Panels, left, right *model.Half) string {
	x, unknown := n.value(ui, left)
	y, unknownToo := n.value(ui, right)
	if unknown != "" || unknownToo != "" || math.IsNaN(y-x) {
		return noFigure
	}
	return signed(n.write(y - x))
}

// signed adds a plus sign to a positive number, and removes the minus sign of a zero.
func signed(text string) string {
	switch {
	case !strings.ContainsAny(text, "123456789"):
		return strings.TrimPrefix(text, "-")
	case strings.HasPrefix(text, "-"):
		return text
	}
	return "+" + text
}

// numbersPanel shows the figures; in a comparison, the figures of both sides and their differences.
func (ui *Panels) numbersPanel() {
	sides := ui.Sides()
	const columns = 4
	if !imgui.BeginTableV("numbers", columns, imgui.TableFlagsSizingStretchProp|imgui.TableFlagsRowBg, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	row := func(texts ...string) {
		imgui.TableNextRow()
		for i, text := range texts {
			imgui.TableNextColumn()
			imgui.Text(text)
			if i == 0 || len(sides) == 1 && i == 2 {
				ui.tip(text)
			}
		}
	}
	if len(sides) == 1 {
		for pair := range slices.Chunk(numbersOf(sides), 2) {
			var texts []string
			for _, n := range pair {
				texts = append(texts, n.name, n.text(ui, sides[0]))
			}
			row(texts...)
		}
		return
	}
	row("", sides[0].Name(), sides[1].Name(), "right - left")
	if sides[0].Order != sides[1].Order {
		row("order", sides[0].Order, sides[1].Order, "")
	}
	for _, n := range numbersOf(sides) {
		row(n.name, n.text(ui, sides[0]), n.text(ui, sides[1]), n.difference(ui, sides[0], sides[1]))
	}
}

// histogramPanel shows how many vertices were shaded 1, 2, .. 6 and more times, in
// the colours of the picture. In a comparison it shows both sides.
func (ui *Panels) histogramPanel() {
	sides := ui.Sides()
	palette := ui.Shown.Left.Settings.Palette
	if !imgui.BeginTableV("histogram", 1+len(sides), imgui.TableFlagsSizingStretchProp, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	imgui.TableSetupColumnV("", imgui.TableColumnFlagsWidthFixed, 16*ui.gui.scale, 0)
	for range sides {
		imgui.TableSetupColumnV("", imgui.TableColumnFlagsWidthStretch, 1, 0)
	}
	if len(sides) > 1 {
		imgui.TableNextRow()
		imgui.TableNextColumn()
		cells(names.Of(sides, (*model.Half).Name)...)
	}
	for i, c := range palette.Colors() {
		imgui.TableNextRow()
		imgui.TableNextColumn()
		imgui.Text(palette.Labels()[i])
		ui.tip("times shaded")
		for _, d := range sides {
			imgui.TableNextColumn()
			steps, total := inspect.HistogramSteps(d.Stats.Histogram)
			share := float64(steps[i]) / float64(max(total, 1))
			ui.bar(imgui.WindowDrawList(), imgui.Vec2{X: imgui.ContentRegionAvail().X * .4, Y: imgui.TextLineHeight()}, 0, float32(share), ink(uint32(c.R), uint32(c.G), uint32(c.B), 255))
			imgui.SameLine()
			text := percent(share)
			if len(sides) == 1 {
				text = fmt.Sprintf("%s (%s)", inspect.Thousands(steps[i]), text)
			}
			imgui.Text(text)
			if len(sides) > 1 && imgui.IsItemHovered() {
				ui.tooltip(inspect.Thousands(steps[i]))
			}
		}
	}
}

// bar draws a bar filled between two shares of its width.
func (ui *Panels) bar(list imgui.DrawList, size imgui.Vec2, from, to float32, color imgui.PackedColor) {
	at := imgui.CursorScreenPos()
	imgui.Dummy(size)
	list.AddRectFilled(at, imgui.Vec2{X: at.X + size.X, Y: at.Y + size.Y}, ui.gui.colors.trough)
	if to <= from {
		return // ImGui would draw a line for no value
	}
	list.AddRectFilled(imgui.Vec2{X: at.X + from*size.X, Y: at.Y}, imgui.Vec2{X: at.X + to*size.X, Y: at.Y + size.Y}, color)
}

// passesPanel draws graphs of the times of the longest passes. In a comparison it shows both sides.
func (ui *Panels) passesPanel() {
	if ui.Shown.Right.Plan == nil || ui.Walked != nil {
		ui.passGraphs("", &ui.Log, 6)
		return
	}
	ui.passGraphs("left: "+ui.Shown.Left.Name(), &ui.Log, 2)
	ui.passGraphs("right: "+ui.Shown.Right.Name(), &ui.RightLog, 2)
}

// passGraphs draws a graph of recent times for each of the longest passes, in the order in which they run; `most` bounds their number.
func (ui *Panels) passGraphs(side string, log *inspect.PassLog, most int) {
	list := log.Longest(most)
	words := []string{side}
	if left := len(log.Passes) - len(list); left > 0 {
		words = append(words, fmt.Sprintf("and %d shorter", left))
	}
	if len(list) == 0 {
		words = append(words, "not timed")
	}
	if text := strings.TrimPrefix(strings.Join(words, ", "), ", "); text != "" {
		imgui.Text(text)
	}
	for _, pass := range list {
		times := log.Times[pass]
		text := fmt.Sprintf("%s  %.3f ms", pass, times[len(times)-1])
		imgui.PlotLinesV("##"+side+pass, times, 0, text, 0, 1.25*slices.Max(times)+1e-6, imgui.Vec2{X: imgui.ContentRegionAvail().X, Y: 1.25 * imgui.TextLineHeight()})
	}
}
