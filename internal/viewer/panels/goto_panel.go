package panels

import (
	"fmt"
	"image"
	"path/filepath"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
)

// ask shows a panel that asks for a line of text, if it is open. body is told whether the panel has just
// opened, and returns what it says below the text.
func (ui *Panels) ask(title string, size image.Point, wide float32, open, before *bool, body func(first bool) []string) {
	if !*open {
		*before = false
		return
	}
	wide = min(wide*ui.gui.scale, float32(size.X))
	high := float32(size.Y) / 4
	if ui.small() {
		high = 0
	}
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) / 2, Y: high}, imgui.ConditionAppearing, imgui.Vec2{X: .5})
	imgui.SetNextWindowSizeV(imgui.Vec2{X: wide}, imgui.ConditionAlways)
	defer imgui.End()
	if !imgui.BeginV(title, open, imgui.WindowFlagsNoNav|imgui.WindowFlagsAlwaysAutoResize) {
		return
	}
	first := !*before
	*before = true
	ui.over()
	texts := body(first)
	imgui.PushTextWrapPos()
	for _, text := range texts {
		if text != "" {
			imgui.Text(printable(text))
		}
	}
	imgui.PopTextWrapPos()
}

// goToPanel asks for the number of a vertex, batch or draw, and selects it.
func (ui *Panels) goToPanel(size image.Point) {
	g := &ui.Going
	ui.ask("Go to (Ctrl+G)###goto", size, 300, &ui.GoTo, &g.Open, func(first bool) []string {
		ui.label("go to")
		ui.choice("##kind", app.GoToKinds[g.Kind], app.GoToKinds, func(i int) { g.Kind, g.Err = i, "" })
		ui.label("number")
		if first {
			imgui.SetKeyboardFocusHere()
		}
		if imgui.InputTextV("##number", &g.Text, imgui.InputTextFlagsEnterReturnsTrue|imgui.InputTextFlagsAutoSelectAll, nil) {
			g.Err = ""
			if err := ui.GoNow(); err != nil {
				g.Err = err.Error()
			} else {
				ui.GoTo = false
			}
		}
		text := "Enter goes there."
		if n := len(ui.Shown.Left.Plan.Frame.Scene.Draws); g.Kind == app.GoToVertex && n > 1 {
			text = fmt.Sprintf("Of draw %d; draw:vertex names another.", ui.Shown.Left.DrawNumber(ui.ChosenDraw()))
		}
		return []string{text, g.Err}
	})
}

// pathPanel asks for a path and opens it.
func (ui *Panels) pathPanel(size image.Point) {
	t := &ui.Typed
	ui.ask("Open a path (Ctrl+L)###path", size, 560, &ui.TypePath, &t.Open, func(first bool) []string {
		ui.label("path")
		if first {
			imgui.SetKeyboardFocusHere()
		}
		const flags = imgui.InputTextFlagsEnterReturnsTrue | imgui.InputTextFlagsCallbackCompletion
		if imgui.InputTextV("##path", &t.Text, flags, completes(t)) {
			if err := ui.OpenTyped(); err != nil {
				t.Err, t.Open = err.Error(), false // the field takes the focus again
			} else {
				ui.TypePath, ui.Again = false, true
			}
		}
		t.Follow()
		room := int((float32(size.Y)-imgui.WindowPos().Y-imgui.CursorPosY())/imgui.TextLineHeightWithSpacing()) - 3
		for _, match := range t.Matches[:min(max(room, 0), len(t.Matches))] {
			name := match[strings.LastIndex(strings.TrimSuffix(match, "/"), "/")+1:]
			if imgui.SelectableV(inspect.OneLine(name)+"##"+match, false, 0, imgui.Vec2{}) {
				t.Text, t.Open = match, false
			}
		}
		return []string{"Tab completes, Enter opens.", t.Err}
	})
}

// completes is called by ImGui when Tab is pressed in the field.
func completes(t *app.TypedPath) imgui.InputTextCallback {
	return func(data imgui.InputTextCallbackData) int32 {
		text := string(data.Buffer())
		if longest := t.Complete(text); longest != text {
			data.DeleteBytes(0, len(text))
			data.InsertBytes(0, []byte(longest))
		}
		return 0
	}
}

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
