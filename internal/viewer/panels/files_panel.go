package panels

import (
	"fmt"
	"path/filepath"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
)

// filesPanel lists the files that keys step through, and recent files.
func (ui *Panels) filesPanel() {
	if ui.button("open (Ctrl+O)") {
		ui.OpenFiles, ui.Again = true, true
	}
	imgui.SameLine()
	if ui.button("type a path (Ctrl+L)") {
		ui.TypePath = true
	}
	if n := len(ui.Files); n > 1 {
		imgui.Text(fmt.Sprintf("file %d of %d", ui.At+1, n))
		lines := float32(min(n, 8))
		imgui.BeginChildV("files", imgui.Vec2{Y: lines * imgui.TextLineHeightWithSpacing()}, false, imgui.WindowFlagsNoNav)
		var clipper imgui.ListClipper
		clipper.Begin(n)
		for clipper.Step() {
			for i := clipper.DisplayStart; i < clipper.DisplayEnd; i++ {
				if ui.fileLine(i, ui.Files[i], i == ui.Target) && i != ui.Target {
					ui.Target, ui.Again = i, true
					ui.Ask(ui.Files, []int{i})
				}
			}
		}
		imgui.EndChild()
	}
	if len(ui.Recent) < 2 {
		return
	}
	imgui.Text("recent files")
	ui.tip("recent files")
	for i, file := range ui.Recent {
		if ui.fileLine(-1-i, file, false) {
			ui.Drop([]string{file})
			ui.Again = true
			return
		}
	}
}

// fileLine shows a file's name and reports whether it was clicked.
func (ui *Panels) fileLine(id int, path string, on bool) bool {
	clicked := imgui.SelectableV(fmt.Sprintf("%s##%d", inspect.OneLine(filepath.Base(path)), id), on, 0, imgui.Vec2{})
	if imgui.IsItemHovered() {
		ui.tooltip(printable(path))
	}
	return clicked
}
