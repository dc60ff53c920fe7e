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
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

const (
	// searchTime limits the search of one draw. It is enough for some hundred million indices.
	searchTime = 2 * time.Second
	// searchedAtOnce is the most indices of a draw for which the caller of BatchesOf waits.
	searchedAtOnce = 1 << 20
	// mostUses is the number of batches that shaded a vertex to name, and keptUses the number to
	// keep.
	mostUses, keptUses = 8, 1 << 10
)

// Search looks in the background for the batches of a hit's triangle and vertex. If the plan
// keeps no batches, because the device takes the scene in windows, it cuts the draw into batches
// again, one after the other in constant memory.
type Search struct {
	Done   bool        // set by Searches.Take; nothing else may be read before
	Holder reuse.Batch // holds the triangle
	Number int         // the holder's number in the stream

	plan  *plan.Plan
	hit   Hit
	stop  atomic.Bool
	uses  []Use // the first batches that shaded the vertex
	more  int   // number of further batches that shaded the vertex
	whole bool  // the whole draw was searched
}

// run searches until everything is found, or the time is over. It reads the indices of the draw,
// and at most those of one window before it.
func (s *Search) run(limit time.Duration) {
	end := time.Now().Add(limit)
	first := s.firstTriangle()
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

// look notes a batch if it shaded the vertex.
func (s *Search) look(f *renderer.Frame, b reuse.Batch, number int) {
	indices := Indices(s.plan, b)
	if !slices.Contains(indices, s.hit.Vertex()) {
		return
	}
	if len(s.uses) == keptUses {
		s.more++
		return
	}
	s.uses = append(s.uses, Use{number, timesIn(f, indices, s.hit.Vertex()), b})
}

// Uses returns the first batches that are known to have shaded the vertex. Call it only for
// searches that are done.
func (s *Search) Uses() []Use { return s.uses }

// String says which batches are known to have shaded the vertex.
func (s *Search) String() string {
	switch {
	case !s.Done:
		return "its batches are looked for"
	case !s.whole && len(s.uses) == 0:
		return "its batches were not found in time: the draw is long"
	case !s.whole:
		return describeUses(s.uses, s.more) + ", so far: the draw is long"
	}
	return describeUses(s.uses, s.more)
}

// firstTriangle returns the number of the draw's first triangle in the stream.
func (s *Search) firstTriangle() (n int) {
	for _, d := range s.plan.Frame.Scene.Draws[:s.hit.Draw] {
		n += int(d.IndexCount) / 3
	}
	return n
}

// from yields batches starting at a triangle of the stream, and returns the number of the first
// one: the batch that holds the triangle, or in windows the first batch of its window.
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

// describeUses names the first batches, and says how many more there are.
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

// Times says how often: "once", "2 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// FindVertex returns the first triangle of a draw that names a vertex.
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

// FindBatch returns the first triangle of a batch of a plan.
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

// InBatch returns the first triangle of a batch that names a vertex of the batch.
func InBatch(p *plan.Plan, b reuse.Batch, vertex uint32) Hit {
	indices := Indices(p, b)
	first := int(b.FirstIndex-p.Frame.Scene.Draws[b.Draw].FirstIndex) / 3
	return hitAt(int(b.Draw), first, indices, slices.Index(indices, vertex))
}

// hitAt returns the triangle that contains indices[at]. indices begin with triangle first of the
// draw.
func hitAt(draw, first int, indices []uint32, at int) Hit {
	corner := at % 3
	return Hit{draw, first + at/3, [3]uint32(indices[at-corner:][:3]), corner}
}

// BoxEdges are the pairs of corners that the edges of a box join, four along each axis.
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

// Corner returns a corner of a box: each bit of its number says which end of an axis.
func Corner(box geometry.Box, i int) (p mgl32.Vec3) {
	for k := range p {
		p[k] = [2]float32{box.Min[k], box.Max[k]}[i>>k&1]
	}
	return p
}

// Of is the projector for other points in the space of the draw.
func (p Projector) Of(points []mgl32.Vec3) Projector {
	p.pool = points
	return p
}
