package inspect

import (
	"math"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/cores"
)

// blockTriangles is the number of triangles of a draw that share a box. With it a ray meets some
// hundred triangles in a scene of 11.5 million, and the boxes take a thousandth of the indices'
// memory.
const blockTriangles = 256

// looseBoxes is how many boxes of a draw a ray through it may meet on average. If it meets more, as
// where an order scatters neighbours over the indices, blocks are made of triangles that lie together.
const looseBoxes = 256

// drawBoxes are the bounding boxes of a draw: one per block of its triangles, and one for all.
type drawBoxes struct {
	whole  geometry.Box
	blocks []geometry.Box
	order  []uint32 // of triangles, by place; nil if blocks are in index order
}

// block returns the triangles of a block, as places in the order, of n in all.
func block(b, n int) (from, to int) { return b * blockTriangles, min((b+1)*blockTriangles, n) }

// triangle returns the triangle at a place in the order.
func (d *drawBoxes) triangle(k int) int {
	if d.order == nil {
		return k
	}
	return int(d.order[k])
}

// NewPicker makes the boxes of a scene on all cores. Instances share boxes.
func NewPicker(s *geometry.Scene) *Picker {
	type ranges struct{ first, count, offset uint32 }
	made := make(map[ranges]int, len(s.Draws)) // the first draw with these ranges
	var own []int
	draws := make([]drawBoxes, len(s.Draws))
	rangesOf := func(i int) ranges {
		d := &s.Draws[i]
		return ranges{d.FirstIndex, d.IndexCount, d.VertexOffset}
	}
	for i := range s.Draws {
		if _, ok := made[rangesOf(i)]; !ok {
			made[rangesOf(i)] = i
			own = append(own, i)
		}
	}
	makeBoxes(s, draws, own)
	var loose []int
	for _, i := range own {
		d := &draws[i]
		if d.loose() {
			d.order = byPlace(s.DrawIndices(i), s.Positions[s.Draws[i].VertexOffset:], d.whole)
			loose = append(loose, i)
		}
	}
	makeBoxes(s, draws, loose)
	for i := range draws {
		draws[i] = draws[made[rangesOf(i)]]
	}
	return &Picker{Scene: s, draws: draws}
}

// makeBoxes makes the boxes of some draws.
func makeBoxes(s *geometry.Scene, draws []drawBoxes, some []int) {
	type job struct{ draw, block int }
	var jobs []job
	for _, i := range some {
		draws[i].blocks = make([]geometry.Box, (int(s.Draws[i].IndexCount)/3+blockTriangles-1)/blockTriangles)
		for b := range draws[i].blocks {
			jobs = append(jobs, job{i, b})
		}
	}
	var next atomic.Int64
	cores.OnAll((len(jobs)+63)/64, func() {
		for n := int(next.Add(1) - 1); n < len(jobs); n = int(next.Add(1) - 1) {
			j := jobs[n]
			d, indices, pool := &draws[j.draw], s.DrawIndices(j.draw), s.Positions[s.Draws[j.draw].VertexOffset:]
			box := noBox()
			for k, to := block(j.block, len(indices)/3); k < to; k++ {
				at := 3 * d.triangle(k)
				extend(&box, indices[at:at+3], pool)
			}
			d.blocks[j.block] = box
		}
	})
	for _, i := range some {
		draws[i].whole = boxAround(draws[i].blocks)
	}
}

// loose reports whether a ray through the draw meets too many boxes: each as often as its surface is
// a part of the whole's.
func (d *drawBoxes) loose() bool {
	sum := 0.
	for i := range d.blocks {
		sum += surface(&d.blocks[i])
	}
	return sum > looseBoxes*surface(&d.whole)
}

func surface(b *geometry.Box) float64 {
	x, y, z := float64(b.Max[0]-b.Min[0]), float64(b.Max[1]-b.Min[1]), float64(b.Max[2]-b.Min[2])
	return x*y + y*z + z*x
}

// cellBits is the binary logarithm of the number of cells of a grid along each axis.
const cellBits = 7

// byPlace orders triangles by the cell of their first corner in a grid over the box. Cells follow a
// Morton curve, so that blocks of several cells are compact too.
func byPlace(indices []uint32, pool []mgl32.Vec3, box geometry.Box) []uint32 {
	var spread [1 << cellBits]uint32 // a coordinate with two zeros between its bits
	for i := range spread {
		for b := range cellBits {
			spread[i] |= uint32(i) >> b & 1 << (3 * b)
		}
	}
	var scale [3]float32
	for k := range scale {
		scale[k] = (1 << cellBits) / max(box.Max[k]-box.Min[k], math.SmallestNonzeroFloat32*(1<<cellBits))
	}
	cell := func(triangle int) (code uint32) {
		for k, x := range pool[indices[3*triangle]] {
			code |= spread[min(max(int((x-box.Min[k])*scale[k]), 0), 1<<cellBits-1)] << k
		}
		return code
	}
	count := len(indices) / 3
	first := make([]uint32, 1<<(3*cellBits)+1) // place of each cell's first triangle
	for t := range count {
		first[cell(t)+1]++
	}
	for c := range len(first) - 1 {
		first[c+1] += first[c]
	}
	order := make([]uint32, count)
	for t := range count {
		c := cell(t)
		order[first[c]] = uint32(t)
		first[c]++
	}
	return order
}

// noBox returns an empty box: its corners are swapped, so any point extends it.
func noBox() geometry.Box {
	inf := float32(math.Inf(1))
	return geometry.Box{Min: mgl32.Vec3{inf, inf, inf}, Max: mgl32.Vec3{-inf, -inf, -inf}}
}

func extend(box *geometry.Box, indices []uint32, pool []mgl32.Vec3) {
	for _, id := range indices {
		for k, x := range pool[id] {
			box.Min[k], box.Max[k] = min(box.Min[k], x), max(box.Max[k], x)
		}
	}
}

func boxAround(boxes []geometry.Box) geometry.Box {
	all := noBox()
	for i := range boxes {
		for k := range 3 {
			all.Min[k], all.Max[k] = min(all.Min[k], boxes[i].Min[k]), max(all.Max[k], boxes[i].Max[k])
		}
	}
	return all
}
