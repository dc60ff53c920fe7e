package geometry

import (
	"cmp"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
)

// Of a captured frame, sky domes and what lies far from all else are not what the frame
// shows. Core leaves such draws out if what is left is much smaller.
const (
	coreShrinks = 1.5  // each time that draws are left out, the rest reaches so many times less far
	coreLeftOut = 0.02 // of the triangles, at most
)

// extent is the box of a draw.
type extent struct {
	box       Box
	triangles int
	reach     float32 // from the middle of the frame to the box's farthest corner
}

// core is the box of the draws without those that only surround them; nil without draws.
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

// extents are those of the draws that are seen.
func (s *Scene) extents() []extent {
	list := make([]extent, 0, len(s.Draws))
	firsts := map[Draw]int{} // in list, of draws that are alike
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

// middleOf is where half of the triangles are on either side of, by the middles of their
// draws, and how many triangles there are.
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
