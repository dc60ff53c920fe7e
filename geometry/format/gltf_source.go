package format

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"path/filepath"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format/internal/draco"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// gltfSource reads the document's buffers. A buffer is opened when an accessor first needs it, so
// buffers of animations are read only on request.
type gltfSource struct {
	ctx       context.Context
	in        *Input
	doc       *gltfDocument
	bin       []byte // the BIN chunk of a GLB
	budget    gltfBudget
	buffers   map[int64][]byte
	views     map[int64][]byte      // contents of compressed views that have been unpacked
	meshes    map[int64]*draco.Mesh // decoded Draco meshes, by view
	indexData map[int][]byte        // decoded indices, by compressed accessor
	files     map[string][]byte     // contents of the files beside the document
	lengths   map[string]int64      // by file beside the document: how many of its bytes are needed
	sum       int64                 // sum of `lengths`, in bytes
	done      float64               // share of `sum` that has been read
}

func newGLTFSource(ctx context.Context, in *Input, doc *gltfDocument, bin []byte, budget gltfBudget) *gltfSource {
	s := &gltfSource{
		ctx: ctx, in: in, doc: doc, bin: bin, budget: budget,
		buffers: map[int64][]byte{}, views: map[int64][]byte{}, meshes: map[int64]*draco.Mesh{}, indexData: map[int][]byte{}, files: map[string][]byte{}, lengths: map[string]int64{},
	}
	for i := range doc.Buffers {
		if b := &doc.Buffers[i]; b.URI.path != "" {
			name := filepath.Clean(b.URI.path)
			s.lengths[name] = max(s.lengths[name], b.ByteLength.n)
		}
	}
	for _, n := range s.lengths {
		s.sum += n
	}
	return s
}

// buffer returns all byteLength bytes of buffer i.
func (s *gltfSource) buffer(i int64) []byte {
	if data, ok := s.buffers[i]; ok {
		return data
	}
	b := &s.doc.Buffers[i]
	place := gltfPlace("buffer", int(i))
	data := b.URI.data
	switch {
	case b.URI.path != "":
		data = s.beside(filepath.Clean(b.URI.path), place)
	case !b.URI.set && i == 0 && s.bin != nil:
		data = s.bin
	case !b.URI.set:
		gltfFail(place, "has no data: neither a URI nor a BIN chunk")
	}
	// The data may be longer: the BIN chunk is padded.
	if int64(len(data)) < b.ByteLength.n {
		gltfFail(place, "byteLength is %d, but its data has %d bytes", b.ByteLength.n, len(data))
	}
	s.buffers[i] = data[:b.ByteLength.n]
	return s.buffers[i]
}

// beside returns the bytes of a file beside the document, up to the end of the longest buffer in it, or
// the whole file if it is shorter. A file that several buffers refer to is read once.
func (s *gltfSource) beside(name, place string) []byte {
	if data, ok := s.files[name]; ok {
		return data
	}
	if s.in.Sibling == nil {
		gltfFail(place, "refers to the file %q, which cannot be reached from here", CleanName(name))
	}
	file, size, err := s.in.Sibling(name)
	gltfMust(place, err)
	defer file.Close()
	length, from := s.lengths[name], s.done
	s.done += float64(length) / float64(max(s.sum, 1))
	part := progress.Part(s.ctx, gltfBytes*from, gltfBytes*s.done)
	s.budget.Beside(min(length, size))
	s.budget.charge(min(length, size), 1, place)
	data, err := gltfReadBytes(newMetered(part, file, length), length, size)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		gltfMust(place, err)
	}
	s.files[name] = data
	return data
}

// view returns the bytes of buffer view i, unpacked if they are compressed.
func (s *gltfSource) view(i int64) []byte {
	v := &s.doc.BufferViews[i]
	if v.Extensions.Meshopt != nil {
		return s.unpackedView(i)
	}
	return s.buffer(v.Buffer.n)[v.ByteOffset.n:][:v.ByteLength.n]
}

// unpackedView unpacks compressed view i once and caches it.
func (s *gltfSource) unpackedView(i int64) []byte {
	if data, ok := s.views[i]; ok {
		return data
	}
	v := &s.doc.BufferViews[i]
	m := v.Extensions.Meshopt
	place := gltfPlace("bufferView", int(i)) + " EXT_meshopt_compression"
	packed := s.buffer(m.Buffer.n)[m.ByteOffset.n:][:m.ByteLength.n]
	s.budget.Beside(min(v.ByteLength.n, budget.PackedFactor*m.ByteLength.n))
	s.budget.charge(v.ByteLength.n, 1, place)
	data := make([]byte, v.ByteLength.n)
	ctx, stride := progress.Silent(s.ctx), int(m.ByteStride.n)
	var err error
	switch m.Mode {
	case meshoptAttributes:
		err = meshoptUnpackAttributes(ctx, data, stride, packed)
	case meshoptTriangles:
		err = meshoptUnpackTriangles(ctx, data, stride, packed)
	case meshoptIndices:
		err = meshoptUnpackIndices(ctx, data, stride, packed)
	}
	gltfMust(place, err)
	gltfMust(place, meshoptFilter(ctx, data, stride, m.Filter))
	s.views[i] = data
	return data
}

// gltfElements is an array of count elements; element k begins at data[k*stride]. If no view holds them, stride
// is 0 and data one element of zeros.
type gltfElements struct {
	data   []byte
	stride int
	count  int
}

// elements returns the elements of accessor i, without its sparse part.
func (s *gltfSource) elements(i int) gltfElements {
	if where, packed := s.doc.packed[i]; packed {
		return s.packedElements(i, where)
	}
	a := &s.doc.Accessors[i]
	size := gltfElementBytes(a.Type, a.ComponentType.n)
	if !a.BufferView.set {
		return gltfElements{make([]byte, size), 0, int(a.Count.n)}
	}
	return gltfElements{s.view(a.BufferView.n)[a.ByteOffset.n:], int(s.doc.BufferViews[a.BufferView.n].ByteStride.or(size)), int(a.Count.n)}
}

// each calls `set` for every element of accessor i, with the element's number and bytes, and then for those that the sparse
// part replaces.
func (s *gltfSource) each(ctx context.Context, i int, set func(k int, element []byte)) {
	e := s.elements(i)
	must.OK(progress.Each(ctx, e.count, func(from, to int) {
		for k := from; k < to; k++ {
			set(k, e.data[k*e.stride:])
		}
	}))
	s.sparse(i, set)
}

// open reads the buffers that accessor i needs; none if i is negative.
func (s *gltfSource) open(i int) {
	if i < 0 {
		return
	}
	a := &s.doc.Accessors[i]
	views := []gltfInt{a.BufferView}
	if _, packed := s.doc.packed[i]; packed {
		s.elements(i)
		views = nil
	}
	if a.Sparse != nil {
		views = append(views, a.Sparse.Indices.BufferView, a.Sparse.Values.BufferView)
	}
	for _, v := range views {
		if v.set {
			s.view(v.n)
		}
	}
}

// sparse calls `set` for every element that the sparse part of accessor i replaces, with the
// element's number and new bytes. Indices must increase, as the specification requires.
func (s *gltfSource) sparse(i int, set func(k int, value []byte)) {
	a := &s.doc.Accessors[i]
	if a.Sparse == nil {
		return
	}
	place := gltfPlace("accessor", i) + " sparse"
	indices := s.view(a.Sparse.Indices.BufferView.n)[a.Sparse.Indices.ByteOffset.n:]
	values := s.view(a.Sparse.Values.BufferView.n)[a.Sparse.Values.ByteOffset.n:]
	component := a.Sparse.Indices.ComponentType.n
	width, size := int(gltfComponentBytes[component]), int(gltfElementBytes(a.Type, a.ComponentType.n))
	last := int64(-1)
	for k := range int(a.Sparse.Count.n) {
		id := int64(gltfIndex(indices[k*width:], component))
		if id <= last || id >= a.Count.n {
			gltfFail(place, "index %d is %d: must be above the previous one, %d, and below %d", k, id, last, a.Count.n)
		}
		set(int(id), values[k*size:][:size])
		last = id
	}
}

// GLTFExtension reads what one program writes into its glTF documents besides geometry. It is called
// after the document is checked and before its buffers are read. It returns nil for documents of
// other programs. Otherwise the reader calls `finish` with the scene; `finish` may change the scene.
type GLTFExtension func(doc *GLTF) (finish func(ctx context.Context, scene *geometry.Scene) error, err error)

// GLTF is a glTF document as an extension sees it.
type GLTF struct {
	text   []byte
	plan   *gltfPlan
	source *gltfSource
}

// GLTFDraw says from which primitive of the document one of the scene's draws was made.
type GLTFDraw struct {
	Name            string // name of the node, or of the mesh if the node has none
	Mesh, Primitive int
}

// Place describes the draw's primitive in errors.
func (d GLTFDraw) Place() string { return gltfPrimitivePlace(d.Mesh, d.Primitive) }

// Pass returns Input.Pass.
func (d *GLTF) Pass() string { return d.source.in.Pass }

// Text returns the document's JSON. Do not change it.
func (g *GLTF) Text() []byte { return g.text }

// Decode decodes members of the document, each into the pointer that the map has under its name,
// and charges the memory to the budget. Lists that may be long must be of type GLTFList.
func (g *GLTF) Decode(members map[string]any) (err error) {
	defer must.Catch(&err)
	gltfUnmarshal(g.text, g.source.budget, members)
	return nil
}

// Draws lists the primitives from which the scene's draws are made, in the order of the draws.
func (g *GLTF) Draws() (draws []GLTFDraw, err error) {
	defer must.Catch(&err)
	const drawBytes = 32
	g.source.budget.charge(g.plan.drawCount, drawBytes, "draws")
	draws = make([]GLTFDraw, 0, g.plan.drawCount)
	for _, inst := range g.plan.instances {
		for _, part := range g.plan.partsOf(&inst) {
			draws = append(draws, GLTFDraw{Name: inst.drawName(), Mesh: inst.mesh, Primitive: part.number})
		}
	}
	return draws, nil
}

// Charge charges the budget for `count` elements of `size` bytes that are about to be allocated. It
// fails, with an error about `place`, if the budget is exceeded.
func (g *GLTF) Charge(count, size int64, place string) (err error) {
	defer must.Catch(&err)
	g.source.budget.charge(count, size, place)
	return nil
}

// Work charges the budget for `steps` of work that are about to be done, each of about a nanosecond.
// It fails, with an error about `place`, if the budget is exceeded or the context of Open ends.
func (g *GLTF) Work(steps int64, place string) (err error) {
	defer must.Catch(&err)
	gltfMust(place, g.source.budget.Work(steps))
	return nil
}

// Bad returns an error about the document.
func (g *GLTF) Bad(place, cause string, args ...any) error { return gltfBad(place, cause, args...) }

// GLTFAccessor describes an array of the document.
type GLTFAccessor struct {
	Type          string // such as "VEC4"
	ComponentType int64  // as glTF numbers the types: 5126 for float
	Count         int64  // number of elements
	Sparse        bool
}

// Accessors lists the arrays of the document.
func (g *GLTF) Accessors() []GLTFAccessor {
	list := make([]GLTFAccessor, len(g.plan.doc.Accessors))
	for i := range list {
		a := &g.plan.doc.Accessors[i]
		list[i] = GLTFAccessor{a.Type, a.ComponentType.n, a.Count.n, a.Sparse != nil}
	}
	return list
}

// Vec4 reads the elements of an accessor. They must be vectors of four floats, and the accessor must
// not be sparse. Vec4 fails if a value is not finite.
func (g *GLTF) Vec4(accessor int) (out [][4]float32, err error) {
	defer must.Catch(&err)
	s, place := g.source, gltfPlace("accessor", accessor)
	count := s.doc.Accessors[accessor].Count.n
	s.budget.charge(count, 16, place)
	defer s.budget.Free(16 * count)
	out = make([][4]float32, count)
	s.each(progress.Silent(s.ctx), accessor, func(k int, p []byte) {
		for c := range out[k] {
			out[k][c] = math.Float32frombits(binary.LittleEndian.Uint32(p[4*c:]))
		}
		if !exact.Finite(out[k][:]...) {
			gltfFail(place, "element %d is not finite: %v", k, out[k])
		}
	})
	return out, nil
}
