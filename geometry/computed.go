package geometry

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl32"
)

// Computed is a mesh that is computed from a scene's pools while it is drawn, and never
// stored. Such a scene has one draw with the identity for a transform. Its IndexCount
// and VertexCount are the mesh's; FirstIndex and VertexOffset are 0.
//
// The methods are called from all cores at once.
type Computed interface {
	// FillIndices writes the mesh's indices, from first on.
	FillIndices(first int, into []uint32)
	// Vertex is a vertex of the mesh in model space. The normal need not be of unit length.
	Vertex(id uint32) (position, normal mgl32.Vec3)
}

// IndicesAt is a part of the index pool. Of a computed mesh it is written to room, which
// grows where it is too small.
func (s *Scene) IndicesAt(first, count uint32, room *[]uint32) []uint32 {
	if s.Computed == nil {
		return s.Indices[first : first+count]
	}
	*room = slices.Grow((*room)[:0], int(count))[:count]
	s.Computed.FillIndices(int(first), *room)
	return *room
}

// EachIndices calls each with the indices of draw i, a part after the other. each must
// not keep them.
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

// Stored is the scene with pools that hold what is computed; the scene itself where
// nothing is.
func (s *Scene) Stored() *Scene {
	if s.Computed == nil {
		return s
	}
	out, vertices := *s, int(s.Draws[0].VertexCount)
	out.Computed, out.Indices = nil, s.DrawIndices(0)
	out.Positions, out.Normals = make([]mgl32.Vec3, vertices), make([]mgl32.Vec3, vertices)
	onParts(vertices, func(from, to int) {
		for v := from; v < to; v++ {
			out.Positions[v], out.Normals[v] = s.Computed.Vertex(uint32(v))
		}
	})
	return &out
}

// onParts calls do for parts of 0 to n-1 on all cores.
func onParts(n int, do func(from, to int)) {
	const part = 1 << 12
	var next atomic.Int64
	OnAllCores((n+part-1)/part, func() {
		for from := int(next.Add(part)) - part; from < n; from = int(next.Add(part)) - part {
			do(from, min(from+part, n))
		}
	})
}

// computedBounds is Bounds of a computed mesh.
func (s *Scene) computedBounds() Box {
	d := &s.Draws[0]
	named := make([]uint64, (d.VertexCount+63)/64)
	s.EachIndices(0, func(indices []uint32) { setBits(named, indices) })
	all := emptyBox()
	var lock sync.Mutex
	onParts(int(d.VertexCount), func(from, to int) {
		box := emptyBox()
		for v := from; v < to; v++ {
			if named[v/64]>>(v%64)&1 != 0 {
				p, _ := s.Computed.Vertex(uint32(v))
				box.add(p)
			}
		}
		lock.Lock()
		defer lock.Unlock()
		all.addBox(box)
	})
	return all
}
