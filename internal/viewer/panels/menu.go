package panels

import (
	"image"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
)

// drawMenu is the menu of a draw, where the cursor was when it opened.
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
	if ui.Alone == 0 { // marks are of all draws
		ui.markItems(m)
	}
	if m.InScene && imgui.MenuItem("show in the list") {
		ui.ShowListed(m.Draw)
	}
	if imgui.MenuItem("copy " + title) {
		ui.CopyNumber(m.Draw)
	}
}

// markItems hide a draw or others, and show them again.
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

// over notes that the window that is being built lies over the legends.
func (ui *Panels) over() {
	at, size := imgui.WindowPos(), imgui.WindowSize()
	ui.onTop = append(ui.onTop, image.Rect(app.Floor(at.X), app.Floor(at.Y), ceil(at.X+size.X), ceil(at.Y+size.Y)))
}

// tableButtons save and copy a table.
func (ui *Panels) tableButtons(t app.Table) {
	if ui.button("save CSV") {
		ui.SaveTable(t)
	}
	imgui.SameLine()
	if ui.button("copy CSV") {
		ui.CopyTable(t)
	}
}
