package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// drawRow is one draw in the list of draws.
type drawRow struct {
	draw        int // in Scene.Draws
	name        string
	triangles   int
	referenced  int
	invocations int
}

func (r *drawRow) reuse() float64 { return 1 - float64(r.invocations)/float64(max(3*r.triangles, 1)) }
func (r *drawRow) ideal() float64 { return 1 - float64(r.referenced)/float64(max(3*r.triangles, 1)) }

// wasted is how often a vertex was shaded that had been shaded before.
func (r *drawRow) wasted() int { return r.invocations - r.referenced }

// drawRows are the draws that draw something, in stream order.
func drawRows(s *geometry.Scene, counts []uint32) []drawRow {
	var rows []drawRow
	referenced := reuse.Referenced(s)
	for i, offset := range reuse.CountOffsets(s) {
		d := &s.Draws[i]
		if d.IndexCount == 0 {
			continue
		}
		r := drawRow{draw: i, name: oneLine(d.Name), triangles: int(d.IndexCount) / 3}
		for v, n := range counts[offset:][:d.VertexCount] {
			r.invocations += int(n)
			if referenced[int(offset)+v] {
				r.referenced++
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// drawColumns are the columns of the list, with what sorting by each compares. A
// click on a head sorts so that what matters most comes first.
var drawColumns = []struct {
	name     string
	width    float32
	backward bool // at first
	compare  func(a, b *drawRow) int
}{
	{"#", 34, false, func(a, b *drawRow) int { return cmp.Compare(a.draw, b.draw) }},
	{"name", 0, false, func(a, b *drawRow) int { return strings.Compare(a.name, b.name) }},
	{"triangles", 72, true, func(a, b *drawRow) int { return cmp.Compare(a.triangles, b.triangles) }},
	{"reuse", 46, false, func(a, b *drawRow) int { return cmp.Compare(a.reuse(), b.reuse()) }},
	{"ideal", 46, false, func(a, b *drawRow) int { return cmp.Compare(a.ideal(), b.ideal()) }},
	{wastedColumn, 66, true, func(a, b *drawRow) int { return cmp.Compare(a.wasted(), b.wasted()) }},
}

// wastedColumn sorts the list unless told otherwise.
const wastedColumn = "wasted"

// drawSorts are what the list can be sorted by, as a flag names it: the columns.
func drawSorts() []string {
	names := []string{"number"}
	for _, c := range drawColumns[1:] {
		names = append(names, c.name)
	}
	return names
}

// drawListStart is how the list of draws is at first.
type drawListStart struct {
	search string
	sort   string // of drawSorts; empty is wastedColumn
}

func (s drawListStart) column() int { return slices.Index(drawSorts(), cmp.Or(s.sort, wastedColumn)) }

// drawList is the list of draws as it is shown.
type drawList struct {
	start    drawListStart
	plan     *plan.Plan // of the rows
	rows     []drawRow
	search   string
	column   int // sorted by
	backward bool
	selected int // in Scene.Draws; -1 for none

	shown []int // of rows, found and sorted
}

// follow makes the list that of a side.
func (l *drawList) follow(d *side) {
	if l.plan == d.plan {
		return
	}
	switch {
	case l.plan == nil:
		l.search, l.column, l.selected = l.start.search, l.start.column(), -1
		l.backward = drawColumns[l.column].backward
	case l.plan.Frame.Scene.Name != d.plan.Frame.Scene.Name:
		l.search, l.selected = "", -1 // it stays sorted as it was
	}
	l.plan, l.rows = d.plan, drawRows(d.plan.Frame.Scene, d.counts)
	l.arrange()
}

// arrange finds what is searched for, and sorts it.
func (l *drawList) arrange() {
	l.shown = l.shown[:0]
	want := strings.ToLower(strings.TrimSpace(l.search))
	for i := range l.rows {
		if strings.Contains(strings.ToLower(l.rows[i].name), want) {
			l.shown = append(l.shown, i)
		}
	}
	compare := drawColumns[l.column].compare
	slices.SortStableFunc(l.shown, func(x, y int) int {
		if l.backward {
			x, y = y, x
		}
		return compare(&l.rows[x], &l.rows[y])
	})
}

// drawBox is the box of what a draw draws, in world space.
func drawBox(s *geometry.Scene, i int) geometry.Box {
	one := *s
	one.Draws = s.Draws[i : i+1]
	return one.Bounds()
}
