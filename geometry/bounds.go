package geometry

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl32"
)

// Box is an axis-aligned box.
type Box struct {
	Min, Max mgl32.Vec3

	// Core is the part that a camera is to show, of a captured frame's bounds: without sky
	// domes and stray draws. Nil is all of the box.
	Core *Box
}

// Shown is the part of the box that a camera is to show.
func (b Box) Shown() Box {
	if b.Core != nil {
		return *b.Core
	}
	return b
}

// Center is the middle of the box.
func (b Box) Center() mgl32.Vec3 { return b.Min.Mul(0.5).Add(b.Max.Mul(0.5)) }

// Radius is the distance from the centre to a corner.
func (b Box) Radius() float32 { return b.Max.Mul(0.5).Sub(b.Min.Mul(0.5)).Len() }

// Bounds is the world-space box of all vertices that a draw names by an index.
// Vertices that no index names do not count, so that a stray one cannot move
// the camera away from what is seen. It runs on all cores. Instances of a mesh
// share one set of the vertices that the indices name, a bit per vertex. Where the scene's
// file was lost or changed the box is empty, and whatever comes next tells.
func (s *Scene) Bounds() (box Box) {
	if s.Guard(func() error { box = s.bounds(); return nil }) != nil {
		return Box{}
	}
	return box
}

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

// storedBounds is Bounds of a stored mesh, without a core.
func (s *Scene) storedBounds() Box {
	type ranges struct{ firstIndex, indexCount, vertexOffset uint32 }
	groups := make(map[ranges][]int, len(s.Draws))
	for i := range s.Draws {
		d := &s.Draws[i]
		key := ranges{d.FirstIndex, d.IndexCount, d.VertexOffset}
		groups[key] = append(groups[key], i)
	}
	all := emptyBox()
	var lock sync.Mutex
	var named []uint64
	for _, draws := range groups {
		indices := s.DrawIndices(draws[0])
		parts := (len(indices) + validateGrain - 1) / validateGrain
		if len(draws) > 1 {
			named = namedBits(named, indices, s.Draws[draws[0]].VertexCount)
			parts = len(draws)
		}
		var next atomic.Int64
		OnAllCores(max(1, parts*min(len(indices), validateGrain)/validateGrain), func() {
			box := emptyBox()
			for i := int(next.Add(1) - 1); i < parts; i = int(next.Add(1) - 1) {
				if len(draws) > 1 {
					box.addNamed(s, &s.Draws[draws[i]], named)
				} else {
					box.addIndices(s, &s.Draws[draws[0]], indices[i*validateGrain:min((i+1)*validateGrain, len(indices))])
				}
			}
			lock.Lock()
			defer lock.Unlock()
			all.addBox(box)
		})
	}
	return all
}

// addBox adds what another box holds, which may be nothing.
func (b *Box) addBox(o Box) {
	if o.Min[0] <= o.Max[0] {
		b.add(o.Min)
		b.add(o.Max)
	}
}

// emptyBox has its sides swapped: the first vertex that is added becomes the box.
func emptyBox() Box {
	inf := float32(math.Inf(1))
	return Box{Min: mgl32.Vec3{inf, inf, inf}, Max: mgl32.Vec3{-inf, -inf, -inf}}
}

func (b *Box) add(p mgl32.Vec3) {
	for k, f := range p {
		if f < b.Min[k] {
			b.Min[k] = f
		}
		if f > b.Max[k] {
			b.Max[k] = f
		}
	}
}

// addIndices adds the vertices that indices of a draw name.
func (b *Box) addIndices(s *Scene, d *Draw, indices []uint32) {
	pool := s.Positions[d.VertexOffset : d.VertexOffset+d.VertexCount]
	if d.Transform == mgl32.Ident4() {
		for _, id := range indices {
			b.add(pool[id])
		}
		return
	}
	for _, id := range indices {
		b.add(d.Transform.Mul4x1(pool[id].Vec4(1)).Vec3())
	}
}

// addNamed adds the vertices of a draw whose bits are set.
func (b *Box) addNamed(s *Scene, d *Draw, named []uint64) {
	pool := s.Positions[d.VertexOffset : d.VertexOffset+d.VertexCount]
	identity := d.Transform == mgl32.Ident4()
	for word, left := range named {
		for ; left != 0; left &= left - 1 {
			p := pool[64*word+bits.TrailingZeros64(left)]
			if !identity {
				p = d.Transform.Mul4x1(p.Vec4(1)).Vec3()
			}
			b.add(p)
		}
	}
}

// namedBits returns a set of the vertices that indices name, a bit per vertex. It
// reuses the memory of set.
func namedBits(set []uint64, indices []uint32, vertices uint32) []uint64 {
	words := (int(vertices) + 63) / 64
	if cap(set) < words {
		set = make([]uint64, words)
	}
	set = set[:words]
	clear(set)
	setBits(set, indices)
	return set
}

func setBits(set []uint64, indices []uint32) {
	for _, id := range indices {
		set[id/64] |= 1 << (id % 64)
	}
}

// DrawBoxes returns the box of each draw, in model space, of the vertices that its indices
// name.
func (s *Scene) DrawBoxes() []Box {
	type ranges struct{ firstIndex, indexCount, vertexOffset uint32 }
	boxes, known := make([]Box, len(s.Draws)), map[ranges]Box{}
	for i := range s.Draws {
		d := s.Draws[i]
		key := ranges{d.FirstIndex, d.IndexCount, d.VertexOffset}
		box, ok := known[key]
		if !ok {
			d.Transform, box = mgl32.Ident4(), emptyBox()
			box.addIndices(s, &d, s.DrawIndices(i))
			known[key] = box
		}
		boxes[i] = box
	}
	return boxes
}
