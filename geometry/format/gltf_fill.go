package format

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// fill reads every range of the plan into the pools of a scene.
func (p *gltfPlan) fill(ctx context.Context, s *gltfSource) *geometry.Scene {
	scene := &geometry.Scene{Positions: make([]mgl32.Vec3, p.vertexCount), Indices: make([]uint32, p.indexCount), Draws: p.draws()}
	highest := make(map[int64]uint32, len(p.indices)) // the highest index of each range, by the position of the range's first index in the pool
	for i := range p.indices {
		r := &p.indices[i]
		part := progress.Part(ctx, .4*float64(r.first)/float64(p.indexCount), .4*float64(r.first+r.count)/float64(p.indexCount))
		highest[r.first] = r.fill(part, s, scene.Indices[r.first:][:r.count])
	}
	for i := range scene.Draws {
		draw := &scene.Draws[i]
		if top := highest[int64(draw.FirstIndex)]; top >= draw.VertexCount {
			at := slices.IndexFunc(p.indices, func(r gltfIndexRange) bool { return r.first == int64(draw.FirstIndex) })
			gltfFail(p.indices[at].place, "an index is %d, but there are %d vertices", top, draw.VertexCount)
		}
	}
	if p.hasNormals {
		scene.Normals = make([]mgl32.Vec3, p.vertexCount)
	}
	bare := map[uint32]bool{}
	for i := range p.vertices {
		r := &p.vertices[i]
		part := progress.Part(ctx, .4+.4*float64(r.first)/float64(p.vertexCount), .4+.4*float64(r.first+r.count)/float64(p.vertexCount))
		s.vec3(progress.Part(part, 0, .5), r.position, scene.Positions[r.first:][:r.count])
		if r.normal < 0 {
			bare[uint32(r.first)] = true
			continue
		}
		normals := scene.Normals[r.first:][:r.count]
		s.vec3(progress.Part(part, .5, 1), r.normal, normals)
		must.OK(unitNormals(progress.Silent(ctx), normals))
	}
	if p.hasFurther {
		scene.Attributes = p.attributes(s)
	}
	if p.hasNormals && len(bare) > 0 {
		must.OK(scene.MakeNormalsOf(progress.Part(ctx, .8, 1), func(d *geometry.Draw) bool { return bare[d.VertexOffset] }))
	}
	return scene
}

// fill reads the indices of a range as a triangle list into dst, and returns the highest one. It
// fails on the largest value of the component type. Such an index would restart the primitive, which
// the specification forbids in every mode.
func (r *gltfIndexRange) fill(ctx context.Context, s *gltfSource, dst []uint32) (highest uint32) {
	// A strip of n >= 3 indices becomes 3(n-2) >= n list indices. If it is read into the end of dst,
	// it can be unrolled in place: writes never overtake reads.
	raw := dst[int64(len(dst))-r.source:]
	if r.accessor < 0 {
		for k := range raw {
			raw[k] = uint32(k)
		}
	} else {
		s.indices(ctx, r.accessor, raw)
	}
	for _, id := range raw {
		highest = max(highest, id)
	}
	if r.accessor >= 0 {
		component := s.doc.Accessors[r.accessor].ComponentType.n
		if restart := uint32(1<<(8*gltfComponentBytes[component]) - 1); highest == restart {
			gltfFail(r.place, "index %d restarts the primitive, which glTF does not allow", restart)
		}
	}
	if r.mode == gltfTriangles {
		return highest
	}
	hub := raw[0]
	for t := range len(dst) / 3 {
		a, b, c := raw[t], raw[t+1], raw[t+2]
		switch {
		case r.mode == gltfTriangleFan:
			a, b, c = b, c, hub
		case t%2 == 1:
			b, c = c, b
		}
		dst[3*t], dst[3*t+1], dst[3*t+2] = a, b, c
	}
	return highest
}

// indices reads the first len(dst) indices of accessor i.
func (s *gltfSource) indices(ctx context.Context, i int, dst []uint32) {
	e := s.elements(i)
	component := s.doc.Accessors[i].ComponentType.n
	if e.stride > 0 { // without a view all indices are zero, as dst is
		must.OK(progress.Each(ctx, len(dst), func(from, to int) {
			gltfIndices(dst[from:to], e.data[from*int(gltfComponentBytes[component]):], component)
		}))
	}
	s.sparse(i, func(k int, value []byte) {
		if k < len(dst) {
			dst[k] = gltfIndex(value, component)
		}
	})
}

// gltfIndices reads tightly packed unsigned integers.
func gltfIndices(dst []uint32, data []byte, component int64) {
	switch component {
	case gltfUnsignedByte:
		for k, v := range data[:len(dst)] {
			dst[k] = uint32(v)
		}
	case gltfUnsignedShort:
		for k := range dst {
			dst[k] = uint32(binary.LittleEndian.Uint16(data[2*k:]))
		}
	default:
		for k := range dst {
			dst[k] = binary.LittleEndian.Uint32(data[4*k:])
		}
	}
}

// gltfIndex reads one unsigned integer.
func gltfIndex(data []byte, component int64) uint32 {
	var id [1]uint32
	gltfIndices(id[:], data, component)
	return id[0]
}

// appendIndex appends an unsigned integer of 1, 2 or 4 bytes.
func appendIndex(to []byte, id uint32, size int) []byte {
	return binary.LittleEndian.AppendUint32(to, id)[:len(to)+size]
}

// vec3 reads the len(dst) vectors of accessor i. Their components may have any type. It fails if a value is not finite.
func (s *gltfSource) vec3(ctx context.Context, i int, dst []mgl32.Vec3) {
	set := func(k int, p []byte) { dst[k] = vec3At(p) }
	if a := &s.doc.Accessors[i]; a.ComponentType.n != gltfFloat {
		format := gltfFormat("", a)
		set = func(k int, p []byte) {
			components := format.Decode(p)
			for c := range dst[k] {
				dst[k][c] = math.Float32frombits(components[c])
			}
		}
	}
	s.each(ctx, i, set)
	for k := range dst {
		if !exact.Finite(dst[k][:]...) {
			gltfFail(gltfPlace("accessor", i), "element %d is not finite: %v", k, dst[k])
		}
	}
}

// fillMissing sets all elements of an attribute to the value of vertices that lack the attribute.
func (s *gltfSource) fillMissing(a *geometry.Attribute) {
	missing := a.Format.Missing()
	must.OK(progress.Each(progress.Silent(s.ctx), len(a.Data)/len(missing), func(from, to int) {
		for k := from; k < to; k++ {
			copy(a.Element(k), missing)
		}
	}))
}

// alias makes a scene whose pools are the BIN chunk's own bytes, without copying. The file's arrays must be laid out
// like a scene's pools. All positions lie in one piece, and so do all normals and all indices, aligned and without
// gaps. Vectors are of float32, and indices are 32-bit triangle lists. glbWriter writes such files. alias returns nil
// for other files, if further attributes are kept, if too much of a chunk in memory is other data, and if Validate
// refuses the result. The caller then calls fill, which reports the error, or reads the file if all its faults are in
// bytes that no draw uses.
func (p *gltfPlan) alias(ctx context.Context, s *gltfSource) *geometry.Scene {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 || s.bin == nil || p.hasFurther {
		return nil
	}
	positions, indices := gltfArray{size: 12, component: gltfFloat}, gltfArray{size: 4, component: gltfUnsignedInt}
	normals := positions
	moved := *p
	moved.vertices, moved.indices = slices.Clone(p.vertices), slices.Clone(p.indices)
	for i := range p.vertices {
		v := &p.vertices[i]
		positions.add(s, v.position)
		if p.hasNormals {
			normals.add(s, v.normal)
		}
	}
	for i := range p.indices {
		if p.indices[i].mode != gltfTriangles {
			return nil
		}
		indices.add(s, p.indices[i].accessor)
	}
	if !positions.whole(s) || !indices.whole(s) || p.hasNormals && !normals.whole(s) {
		return nil
	}
	data := s.buffer(0)
	for i := range moved.vertices {
		moved.vertices[i].first = positions.element(i)
		if p.hasNormals && normals.element(i) != positions.element(i) {
			return nil
		}
	}
	for i := range moved.indices {
		moved.indices[i].first = indices.element(i)
	}
	if p.hasNormals && normals.count() != positions.count() || max(positions.count(), indices.count()) > gltfLargestPool {
		return nil
	}
	if s.in.mapping == nil && positions.bytes()+normals.bytes()+indices.bytes() < int64(len(data))/8*7 {
		return nil // the rest of the chunk would also stay in memory
	}
	return moved.aliased(ctx, s, data, &positions, &normals, &indices)
}

func (p *gltfPlan) aliased(ctx context.Context, s *gltfSource, data []byte, positions, normals, indices *gltfArray) *geometry.Scene {
	const drawBytes, normalBytes = 256, 12
	s.budget.charge(p.drawCount, drawBytes, "draws")
	if !p.hasNormals {
		s.budget.charge(positions.count(), normalBytes, "normals")
	}
	scene := &geometry.Scene{Draws: p.draws()}
	var ok [3]bool
	scene.Positions, ok[0] = gltfView[mgl32.Vec3](data[positions.from:positions.to])
	scene.Normals, ok[1] = gltfView[mgl32.Vec3](data[normals.from:normals.to])
	scene.Indices, ok[2] = gltfView[uint32](data[indices.from:indices.to])
	whole := ok == [3]bool{true, true, true}
	if whole {
		must.OK(s.in.payDraws(scene))
		whole = scene.Validate(ctx) == nil
		must.OK(context.Cause(ctx))
	}
	if !whole {
		s.budget.Free(p.drawCount * drawBytes)
		if !p.hasNormals {
			s.budget.Free(positions.count() * normalBytes)
		}
		return nil
	}
	if s.in.mapping != nil {
		scene.Backing = geometry.NewBacking(s.in.mapping.free, s.in.mapping.changed) // the scene owns the mapping now
	}
	s.in.aliased = true
	return scene
}

// gltfView returns the bytes as a slice of T, without copying; ok is false if they are not aligned
// for T.
func gltfView[T any](data []byte) ([]T, bool) {
	if len(data) == 0 {
		return nil, true
	}
	var element T
	at := unsafe.Pointer(unsafe.SliceData(data))
	if uintptr(at)%unsafe.Alignof(element) != 0 {
		return nil, false
	}
	n := len(data) / int(unsafe.Sizeof(element))
	return unsafe.Slice((*T)(at), n)[:n:n], true
}

// gltfArray is a part of the BIN chunk in which several accessors lie, one after another or
// overlapping.
type gltfArray struct {
	size, component int64      // bytes per element, and glTF's number of its component type
	spans           [][2]int64 // first byte and end of each accessor, in the order in which they were added
	from, to        int64      // first byte and end of the array in the BIN chunk; whole sets them
	other           bool       // whether an accessor is not in the BIN chunk, or not a plain array
}

func (a *gltfArray) add(s *gltfSource, accessor int) {
	from, to, ok := s.doc.plainArray(accessor, a.component, a.size)
	a.other = a.other || !ok
	a.spans = append(a.spans, [2]int64{from, to})
}

// whole sets `from` and `to` to the bounds of an accessor that covers all spans; glbWriter writes one
// such accessor per pool. If there is none, it sets them to the bounds of the spans. It returns false if
// an accessor is no plain array, if the spans leave a gap, or if their distances are not multiples of the element size.
func (a *gltfArray) whole(s *gltfSource) bool {
	if a.other || len(a.spans) == 0 {
		return false
	}
	sorted := slices.SortedFunc(slices.Values(a.spans), func(x, y [2]int64) int { return cmp.Compare(x[0], y[0]) })
	a.from, a.to = sorted[0][0], sorted[0][1]
	gap := false
	for _, span := range sorted {
		if (span[0]-a.from)%a.size != 0 {
			return false
		}
		gap = gap || span[0] > a.to
		a.to = max(a.to, span[1])
	}
	for i := range s.doc.Accessors {
		from, to, ok := s.doc.plainArray(i, a.component, a.size)
		if ok && from <= a.from && to >= a.to && (a.from-from)%a.size == 0 {
			a.from, a.to, gap = from, to, false
		}
	}
	return !gap
}

// element returns the array index at which the i-th accessor begins.
func (a *gltfArray) element(i int) int64 { return (a.spans[i][0] - a.from) / a.size }
func (a *gltfArray) bytes() int64        { return a.to - a.from }
func (a *gltfArray) count() int64        { return a.bytes() / a.size }

// plainArray returns which bytes of the BIN chunk an accessor's elements occupy. ok is true only for a plain array of the BIN chunk: neither
// packed nor sparse, with the given component type and element size in bytes, without gaps, and at a multiple of 4 bytes.
func (d *gltfDocument) plainArray(accessor int, component, size int64) (from, to int64, ok bool) {
	if accessor < 0 {
		return 0, 0, false
	}
	a := &d.Accessors[accessor]
	if _, packed := d.packed[accessor]; packed || a.Sparse != nil || !a.BufferView.set || a.ComponentType.n != component || gltfElementBytes(a.Type, component) != size {
		return 0, 0, false
	}
	v := &d.BufferViews[a.BufferView.n]
	if v.Extensions.Meshopt != nil || v.Buffer.n != 0 || d.Buffers[0].URI.set || v.ByteStride.or(size) != size {
		return 0, 0, false
	}
	from = v.ByteOffset.n + a.ByteOffset.n
	return from, from + a.Count.n*size, from%4 == 0
}
