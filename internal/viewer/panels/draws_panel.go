package panels

import (
	"fmt"
	"image"
	"slices"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// drawWidths are the widths of the columns, in pixels of a display of ordinary density.
// The column of width 0 takes the rest.
var drawWidths = []float32{34, 0, 66, 46, 42, 54, 54}

// drawColumns returns the columns to show in a width of `room` pixels of a display of ordinary density: always number, name
// and the sorted column; then, as far as they fit, lost, triangles and the others.
func drawColumns(room float32, sorted int) (shown []int) {
	const leastName, beside = 90, 9
	room -= leastName + beside
	for _, i := range []int{0, 1, sorted, 6, 2, 5, 3, 4} {
		if slices.Contains(shown, i) {
			continue
		}
		if room -= drawWidths[i] + beside; room < 0 && i > 1 && i != sorted {
			break
		}
		shown = append(shown, i)
	}
	return shown
}

// drawsPanel lists the draws of the scene; a click selects one and moves the camera to it.
func (ui *Panels) drawsPanel() {
	ui.FollowDraws()
	ui.panel("draws", names.Count(len(ui.DrawList.Rows), "draw")+": what "+app.ListStrategy+" saves", nil, ui.drawLines)
}

// drawLines shows the search and the list below it.
func (ui *Panels) drawLines() {
	l := &ui.DrawList
	imgui.AlignTextToFramePadding()
	imgui.Text("search")
	ui.tip("search")
	imgui.SameLine()
	if ui.FindDraw {
		imgui.SetKeyboardFocusHere()
		ui.FindDraw = false
	}
	found := inspect.Thousands(len(l.Shown)) + " found"
	imgui.SetNextItemWidth(-imgui.CalcTextSize(found, false, 0).X - imgui.CurrentStyle().ItemSpacing().X)
	if imgui.InputText("##search", &l.Search) {
		l.Arrange()
	}
	imgui.SameLine()
	imgui.Text(found)
	ui.tip("found")
	only := ui.Alone > 0
	if ui.checkbox("alone", &only) {
		ui.Alone = 0
		if only && l.Selected >= 0 {
			ui.Alone = ui.Shown.Left.Whole.Number(l.Selected) + 1
		}
	}
	imgui.SameLine()
	ui.tableButtons(ui.DrawsTable)
	ui.markControls()
	flags := imgui.TableFlagsSortable | imgui.TableFlagsScrollY | imgui.TableFlagsRowBg | imgui.TableFlagsResizable | imgui.TableFlagsBordersInnerV
	room := (imgui.ContentRegionAvail().X - imgui.CurrentStyle().ScrollbarSize()) / ui.gui.scale
	if !imgui.BeginTableV("draws", len(inspect.DrawColumns), flags, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	ui.drawsHeader(drawColumns(room, l.Column))
	if l.Fresh {
		if at := slices.IndexFunc(l.Shown, func(i int) bool { return l.Rows[i].Draw == l.Selected }); at >= 0 {
			scrollTo(at)
		}
		l.Fresh = false
	}
	eachVisible(len(l.Shown), func(i int) { ui.drawLine(&l.Rows[l.Shown[i]]) })
}

// markControls shows controls that dim and hide draws. Hidden draws are still counted.
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
	at := ui.DrawList.Selected
	if at >= 0 && ui.Hides(at) {
		if ui.button("show again") {
			ui.Hide(at, false)
		}
	} else if ui.button("hide") && at >= 0 {
		ui.Hide(at, true)
	}
	imgui.SameLine()
	if ui.button("show all") {
		*m = cli.MarkFlags{}
	}
	if n := ui.HiddenDraws(); n > 0 {
		imgui.SameLine()
		imgui.Text(inspect.Thousands(n) + " hidden")
	}
}

// drawsHeader shows the header of the given columns; clicking one sorts by it.
func (ui *Panels) drawsHeader(columns []int) {
	l := &ui.DrawList
	for i, c := range inspect.DrawColumns {
		flags := imgui.TableColumnFlagsWidthFixed
		if !slices.Contains(columns, i) {
			flags |= imgui.TableColumnFlagsDisabled
		}
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

// drawLine shows the line of a draw, in grey and struck out if the draw is hidden.
func (ui *Panels) drawLine(r *inspect.DrawRow) {
	imgui.TableNextRow()
	imgui.TableNextColumn()
	hidden := ui.Alone == 0 && ui.Hides(r.Draw)
	if hidden {
		imgui.PushStyleColor(imgui.StyleColorText, imgui.Vec4{X: .5, Y: .5, Z: .5, W: 1})
		defer imgui.PopStyleColor()
	}
	if imgui.SelectableV(fmt.Sprintf("%d##%d", r.Number, r.Draw), r.Draw == ui.DrawList.Selected, imgui.SelectableFlagsSpanAllColumns, imgui.Vec2{}) {
		ui.ChooseDraw(r.Draw)
	}
	if imgui.IsItemHovered() && imgui.IsMouseClicked(int(model.RightButton)) {
		ui.OpenMenu(r.Draw)
		ui.DrawList.Fresh = false // the clicked line is in view: the list need not scroll to it
	}
	imgui.TableNextColumn()
	imgui.Text(elided(inspect.OneLine(r.Short), imgui.ContentRegionAvail().X))
	from, to := imgui.ItemRectMin(), imgui.ItemRectMax()
	if imgui.IsItemHovered() {
		ui.tooltip(inspect.OneLine(r.Name) + map[bool]string{true: "\nhidden"}[hidden])
	}
	if y := (from.Y + to.Y) / 2; hidden {
		imgui.WindowDrawList().AddLine(imgui.Vec2{X: from.X, Y: y}, imgui.Vec2{X: to.X, Y: y}, ink(160, 160, 160, 255))
	}
	texts := []string{figureToCome, figureToCome, figureToCome, figureToCome}
	if r.Invocations >= 0 {
		texts = []string{inspect.Ratio(r.Reuse(), 3), inspect.Ratio(r.Ideal(), 3), inspect.Thousands(r.Saved()), inspect.Thousands(r.Lost())}
	}
	cells(append([]string{inspect.Thousands(r.Triangles)}, texts...)...)
}

// elided shortens a text to a width, with dots in the middle, since names of draws often differ at their ends.
func elided(text string, wide float32) string {
	return fitted(text, wide, func(letters []rune, n int) string {
		return string(letters[:n/5]) + figureToCome + string(letters[len(letters)-n+n/5:])
	})
}

// drawMenu shows the menu of a draw, at the place where the cursor was when the menu opened.
func (ui *Panels) drawMenu() {
	m := &ui.Menu
	if m.Opens {
		imgui.OpenPopup("draw")
		m.Opens = false
	}
	if !imgui.BeginPopup("draw") {
		return
	}
	defer imgui.EndPopup()
	ui.over()
	if !ui.ListsDraws() || m.Draw >= len(ui.Shown.Left.Whole.Draws) { // another file is shown
		imgui.CloseCurrentPopup()
		return
	}
	title := ui.DrawTitle(m.Draw)
	imgui.Text(title)
	imgui.Separator()
	if ui.Alone == 0 { // marks have no effect on a draw shown alone
		ui.markItems(m)
	}
	if m.InScene && imgui.MenuItem("show in the list") {
		ui.ShowListed(m.Draw)
	}
	if imgui.MenuItem("copy " + title) {
		ui.CopyNumber(m.Draw)
	}
}

// markItems shows the menu items that hide a draw or all others, and show them again.
func (ui *Panels) markItems(m *app.Menu) {
	if imgui.MenuItem("isolate") {
		ui.Isolate(m.Draw)
	}
	if ui.Hides(m.Draw) {
		if imgui.MenuItem("show again") {
			ui.Hide(m.Draw, false)
		}
	} else if imgui.MenuItem("hide") {
		ui.Hide(m.Draw, true)
	}
	if ui.HiddenDraws() > 0 && imgui.MenuItem("show all") {
		ui.Want.Marks = cli.MarkFlags{}
	}
}

// over records that the window being built lies over the legends.
func (ui *Panels) over() {
	at, size := imgui.WindowPos(), imgui.WindowSize()
	ui.onTop = append(ui.onTop, image.Rect(app.Floor(at.X), app.Floor(at.Y), ceil(at.X+size.X), ceil(at.Y+size.Y)))
}

// tableButtons shows the buttons that save and copy a table.
func (ui *Panels) tableButtons(t app.Table) {
	ui.actions(action{"save CSV", func() { ui.SaveTable(t) }}, action{"copy CSV", func() { ui.CopyTable(t) }})
}
