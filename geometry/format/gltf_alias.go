package format

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// alias makes a scene whose pools are the BIN chunk's own bytes, without copying. That requires
// arrays as a scene has them: positions, normals and indices each in one piece, tight, aligned,
// as float32 and 32-bit triangle lists. glbWriter writes them like that. For other files, and if
// Validate refuses the result, alias returns nil: fill then finds the error, or reads a file
// whose only faults are in bytes that no draw uses.
func (p *gltfPlan) alias(ctx context.Context, s *gltfSource) *geometry.Scene {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 || s.bin == nil || p.hasFurther {
		return nil
	}
	var positions, normals, indices gltfArray
	positions.size, normals.size, indices.size = 12, 12, 4
	moved := *p
	moved.vertices, moved.indices = slices.Clone(p.vertices), slices.Clone(p.indices)
	for i := range p.vertices {
		v := &p.vertices[i]
		positions.add(s, v.position, gltfFloat)
		if p.hasNormals {
			normals.add(s, v.normal, gltfFloat)
		}
	}
	for i := range p.indices {
		if p.indices[i].mode != gltfTriangles {
			return nil
		}
		indices.add(s, p.indices[i].accessor, gltfUnsignedInt)
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
		scene.Backing = s.in.mapping.backing()
	}
	s.in.aliased = true
	return scene
}

// gltfView returns bytes as elements; ok is false if they are not aligned for the type.
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
	size     int64      // bytes per element
	spans    [][2]int64 // first byte and end of each accessor, in the order in which they were added
	from, to int64
	other    bool // one of them is somewhere else, or not a plain array
}

func (a *gltfArray) add(s *gltfSource, accessor int, component int64) {
	from, to, ok := s.doc.plainArray(accessor, component, a.size)
	a.other = a.other || !ok
	a.spans = append(a.spans, [2]int64{from, to})
}

// whole finds where the array begins and ends: at the ends of an accessor that covers it
// (glbWriter writes one per pool), else at those of the spans if they leave no gap.
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
	component := int64(gltfFloat)
	if a.size == 4 {
		component = gltfUnsignedInt
	}
	for i := range s.doc.Accessors {
		from, to, ok := s.doc.plainArray(i, component, a.size)
		if ok && from <= a.from && to >= a.to && (a.from-from)%a.size == 0 {
			a.from, a.to, gap = from, to, false
		}
	}
	return !gap
}

// element returns the array index at which the i-th accessor begins.
func (a *gltfArray) element(i int) int64 { return (a.spans[i][0] - a.from) / a.size }

func (a *gltfArray) bytes() int64 { return a.to - a.from }
func (a *gltfArray) count() int64 { return a.bytes() / a.size }

// plainArray returns which part of the BIN chunk an accessor's elements occupy. ok is false
// unless they have that component type and size in bytes, and lie next to each other.
func (d *gltfDocument) plainArray(accessor int, component, size int64) (from, to int64, ok bool) {
	if accessor < 0 {
		return 0, 0, false
	}
	a := &d.Accessors[accessor]
	if _, packed := d.packed[accessor]; packed || a.Sparse != nil || !a.BufferView.set || a.ComponentType.n != component || gltfElementBytes(a.Type, component) != size {
		return 0, 0, false
	}
	v := &d.BufferViews[a.BufferView.n]
	if v.Extensions.Meshopt != nil || v.Buffer.n != 0 || d.Buffers[0].URI.set || v.ByteStride.set && v.ByteStride.n != size {
		return 0, 0, false
	}
	from = v.ByteOffset.n + a.ByteOffset.n
	return from, from + a.Count.n*size, from%4 == 0
}
