package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format/internal/draco"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// drcReader reads files that hold one mesh, compressed with Draco. If several attributes have the role
// of positions, or of normals, it uses the first one.
var drcReader = Reader{
	Name: "drc", Extensions: []string{".drc"}, Read: drcRead, Bytes: .2,
	Magic: func(b []byte) bool { return bytes.HasPrefix(b, []byte(draco.Magic)) },
}

func drcRead(ctx context.Context, in *Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	data, err := gltfReadBytes(in, in.Size, in.Size)
	if err != nil {
		return nil, in.Failed("", err)
	}
	must.OK(in.Charge(int64(len(data))))
	if in.Size >= 0 { // with .gz or .zst around it, the budget already follows from the unpacked bytes
		in.Budget().Beside((budget.PackedFactor - 1) * in.Size)
	}
	mesh, err := draco.Decode(data, in.Budget())
	must.OK(in.about("", err))
	s = &geometry.Scene{Indices: mesh.Indices}
	counts := map[draco.Role]int{}
	for i := range mesh.Attributes {
		a := &mesh.Attributes[i]
		number := counts[a.Role]
		counts[a.Role]++
		vectors := a.Type == draco.Float32 && a.Components == 3
		switch {
		case a.Role == draco.Position && number == 0 && vectors:
			s.Positions = in.drcVectors(a, mesh.Points)
		case a.Role == draco.Normal && number == 0 && vectors:
			s.Normals = in.drcVectors(a, mesh.Points)
			must.OK(unitNormals(progress.Silent(ctx), s.Normals))
		case in.Attributes || in.looks:
			in.drcAttribute(s, a, number)
		}
	}
	if s.Positions == nil {
		in.fail("", "has no positions of three floats")
	}
	if s.Normals == nil {
		in.chargeNormals(mesh.Points)
	}
	if in.looks {
		s.Look = &geometry.Look{UpV: true}
	}
	s.Draws = []geometry.Draw{wholeDraw(s)}
	return s, nil
}

func (in *Input) drcVectors(a *draco.Attribute, count int) []mgl32.Vec3 {
	must.OK(in.Charge(12 * int64(count)))
	list := make([]mgl32.Vec3, count)
	for k := range list {
		if list[k] = vec3At(a.Data[12*k:]); !exact.Finite(list[k][:]...) {
			in.fail(fmt.Sprintf("attribute %d", a.ID), "element %d is not finite: %v", k, list[k])
		}
	}
	return list
}

// drcAttribute keeps an attribute under the name that glTF would give it, or lists it in Beside if no format fits.
func (in *Input) drcAttribute(s *geometry.Scene, a *draco.Attribute, number int) {
	name := fmt.Sprintf("_%d", a.ID)
	switch a.Role {
	case draco.TexCoord:
		name = fmt.Sprintf("TEXCOORD_%d", number)
	case draco.Color:
		name = fmt.Sprintf("COLOR_%d", number)
	}
	stored := gltfAccessor{ComponentType: gltfInt{n: dracoTypes[a.Type]}, Normalized: a.Normalized || a.Role == draco.Color}
	if a.Components <= 4 {
		stored.Type = []string{"SCALAR", "VEC2", "VEC3", "VEC4"}[a.Components-1]
	}
	format := gltfFormat(name, &stored)
	if format == vertexformat.Undefined {
		s.Beside = append(s.Beside, fmt.Sprintf("attribute %d", a.ID))
		return
	}
	s.Attributes = append(s.Attributes, geometry.Attribute{Name: name, Format: format, Data: a.Data})
}

// KHR_draco_mesh_compression: a primitive's indices and attributes are in a buffer view, and its
// accessors give only the types and counts of the decompressed elements.
// https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Khronos/KHR_draco_mesh_compression
const gltfDraco = "KHR_draco_mesh_compression"

// gltfDracoMesh is the extension of a primitive. Attributes maps names of attributes to their numbers
// in the compressed data.
type gltfDracoMesh struct {
	BufferView gltfInt                    `json:"bufferView"`
	Attributes map[string]json.RawMessage `json:"attributes"`
}

// gltfPacked says where the compressed elements of an accessor are.
type gltfPacked struct {
	view int64
	id   int64 // number of the attribute; -1 for indices
}

// checkDraco notes which of a primitive's indices, positions and normals are compressed. A primitive whose positions
// are in the file uncompressed is read as if it had no extension.
func (d *gltfDocument) checkDraco(p *gltfPrimitive, place string) {
	if p.Extensions.Draco == nil || !p.Attributes.Position.set || d.Accessors[p.Attributes.Position.n].BufferView.set {
		p.Extensions.Draco = nil
		return
	}
	place += " " + gltfDraco
	p.Extensions.Draco.BufferView.refer("bufferView", len(d.BufferViews), place)
	if !p.Indices.set || p.Mode.set && p.Mode.n != gltfTriangles {
		gltfFail(place, "of other primitives than triangles with indices")
	}
	d.pack(p.Indices, gltfPacked{p.Extensions.Draco.BufferView.n, -1}, place)
	d.packAttribute(p, "POSITION", p.Attributes.Position, place)
	d.packAttribute(p, "NORMAL", p.Attributes.Normal, place)
}

// packAttribute records where an attribute's compressed data is, if the attribute is compressed.
func (d *gltfDocument) packAttribute(p *gltfPrimitive, name string, accessor gltfInt, place string) {
	if p.Extensions.Draco == nil || !accessor.set {
		return
	}
	piece, known := p.Extensions.Draco.Attributes[name]
	var id gltfInt
	if known && (id.UnmarshalJSON(piece) != nil || !id.in(math.MaxUint32)) {
		gltfFail(place, "attribute %q is %s, which is not a number of one", CleanName(name), CleanName(string(piece)))
	}
	if known {
		d.pack(accessor, gltfPacked{p.Extensions.Draco.BufferView.n, id.n}, place)
	}
}

func (d *gltfDocument) pack(accessor gltfInt, where gltfPacked, place string) {
	if known, ok := d.packed[int(accessor.n)]; ok && known != where {
		gltfFail(place, "accessor %d is compressed twice", accessor.n)
	} else if ok {
		return
	}
	if d.packed == nil {
		d.packed, d.unpackedBytes = map[int]gltfPacked{}, map[int64]int64{}
	}
	d.packed[int(accessor.n)] = where
	a := &d.Accessors[accessor.n]
	d.unpackedBytes[where.view] = gltfAdd(d.unpackedBytes[where.view], a.Count.n*gltfElementBytes(a.Type, a.ComponentType.n))
}

// dracoMesh decodes a view once and caches it.
func (s *gltfSource) dracoMesh(view int64, place string) *draco.Mesh {
	mesh, ok := s.meshes[view]
	if !ok {
		data := s.view(view)
		s.budget.Beside(min(s.doc.unpackedBytes[view], budget.PackedFactor*int64(len(data))))
		var err error
		mesh, err = draco.Decode(data, s.budget.Budget)
		gltfMust(place+" "+gltfDraco, err)
		s.meshes[view] = mesh
	}
	return mesh
}

// dracoTypes maps Draco's component types to those of accessors.
var dracoTypes = map[draco.Type]int64{
	draco.Int8: gltfByte, draco.Uint8: gltfUnsignedByte, draco.Int16: gltfShort, draco.Uint16: gltfUnsignedShort, draco.Uint32: gltfUnsignedInt, draco.Float32: gltfFloat,
}

// packedElements returns the elements of a compressed accessor.
func (s *gltfSource) packedElements(i int, where gltfPacked) gltfElements {
	a, place := &s.doc.Accessors[i], gltfPlace("accessor", i)
	mesh := s.dracoMesh(where.view, gltfPlace("bufferView", int(where.view)))
	e := gltfElements{count: int(a.Count.n), stride: int(gltfElementBytes(a.Type, a.ComponentType.n))}
	if where.id < 0 {
		if e.count != len(mesh.Indices) {
			gltfFail(place, "count is %d, but %d indices are compressed", e.count, len(mesh.Indices))
		}
		e.data = s.packedIndices(i, mesh, e.stride)
		return e
	}
	for k := range mesh.Attributes {
		p := &mesh.Attributes[k]
		if int64(p.ID) != where.id {
			continue
		}
		if dracoTypes[p.Type] != a.ComponentType.n || int64(p.Components) != gltfVectors[a.Type] || e.count != mesh.Points {
			gltfFail(place, "is %d of %s of type %d, but what is compressed has %d of %d of type %d",
				e.count, a.Type, a.ComponentType.n, mesh.Points, p.Components, dracoTypes[p.Type])
		}
		e.data = p.Data
		return e
	}
	gltfFail(place, "the compressed data has no attribute %d", where.id)
	return e
}

// packedIndices returns a mesh's indices in the accessor's type, and caches them.
func (s *gltfSource) packedIndices(i int, mesh *draco.Mesh, size int) []byte {
	data, ok := s.indexData[i]
	if !ok {
		s.budget.charge(int64(len(mesh.Indices)), int64(size), gltfPlace("accessor", i))
		data = make([]byte, 0, size*len(mesh.Indices))
		for _, id := range mesh.Indices {
			if uint64(id) >= 1<<(8*size) {
				gltfFail(gltfPlace("accessor", i), "index %d does not fit component type %d", id, s.doc.Accessors[i].ComponentType.n)
			}
			data = appendIndex(data, id, size)
		}
		s.indexData[i] = data
	}
	return data
}

// unpackMeshes replaces compressed primitives with uncompressed ones.
func (w *gltfRewrite) unpackMeshes() {
	doc, done := w.source.doc, map[int]bool{}
	for i, mesh := range listOf(w.doc["meshes"]) {
		for k, value := range listOf(treeOf(mesh)["primitives"]) {
			tree, place := treeOf(value), gltfPrimitivePlace(i, k)
			delete(treeOf(tree["extensions"]), gltfDraco)
			dropEmptyExtensions(tree)
			p := &doc.Meshes[i].Primitives[k]
			if p.Extensions.Draco == nil {
				continue
			}
			w.unpackAccessor(int(p.Indices.n), 0, glbIndexData, done)
			attributes := treeOf(tree["attributes"])
			for _, name := range slices.Sorted(maps.Keys(attributes)) {
				if n, ok := numberOf(attributes[name]); ok {
					accessor := gltfInt{int64(n), true}
					accessor.refer("accessor", len(doc.Accessors), place)
					doc.packAttribute(p, name, accessor, place+" "+gltfDraco)
					w.unpackAccessor(n, 4, glbVertexData, done)
				}
			}
		}
	}
}

// unpackAccessor gives a compressed accessor a view of its own, whose elements begin at multiples
// of `align` bytes; if `align` is 0, there are no gaps.
func (w *gltfRewrite) unpackAccessor(accessor, align, target int, done map[int]bool) {
	where, packed := w.source.doc.packed[accessor]
	if !packed || done[accessor] {
		return
	}
	done[accessor] = true
	e := w.source.packedElements(accessor, where)
	data, stride := e.data, 0
	if align > 0 {
		stride = (e.stride + align - 1) / align * align
	}
	if stride > e.stride {
		w.source.budget.charge(int64(e.count), int64(stride), gltfPlace("accessor", accessor))
		data = make([]byte, e.count*stride)
		for k := range e.count {
			copy(data[k*stride:], e.data[k*e.stride:][:e.stride])
		}
	}
	tree := treeOf(listOf(w.doc["accessors"])[accessor])
	delete(tree, "byteOffset")
	tree["bufferView"] = w.addView(data, stride, target)
	if a := &w.source.doc.Accessors[accessor]; a.ComponentType.n == gltfFloat && tree["min"] != nil {
		tree["min"], tree["max"] = floatBounds(e)
	}
}

// floatBounds returns the bounds of float elements. The document's own bounds are those before compression.
func floatBounds(e gltfElements) (lo, hi []float64) {
	for k := range e.count {
		for c := range e.stride / 4 {
			v := float64(math.Float32frombits(binary.LittleEndian.Uint32(e.data[k*e.stride+4*c:])))
			if k == 0 {
				lo, hi = append(lo, v), append(hi, v)
			}
			lo[c], hi[c] = min(lo[c], v), max(hi[c], v)
		}
	}
	return lo, hi
}
