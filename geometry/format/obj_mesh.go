package format

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// objMesh joins blocks, in file order, into the mesh under construction.
type objMesh struct {
	ctx        context.Context
	src        *Input
	lines      int // lines above the block that is being added
	positions  *pool[mgl32.Vec3]
	normals    *pool[mgl32.Vec3]
	texcoords  int64
	keepUVs    bool
	uvs        *pool[mgl32.Vec2] // texcoords, if they are kept
	keepColors bool
	colors     *pool[mgl32.Vec3] // colours of the positions up to the last one that has a colour
	skipped    [objSkips]int
	bare       []bool // by vertex: whether it has no texcoord; nil if every vertex has one
	indices    *triangles

	form  objForm      // form of all corners so far, while verts is nil
	verts *objVertices // nil as long as the file's own numbering is kept

	draws    objDraws
	libs     []string // what mtllib statements name: one or several material files each
	found    []string // material files that can be read, and whole statements of which no file can be read
	absent   []string // statements of which no file can be read, for messages
	segments *pool[objSegment]
}

// objSegment is a part of the index pool that belongs to one draw. The last segment stays open
// until the file ends.
type objSegment struct{ draw, first, end int }

func newObjMesh(ctx context.Context, src *Input) *objMesh {
	return &objMesh{
		ctx: ctx, src: src, draws: objDraws{names: []string{""}, nameNumber: map[string]int{"": 0}, number: map[objOwner]int{}, latest: -1},
		positions: newPool[mgl32.Vec3](src, 0), normals: newPool[mgl32.Vec3](src, 0),
		uvs: newPool[mgl32.Vec2](src, 0), colors: newPool[mgl32.Vec3](src, 0), indices: newTriangles(src, 0), segments: newPool[objSegment](src, 0),
	}
}

func (m *objMesh) add(b *objBlock) {
	base := [3]int64{int64(m.positions.n), m.texcoords, int64(m.normals.n)}
	if len(b.colors) > 0 {
		for m.colors.n < m.positions.n {
			m.colors.add(mgl32.Vec3{1, 1, 1})
		}
		m.colors.addAll(b.colors)
	}
	for k, n := range b.skipped {
		m.skipped[k] += n
	}
	m.positions.addAll(b.positions)
	m.normals.addAll(b.normals)
	m.uvs.addAll(b.uvs)
	m.texcoords += int64(b.texcoords)
	if max(int64(m.positions.n), m.texcoords, int64(m.normals.n)) >= math.MaxInt32 {
		m.src.fail("", "more than %d vertices", math.MaxInt32)
	}
	changes := b.changes
	for i := range b.runs {
		for len(changes) > 0 && changes[0].run <= i {
			m.change(&changes[0])
			changes = changes[1:]
		}
		m.addRun(b, i, &base)
	}
	for i := range changes {
		m.change(&changes[i])
	}
	if b.bad != nil {
		m.src.fail(m.line(b, b.bad.at), "%s", b.bad.cause)
	}
	m.lines += bytes.Count(b.text, []byte{'\n'})
}

func (m *objMesh) line(b *objBlock, at int) string {
	return line(m.lines + bytes.Count(b.text[:at], []byte{'\n'}) + 1)
}

func (m *objMesh) change(c *objChange) {
	if c.kind == 'm' {
		if name := string(c.name); len(m.libs) < objMostLibraries && !slices.Contains(m.libs, name) {
			m.libs = append(m.libs, name)
		}
		return
	}
	m.draws.change(m.src, c.kind, c.name)
}

// addRun adds the faces of run i.
func (m *objMesh) addRun(b *objBlock, i int, base *[3]int64) {
	m.startSegment(m.draws.current(m.src))
	r := &b.runs[i]
	if m.indices.n == 0 && m.verts == nil {
		m.form = r.form
	}
	if m.verts == nil && r.form != m.form {
		m.startVertices()
	}
	stride := int32(r.form.stride())
	indices := b.indices[r.first : r.first+r.faces*r.corners*stride]
	done := int32(0)
	if r.form == 0 && r.corners == 3 && m.verts == nil {
		done = m.addTriangles(indices, uint32(base[0])+uint32(r.above[0]))
	}
	for face := done; face < r.faces; face++ {
		if cause := m.addFace(r, indices[face*r.corners*stride:][:r.corners*stride], base); cause != "" {
			m.src.fail(m.line(b, b.faceAt(i, face)), "%s", cause)
		}
	}
}

// startSegment starts a new segment unless the latest one belongs to the same draw.
func (m *objMesh) startSegment(draw int) {
	if n := m.segments.n; n > 0 {
		latest := m.segments.at(uint32(n - 1))
		if latest.draw == draw {
			return
		}
		latest.end = m.indices.n
	}
	m.segments.add(objSegment{draw: draw, first: m.indices.n})
}

// addTriangles copies the indices of plain triangles up to the first triangle with an index of
// `limit` or more, and returns how many triangles it copied. Relative indices always stop it: as
// unsigned numbers they are large.
func (m *objMesh) addTriangles(indices []int32, limit uint32) (done int32) {
	for len(indices) > 0 {
		dst := m.indices.extend(len(indices))
		part := indices[:len(dst)]
		for k := 0; k+2 < len(dst); k += 3 {
			x, y, z := uint32(part[k]), uint32(part[k+1]), uint32(part[k+2])
			if x >= limit || y >= limit || z >= limit {
				m.indices.cut(len(dst) - k)
				return done
			}
			dst[k], dst[k+1], dst[k+2] = x, y, z
			done++
		}
		indices = indices[len(dst):]
	}
	return done
}

// objNone stands for an index that a corner lacks.
const objNone = math.MaxUint32

// addFace adds one face, or returns what is wrong with it.
func (m *objMesh) addFace(r *objRun, indices []int32, base *[3]int64) (cause string) {
	m.indices.begin()
	for len(indices) > 0 {
		key := [3]uint32{objNone, objNone, objNone}
		same := true
		for k := range key {
			if k > 0 && r.form&(1<<(k-1)) == 0 {
				continue
			}
			v := int64(indices[0])
			if v < 0 {
				v += base[k] - objRelative
			}
			if count := base[k] + int64(r.above[k]); v < 0 || v >= count {
				what := [3]string{"vertex", "texcoord", "normal"}[k]
				return fmt.Sprintf("face names %s %d, but %d stand above it", what, v+1, count)
			}
			key[k] = uint32(v)
			same = same && key[k] == key[0]
			indices = indices[1:]
		}
		if m.verts == nil && !same {
			m.startVertices()
		}
		id := key[0]
		if m.verts != nil {
			// startVertices has also renumbered the corners of this polygon.
			id = m.verts.id(key, m.positions.n)
		}
		m.indices.fan(id)
	}
	return ""
}

// startVertices stops using the file's own numbering: all corners so far become triples, and are
// numbered by first use.
func (m *objMesh) startVertices() {
	m.verts = &objVertices{src: m.src, heads: newPool[uint32](m.src, 0), entries: newPool[objVertex](m.src, 0), crowded: map[[3]uint32]uint32{}}
	number := func(id *uint32) {
		key := [3]uint32{*id, objNone, objNone}
		for k := 1; k < 3; k++ {
			if m.form&(1<<(k-1)) != 0 {
				key[k] = *id
			}
		}
		*id = m.verts.id(key, m.positions.n)
	}
	for _, slab := range m.indices.slabs {
		for i := range slab {
			number(&slab[i])
		}
	}
	if m.indices.corners > 0 {
		number(&m.indices.a)
	}
	if m.indices.corners > 1 {
		number(&m.indices.b)
	}
}

// faceAt finds where face k of run i begins in the text. The parser does not store it, since only
// errors need it.
func (b *objBlock) faceAt(i int, k int32) int {
	for _, r := range b.runs[:i] {
		k += r.faces
	}
	s := b.text
	for at := 0; at+1 < len(s); {
		switch {
		case blank(s[at]):
			at++
			continue
		case s[at] == 'f' && blank(s[at+1]):
			if k == 0 {
				return at
			}
			k--
		}
		at = skipStatement(s, at)
	}
	return 0
}

// objVertices numbers triples of position, texcoord and normal index by first use.
type objVertices struct {
	src     *Input
	heads   *pool[uint32] // by position: 1 + its latest vertex, or 0
	entries *pool[objVertex]
	// crowded maps triples to vertices for positions that already have objChain vertices: a position
	// with a million normals must not take a million steps.
	crowded map[[3]uint32]uint32
}

type objVertex struct {
	key  [3]uint32
	next uint32 // 1 + the previous vertex of this position, or 0
}

const objChain = 8

// id returns the number of a triple; `positions` is the number of positions read so far.
func (v *objVertices) id(key [3]uint32, positions int) uint32 {
	for v.heads.n < positions {
		v.heads.extend(positions - v.heads.n)
	}
	head := v.heads.at(key[0])
	length := 0
	for at := *head; at != 0; length++ {
		e := v.entries.at(at - 1)
		if e.key == key {
			return at - 1
		}
		at = e.next
	}
	if length == objChain {
		if id, ok := v.crowded[key]; ok {
			return id
		}
		must.OK(v.src.Charge(96)) // bytes of a map entry, including the map's growth
	}
	id := uint32(v.entries.n)
	v.entries.add(objVertex{key, *head})
	if length == objChain {
		v.crowded[key] = id
	} else {
		*head = id + 1
	}
	return id
}
