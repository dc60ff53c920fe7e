package panels

import (
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// batchPanel shows the picked vertex, the batches that shaded it, and the vertices of one of them.
func (ui *Panels) batchPanel() {
	s := ui.Selected()
	if s == nil {
		return
	}
	title, open := "No batch", true
	if s.Batch >= 0 {
		title = fmt.Sprintf("Batch %d", s.Batch)
	}
	ui.panel("batch", title, &open, func() { ui.batchLines(s) })
	if !open {
		ui.Unselect()
	}
}

func (ui *Panels) batchLines(s *app.Selection) {
	d := &ui.Shown.Left
	if s.Right {
		d = &ui.Shown.Right
	}
	imgui.Text(fmt.Sprintf("vertex %d of draw %d, shaded %s", s.Hit.Vertex(), d.DrawNumber(s.Hit.Draw), inspect.Times(d.TimesShaded(s.Hit.Draw, s.Hit.Vertex()))))
	if why := s.Plan.Batchless(); why != "" {
		imgui.Text("by no batch: " + why)
		return
	}
	ui.usesLine(s)
	if s.Batch < 0 {
		return
	}
	iterations := 0
	if n := len(s.Slots); n > 0 {
		iterations = s.Slots[n-1].Iteration + 1
	}
	imgui.Text(fmt.Sprintf("%d indices, %s", s.At.IndexCount, names.Count(int(s.At.IndexCount/3), "triangle")))
	imgui.Text(fmt.Sprintf("%s in %s", names.Count(len(s.Slots), "invocation"), names.Count(iterations, "iteration")))
	ui.tableButtons(ui.BatchTable)
	ui.slotTable(d)
}

// usesLine says how many batches shaded the vertex, and has buttons that step through them.
func (ui *Panels) usesLine(s *app.Selection) {
	switch len(s.Uses) {
	case 0:
		imgui.Text("its batches are looked for")
	case 1:
		imgui.Text("by one batch")
	default:
		ui.actions(action{"<", func() { s.StepBatch(-1) }}, action{">", func() { s.StepBatch(1) }})
		imgui.SameLine()
		at := 1 + slices.IndexFunc(s.Uses, func(u inspect.Use) bool { return u.Batch == s.Batch })
		imgui.Text(fmt.Sprintf("([ ])  by batch %d of %d", at, len(s.Uses)))
	}
}

// slotTable lists the vertices of the selected batch. A click selects one.
func (ui *Panels) slotTable(d *model.Half) {
	if !imgui.BeginTableV("slots", 4, imgui.TableFlagsScrollY|imgui.TableFlagsRowBg, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	for _, column := range []string{"iteration", "slot", "vertex", "indices"} {
		imgui.TableSetupColumn(column)
	}
	imgui.TableSetupScrollFreeze(0, 1)
	imgui.TableHeadersRow()
	s, vertex := &ui.Selection, ui.Selection.Hit.Vertex()
	if s.Fresh {
		scrollTo(slices.IndexFunc(s.Slots, func(x inspect.Slot) bool { return x.Vertex == vertex }))
		s.Fresh = false
	}
	clicked := -1
	eachVisible(len(s.Slots), func(i int) {
		x := &s.Slots[i]
		imgui.TableNextRow()
		imgui.TableNextColumn()
		if imgui.SelectableV(fmt.Sprintf("%d##%d", x.Iteration, i), x.Vertex == vertex, imgui.SelectableFlagsSpanAllColumns, imgui.Vec2{}) {
			clicked = i
		}
		cells(fmt.Sprint(x.Slot), fmt.Sprint(x.Vertex), fmt.Sprint(x.Uses))
	})
	if clicked >= 0 {
		ui.Pick(d, inspect.InBatch(s.Plan, s.At, s.Slots[clicked].Vertex))
	}
}

// scrollTo scrolls the current table so that a line is in the middle of the room below the heads, which are as high as a line.
func scrollTo(line int) {
	imgui.SetScrollY(max(0, float32(line+1)*rowHeight()-imgui.WindowHeight()/2))
}

// rowHeight returns the height of a table's line of text.
func rowHeight() float32 { return imgui.TextLineHeight() + 2*imgui.CurrentStyle().CellPadding().Y }

// ask shows a panel that asks for a line of text, if `open` is set. `before` says whether it was open in the last frame.
// `body` draws the field, given whether the panel has just opened, and returns the lines of text to show below.
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
	for _, text := range body(first) {
		reason(printable(text))
	}
}

// goToPanel asks for the number of a vertex, batch or draw, and selects it.
func (ui *Panels) goToPanel(size image.Point) {
	g := &ui.Going
	ui.ask("Go to (Ctrl+G)###goto", size, 300, &ui.GoTo, &g.Open, func(first bool) []string {
		ui.choice("go to", app.GoToKinds[g.Kind], app.GoToKinds, func(i int) { g.Kind, g.Err = i, "" })
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
		flags := imgui.InputTextFlagsEnterReturnsTrue | imgui.InputTextFlagsCallbackCompletion
		if t.Err == "" && !strings.HasSuffix(t.Text, "/") { // selects the text, so that typing replaces the last path
			flags |= imgui.InputTextFlagsAutoSelectAll
		}
		if imgui.InputTextV("##path", &t.Text, flags, completes(t)) {
			if err := ui.OpenTyped(); err != nil {
				t.Err, t.Open = err.Error(), false // gives the field the keyboard focus again
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

// completes returns the callback that ImGui calls when Tab is pressed in the field. It completes the text.
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

// passChoice shows the choice among the passes of a captured frame.
func (ui *Panels) passChoice() {
	c := ui.Shown.Left.Source.Capture
	if c == nil || len(c.Passes) < 2 {
		return
	}
	var shown string
	all := make([]string, len(c.Passes))
	for i, p := range c.Passes {
		if all[i] = names.Printable(p.Name); p.Camera {
			shown = all[i]
		}
	}
	ui.choice("pass", shown, all, func(i int) { ui.Pass = c.Passes[i].Name })
}

// posePanel shows the controls that choose an animation of the file, play it, and move through it.
func (ui *Panels) posePanel() {
	ui.settings("play (Space)")
	imgui.SameLine()
	ui.actions(action{"as stored", func() { ui.Pose, ui.Play, ui.Again = cli.RestTime, false, true }})
	if all := ui.Animations(); len(all) > 1 {
		ui.choice("animation", names.Printable(ui.Animation().Name()), names.Of(all, func(a geometry.Animation) string { return names.Printable(a.Name()) }), func(i int) {
			ui.Clip, ui.Pose, ui.Again = strconv.Itoa(i), 0, true
		})
	}
	k := *model.Named("animation, s")
	k.Slider = &model.Slider{Most: ui.Animation().Length(), Format: k.Slider.Format}
	if ui.Pose == cli.RestTime {
		k.Slider.Format = "as stored"
	}
	ui.setting(&k)
}

// filesPanel lists the files that Left and Right step through, and below them the recent files.
func (ui *Panels) filesPanel() {
	ui.actions(action{"open (Ctrl+O)", func() { ui.OpenFiles, ui.Again = true, true }}, action{"type a path (Ctrl+L)", func() { ui.TypePath = true }})
	if n := len(ui.Files); n > 1 {
		imgui.Text(fmt.Sprintf("file %d of %d", ui.At+1, n))
		lines := float32(min(n, 8))
		imgui.BeginChildV("files", imgui.Vec2{Y: lines * imgui.TextLineHeightWithSpacing()}, false, imgui.WindowFlagsNoNav)
		eachVisible(n, func(i int) {
			if ui.fileLine(i, ui.Files[i], i == ui.Target) && i != ui.Target {
				ui.Target, ui.Again = i, true
				ui.Ask(ui.Files, []int{i})
			}
		})
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

// fileLine shows a file's name, highlighted if `on` is set, and reports whether it was clicked.
func (ui *Panels) fileLine(id int, path string, on bool) bool {
	clicked := imgui.SelectableV(fmt.Sprintf("%s##%d", inspect.OneLine(filepath.Base(path)), id), on, 0, imgui.Vec2{})
	if imgui.IsItemHovered() {
		ui.tooltip(printable(path))
	}
	return clicked
}
