package geometry

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"
)

// Computed is a mesh that is computed from a scene's pools while it is drawn, and never stored.
// Such a scene has one draw, whose transform is the identity. IndexCount and VertexCount are
// those of the mesh; FirstIndex and VertexOffset are 0.
//
// All cores call the methods at once.
type Computed interface {
	// FillIndices fills into with the mesh's indices, starting with index first.
	FillIndices(first int, into []uint32)
	// Vertex returns a vertex of the mesh in model space. The normal need not be of unit length.
	Vertex(id uint32) (position, normal mgl32.Vec3)
}

// IndicesAt returns a part of the index pool. The indices of a computed mesh are written to room,
// which grows if it is too small.
func (s *Scene) IndicesAt(first, count uint32, room *[]uint32) []uint32 {
	if s.Computed == nil {
		return s.Indices[first : first+count]
	}
	*room = slices.Grow((*room)[:0], int(count))[:count]
	s.Computed.FillIndices(int(first), *room)
	return *room
}

// PartAt is IndicesAt for callers that read on from the end of each part. Of a computed mesh it
// may return only the first indices asked for, so that few are in memory at a time.
func (s *Scene) PartAt(first, count uint32, room *[]uint32) []uint32 {
	if s.Computed != nil {
		count = min(count, computedPart)
	}
	return s.IndicesAt(first, count, room)
}

// computedPart is how many indices of a computed mesh are in memory at a time; a batch has fewer.
const computedPart = 3 << 14

// HasIndices reports whether the index pool has a range; the pool of a computed mesh has all.
func (s *Scene) HasIndices(first, count uint32) bool {
	return s.Computed != nil || int(first)+int(count) <= len(s.Indices)
}

// EachIndices calls each with the indices of draw i, one part after another. each must not keep
// the slice.
func (s *Scene) EachIndices(i int, each func(indices []uint32)) {
	d := &s.Draws[i]
	if s.Computed == nil {
		each(s.DrawIndices(i))
		return
	}
	var room []uint32
	for at := uint32(0); at < d.IndexCount; at += validateGrain {
		each(s.IndicesAt(d.FirstIndex+at, min(validateGrain, d.IndexCount-at), &room))
	}
}

// computedGrain is how many vertices of a computed mesh a core takes at a time.
const computedGrain = 1 << 12

// bounds is Bounds of a scene whose file is unchanged.
func (s *Scene) bounds() Box {
	if s.Computed != nil {
		return s.computedBounds()
	}
	box := s.storedBounds()
	if s.Capture != nil {
		box.Core = s.core()
	}
	return box
}

// computedBounds is Bounds of a computed mesh.
func (s *Scene) computedBounds() Box {
	vertices := s.Draws[0].VertexCount
	named := make(idBits, (vertices+63)/64)
	s.EachIndices(0, named.add)
	all := emptyBox()
	all.addParts(int(vertices), computedGrain, func(part *Box, from, to int) {
		for v := from; v < to; v++ {
			if named[v/64]>>(v%64)&1 != 0 {
				p, _ := s.Computed.Vertex(uint32(v))
				part.add(p)
			}
		}
	})
	return all
}

// Vertex returns a vertex of the pool, or of the computed mesh, in model space.
func (s *Scene) Vertex(id uint32) (position, normal mgl32.Vec3) {
	if s.Computed != nil {
		return s.Computed.Vertex(id)
	}
	return s.Positions[id], s.Normals[id]
}

// ComputedVertices is how many vertices are computed while the scene is drawn; 0 for a stored
// mesh.
func (s *Scene) ComputedVertices() int {
	if s.Computed == nil {
		return 0
	}
	return s.DrawVertices()
}

// Stored returns a copy of the scene with the computed mesh in its pools, or the scene itself if
// its mesh is stored.
func (s *Scene) Stored() *Scene {
	if s.Computed == nil {
		return s
	}
	out, vertices := *s, int(s.Draws[0].VertexCount)
	out.Computed, out.Indices = nil, s.DrawIndices(0)
	out.Positions, out.Normals = make([]mgl32.Vec3, vertices), make([]mgl32.Vec3, vertices)
	onParts(vertices, computedGrain, func(from, to int) {
		for v := from; v < to; v++ {
			out.Positions[v], out.Normals[v] = s.Computed.Vertex(uint32(v))
		}
	})
	return &out
}
