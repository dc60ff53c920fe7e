package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/renderer"
)

// DrawRow holds the counts of one draw.
type DrawRow struct {
	Draw        int // index in Scene.Draws
	Number      int // the draw's number for users: see geometry.Scene.Number
	Name        string
	Short       string // Name without the parts that other columns show or that all rows share
	Triangles   int
	Referenced  int // vertices that the draw's indices name
	Invocations int // -1 until they are known
}

// Reuse is the share of the draw's indices that needed no invocation.
func (r *DrawRow) Reuse() float64 { return r.ratio(r.Invocations) }

// Ideal is what Reuse would be if every referenced vertex were shaded once.
func (r *DrawRow) Ideal() float64 { return r.ratio(r.Referenced) }

func (r *DrawRow) ratio(shadings int) float64 {
	return 1 - float64(shadings)/float64(3*r.Triangles)
}

// Lost is the number of invocations that shaded a vertex again.
func (r *DrawRow) Lost() int { return r.Invocations - r.Referenced }

// Saved is the number of indices that needed no invocation, since their vertex was shaded
// already.
func (r *DrawRow) Saved() int { return 3*r.Triangles - r.Invocations }

// DrawRows returns a row for each draw with triangles, in stream order. sums are a survey's counts by
// draw; nil if they are not known yet.
func DrawRows(s *geometry.Scene, sums []reuse.DrawSum) (rows []DrawRow) {
	for i := range s.Draws {
		if d := &s.Draws[i]; d.IndexCount > 0 {
			x := reuse.DrawSum{Invocations: -1}
			if sums != nil {
				x = sums[i]
			}
			rows = append(rows, DrawRow{i, s.Number(i), d.Name, shortName(d.Name), int(d.IndexCount) / 3, x.Referenced, x.Invocations})
		}
	}
	cutCommon(rows)
	return rows
}

// eventName matches the name of a captured draw: its pass and groups, event, call, index in the call, and what it is
// drawn with. The last submatch omits the number of a pipeline or program if more follows.
var eventName = regexp.MustCompile(`^(.* / )event \d+ (\w+)( \[\d+\])?(?: \((?:(?:pipeline|program) \d+, )?(.*)\))?$`)

// shortName shortens a captured draw's name. It drops the event; the call, if the name says what the draw is drawn
// with; and the number of the pipeline or program, if more follows.
func shortName(name string) string {
	of := eventName.FindStringSubmatch(name)
	if of == nil {
		return name
	}
	return of[1] + cmp.Or(of[4], of[2]) + of[3]
}

// cutCommon removes the leading groups that all short names share, such as the only pass. All draws must be captured ones.
func cutCommon(rows []DrawRow) {
	for len(rows) > 0 {
		first, _, _ := strings.Cut(rows[0].Short, " / ")
		first += " / "
		if slices.ContainsFunc(rows, func(r DrawRow) bool { return r.Short == r.Name || !strings.HasPrefix(r.Short, first) }) {
			return
		}
		for i := range rows {
			rows[i].Short = rows[i].Short[len(first):]
		}
	}
}

// DrawColumn is a column of the table of draws.
type DrawColumn struct {
	Name string
	// Descending says that the first sort by the column puts the largest values first.
	Descending bool
	compare    func(a, b *DrawRow) int
}

// DrawColumns are the columns of the table.
var DrawColumns = []DrawColumn{
	{"#", false, func(a, b *DrawRow) int { return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Draw, b.Draw)) }},
	{"name", false, func(a, b *DrawRow) int { return strings.Compare(a.Short, b.Short) }},
	{"triangles", true, func(a, b *DrawRow) int { return cmp.Compare(a.Triangles, b.Triangles) }},
	{"reuse", false, func(a, b *DrawRow) int { return cmp.Compare(a.Reuse(), b.Reuse()) }},
	{"ideal", false, func(a, b *DrawRow) int { return cmp.Compare(a.Ideal(), b.Ideal()) }},
	{"saved", true, func(a, b *DrawRow) int { return cmp.Compare(a.Saved(), b.Saved()) }},
	{LostColumn, true, func(a, b *DrawRow) int { return cmp.Compare(a.Lost(), b.Lost()) }},
}

// LostColumn is the column by which the table is sorted initially.
const LostColumn = "lost"

// DrawSorts returns what the table can be sorted by: "number", and the names of the other columns.
func DrawSorts() []string {
	return append([]string{"number"}, names.Of(DrawColumns[1:], func(c DrawColumn) string { return c.Name })...)
}

// DrawTable is a scene's table of draws, with its search and sort order.
type DrawTable struct {
	Rows       []DrawRow
	Search     string // text to find in the draws' names; case is ignored
	Column     int    // index in DrawColumns of the column to sort by
	Descending bool
	Shown      []int // indices in Rows of the rows that match the search, sorted
}

// Arrange filters the rows by the search and sorts them.
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

// skippedLine matches a line of geometry.Scene.Skipped that counts calls, and captures subject,
// number and reason.
var skippedLine = regexp.MustCompile(`^(` + geometry.FromPicture + `|` + geometry.FromShaders + `)?(\d+) x [^:]*: (.*)$`)

// textureLine matches a line of Scene.Skipped about one texture, and captures the reason without the texture's name.
var textureLine = regexp.MustCompile(`^(texture) [^:]*: (?:"[^"]*": )?(.*)$`)

// LeftOut returns a line on the parts of a file that the scene or its picture lacks: counts and
// reasons, the most frequent first. Scene.LeftOut lists all calls.
func LeftOut(s *geometry.Scene) string {
	kinds := []struct{ begins, words string }{
		{geometry.FromPicture, fmt.Sprintf("%%d of %s not shown", names.Count(len(s.Draws), "draw"))},
		{geometry.FromShaders, fmt.Sprintf("%%d of %s drawn without their shaders", names.Count(len(s.Draws), "draw"))},
		{"", "%d calls left out"},
	}
	counts := map[string]map[string]int{} // by subject and reason
	var others []string
	for _, line := range s.Skipped {
		found := skippedLine.FindStringSubmatch(line)
		if of := textureLine.FindStringSubmatch(line); of != nil {
			found = []string{"", of[1], "1", of[2]}
		} else if found == nil {
			others = append(others, line)
			continue
		}
		n, _ := strconv.Atoi(found[2])
		if counts[found[1]] == nil {
			counts[found[1]] = map[string]int{}
		}
		counts[found[1]][found[3]] += n
	}
	var parts []string
	for _, kind := range kinds {
		if of := counts[kind.begins]; of != nil {
			parts = append(parts, fmt.Sprintf(kind.words, sum(of))+": "+reasons(of))
		}
	}
	if of := counts["texture"]; of != nil {
		parts = append(parts, names.Count(sum(of), "texture")+" not shown: "+reasons(of))
	}
	return strings.Join(append(parts, others...), "; ")
}

func sum(counts map[string]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// reasons lists reasons with their counts. A single reason has no count.
func reasons(counts map[string]int) string {
	list := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	if len(list) == 1 {
		return list[0]
	}
	for i, why := range list {
		list[i] = fmt.Sprintf("%s (%d)", why, counts[why])
	}
	return strings.Join(list, ", ")
}

// Unseen reports whether no triangle of a scene has an area. The first that has one ends the search.
func Unseen(s *geometry.Scene) bool {
	seen := len(s.Positions) == 0 // those of a computed mesh are not stored
	err := s.Guard(func() error {
		for i := 0; i < len(s.Draws) && !seen; i++ {
			pool, list := s.Positions[s.Draws[i].VertexOffset:], s.DrawIndices(i)
			for k := 0; k+2 < len(list) && !seen; k += 3 {
				p := wide(pool[list[k]])
				seen = wide(pool[list[k+1]]).Sub(p).Cross(wide(pool[list[k+2]]).Sub(p)).LenSqr() > 0
			}
		}
		return nil
	})
	return err == nil && !seen
}

const (
	baseHeight = .03 // how far from its side of the box a base may lie, as a share of the scene's height
	// baseShare is the least area of a base, as a share of the floor of the scene's box. The base must be at least
	// baseLead times as large as the flat part of any other side.
	baseShare, baseLead = .1, 3
	baseSamples         = 1 << 18 // bounds the number of triangles that are examined
)

// Stands guesses which axis of a scene points up, from the flat base on which the scene stands. It returns false if
// no side has a base, or several have one.
func Stands(s *geometry.Scene) (up renderer.UpAxis, found bool) {
	box := s.Bounds()
	size := box.Max.Sub(box.Min)
	step := uint32(s.Triangles()/baseSamples + 1)
	var bases [6]float32 // area of the base, as a share of the floor, if x, y, z or their negatives point up
	err := s.Guard(func() error {
		for _, d := range s.Draws {
			pool := s.Positions[d.VertexOffset:][:d.VertexCount]
			for k := d.FirstIndex; k+2 < d.FirstIndex+d.IndexCount; k += 3 * step {
				var p [3]mgl32.Vec3
				for c := range p {
					p[c] = d.Transform.Mul4x1(pool[s.Indices[k+uint32(c)]].Vec4(1)).Vec3()
				}
				normal := p[1].Sub(p[0]).Cross(p[2].Sub(p[0])) // its length is twice the triangle's area
				middle := p[0].Add(p[1]).Add(p[2]).Mul(1. / 3)
				for axis := range 3 {
					floor := size[(axis+1)%3] * size[(axis+2)%3]
					height := (middle[axis] - box.Min[axis]) / size[axis]
					switch along := normal[axis] / normal.Len(); {
					case along < -.9 && height < baseHeight:
						bases[axis] += normal.Len() / 2 * float32(step) / floor
					case along > .9 && height > 1-baseHeight:
						bases[axis+3] += normal.Len() / 2 * float32(step) / floor
					}
				}
			}
		}
		return nil
	})
	best := 0
	for i := range bases {
		if bases[i] > bases[best] {
			best = i
		}
	}
	for i := range bases {
		if err != nil || !(bases[best] > baseShare) || i != best && bases[i]*baseLead > bases[best] {
			return 0, false
		}
	}
	return [6]renderer.UpAxis{renderer.UpX, renderer.UpY, renderer.UpZ, renderer.DownX, renderer.DownY, renderer.DownZ}[best], true
}
