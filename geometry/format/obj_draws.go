package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// objOwner identifies a draw by its group and its material, as numbers of their names in
// objDraws.names.
type objOwner struct{ group, material int }

// objDraws lists the draws in order of first appearance.
type objDraws struct {
	names      []string
	nameNumber map[string]int
	owners     []objOwner
	number     map[objOwner]int
	next       objOwner // group and material of the faces that follow
	latest     int      // draw of the latest face, or -1 if it must be looked up
}

// Bytes of memory that a draw and a name take, including their entries in tables.
const (
	objDrawBytes = 384
	objNameBytes = 128
)

func (d *objDraws) change(src *Input, kind byte, name []byte) {
	number, known := d.nameNumber[string(name)]
	if !known {
		must.OK(src.Charge(objNameBytes + int64(len(name))))
		number = len(d.names)
		d.names = append(d.names, string(name))
		d.nameNumber[d.names[number]] = number
	}
	to := &d.next.group
	if kind == 'u' {
		to = &d.next.material
	}
	if *to != number {
		*to, d.latest = number, -1
	}
}

// current returns the draw of the faces that follow.
func (d *objDraws) current(src *Input) int {
	if d.latest >= 0 {
		return d.latest
	}
	n, known := d.number[d.next]
	if !known {
		must.OK(src.Charge(objDrawBytes))
		n = len(d.owners)
		d.owners = append(d.owners, d.next)
		d.number[d.next] = n
	}
	d.latest = n
	return n
}

// objCollectBytes is the least size of the index pool, in bytes, for which a garbage collection
// between two stages is worth its few milliseconds.
const objCollectBytes = 16 << 20

// scene makes the scene from the blocks that were added.
func (m *objMesh) scene(in *Input) *geometry.Scene {
	if m.indices.n == 0 {
		m.src.fail("", "no faces")
	}
	s := m.pools()
	if s.Draws = []geometry.Draw{wholeDraw(s)}; len(m.draws.owners) > 1 {
		m.split(s)
	}
	if m.texcoords > 0 && !m.keepUVs {
		s.Beside = append(s.Beside, "texture coordinates")
	}
	for k, n := range m.skipped {
		if n > 0 {
			s.Beside = append(s.Beside, fmt.Sprintf("%s (%d)", objSkipped[k].what, n))
		}
	}
	materials := m.readLibraries(in)
	for i, owner := range m.draws.owners {
		d := &s.Draws[i]
		group, material := m.draws.names[owner.group], m.draws.names[owner.material]
		if d.Name = group; d.Name == "" {
			d.Name = material
		}
		d.Color = geometry.DefaultColor
		if x := materials[material]; x != nil && x.colored {
			d.Color = x.color
		}
	}
	if in.Textures && !in.shape {
		if len(m.absent) > 0 {
			s.Skipped = append(s.Skipped, m.lostMaterials())
		}
		m.applyTextures(in, s, materials)
	}
	if in.looks && !in.shape {
		m.applyLook(in, s, materials)
	}
	return s
}

// pools makes the scene's pools, with the indices in file order.
func (m *objMesh) pools() *geometry.Scene {
	if m.verts != nil {
		return m.vertexPools()
	}
	s := oneDraw(m.positions, nil, m.indices.pool)
	if m.keepUVs && m.form&objTexcoord != 0 {
		m.addUVs(s, func(v int) uint32 { return uint32(v) })
	}
	m.addColors(s, func(v int) uint32 { return uint32(v) })
	if m.form&objNormal == 0 {
		m.src.chargeNormals(len(s.Positions))
		return s
	}
	s.Normals = m.normals.take()
	if short := len(s.Positions) - len(s.Normals); short > 0 {
		// Only unreferenced vertices can lack normals.
		m.src.chargeNormals(len(s.Positions))
		s.Normals = append(slices.Grow(s.Normals, short), make([]mgl32.Vec3, short)...)
	}
	s.Normals = s.Normals[:len(s.Positions)]
	return s
}

// vertexPools makes the pools if vertices are triples of indices.
func (m *objMesh) vertexPools() *geometry.Scene {
	n := m.verts.entries.n
	must.OK(m.src.Charge(2 * 12 * int64(n)))
	m.verts.heads, m.verts.crowded = nil, nil
	s := &geometry.Scene{Indices: m.indices.take()}
	if s.Bytes() > objCollectBytes {
		// Slabs and tables are free now, but too scattered to be reused for the large slices that
		// come next.
		debug.FreeOSMemory()
	}
	s.Positions = make([]mgl32.Vec3, n)
	missing := false
	quiet := progress.Silent(m.ctx)
	meter := progress.NewMeter(quiet, n)
	for i := range s.Positions {
		must.OK(meter.At(i))
		key := &m.verts.entries.at(uint32(i)).key
		s.Positions[i] = *m.positions.at(key[0])
		missing = missing || key[2] == objNone
	}
	m.positions = nil
	if missing {
		// Some vertices have no normal in the file, or none has: make normals for all, then put the file's normals in
		// place of the made ones.
		s.Draws = []geometry.Draw{wholeDraw(s)}
		must.OK(s.MakeNormals(quiet))
		s.NormalsMade = m.normals.n == 0
	} else {
		s.Normals = make([]mgl32.Vec3, n)
	}
	meter = progress.NewMeter(quiet, n)
	for i := range s.Normals {
		must.OK(meter.At(i))
		if normal := m.verts.entries.at(uint32(i)).key[2]; normal != objNone {
			s.Normals[i] = *m.normals.at(normal)
		}
	}
	if m.keepUVs && m.texcoords > 0 {
		m.addUVs(s, func(v int) uint32 { return m.verts.entries.at(uint32(v)).key[1] })
	}
	m.addColors(s, func(v int) uint32 { return m.verts.entries.at(uint32(v)).key[0] })
	m.normals, m.verts = nil, nil
	return s
}

// split gives every draw its own part of the index pool and its own vertices.
func (m *objMesh) split(s *geometry.Scene) {
	must.OK(m.src.Charge(4 * int64(len(s.Positions)+len(s.Indices))))
	segments := m.segments.take()
	segments[len(segments)-1].end = len(s.Indices)
	slices.SortStableFunc(segments, func(a, b objSegment) int { return a.draw - b.draw })
	var (
		indices  = make([]uint32, 0, len(s.Indices))
		local    = make([]uint32, len(s.Positions)) // by old vertex: 1 + its position in `from`
		from     = newPool[uint32](m.src, 0)        // the old vertices of all draws, one draw after another
		draws    = make([]geometry.Draw, len(m.draws.owners))
		previous = -1
		meter    = progress.NewMeter(progress.Silent(m.ctx), len(s.Indices))
	)
	for _, segment := range segments {
		d := &draws[segment.draw]
		if segment.draw != previous {
			previous = segment.draw
			d.FirstIndex, d.VertexOffset, d.Transform = uint32(len(indices)), uint32(from.n), mgl32.Ident4()
		}
		for _, id := range s.Indices[segment.first:segment.end] {
			must.OK(meter.At(len(indices)))
			// A number that an earlier draw has set is at most this draw's VertexOffset.
			if local[id] <= d.VertexOffset {
				from.add(id)
				local[id] = uint32(from.n)
			}
			indices = append(indices, local[id]-1-d.VertexOffset)
		}
		d.IndexCount = uint32(len(indices)) - d.FirstIndex
		d.VertexCount = uint32(from.n) - d.VertexOffset
	}
	s.Indices, s.Draws = indices, draws
	m.gather(s, from.take())
}

// gather makes vertex i of the scene a copy of the old vertex from[i].
func (m *objMesh) gather(s *geometry.Scene, from []uint32) {
	pools := []*[]mgl32.Vec3{&s.Positions}
	if len(s.Normals) > 0 {
		pools = append(pools, &s.Normals)
	}
	must.OK(m.src.Charge(12 * int64(len(from)*len(pools))))
	for _, p := range pools {
		moved := make([]mgl32.Vec3, len(from))
		must.OK(progress.Each(progress.Silent(m.ctx), len(from), func(first, end int) {
			for i, id := range from[first:end] {
				moved[first+i] = (*p)[id]
			}
		}))
		*p = moved
	}
	for k := range s.Attributes {
		a := &s.Attributes[k]
		size := a.Format.Size()
		must.OK(m.src.Charge(int64(size) * int64(len(from))))
		moved, missing := make([]byte, 0, size*len(from)), 0
		for _, id := range from {
			moved = append(moved, a.Element(int(id))...)
			if a.Missing > 0 && m.bare[id] {
				missing++
			}
		}
		a.Data, a.Missing = moved, missing
	}
}

// addUVs adds the texcoords of the scene's vertices. `of` returns the number of a vertex's
// texcoord; a texcoord that the file lacks counts as missing.
func (m *objMesh) addUVs(s *geometry.Scene, of func(vertex int) uint32) {
	a := geometry.Attribute{Name: "TEXCOORD_0", Format: vertexformat.R32G32_SFLOAT}
	must.OK(m.src.Charge(8 * int64(len(s.Positions))))
	a.Data = make([]byte, 0, 8*len(s.Positions))
	for v := range s.Positions {
		var uv mgl32.Vec2
		if n := of(v); int64(n) < int64(m.uvs.n) {
			uv = *m.uvs.at(n)
		} else {
			if a.Missing++; m.bare == nil {
				must.OK(m.src.Charge(int64(len(s.Positions))))
				m.bare = make([]bool, len(s.Positions))
			}
			m.bare[v] = true
		}
		a.Data = appendFloats(a.Data, uv[:]...)
	}
	m.uvs = nil
	s.Attributes = append(s.Attributes, a)
}

// addColors adds the colours of the scene's vertices, if the file has any. `of` returns the number
// of a vertex's position. Vertices without a colour become white.
func (m *objMesh) addColors(s *geometry.Scene, of func(vertex int) uint32) {
	if m.colors.n == 0 {
		return
	}
	a := geometry.Attribute{Name: "COLOR_0", Format: vertexformat.R32G32B32_SFLOAT}
	must.OK(m.src.Charge(12 * int64(len(s.Positions))))
	a.Data = make([]byte, 0, 12*len(s.Positions))
	for v := range s.Positions {
		c := mgl32.Vec3{1, 1, 1}
		if n := of(v); int64(n) < int64(m.colors.n) {
			c = *m.colors.at(n)
		}
		a.Data = appendFloats(a.Data, c[:]...)
	}
	m.colors = nil
	s.Attributes = append(s.Attributes, a)
}

const (
	objMostLibraries    = 16
	objMostLibraryBytes = 4 << 20 // for all libraries together
)

// readLibraries returns the materials in the files that mtllib names. Errors there only cost
// colours and textures: the mesh is complete without them.
func (m *objMesh) readLibraries(in *Input) map[string]*mtlMaterial {
	materials := map[string]*mtlMaterial{}
	left := int64(objMostLibraryBytes)
	for _, statement := range m.libs {
		// One statement may name several files, or one file with blanks in its name.
		if readLibrary(in, statement, &left, materials) {
			m.found = append(m.found, statement)
			continue
		}
		found := len(m.found)
		for i, name := range strings.Fields(statement) {
			if i == objMostLibraries {
				break
			}
			if readLibrary(in, name, &left, materials) {
				m.found = append(m.found, name)
			}
		}
		if len(m.found) == found {
			m.found, m.absent = append(m.found, statement), append(m.absent, CleanName(statement))
		}
	}
	return materials
}

func readLibrary(in *Input, name string, left *int64, materials map[string]*mtlMaterial) bool {
	if in.Sibling == nil {
		return false
	}
	file, size, err := in.Sibling(filepath.FromSlash(strings.ReplaceAll(name, `\`, "/")))
	if err != nil {
		return false
	}
	defer file.Close()
	if size > *left {
		return false
	}
	*left -= size
	lines := bufio.NewScanner(textLines(io.LimitReader(file, size)))
	var material *mtlMaterial
	for lines.Scan() {
		word, rest := cutToken(lines.Bytes())
		switch word := string(word); {
		case word == "newmtl":
			name := string(bytes.TrimSpace(rest))
			if material = materials[name]; material == nil {
				material = &mtlMaterial{}
				materials[name] = material
			}
		case material == nil:
		case word == "Kd":
			if color, ok := mtlColor(rest); ok {
				material.color, material.colored = color, true
			}
		case word == "map_Kd":
			material.base = newMtlMap(rest)
		case word == "map_d":
			material.alpha = newMtlMap(rest)
		}
	}
	return true
}

// mtlColor parses "r g b" or, for grey, "r"; spectral curves and other colour spaces are not
// supported.
func mtlColor(s []byte) (mgl32.Vec4, bool) {
	color := mgl32.Vec4{0, 0, 0, 1}
	for k := range 3 {
		word, rest := cutToken(s)
		if len(word) == 0 && k == 1 {
			color[1], color[2] = color[0], color[0]
			return color, true
		}
		f, end, ok := scanFloat(word, 0)
		if !ok || end != len(word) {
			return color, false
		}
		color[k], s = min(max(f, 0), 1), rest
	}
	return color, true
}
