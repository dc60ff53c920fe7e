package order

import (
	"context"
	"math"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// forsyth repeatedly takes the triangle with the best score. A vertex scores for its position in
// a modelled LRU cache, and for having few triangles left, so that no single triangles remain at
// the end (Forsyth, Linear-Speed Vertex Cache Optimisation, 2006).
var forsyth = Order{Name: "forsyth", Cache: 96, Apply: forsythOrder}

const (
	forsythSteps = 256 // triangles between two checks of the context

	scoreOne = 1 << 20 // fixed-point 1; sums of three vertices fit 31 bits
	noScore  = -1 << 30
)

// forsythState is the greedy search. Its result is the same as if each step scored every triangle
// of every cached vertex, but it scores few of them. A triangle belongs to the foremost of its
// cached vertices. Its other vertices have not been used since that vertex was, or they would be
// in front of it. So their triangle counts have not changed and their cache scores have only
// fallen since then: the triangle's last score bounds its present one.
//
// It scores at most `offered` triangles per vertex.
type forsythState struct {
	list    List
	adj     adjacency
	vertex  []forsythVertex
	lru     []uint32
	bounds  []int32 // by place: upper bound on the scores of the triangles that belong to its vertex, minus the ceiling of the place where they were scored
	size    int
	score   [MaxCache + 1]int32 // by place: its cache score
	ceiling [MaxCache + 1]int32 // by place: highest score of this place and all behind it
	best    int32
	pick    uint32

	valence [offered + 1]int32 // valenceScore, by number of triangles left
}

type forsythVertex struct {
	boost int32  // score for having few triangles left
	at    uint32 // place in the cache, or the cache's size if outside
}

func forsythOrder(ctx context.Context, l List, cache int) (_ []uint32, err error) {
	defer must.Catch(&err)
	f := newForsyth(progress.Part(ctx, 0, prepared), l, cache)
	order := make([]uint32, 0, l.Triangles())
	done := make([]bool, l.Triangles())
	next := f.firstPick(ctx)
	meter := progress.NewMeter(progress.Part(ctx, prepared, 1), l.Triangles())
	for cursor := uint32(0); len(order) < cap(order); {
		must.OK(meter.At(len(order)))
		for range min(forsythSteps, cap(order)-len(order)) {
			if next == none { // no cached vertex has a triangle left
				for done[cursor] {
					cursor++
				}
				next = cursor
			}
			done[next] = true
			order = append(order, next)
			f.use(next)
			next = f.search()
		}
	}
	return order, nil
}

func newForsyth(ctx context.Context, l List, cache int) *forsythState {
	f := &forsythState{
		list: l, adj: newAdjacency(ctx, l), vertex: make([]forsythVertex, l.Vertices), lru: make([]uint32, 0, cache), bounds: make([]int32, cache), size: cache,
	}
	for place := range cache {
		f.score[place] = cacheScore(place, cache)
		f.ceiling[place] = max(f.score[place], cacheScore(max(place, 3), cache))
	}
	for left := range f.valence {
		f.valence[left] = valenceScore(uint32(left))
	}
	for v := range f.vertex {
		f.vertex[v] = forsythVertex{f.boost(f.adj.live[v]), uint32(cache)}
	}
	return f
}

func (f *forsythState) boost(left uint32) int32 {
	if int(left) < len(f.valence) {
		return f.valence[left]
	}
	return valenceScore(left)
}

// cacheScore is the score of a place in the cache. The last triangle's three vertices score
// alike, and less than the vertex behind them, so that a strip does not turn back on itself. No compiler can
// fuse these operations, so the score is the same on every platform.
func cacheScore(place, cache int) int32 {
	if place < 3 {
		return scoreOne * 3 / 4
	}
	if place >= cache {
		return 0
	}
	x := 1 - float64(place-3)/float64(cache-3)
	return int32(float64(x*math.Sqrt(x)) * scoreOne)
}

// valenceScore is the score of a vertex with `left` triangles that are not in the result yet.
func valenceScore(left uint32) int32 {
	if left == 0 {
		return 0
	}
	return int32(2 / math.Sqrt(float64(left)) * scoreOne)
}

// firstPick returns the best triangle while the cache is empty, or none if the list is empty.
func (f *forsythState) firstPick(ctx context.Context) uint32 {
	best, pick := int32(noScore), none
	must.OK(progress.Each(progress.Silent(ctx), f.list.Triangles(), func(from, to int) {
		for t := from; t < to; t++ {
			c := f.list.Indices[3*t : 3*t+3]
			if s := f.vertex[c[0]].boost + f.vertex[c[1]].boost + f.vertex[c[2]].boost; s > best {
				best, pick = s, uint32(t)
			}
		}
	}))
	return pick
}

// use removes triangle t and moves its vertices to the front of the cache.
func (f *forsythState) use(t uint32) {
	corners := f.list.Indices[3*t : 3*t+3]
	for j, v := range corners {
		f.adj.remove(3*t+uint32(j), v)
		f.vertex[v].boost = f.boost(f.adj.live[v])
	}
	deepest := 0
	for j := 2; j >= 0; j-- {
		deepest = max(deepest, f.toFront(corners[j]))
	}
	for place, v := range f.lru[:deepest+1] {
		f.vertex[v].at = uint32(place)
	}
}

// toFront moves v to the front and returns the last place that changed. The caller updates the
// places of the vertices that stay in the cache.
func (f *forsythState) toFront(v uint32) int {
	place := int(f.vertex[v].at)
	switch {
	case place < f.size:
		// Earlier moves may have pushed v back by up to two places.
		for f.lru[place] != v {
			place++
		}
	case len(f.lru) < f.size:
		place = len(f.lru)
		f.lru = f.lru[:place+1]
	default:
		place = f.size - 1
		f.vertex[f.lru[place]].at = uint32(f.size)
	}
	copy(f.lru[1:place+1], f.lru[:place])
	copy(f.bounds[1:place+1], f.bounds[:place])
	f.lru[0] = v
	f.vertex[v].at = 0
	return place
}

// search returns the best triangle that has a vertex in the cache, or none. Ties go to the one
// nearest to the front of the cache.
func (f *forsythState) search() uint32 {
	f.best, f.pick = noScore, none
	for place := range min(3, len(f.lru)) {
		f.offer(place)
	}
	for place, bound := range f.bounds[:len(f.lru)] {
		if place >= 3 && bound+f.score[place&(MaxCache-1)] > f.best {
			f.offer(place)
		}
	}
	return f.pick
}

// offer scores the triangles of the vertex at a place, and sets the place's bound.
func (f *forsythState) offer(place int) {
	v := f.lru[place]
	corners := f.adj.left(v)
	bound := int32(noScore)
	for _, k := range corners[:min(len(corners), offered)] {
		t := k / 3
		ids := f.list.Indices[3*t : 3*t+3 : 3*t+3]
		a, b, c := f.vertex[ids[0]], f.vertex[ids[1]], f.vertex[ids[2]]
		boost := a.boost + b.boost + c.boost
		if s := boost + f.score[a.at] + f.score[b.at] + f.score[c.at]; s > f.best {
			f.best, f.pick = s, t
		}
		if int(min(a.at, b.at, c.at)) == place {
			bound = max(bound, boost+f.ceiling[a.at]+f.ceiling[b.at]+f.ceiling[c.at])
		}
	}
	f.bounds[place] = bound - f.ceiling[place]
}
