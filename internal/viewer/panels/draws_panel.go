package panels

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
)

// drawWidths are the widths of the columns, in pixels of a display of ordinary density.
// The column of width 0 takes the rest.
var drawWidths = []float32{30, 0, 70, 46, 42, 58, 58}

// drawsPanel lists the draws of a captured frame; a click looks at one.
func (ui *Panels) drawsPanel() {
	l := &ui.DrawList
	if d := &ui.Shown.Left; d.Alone == 0 {
		l.Follow(d)
	} else if l.Plan == nil { // otherwise the list keeps all draws while one is shown alone
		found, _ := ui.Surveys.Get(l.Survey(d))
		l.Foretell(d, found)
	}
	ui.panel("draws", names.Count(len(l.Rows), "draw"), nil, ui.drawLines)
}

// drawLines shows the search and the list below it.
func (ui *Panels) drawLines() {
	l := &ui.DrawList
	ui.label("search")
	if ui.FindDraw {
		imgui.SetKeyboardFocusHere()
		ui.FindDraw = false
	}
	if imgui.InputText("##search", &l.Search) {
		l.Arrange()
	}
	only := ui.Alone > 0
	if ui.checkbox("alone", &only) {
		ui.Alone = 0
		if only {
			ui.Alone = ui.selectedNumber() + 1 // 0 if none is selected
		}
	}
	imgui.SameLine()
	imgui.Text(fmt.Sprintf("%s found; a click looks at one, Enter at all", inspect.Thousands(len(l.Shown))))
	ui.markControls()
	flags := imgui.TableFlagsSortable | imgui.TableFlagsScrollY | imgui.TableFlagsRowBg | imgui.TableFlagsResizable | imgui.TableFlagsBordersInnerV
	if !imgui.BeginTableV("draws", len(inspect.DrawColumns), flags, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	ui.drawsHeader()
	if l.Fresh {
		if at := slices.IndexFunc(l.Shown, func(i int) bool { return l.Rows[i].Draw == l.Selected }); at >= 0 {
			scrollTo(at)
		}
		l.Fresh = false
	}
	var clipper imgui.ListClipper
	clipper.Begin(len(l.Shown))
	for clipper.Step() {
		for i := clipper.DisplayStart; i < clipper.DisplayEnd; i++ {
			ui.drawLine(&l.Rows[l.Shown[i]])
		}
	}
}

// markControls dims and hides draws. Counts include them all the same.
func (ui *Panels) markControls() {
	if ui.Alone > 0 {
		return
	}
	m := &ui.Want.Marks
	dim := m.Highlight != ""
	if ui.checkbox("dim the others", &dim) {
		m.Highlight = ""
		ui.DimOthers(dim)
	}
	imgui.SameLine()
	if ui.button("hide") && ui.DrawList.Selected >= 0 {
		m.Hide, m.Isolate = strings.TrimPrefix(fmt.Sprintf("%s,%d", m.Hide, ui.selectedNumber()), ","), ""
	}
	imgui.SameLine()
	if ui.button("show all") {
		*m = cli.MarkFlags{}
	}
	if m.Hide != "" || m.Isolate != "" {
		imgui.SameLine()
		imgui.Text("some are hidden")
	}
}

// selectedNumber returns the number of the selected draw; -1 if none is.
func (ui *Panels) selectedNumber() int {
	if at := ui.DrawList.Selected; at >= 0 {
		return ui.Shown.Left.Whole.Number(at)
	}
	return -1
}

// drawsHeader shows the header; clicking a column sorts by it.
func (ui *Panels) drawsHeader() {
	l := &ui.DrawList
	for i, c := range inspect.DrawColumns {
		flags := imgui.TableColumnFlagsWidthFixed
		if drawWidths[i] == 0 {
			flags = imgui.TableColumnFlagsWidthStretch
		}
		if c.Descending {
			flags |= imgui.TableColumnFlagsPreferSortDescending
		}
		if i == app.ListColumn(l.Start.Sort) {
			flags |= imgui.TableColumnFlagsDefaultSort
		}
		imgui.TableSetupColumnV(c.Name, flags, drawWidths[i]*ui.gui.scale, uint(i))
	}
	imgui.TableSetupScrollFreeze(0, 1)
	imgui.TableHeadersRow()
	specs := imgui.TableGetSortSpecs()
	if !specs.SpecsDirty() {
		return
	}
	specs.ClearSpecsDirty()
	if list := specs.Specs(); len(list) > 0 {
		l.Column, l.Descending = int(list[0].ColumnIndex), list[0].SortDirection == imgui.SortDirectionDescending
		l.Arrange()
	}
}

func (ui *Panels) drawLine(r *inspect.DrawRow) {
	imgui.TableNextRow()
	imgui.TableNextColumn()
	if imgui.SelectableV(fmt.Sprintf("%d##%d", r.Number, r.Draw), r.Draw == ui.DrawList.Selected, imgui.SelectableFlagsSpanAllColumns, imgui.Vec2{}) {
		ui.ChooseDraw(r.Draw)
	}
	name := inspect.OneLine(r.Name)
	texts := []string{name, inspect.Thousands(r.Triangles), inspect.Ratio(r.Reuse(), 3), inspect.Ratio(r.Ideal(), 3), inspect.Thousands(r.Saved()), inspect.Thousands(r.Lost())}
	if r.Invocations < 0 {
		texts = append(texts[:2], figureToCome, figureToCome, figureToCome, figureToCome)
	} else if r.Culled {
		texts[4] = inspect.Ratio(r.Reuse(), 3)
	}
	for _, text := range texts {
		imgui.TableNextColumn()
		imgui.Text(text)
		if text == name && imgui.IsItemHovered() {
			ui.tooltip(text) // the column may be too narrow for it
		}
	}
}
