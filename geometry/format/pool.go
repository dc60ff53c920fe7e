package format

import (
	"reflect"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// pool is a list that grows in slabs: once the first has its full length, growing copies nothing and takes at most
// a slab more memory than the elements. The method take joins the slabs into one slice. Every slab is first charged
// to the input's budget.
type pool[T any] struct {
	src   *Input
	slabs [][]T // all but the last are full
	n     int
	exact bool // whether the first slab has the capacity that the file's header states
}

const (
	slabShift = 16
	slabLen   = 3 << (slabShift - 1) // a multiple of 3, since some pools are filled in threes
	slabFirst = 3 << 8
)

// newPool makes an empty pool. `expect` is the number of elements that the file's header states. It
// must be 0 unless the file is known to be large enough for them.
func newPool[T any](src *Input, expect int) *pool[T] {
	p := &pool[T]{src: src, exact: expect > 0}
	if expect > 0 {
		p.addSlab(expect)
	}
	return p
}

func (p *pool[T]) charge(n int) { must.OK(p.src.Charge(int64(n) * int64(reflect.TypeFor[T]().Size()))) }

func (p *pool[T]) addSlab(capacity int) {
	p.charge(capacity)
	p.slabs = append(p.slabs, make([]T, 0, capacity))
}

// grow makes space for at least three more elements.
func (p *pool[T]) grow() {
	switch len(p.slabs) {
	case 0:
		p.addSlab(slabFirst)
		return
	case 1:
		if first := p.slabs[0]; !p.exact && cap(first) < slabLen {
			capacity := min(2*cap(first), slabLen)
			p.charge(capacity)
			p.slabs[0] = append(make([]T, 0, capacity), first...)
			return
		}
		// From now on take has to copy: charge the first slab for that too.
		p.charge(cap(p.slabs[0]))
	}
	// Charge twice: for the slab, and for its part of take's copy.
	p.charge(slabLen)
	p.addSlab(slabLen)
}

// extend adds up to n elements and returns them for the caller to fill. It may return fewer than
// n, but never none; a pool that is only extended by multiples of 3 returns multiples of 3.
func (p *pool[T]) extend(n int) []T {
	if len(p.slabs) == 0 || len(p.slabs[len(p.slabs)-1]) == cap(p.slabs[len(p.slabs)-1]) {
		p.grow()
	}
	last := &p.slabs[len(p.slabs)-1]
	old := len(*last)
	n = min(n, cap(*last)-old)
	*last = (*last)[:old+n]
	p.n += n
	return (*last)[old:]
}

// cut removes the last n elements of what extend has just returned.
func (p *pool[T]) cut(n int) {
	last := &p.slabs[len(p.slabs)-1]
	*last = (*last)[:len(*last)-n]
	p.n -= n
}

// add appends one element.
func (p *pool[T]) add(v T) { p.extend(1)[0] = v }

func (p *pool[T]) addAll(v []T) {
	for len(v) > 0 {
		v = v[copy(p.extend(len(v)), v):]
	}
}

// at returns element i of a pool that was made with an `expect` of 0.
func (p *pool[T]) at(i uint32) *T { return &p.slabs[i/slabLen][i%slabLen] }

// take returns the elements as one slice and empties the pool.
func (p *pool[T]) take() []T {
	slabs, n := p.slabs, p.n
	p.slabs, p.n = nil, 0
	switch len(slabs) {
	case 0:
		return nil
	case 1:
		return slabs[0][:n:n]
	}
	all := make([]T, 0, n)
	for i := range slabs {
		all = append(all, slabs[i]...)
		slabs[i] = nil
	}
	return all
}

// triangles is an index pool that triangulates polygons.
type triangles struct {
	*pool[uint32]
	corners int    // corners of the current polygon or strip
	a, b    uint32 // the polygon's first and previous corners; the previous two corners of a strip
}

func newTriangles(src *Input, expect int) *triangles {
	return &triangles{pool: newPool[uint32](src, 3*expect)}
}

func (t *triangles) add(a, b, c uint32) {
	s := t.extend(3)
	s[0], s[1], s[2] = a, b, c
}

// begin starts a polygon or strip.
func (t *triangles) begin() { t.corners = 0 }

// fan adds a polygon's next corner; from the third on, each makes a triangle with the polygon's
// first and previous corners.
func (t *triangles) fan(id uint32) {
	t.corners++
	switch t.corners {
	case 1:
		t.a = id
	case 2:
		t.b = id
	default:
		prev := t.b
		t.b = id
		t.add(t.a, prev, id)
	}
}

// strip adds a strip's next corner; from the third on, each makes a triangle with the two before
// it. Every second triangle is reversed to keep its front.
func (t *triangles) strip(id uint32) {
	t.corners++
	a, b := t.a, t.b
	t.a, t.b = b, id
	switch {
	case t.corners < 3:
	case t.corners%2 == 1:
		t.add(a, b, id)
	default:
		t.add(b, a, id)
	}
}

// oneDraw returns a scene of everything in the pools, as one draw; normals may be nil.
func oneDraw(positions, normals *pool[mgl32.Vec3], indices *pool[uint32]) *geometry.Scene {
	s := &geometry.Scene{Positions: positions.take(), Indices: indices.take()}
	if normals != nil {
		s.Normals = normals.take()
	}
	s.Draws = []geometry.Draw{wholeDraw(s)}
	return s
}

// wholeDraw returns a draw of everything in a scene's pools.
func wholeDraw(s *geometry.Scene) geometry.Draw {
	return geometry.Draw{IndexCount: uint32(len(s.Indices)), VertexCount: uint32(len(s.Positions)), Transform: mgl32.Ident4(), Color: geometry.DefaultColor}
}
