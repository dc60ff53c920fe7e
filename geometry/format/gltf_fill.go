package format

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// fill reads every range of the plan into the pools of a scene.
func (p *gltfPlan) fill(ctx context.Context, s *gltfSource) *geometry.Scene {
	scene := &geometry.Scene{
		Positions: make([]mgl32.Vec3, p.vertexCount),
		Indices:   make([]uint32, p.indexCount),
		Draws:     p.draws(),
	}
	highest := make(map[int64]uint32, len(p.indices)) // highest index of each range, by its first position in the pool
	for i := range p.indices {
		r := &p.indices[i]
		part := progress.Part(ctx, .4*float64(r.first)/float64(p.indexCount), .4*float64(r.first+r.count)/float64(p.indexCount))
		highest[r.first] = r.fill(part, s, scene.Indices[r.first:][:r.count])
	}
	for i := range scene.Draws {
		draw := &scene.Draws[i]
		if top := highest[int64(draw.FirstIndex)]; top >= draw.VertexCount {
			gltfFail(p.indexPlace(draw), "an index is %d, but there are %d vertices", top, draw.VertexCount)
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

// indexPlace describes the primitive whose indices the draw uses.
func (p *gltfPlan) indexPlace(draw *geometry.Draw) string {
	for i := range p.indices {
		if p.indices[i].first == int64(draw.FirstIndex) {
			return p.indices[i].place
		}
	}
	return ""
}

// fill reads the indices of a range as a triangle list into dst, and returns the highest one. It
// fails on the largest value of the component type, which would restart the primitive: the
// specification forbids it in every mode.
func (r *gltfIndexRange) fill(ctx context.Context, s *gltfSource, dst []uint32) (highest uint32) {
	// A strip of n >= 3 indices becomes 3(n-2) >= n list indices. Read to the end of dst, it can
	// be unrolled in place: writing never overtakes reading.
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
	switch r.mode {
	case gltfTriangleStrip:
		for t := range len(raw) - 2 {
			a, b, c := raw[t], raw[t+1], raw[t+2]
			if t%2 == 1 {
				b, c = c, b
			}
			dst[3*t], dst[3*t+1], dst[3*t+2] = a, b, c
		}
	case gltfTriangleFan:
		hub := raw[0]
		for t := range len(raw) - 2 {
			b, c := raw[t+1], raw[t+2]
			dst[3*t], dst[3*t+1], dst[3*t+2] = b, c, hub
		}
	}
	return highest
}

// indices reads the first len(dst) indices of accessor i.
func (s *gltfSource) indices(ctx context.Context, i int, dst []uint32) {
	e := s.elements(i)
	component := s.doc.Accessors[i].ComponentType.n
	if e.data != nil { // without data all elements are zero, as dst is
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

// vec3 reads accessor i, of len(dst) vectors of any component type. All values must be finite.
func (s *gltfSource) vec3(ctx context.Context, i int, dst []mgl32.Vec3) {
	e := s.elements(i)
	a := &s.doc.Accessors[i]
	format := gltfFormat("", a)
	element := func(p []byte) (v mgl32.Vec3) {
		components := format.Decode(p)
		for k := range v {
			v[k] = math.Float32frombits(components[k])
		}
		return v
	}
	if a.ComponentType.n == gltfFloat {
		element = vec3At
	}
	if e.data != nil { // without data all elements are zero, as dst is
		must.OK(progress.Each(ctx, len(dst), func(from, to int) {
			for k := from; k < to; k++ {
				dst[k] = element(e.data[k*e.stride:])
			}
		}))
	}
	s.sparse(i, func(k int, p []byte) { dst[k] = element(p) })
	for k := range dst {
		if !gltfFinite(dst[k][:]) {
			gltfFail(gltfPlace("accessor", i), "element %d is not finite: %v", k, dst[k])
		}
	}
}
