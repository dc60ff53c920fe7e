package main

import (
	"fmt"
	"slices"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/views"
)

// batchPanel tells of the vertex that was picked and of the batches that shaded it, and
// lists the vertices of one of these.
func (a *app) batchPanel() {
	s := a.selected()
	if s == nil {
		return
	}
	title, open := "No batch", true
	if s.batch >= 0 {
		title = fmt.Sprintf("Batch %d", s.batch)
	}
	a.panel("batch", title, &open, func() { a.batchLines(s) })
	if !open {
		a.unselect()
	}
}

func (a *app) batchLines(s *selection) {
	d := &a.Shown.Left
	if s.right {
		d = &a.Shown.Right
	}
	imgui.Text(fmt.Sprintf("vertex %d of draw %d, shaded %s", s.hit.Vertex(), d.DrawNumber(s.hit.Draw), inspect.Times(d.TimesShaded(s.hit.Draw, s.hit.Vertex()))))
	if s.plan.Frame.Reuse.Strategy.WholeDraws {
		imgui.Text("by no batch: whole draws are shaded")
		return
	}
	s.usesLine()
	if s.batch < 0 {
		return
	}
	iterations := 0
	if n := len(s.slots); n > 0 {
		iterations = s.slots[n-1].Iteration + 1
	}
	imgui.Text(fmt.Sprintf("%d indices, %s", s.at.IndexCount, names.Count(int(s.at.IndexCount/3), "triangle")))
	imgui.Text(fmt.Sprintf("%s in %s", names.Count(len(s.slots), "invocation"), names.Count(iterations, "iteration")))
	a.slotTable(d)
}

// usesLine names the batches that shaded the vertex; a click shows one.
func (s *selection) usesLine() {
	if len(s.uses) == 0 {
		imgui.Text("its batches are looked for")
		return
	}
	if len(s.uses) > 1 {
		if imgui.Button("<") {
			s.stepBatch(-1)
		}
		imgui.SameLine()
		if imgui.Button(">") {
			s.stepBatch(1)
		}
		imgui.SameLine()
	}
	at := 0
	for i, u := range s.uses {
		if u.Batch == s.batch {
			at = i + 1
		}
	}
	if len(s.uses) == 1 {
		imgui.Text("by one batch")
		return
	}
	imgui.Text(fmt.Sprintf("([ ])  by batch %d of %d", at, len(s.uses)))
}

// slotTable lists the vertices of the selected batch. A click picks one.
func (a *app) slotTable(d *views.Half) {
	if !imgui.BeginTableV("slots", 4, imgui.TableFlagsScrollY|imgui.TableFlagsRowBg, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	for _, column := range []string{"iteration", "slot", "vertex", "indices"} {
		imgui.TableSetupColumn(column)
	}
	imgui.TableSetupScrollFreeze(0, 1)
	imgui.TableHeadersRow()
	s, vertex := &a.selection, a.selection.hit.Vertex()
	if s.fresh {
		scrollTo(slices.IndexFunc(s.slots, func(x inspect.Slot) bool { return x.Vertex == vertex }))
		s.fresh = false
	}
	clicked := -1
	var clipper imgui.ListClipper
	clipper.Begin(len(s.slots))
	for clipper.Step() {
		for i := clipper.DisplayStart; i < clipper.DisplayEnd; i++ {
			x := &s.slots[i]
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
		a.pick(d, inspect.InBatch(s.plan, s.at, s.slots[clicked].Vertex))
	}
}

// scrollTo brings a line of the table under way into its middle.
func scrollTo(line int) {
	high := imgui.TextLineHeightWithSpacing()
	imgui.SetScrollY(max(0, float32(line)*high-(imgui.WindowHeight()-3*high)/2))
}
