package geometry

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/go-gl/mathgl/mgl32"
)

// Box is an axis-aligned box.
type Box struct {
	Min, Max mgl32.Vec3

	// Core is the part of a captured frame that a camera should show, without sky domes and stray
	// draws; nil for the whole box.
	Core *Box
}

// Shown is the part of the box that a camera should show.
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

// Bounds returns the world-space box of all vertices that the draws' indices reference.
// Unreferenced vertices do not count, so that a stray one cannot move the camera away from the
// mesh. Bounds runs on all cores. It returns an empty box if the scene's file was lost or
// changed; the next use of the scene returns the error.
func (s *Scene) Bounds() (box Box) {
	if s.Guard(func() error { box = s.bounds(); return nil }) != nil {
		return Box{}
	}
	return box
}

// drawRanges are the ranges that all instances of a mesh share.
type drawRanges struct{ firstIndex, indexCount, vertexOffset uint32 }

func (d *Draw) ranges() drawRanges { return drawRanges{d.FirstIndex, d.IndexCount, d.VertexOffset} }

// storedBounds is Bounds of a stored mesh, without the core.
func (s *Scene) storedBounds() Box {
	groups := make(map[drawRanges][]int, len(s.Draws))
	for i := range s.Draws {
		key := s.Draws[i].ranges()
		groups[key] = append(groups[key], i)
	}
	all := emptyBox()
	for _, draws := range groups {
		first := &s.Draws[draws[0]]
		indices := s.DrawIndices(draws[0])
		if len(draws) == 1 {
			all.addParts(len(indices), validateGrain, func(part *Box, from, to int) { part.addIndices(s, first, indices[from:to]) })
			continue
		}
		named := make(idBits, (first.VertexCount+63)/64)
		named.add(indices)
		all.addParts(len(draws), validateGrain/max(len(indices), 1)+1, func(part *Box, from, to int) {
			for _, i := range draws[from:to] {
				part.addNamed(s, &s.Draws[i], named)
			}
		})
	}
	return all
}

// addParts splits 0..n-1 into parts, calls add for each on all cores, and merges the boxes that
// add fills.
func (b *Box) addParts(n, grain int, add func(part *Box, from, to int)) {
	var lock sync.Mutex
	onParts(n, grain, func(from, to int) {
		part := emptyBox()
		add(&part, from, to)
		lock.Lock()
		defer lock.Unlock()
		b.addBox(part)
	})
}

// addBox adds another box, which may be empty.
func (b *Box) addBox(o Box) {
	if o.Min[0] <= o.Max[0] {
		b.add(o.Min)
		b.add(o.Max)
	}
}

// emptyBox has minimum and maximum swapped, so that adding a vertex gives that vertex's box.
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

// addIndices adds the vertices that the given indices of a draw reference.
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
func (b *Box) addNamed(s *Scene, d *Draw, named idBits) {
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

// idBits is a set of vertices, one bit each.
type idBits []uint64

func (set idBits) add(indices []uint32) {
	for _, id := range indices {
		set[id/64] |= 1 << (id % 64)
	}
}

// DrawBoxes returns, for each draw, the model-space box of the vertices that it references.
func (s *Scene) DrawBoxes() []Box {
	boxes, known := make([]Box, len(s.Draws)), map[drawRanges]Box{}
	for i, d := range s.Draws {
		box, ok := known[d.ranges()]
		if !ok {
			d.Transform, box = mgl32.Ident4(), emptyBox()
			box.addIndices(s, &d, s.DrawIndices(i))
			known[d.ranges()] = box
		}
		boxes[i] = box
	}
	return boxes
}

// A captured frame may hold sky domes and stray draws far from all others, which a camera need
// not show. The core leaves them out if that makes the box much smaller.
const (
	coreShrinks = 1.5  // leaving draws out must divide the box's reach by at least this
	coreLeftOut = 0.02 // at most this share of the triangles is left out
)

// extent is the box of a draw.
type extent struct {
	box       Box
	triangles int
	reach     float32 // from the middle of the frame to the box's farthest corner
}

// core returns the box of the draws without those that only surround the others; nil if no
// draw can be seen.
func (s *Scene) core() *Box {
	list := s.extents()
	if len(list) == 0 {
		return nil
	}
	middle, total := middleOf(list)
	for i := range list {
		far := list[i].box.Max.Sub(middle)
		near := middle.Sub(list[i].box.Min)
		list[i].reach = mgl32.Vec3{max(far[0], near[0]), max(far[1], near[1]), max(far[2], near[2])}.Len()
	}
	slices.SortStableFunc(list, func(a, b extent) int { return cmp.Compare(b.reach, a.reach) })
	first, leftOut := 0, 0
	for i := 1; i < len(list); i++ {
		if leftOut += list[i-1].triangles; float64(leftOut) > coreLeftOut*float64(total) {
			break
		}
		if list[i].reach*coreShrinks <= list[first].reach {
			first = i
		}
	}
	box := emptyBox()
	for _, e := range list[first:] {
		box.addBox(e.box)
	}
	return &box
}

// extents lists the boxes of the draws that can be seen.
func (s *Scene) extents() []extent {
	list := make([]extent, 0, len(s.Draws))
	firsts := map[Draw]int{} // where identical draws first appear in list
	for i := range s.Draws {
		d := s.Draws[i]
		if d.IndexCount == 0 || s.Placing(i).How == Hidden {
			continue
		}
		e := extent{box: emptyBox(), triangles: int(d.IndexCount) / 3}
		d.Name, d.Color = "", mgl32.Vec4{}
		if first, ok := firsts[d]; ok {
			e.box = list[first].box
		} else {
			firsts[d] = len(list)
			e.box.addIndices(s, &d, s.DrawIndices(i))
		}
		list = append(list, e)
	}
	return list
}

// middleOf returns the median of the draws' centres, weighted by triangles, and the number
// of triangles.
func middleOf(list []extent) (middle mgl32.Vec3, total int) {
	for i := range list {
		total += list[i].triangles
	}
	for axis := range middle {
		slices.SortFunc(list, func(a, b extent) int { return cmp.Compare(a.box.Center()[axis], b.box.Center()[axis]) })
		before := 0
		for i := range list {
			if before += list[i].triangles; 2*before >= total {
				middle[axis] = list[i].box.Center()[axis]
				break
			}
		}
	}
	return middle, total
}
