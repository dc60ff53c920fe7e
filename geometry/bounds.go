package geometry

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
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
// mesh. Bounds runs on all cores. It returns the zero Box if the scene's file was lost or
// changed; the next use of the scene returns the error.
func (s *Scene) Bounds() (box Box) {
	if s.Guard(func() error { box = s.bounds(); return nil }) != nil {
		return Box{}
	}
	return box
}

// drawRanges names a draw's indices and vertices. Instances of a mesh have equal ranges.
type drawRanges struct{ firstIndex, indexCount, vertexOffset uint32 }

func (d *Draw) ranges() drawRanges { return drawRanges{d.FirstIndex, d.IndexCount, d.VertexOffset} }

// storedBounds computes Bounds of a stored mesh, without Box.Core.
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

// addParts splits 0 to n-1 into parts, calls `add` for each on all cores, and merges the boxes that
// `add` fills.
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
		b.Add(o.Min)
		b.Add(o.Max)
	}
}

// emptyBox returns a box whose minimum exceeds its maximum, so that adding a vertex gives that vertex's box.
func emptyBox() Box {
	inf := float32(math.Inf(1))
	return Box{Min: mgl32.Vec3{inf, inf, inf}, Max: mgl32.Vec3{-inf, -inf, -inf}}
}

// BoxOf returns the box of points, which Add can extend. Without points it is empty: Min exceeds Max.
func BoxOf(points ...mgl32.Vec3) Box {
	box := emptyBox()
	for _, p := range points {
		box.Add(p)
	}
	return box
}

// Add extends a box to contain a point.
func (b *Box) Add(p mgl32.Vec3) {
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
			b.Add(pool[id])
		}
		return
	}
	for _, id := range indices {
		b.Add(d.Transform.Mul4x1(pool[id].Vec4(1)).Vec3())
	}
}

// addNamed adds the draw's vertices whose bits are set in `named`.
func (b *Box) addNamed(s *Scene, d *Draw, named idBits) {
	pool := s.Positions[d.VertexOffset : d.VertexOffset+d.VertexCount]
	identity := d.Transform == mgl32.Ident4()
	for word, left := range named {
		for ; left != 0; left &= left - 1 {
			p := pool[64*word+bits.TrailingZeros64(left)]
			if !identity {
				p = d.Transform.Mul4x1(p.Vec4(1)).Vec3()
			}
			b.Add(p)
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

// A captured frame may hold sky domes, and stray draws far from all others. A camera need not show
// them, so the core leaves them out if that makes the box much smaller.
const (
	coreShrinks = 1.5  // leaving draws out must divide the box's reach by at least this factor
	coreLeftOut = 0.02 // at most this share of the triangles may be left out
)

// extent is what core knows of a draw.
type extent struct {
	box       Box
	triangles int
	reach     float32 // distance from the middle of the frame to the box's farthest corner
}

// core returns the box of the visible draws, without those that reach far beyond the others; nil if no draw is visible.
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

// MakeNormals fills Normals with area-weighted vertex normals if the scene has none, and sets NormalsMade. A vertex
// without a triangle of positive area gets +Z. If the context ends first, MakeNormals returns its
// cause, and the normals must not be used.
func (s *Scene) MakeNormals(ctx context.Context) (err error) {
	defer must.Catch(&err)
	if len(s.Normals) == len(s.Positions) && len(s.Normals) != 0 {
		return nil
	}
	s.Normals, s.NormalsMade = make([]mgl32.Vec3, len(s.Positions)), true
	must.OK(s.MakeNormalsOf(progress.Part(ctx, 0, .9), func(*Draw) bool { return true }))
	return progress.Each(progress.Part(ctx, .9, 1), len(s.Normals), func(from, to int) {
		for i, n := range s.Normals[from:to] {
			if n == (mgl32.Vec3{}) { // the vertex is in the range of no draw
				s.Normals[from+i] = mgl32.Vec3{0, 0, 1}
			}
		}
	})
}

// MakeNormalsOf makes the normals of the chosen draws, for files that have normals for only some of
// their meshes. Normals must be as long as Positions, and zero in the ranges of the chosen draws.
func (s *Scene) MakeNormalsOf(ctx context.Context, chosen func(*Draw) bool) (err error) {
	defer must.Catch(&err)
	seen := make(map[drawRanges]bool, len(s.Draws))
	var ranges [][2]uint32
	done, share := 0., .8/float64(max(len(s.Indices), 1))
	for i := range s.Draws {
		d := &s.Draws[i]
		// Instances would add the same faces again, so each range counts once.
		if seen[d.ranges()] || !chosen(d) {
			continue
		}
		seen[d.ranges()] = true
		end := d.VertexOffset + d.VertexCount
		ranges = append(ranges, [2]uint32{d.VertexOffset, end})
		normals, positions, indices := s.Normals[d.VertexOffset:end], s.Positions[d.VertexOffset:end], s.DrawIndices(i)
		before := done
		done = min(done+float64(len(indices))*share, .8) // draws may share indices
		must.OK(progress.Each(progress.Part(ctx, before, done), len(indices)/3, func(from, to int) {
			addFaceNormals(normals, positions, indices[3*from:3*to])
		}))
	}
	slices.SortFunc(ranges, func(a, b [2]uint32) int { return cmp.Compare(a[0], b[0]) })
	upTo := uint32(0)
	for _, r := range ranges {
		// Ranges of draws may overlap: skip the vertices that are done.
		normals := s.Normals[max(r[0], min(upTo, r[1])):r[1]]
		upTo = max(upTo, r[1])
		must.OK(progress.Each(progress.Silent(ctx), len(normals), func(from, to int) {
			for i := from; i < to; i++ {
				normals[i] = unitOr(normals[i], mgl32.Vec3{0, 0, 1})
			}
		}))
	}
	return nil
}

func addFaceNormals(normals, positions []mgl32.Vec3, indices []uint32) {
	for k := 0; k+2 < len(indices); k += 3 {
		a, b, c := indices[k], indices[k+1], indices[k+2]
		p := positions[a]
		face := positions[b].Sub(p).Cross(positions[c].Sub(p))
		normals[a] = normals[a].Add(face)
		normals[b] = normals[b].Add(face)
		normals[c] = normals[c].Add(face)
	}
}

// unitOr scales v to length 1, or returns fallback where v has no direction
// (zero, or so large or small that its length is not a normal number).
func unitOr(v, fallback mgl32.Vec3) mgl32.Vec3 {
	x, y, z := float64(v[0]), float64(v[1]), float64(v[2])
	n := x*x + y*y + z*z
	if !(n > 1e-60 && n < 1e60) {
		return fallback
	}
	inv := 1 / math.Sqrt(n)
	return mgl32.Vec3{float32(x * inv), float32(y * inv), float32(z * inv)}
}
