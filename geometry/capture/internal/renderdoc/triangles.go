package renderdoc

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// indexKey is everything that a draw's triangles depend on except its vertices. Later passes draw the
// same meshes again, so draws with equal keys share their indices.
type indexKey struct {
	space    uint64
	version  int
	at       int64
	count    uint32
	width    int64
	topology topology
	restart  bool
	special  uint32
}

// triangles is a range of the scene's index pool, and the vertices that it uses: lo to hi, where
// lo becomes index 0.
type triangles struct {
	first, count uint32
	lo, hi       int64
}

// drawBytes is the memory of a draw of a scene, including the list's growth.
const drawBytes = 160

// one adds a draw, which has at least one instance and three corners, to the scene. `number` is its
// place among the draws of its call, or -1 if it is the only one.
func (r *runner) one(d *draw, a arguments, number int) {
	r.work(8 * budget.Call)
	if int64(len(r.scene.Draws))+int64(a.instances) > maxDraws {
		leaveOut("more draws and instances than are supported")
	}
	t := r.triangles(d, a)
	if t.count == 0 {
		leaveOut(nothingToDraw)
	}
	if r.stream+int64(t.count)*int64(a.instances) > maxStream {
		leaveOut(tooManyIndices)
	}
	base := a.base
	if d.width == 0 {
		base = a.first
	}
	first := t.lo + base
	u := r.use(d, a, t, base)
	t, at, count := r.vertices(d, t, base, u)
	r.shade(d, a, number, u, first)
	r.stream += int64(t.count) * int64(a.instances)
	name := d.name
	if number >= 0 {
		name = fmt.Sprintf("%s [%d]", name, number)
	}
	name += d.with
	must.OK(r.budget.Memory(drawBytes*int64(a.instances) + int64(len(name))))
	made := geometry.Draw{
		Name: name, FirstIndex: t.first, IndexCount: t.count, VertexOffset: at, VertexCount: count,
		Transform: mgl32.Ident4(), Color: geometry.DefaultColor, Event: uint32(d.event),
	}
	// Only the vertex shader knows where an instance is placed.
	for range a.instances {
		r.scene.Draws = append(r.scene.Draws, made)
	}
}

// triangles makes a list of triangles from a draw's indices.
func (r *runner) triangles(d *draw, a arguments) triangles {
	key := indexKey{count: a.count, topology: d.topology}
	var bytes []byte
	if d.width > 0 {
		e := d.indexBytes(a)
		if bytes = r.bytes(e); bytes == nil {
			leaveOut("its indices are not in the capture")
		}
		key = indexKey{e.space, r.spaces[e.space].version, e.at, a.count, d.width, d.topology, d.restarts, d.restartAt}
	}
	if t, known := r.made[key]; known {
		return t
	}
	most := int64(a.count)
	if d.topology != list {
		most = 3 * (most - 2)
	}
	if int64(len(r.scene.Indices))+most > maxStream {
		leaveOut(tooManyIndices)
	}
	must.OK(r.budget.Memory(4 * most))
	t := triangles{first: uint32(len(r.scene.Indices))}
	b := assembly{out: r.scene.Indices, topology: d.topology}
	for i := range a.count {
		id := i
		switch at := int64(i) * d.width; d.width {
		case 1:
			id = uint32(bytes[at])
		case 2:
			id = uint32(binary.LittleEndian.Uint16(bytes[at:]))
		case 4:
			id = binary.LittleEndian.Uint32(bytes[at:])
		}
		if d.restarts && id == d.restartAt {
			b.begin()
		} else {
			b.add(id)
		}
	}
	b.begin()
	r.scene.Indices = b.out
	t.count = uint32(len(b.out)) - t.first
	t.rebase(b.out[t.first:])
	r.made[key] = t
	return t
}

// rebase sets lo and hi to the lowest and the highest of `ids`, and subtracts lo from all of them.
func (t *triangles) rebase(ids []uint32) {
	lo, hi := uint32(math.MaxUint32), uint32(0)
	for _, id := range ids {
		lo, hi = min(lo, id), max(hi, id)
	}
	for i := range ids {
		ids[i] -= lo
	}
	t.lo, t.hi = int64(lo), int64(hi)
}

// assembly assembles triangles from indices.
type assembly struct {
	out      []uint32
	topology topology
	corners  int    // corners of the current primitive
	a, b     uint32 // a fan's first and latest corner; a strip's latest two
}

// begin begins a new primitive; an incomplete triangle is dropped.
func (s *assembly) begin() {
	if s.topology == list {
		s.out = s.out[:len(s.out)-s.corners%3]
	}
	s.corners = 0
}

func (s *assembly) add(id uint32) {
	s.corners++
	if s.topology == list {
		s.out = append(s.out, id)
		return
	}
	a, b := s.a, s.b
	switch {
	case s.corners == 1:
		s.a = id
		return
	case s.corners == 2:
		s.b = id
		return
	case s.topology == fan:
		s.b = id
	default:
		s.a, s.b = b, id
		if s.corners%2 == 0 { // every second triangle is reversed to keep its front
			a, b = b, a
		}
	}
	s.out = append(s.out, a, b, id)
}

// vertexKey identifies the source of vertices: where they are read, and in which version of the space.
type vertexKey struct {
	space   uint64
	version int
	at      int64
	stride  int64
	format  components
	read    string // identifies the sources of other attributes
}

// vertexRange locates vertices lo to hi in the vertex pool.
type vertexRange struct {
	lo, hi int64
	place  uint32
}

// A draw is sparse if its indices span more than sparseFactor times as many vertices as it has
// indices, and more than sparseSlack. It then gets only the vertices that it references.
const (
	sparseFactor = 8
	sparseSlack  = 1 << 16
)

// isSparse reports whether a draw is sparse. lo and hi are the lowest and the highest of its indices.
func isSparse(lo, hi int64, indices uint32) bool {
	return hi-lo >= sparseSlack && (hi-lo)/sparseFactor > int64(indices)
}

// vertices returns the place in the pool of a draw's vertices, and their number. `base` is added to the
// draw's indices. It returns the triangles too, since a sparse draw gets indices of its own.
func (r *runner) vertices(d *draw, t triangles, base int64, u *use) (own triangles, at, count uint32) {
	lo, hi := t.lo+base, t.hi+base
	e := d.vertexBytes(lo, hi)
	bytes := r.bytes(e)
	if bytes == nil {
		leaveOut("its vertices are not in the capture")
	}
	if isSparse(lo, hi, t.count) {
		return r.sparse(d, t, bytes, u)
	}
	p := d.position
	key := vertexKey{e.space, r.spaces[e.space].version, p.from.at, p.stride, p.format, u.key}
	r.work(int64(len(r.placed[key])))
	for _, v := range r.placed[key] {
		if v.lo <= lo && hi <= v.hi {
			return t, v.place + uint32(lo-v.lo), uint32(hi - lo + 1)
		}
	}
	n := hi - lo + 1
	place := r.place(n)
	u.fill(r, place, int(n), nil)
	whole := true
	for i := range n {
		v := p.format.position(bytes[i*p.stride:])
		whole = whole && exact.Finite(v[:]...)
		r.scene.Positions = append(r.scene.Positions, v)
	}
	if !whole {
		r.mend(t, place) // the mended vertices are for this draw only
	} else if list := r.placed[key]; len(list) < mostRanges {
		r.placed[key] = append(list, vertexRange{lo, hi, place})
	}
	return t, place, uint32(n)
}

// mostRanges bounds the ranges that are kept for one source of vertices: a draw searches all of them.
const mostRanges = 4096

// place returns where the next n vertices of the pool will be.
func (r *runner) place(n int64) uint32 {
	at := len(r.scene.Positions)
	if int64(at)+n > maxStream {
		refuse("", "more than %d vertices", maxStream)
	}
	// Positions, and a normal for each.
	must.OK(r.budget.Memory(2 * 12 * n))
	r.scene.Positions = slices.Grow(r.scene.Positions, int(n))
	return uint32(at)
}

// mend leaves out a draw that references a position that is not finite. If the draw references none, mend sets these positions to zero.
func (r *runner) mend(t triangles, place uint32) {
	p := r.scene.Positions[place:]
	for _, id := range r.scene.Indices[t.first : t.first+t.count] {
		if !exact.Finite(p[id][:]...) {
			r.drop(place)
		}
	}
	for i := range p {
		if !exact.Finite(p[i][:]...) {
			p[i] = mgl32.Vec3{}
		}
	}
}

// drop removes the vertices of a draw, and leaves out the draw since it references positions that are not finite.
func (r *runner) drop(place uint32) {
	r.scene.Positions = r.scene.Positions[:place]
	leaveOut("positions that are not finite")
}

// sparse gives a draw only the vertices that it references, in buffer order, and indices of its own.
// `bytes` begins with the draw's lowest vertex.
func (r *runner) sparse(d *draw, t triangles, bytes []byte, u *use) (own triangles, at, count uint32) {
	must.OK(r.budget.Memory(3 * 4 * int64(t.count)))
	ids := r.scene.Indices[t.first : t.first+t.count]
	named := slices.Compact(slices.Sorted(slices.Values(ids)))
	place := r.place(int64(len(named)))
	if int64(len(r.scene.Indices))+int64(t.count) > maxStream {
		leaveOut(tooManyIndices)
	}
	u.fill(r, place, len(named), named)
	p := d.position
	for _, id := range named {
		v := p.format.position(bytes[int64(id)*p.stride:])
		if !exact.Finite(v[:]...) {
			r.drop(place)
		}
		r.scene.Positions = append(r.scene.Positions, v)
	}
	own = triangles{first: uint32(len(r.scene.Indices)), count: t.count}
	for _, id := range ids {
		k, _ := slices.BinarySearch(named, id)
		r.scene.Indices = append(r.scene.Indices, uint32(k))
	}
	return own, place, uint32(len(named))
}
