package inspect

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// Use is a batch that shaded a vertex, and the number of times it did.
type Use struct {
	Batch, Times int
	At           reuse.Batch
}

// BatchesOf computes with the CPU reference which batches of a plan shaded a vertex of a
// draw. It lists them in stream order. It returns nil for strategies that take whole draws,
// and for plans in windows, which keep no list of batches (see Searches).
func BatchesOf(p *plan.Plan, draw int, vertex uint32) []Use {
	if p.Batchless() != "" {
		return nil
	}
	var uses []Use
	i, _ := slices.BinarySearchFunc(p.Batches, uint32(draw), func(b reuse.Batch, d uint32) int { return int(b.Draw) - int(d) })
	for ; i < len(p.Batches) && int(p.Batches[i].Draw) == draw; i++ {
		if indices := Indices(p, p.Batches[i]); slices.Contains(indices, vertex) {
			uses = append(uses, Use{i, timesIn(&p.Frame, indices, vertex), p.Batches[i]})
		}
	}
	return uses
}

// timesIn returns how often a batch with these indices shades a vertex.
func timesIn(f *renderer.Frame, indices []uint32, vertex uint32) (times int) {
	f.Reuse.Strategy.Reference(f.Reuse, indices, func(it *reuse.Iteration) {
		for _, id := range it.Unique {
			if id == vertex {
				times++
			}
		}
	})
	return times
}

// Indices returns the indices of a batch.
func Indices(p *plan.Plan, b reuse.Batch) []uint32 {
	return p.Frame.Scene.IndicesAt(b.FirstIndex, b.IndexCount, new([]uint32))
}

// BatchOf returns the number of the batch that holds a triangle of a draw, or -1.
func BatchOf(p *plan.Plan, draw, triangle int) int {
	at := p.Frame.Scene.Draws[draw].FirstIndex + uint32(3*triangle)
	return slices.IndexFunc(p.Batches, func(b reuse.Batch) bool {
		return int(b.Draw) == draw && at >= b.FirstIndex && at < b.FirstIndex+b.IndexCount
	})
}

// Slot is one vertex that a batch shaded.
type Slot struct {
	Iteration, Slot int
	Vertex          uint32
	Uses            int // indices in the iteration that use the slot
}

// Slots returns the vertices that a batch shaded, in order; nil for a strategy that takes whole draws.
func Slots(p *plan.Plan, b reuse.Batch) []Slot {
	f := &p.Frame
	if p.Batchless() != "" {
		return nil
	}
	var list []Slot
	iteration := 0
	f.Reuse.Strategy.Reference(f.Reuse, Indices(p, b), func(it *reuse.Iteration) {
		first := len(list)
		for slot, id := range it.Unique {
			list = append(list, Slot{iteration, slot, id, 0})
		}
		for _, slot := range it.Slots {
			list[first+int(slot)].Uses++
		}
		iteration++
	})
	return list
}

// TimesShaded returns how often a vertex of a draw was shaded. counts has one element per
// vertex of each draw, draw by draw.
func TimesShaded(s *geometry.Scene, counts []uint32, draw int, vertex uint32) int {
	at := vertex
	for i := range s.Draws[:draw] {
		at += s.Draws[i].VertexCount
	}
	return int(counts[at])
}

// Difference compares how often two frames of one scene shade its vertices.
type Difference struct {
	More, Less int // number of vertices that the right frame shades more often, and less often
	By, Saves  int // additional and saved invocations
}

// Compare compares the shading counts of two frames, whose vertices m matches. `shown` is for renderer.Frame.Shown: it holds
// a step of picture.DifferencePalette for each vertex of the left frame.
func Compare(m *geometry.Match, left, right []uint32) (d Difference, shown []uint32) {
	right = m.Counts(right)
	for i := range left {
		switch {
		case right[i] > left[i]:
			d.More, d.By = d.More+1, d.By+int(right[i]-left[i])
		case right[i] < left[i]:
			d.Less, d.Saves = d.Less+1, d.Saves+int(left[i]-right[i])
		}
	}
	return d, picture.DifferenceCounts(left, right)
}

// SameDraws reports whether two index orders of a scene have the same draws. The draws differ while one
// side of a comparison shows a single draw and the other still shows all.
func SameDraws(a, b *geometry.Scene) bool {
	return len(a.Positions) == len(b.Positions) && slices.EqualFunc(a.Draws, b.Draws, func(a, b geometry.Draw) bool {
		return a.VertexOffset == b.VertexOffset && a.VertexCount == b.VertexCount
	})
}

const (
	// searchTime limits the search in one draw. It suffices for some hundred million indices.
	searchTime     = 2 * time.Second
	searchedAtOnce = 1 << 20 // draws with more indices are searched in the background
	// mostUses is the most batches that a text names for a vertex, keptUses the most that a Search stores.
	mostUses, keptUses = 8, 1 << 10
)

// Search finds, in the background, the batch of a hit's triangle and the batches that shaded its vertex. Since a plan in
// windows keeps no batches, Search cuts the draw into batches again, one at a time, in constant memory.
type Search struct {
	Done   bool        // set by Searches.Take; results may be read only then
	Holder reuse.Batch // the batch that holds the hit's triangle
	Number int         // the number of Holder in the stream

	plan  *plan.Plan
	hit   Hit
	stop  atomic.Bool
	uses  []Use // the first batches that shaded the vertex
	more  int   // number of further batches that shaded the vertex
	whole bool  // the whole draw was searched
}

// run searches until the draw ends, the search is cancelled or the time is up. Besides the draw's
// indices it reads at most those of one window before the draw.
func (s *Search) run(limit time.Duration) {
	end := time.Now().Add(limit)
	first := 0 // the number of the draw's first triangle in the stream
	for _, d := range s.plan.Frame.Scene.Draws[:s.hit.Draw] {
		first += int(d.IndexCount) / 3
	}
	target := uint32(first + s.hit.Triangle)
	next, number := s.from(int(target))
	for b, ok := next(); ok && !s.stop.Load(); b, ok = next() {
		if target < b.FirstTriangle+b.IndexCount/3 {
			s.Holder, s.Number = b, number
			break
		}
		number++
	}
	f := &s.plan.Frame
	next, number = s.from(first)
	for steps := 1; ; steps++ {
		b, ok := next()
		if !ok || int(b.Draw) > s.hit.Draw {
			s.whole = true
			return
		}
		if int(b.Draw) == s.hit.Draw {
			s.look(f, b, number)
		}
		number++
		if s.stop.Load() || steps%64 == 0 && time.Now().After(end) {
			return
		}
	}
}

// look records a batch if it shaded the vertex. Beyond keptUses batches it only counts them.
func (s *Search) look(f *renderer.Frame, b reuse.Batch, number int) {
	switch indices := Indices(s.plan, b); {
	case !slices.Contains(indices, s.hit.Vertex()):
	case len(s.uses) == keptUses:
		s.more++
	default:
		s.uses = append(s.uses, Use{number, timesIn(f, indices, s.hit.Vertex()), b})
	}
}

// Uses returns the first batches found to have shaded the vertex. Call it only after the search is done.
func (s *Search) Uses() []Use { return s.uses }

// String says which batches were found to have shaded the vertex, or that the search still runs.
func (s *Search) String() string {
	switch {
	case !s.Done:
		return "its batches are looked for"
	case s.whole:
		return describeUses(s.uses, s.more)
	case len(s.uses) == 0:
		return "its batches were not found in time: the draw is long"
	}
	return describeUses(s.uses, s.more) + ", so far: the draw is long"
}

// from returns a function that yields consecutive batches, and the number of the first one. The first batch is the
// one that holds the triangle or, in windows, the first batch of the triangle's window.
func (s *Search) from(triangle int) (next func() (reuse.Batch, bool), number int) {
	p := s.plan
	if p.Batches != nil {
		number = max(0, sort.Search(len(p.Batches), func(i int) bool { return int(p.Batches[i].FirstTriangle) > triangle })-1)
		rest := p.Batches[number:]
		return func() (b reuse.Batch, ok bool) {
			if len(rest) == 0 {
				return b, false
			}
			b, rest = rest[0], rest[1:]
			return b, true
		}, number
	}
	w := &p.Windows[max(0, sort.Search(len(p.Windows), func(i int) bool { return p.Windows[i].FirstTriangle > triangle })-1)]
	cut := reuse.NewCutter(p.Frame.Scene, p.Frame.Reuse)
	cut.Seek(w.FirstTriangle)
	return cut.Next, w.FirstBatch
}

// describeUses lists the numbers of the first batches, and says how many more there are.
func describeUses(uses []Use, more int) string {
	named := uses[:min(len(uses), mostUses)]
	uses, more = named, more+len(uses)-len(named)
	parts := make([]string, 0, mostUses+1)
	for _, u := range uses {
		text := fmt.Sprint(u.Batch)
		if u.Times != 1 {
			text += " (" + Times(u.Times) + ")"
		}
		parts = append(parts, text)
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return map[bool]string{true: "by batch ", false: "by batches "}[len(uses) == 1] + strings.Join(parts, ", ")
}

// Times returns a count in words: "once", "2 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// FindVertex returns the draw's first triangle that has the vertex as a corner, or an error if there is none.
func FindVertex(s *geometry.Scene, draw int, vertex uint32) (Hit, error) {
	d := &s.Draws[draw]
	if vertex >= d.VertexCount {
		return Hit{}, fmt.Errorf("vertex %d: draw %d has vertices 0 to %d", vertex, s.Number(draw), int(d.VertexCount)-1)
	}
	triangle, found := 0, Hit{Draw: -1}
	s.EachIndices(draw, func(indices []uint32) {
		if at := slices.Index(indices, vertex); at >= 0 && found.Draw < 0 {
			found = hitAt(draw, triangle, indices, at)
		}
		triangle += len(indices) / 3
	})
	if found.Draw < 0 {
		return found, fmt.Errorf("vertex %d: no triangle of draw %d names it", vertex, s.Number(draw))
	}
	return found, nil
}

// FindBatch returns the first triangle of batch n, or an error if the plan keeps no such batch.
func FindBatch(p *plan.Plan, n int) (Hit, error) {
	switch {
	case p.Batchless() != "":
		return Hit{}, fmt.Errorf("batch %d: %s has no batches", n, p.Frame.Reuse.Strategy.Name)
	case p.Batches == nil:
		return Hit{}, fmt.Errorf("batch %d: a scene in windows keeps no batches; a click finds that of a triangle", n)
	case n < 0 || n >= len(p.Batches):
		return Hit{}, fmt.Errorf("batch %d: there are batches 0 to %d", n, len(p.Batches)-1)
	}
	return InBatch(p, p.Batches[n], Indices(p, p.Batches[n])[0]), nil
}

// InBatch returns the batch's first triangle that has the vertex as a corner. There must be one.
func InBatch(p *plan.Plan, b reuse.Batch, vertex uint32) Hit {
	indices := Indices(p, b)
	first := int(b.FirstIndex-p.Frame.Scene.Draws[b.Draw].FirstIndex) / 3
	return hitAt(int(b.Draw), first, indices, slices.Index(indices, vertex))
}

// hitAt returns the triangle that has indices[at] as a corner. The indices begin with triangle
// `first` of the draw.
func hitAt(draw, first int, indices []uint32, at int) Hit {
	corner := at % 3
	return Hit{draw, first + at/3, [3]uint32(indices[at-corner:][:3]), corner}
}

// BoxEdges are the edges of a box as pairs of corner numbers (see Corner), four along each axis.
var BoxEdges = [12][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}

// Corners returns the corners of the box of a draw's triangles, in the draw's own space.
func (p *Picker) Corners(draw int) []mgl32.Vec3 {
	box := p.draws[draw].whole
	corners := make([]mgl32.Vec3, 8)
	for i := range corners {
		corners[i] = Corner(box, i)
	}
	return corners
}

// Corner returns corner i of a box. Bit k of i chooses the lower or upper end of axis k.
func Corner(box geometry.Box, i int) (p mgl32.Vec3) {
	for k := range p {
		p[k] = [2]float32{box.Min[k], box.Max[k]}[i>>k&1]
	}
	return p
}

// Of returns a projector of the same draw that projects `points`, in the draw's own space, instead of the vertices.
func (p Projector) Of(points []mgl32.Vec3) Projector {
	p.pool = points
	return p
}
