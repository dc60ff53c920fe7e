package renderdoc

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// indexKey is everything that a draw's triangles depend on except its vertices. Draws with equal
// keys share their indices, since passes draw the same meshes again.
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

// one does one draw, of at least one instance and three corners. number is its place in its call,
// or -1 if it is the only one.
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

// rebase subtracts the lowest index from all.
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
