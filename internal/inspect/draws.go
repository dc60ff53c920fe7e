package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// DrawRow is what one draw costs.
type DrawRow struct {
	Draw        int // in Scene.Draws
	Name        string
	Triangles   int
	Referenced  int // vertices
	Invocations int
}

// Reuse is the share of the draw's indices that shaded no vertex.
func (r *DrawRow) Reuse() float64 { return 1 - float64(r.Invocations)/float64(max(3*r.Triangles, 1)) }

// Ideal is Reuse if every referenced vertex were shaded once.
func (r *DrawRow) Ideal() float64 { return 1 - float64(r.Referenced)/float64(max(3*r.Triangles, 1)) }

// Lost is the number of invocations that shaded a vertex again.
func (r *DrawRow) Lost() int { return r.Invocations - r.Referenced }

// DrawRows returns the draws that have triangles, in stream order.
func DrawRows(s *geometry.Scene, counts []uint32) []DrawRow {
	var rows []DrawRow
	referenced := reuse.ReferencedOf(s)
	for i, offset := range reuse.CountOffsets(s) {
		d := &s.Draws[i]
		if d.IndexCount == 0 {
			continue
		}
		r := DrawRow{Draw: i, Name: d.Name, Triangles: int(d.IndexCount) / 3, Referenced: referenced[i]}
		for _, n := range counts[offset:][:d.VertexCount] {
			r.Invocations += int(n)
		}
		rows = append(rows, r)
	}
	return rows
}

// DrawColumn is a column of the table of draws.
type DrawColumn struct {
	Name string
	// Descending says that the table begins with the largest values when it is first
	// sorted by the column.
	Descending bool
	compare    func(a, b *DrawRow) int
}

// DrawColumns are the columns of the table.
var DrawColumns = []DrawColumn{
	{"#", false, func(a, b *DrawRow) int { return cmp.Compare(a.Draw, b.Draw) }},
	{"name", false, func(a, b *DrawRow) int { return strings.Compare(a.Name, b.Name) }},
	{"triangles", true, func(a, b *DrawRow) int { return cmp.Compare(a.Triangles, b.Triangles) }},
	{"reuse", false, func(a, b *DrawRow) int { return cmp.Compare(a.Reuse(), b.Reuse()) }},
	{"ideal", false, func(a, b *DrawRow) int { return cmp.Compare(a.Ideal(), b.Ideal()) }},
	{LostColumn, true, func(a, b *DrawRow) int { return cmp.Compare(a.Lost(), b.Lost()) }},
}

// LostColumn is the column that the table is sorted by unless told otherwise.
const LostColumn = "lost"

// DrawSorts returns the names of what the table can be sorted by: its columns.
func DrawSorts() []string {
	names := []string{"number"}
	for _, c := range DrawColumns[1:] {
		names = append(names, c.Name)
	}
	return names
}

// DrawTable is the table of a scene's draws as it is searched and sorted.
type DrawTable struct {
	Rows       []DrawRow
	Search     string // text in a draw's name, in any case
	Column     int    // of DrawColumns, sorted by
	Descending bool
	Shown      []int // of Rows, found and sorted
}

// Arrange finds what is searched for, and sorts it.
func (t *DrawTable) Arrange() {
	t.Shown = t.Shown[:0]
	want := strings.ToLower(strings.TrimSpace(t.Search))
	for i := range t.Rows {
		if strings.Contains(strings.ToLower(t.Rows[i].Name), want) {
			t.Shown = append(t.Shown, i)
		}
	}
	compare := DrawColumns[t.Column].compare
	slices.SortStableFunc(t.Shown, func(x, y int) int {
		if t.Descending {
			x, y = y, x
		}
		return compare(&t.Rows[x], &t.Rows[y])
	})
}
