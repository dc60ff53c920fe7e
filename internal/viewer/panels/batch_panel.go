package panels

import (
	"fmt"
	"slices"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/base/names"
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
	usesLine(s)
	if s.Batch < 0 {
		return
	}
	iterations := 0
	if n := len(s.Slots); n > 0 {
		iterations = s.Slots[n-1].Iteration + 1
	}
	imgui.Text(fmt.Sprintf("%d indices, %s", s.At.IndexCount, names.Count(int(s.At.IndexCount/3), "triangle")))
	imgui.Text(fmt.Sprintf("%s in %s", names.Count(len(s.Slots), "invocation"), names.Count(iterations, "iteration")))
	ui.tableButtons(app.BatchTable)
	ui.slotTable(d)
}

// usesLine lists the batches that shaded the vertex; a click selects one.
func usesLine(s *app.Selection) {
	if len(s.Uses) == 0 {
		imgui.Text("its batches are looked for")
		return
	}
	if len(s.Uses) > 1 {
		if imgui.Button("<") {
			s.StepBatch(-1)
		}
		imgui.SameLine()
		if imgui.Button(">") {
			s.StepBatch(1)
		}
		imgui.SameLine()
	}
	at := 1 + slices.IndexFunc(s.Uses, func(u inspect.Use) bool { return u.Batch == s.Batch })
	if len(s.Uses) == 1 {
		imgui.Text("by one batch")
		return
	}
	imgui.Text(fmt.Sprintf("([ ])  by batch %d of %d", at, len(s.Uses)))
}

// slotTable lists the vertices of the selected batch. A click picks one.
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
	var clipper imgui.ListClipper
	clipper.Begin(len(s.Slots))
	for clipper.Step() {
		for i := clipper.DisplayStart; i < clipper.DisplayEnd; i++ {
			x := &s.Slots[i]
			imgui.TableNextRow()
			imgui.TableNextColumn()
			if imgui.SelectableV(fmt.Sprintf("%d##%d", x.Iteration, i), x.Vertex == vertex, imgui.SelectableFlagsSpanAllColumns, imgui.Vec2{}) {
				clicked = i
			}
			for _, n := range []int{x.Slot, int(x.Vertex), x.Uses} {
				imgui.TableNextColumn()
				imgui.Text(fmt.Sprint(n))
			}
		}
	}
	if clicked >= 0 {
		ui.Pick(d, inspect.InBatch(s.Plan, s.At, s.Slots[clicked].Vertex))
	}
}

// scrollTo scrolls the current table so that a line is in the middle.
func scrollTo(line int) {
	high := imgui.TextLineHeightWithSpacing()
	imgui.SetScrollY(max(0, float32(line)*high-(imgui.WindowHeight()-3*high)/2))
}
