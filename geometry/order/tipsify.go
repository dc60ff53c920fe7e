package order

import (
	"context"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// tipsify fans around one vertex after another: all triangles left at a vertex, then the oldest
// neighbour that will still be in the FIFO cache when its own triangles are done (Sander, Nehab,
// Barczak, Fast Triangle Reordering for Vertex Locality and Reduced Overdraw, 2007).
var tipsify = Order{Name: "tipsify", Cache: 24, Apply: tipsifyOrder}

// tipsifyState uses the names of the paper's Figure 2 where the paper names a variable.
type tipsifyState struct {
	list    List
	adj     adjacency
	cache   int
	entered []int    // by vertex: the time at which it entered the cache
	time    int      // s: advances as vertices enter
	deadEnd []uint32 // stack of used vertices, the latest last
	ring    []uint32 // vertices of the triangles just taken: the candidates for the next fan
	cursor  int      // i: next vertex in input order
}

func tipsifyOrder(ctx context.Context, l List, cache int) (_ []uint32, err error) {
	defer must.Catch(&err)
	p := &tipsifyState{
		list: l, adj: newAdjacency(progress.Part(ctx, 0, prepared), l), cache: cache, entered: make([]int, l.Vertices), time: cache + 1,
	}
	order := make([]uint32, 0, l.Triangles())
	done := make([]bool, l.Triangles())
	meter := progress.NewMeter(progress.Part(ctx, prepared, 1), l.Triangles())
	for fan := p.skipDeadEnd(); fan != none; fan = p.nextFan() {
		p.ring = p.ring[:0]
		for _, k := range p.adj.corners[p.adj.first[fan]:p.adj.first[fan+1]] {
			if t := k / 3; !done[t] {
				done[t] = true
				must.OK(meter.At(len(order)))
				order = append(order, t)
				p.use(l.Indices[3*t : 3*t+3])
			}
		}
	}
	return order, nil
}

func (p *tipsifyState) use(corners []uint32) {
	for _, v := range corners {
		p.deadEnd = append(p.deadEnd, v)
		p.ring = append(p.ring, v)
		p.adj.live[v]--
		if p.time-p.entered[v] > p.cache {
			p.entered[v] = p.time
			p.time++
		}
	}
}

// nextFan returns the vertex to fan around next, or none at the end.
func (p *tipsifyState) nextFan() uint32 {
	best, pick := -1, none
	for _, v := range p.ring {
		left := int(p.adj.live[v])
		if left == 0 {
			continue
		}
		priority := 0
		// Its fan brings in at most two vertices per triangle.
		if age := p.time - p.entered[v]; age+2*left <= p.cache {
			priority = age
		}
		if priority > best {
			best, pick = priority, v
		}
	}
	if pick == none {
		return p.skipDeadEnd()
	}
	return pick
}

// skipDeadEnd returns the most recently used vertex that has triangles left. If no used vertex has
// any, it returns the next vertex in input order that has; none at the end.
func (p *tipsifyState) skipDeadEnd() uint32 {
	for len(p.deadEnd) > 0 {
		v := p.deadEnd[len(p.deadEnd)-1]
		p.deadEnd = p.deadEnd[:len(p.deadEnd)-1]
		if p.adj.live[v] > 0 {
			return v
		}
	}
	for ; p.cursor < p.list.Vertices; p.cursor++ {
		if p.adj.live[p.cursor] > 0 {
			return uint32(p.cursor)
		}
	}
	return none
}
