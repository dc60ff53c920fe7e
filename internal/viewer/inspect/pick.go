// Package inspect finds details of a frame beside its picture: which triangle a
// pixel shows and which of its vertices is nearest, which batches shaded a vertex, how
// much each draw reuses, how the counts of two frames differ, and how many lanes had
// something to shade. It reads plans, scenes and counts, and knows no window, panel or
// frame loop. Long work runs in goroutines (Pickers, Searches, Surveys); a Keeper frees
// retired scenes once none of these goroutines reads a scene.
package inspect

import (
	"image"
	"math"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/renderer"
)

// Hit is the triangle that a pixel shows. It is found on the CPU, so nothing has to be drawn or
// read back.
type Hit struct {
	Draw     int       // index in Scene.Draws
	Triangle int       // number in the draw, in index order
	Corners  [3]uint32 // the triangle's vertices, by their numbers in the draw
	Nearest  int       // the corner nearest to the pixel
}

// Vertex returns the number in the draw of the triangle's corner that is nearest to the pixel.
func (h *Hit) Vertex() uint32 { return h.Corners[h.Nearest] }

// ray is origin + t direction; t is the depth along the viewing direction.
type ray struct{ origin, direction mgl64.Vec3 }

// pixelRay returns the ray through the centre of a pixel of a window.
func pixelRay(c renderer.Camera, size, at image.Point) ray {
	tan := math.Tan(float64(c.FovY) * math.Pi / 360)
	x := (2*(float64(at.X)+0.5)/float64(size.X) - 1 - float64(c.Center[0])) * tan * float64(size.X) / float64(size.Y)
	y := (1 - 2*(float64(at.Y)+0.5)/float64(size.Y) + float64(c.Center[1])) * tan
	right32, up32 := c.Basis()
	right, up, forward, eye := wide(right32), wide(up32), wide(c.Forward()), wide(c.Eye())
	if c.Orthographic {
		d := float64(c.Distance)
		return ray{eye.Add(right.Mul(x * d)).Add(up.Mul(y * d)), forward}
	}
	return ray{eye, forward.Add(right.Mul(x)).Add(up.Mul(y))}
}

func wide(v [3]float32) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])}
}

// Picker finds the triangles that pixels show. It tests rays against boxes of triangles before it tests the triangles.
type Picker struct {
	// Scene has its vertices at the places where they are drawn, since a vertex shader may move them.
	Scene *geometry.Scene
	draws []drawBoxes     // by draw, each in the draw's own space
	marks []renderer.Mark // the frame's marks, by draw; nil if it has none. Hidden draws are not picked
}

// Pick returns the triangle that a pixel of a picture of the given size shows: the nearest one between
// the camera's near and far planes. It returns false if there is none.
func (p *Picker) Pick(c renderer.Camera, size, at image.Point) (Hit, bool) {
	best, _, found := p.meet(c, pixelRay(c, size, at))
	if found {
		best.Nearest = p.nearest(&best, c, size, at)
	}
	return best, found
}

// Point returns the point of the scene that a pixel shows; false if the pixel shows no triangle.
func (p *Picker) Point(c renderer.Camera, size, at image.Point) (mgl32.Vec3, bool) {
	r := pixelRay(c, size, at)
	_, depth, found := p.meet(c, r)
	q := r.origin.Add(r.direction.Mul(depth))
	return mgl32.Vec3{float32(q[0]), float32(q[1]), float32(q[2])}, found
}

// meet returns the nearest triangle that a ray meets between the camera's near and far planes,
// and its distance along the ray; false if there is none.
func (p *Picker) meet(c renderer.Camera, world ray) (best Hit, far float64, found bool) {
	err := p.Scene.Guard(func() error {
		best, far, found = p.meetAny(c, world)
		return nil
	})
	return best, far, found && err == nil
}

func (p *Picker) meetAny(c renderer.Camera, world ray) (best Hit, far float64, found bool) {
	near := float64(c.Near)
	far = float64(c.Far)
	for i := range p.Scene.Draws {
		d := &p.Scene.Draws[i]
		inverse, ok := inverted(d.Transform)
		if !ok || d.IndexCount == 0 || p.marks != nil && p.marks[i] == renderer.Hidden {
			continue
		}
		r := ray{inverse.Mul4x1(world.origin.Vec4(1)).Vec3(), inverse.Mul4x1(world.direction.Vec4(0)).Vec3()}
		if !r.meets(p.draws[i].whole, near, far) {
			continue
		}
		pool := p.Scene.Positions[d.VertexOffset:]
		indices := p.Scene.DrawIndices(i)
		boxes := &p.draws[i]
		for b, box := range boxes.blocks {
			if !r.meets(box, near, far) {
				continue
			}
			for k, to := block(b, len(indices)/3); k < to; k++ {
				triangle := boxes.triangle(k)
				corners := indices[3*triangle : 3*triangle+3]
				t, ok := r.triangle(pool[corners[0]], pool[corners[1]], pool[corners[2]])
				first := t < far || t == far && found && best.Draw == i && triangle < best.Triangle // at equal depth the first triangle wins
				if ok && t >= near && first {
					far, found = t, true
					best = Hit{Draw: i, Triangle: triangle, Corners: [3]uint32(corners)}
				}
			}
		}
	}
	return best, far, found
}

// inverted returns the inverse of a transform, and false if it is singular: then no triangle of
// the draw has an area.
func inverted(m [16]float32) (mgl64.Mat4, bool) {
	var d mgl64.Mat4
	for i, x := range m {
		d[i] = float64(x)
	}
	inverse := d.Inv()
	for _, x := range inverse {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return inverse, false
		}
	}
	return inverse, inverse != mgl64.Mat4{}
}

// meets reports whether the ray meets a box between two depths.
func (r ray) meets(box geometry.Box, near, far float64) bool {
	for k := range 3 {
		low, high := float64(box.Min[k])-r.origin[k], float64(box.Max[k])-r.origin[k]
		if r.direction[k] == 0 {
			if low > 0 || high < 0 {
				return false
			}
			continue
		}
		a, b := low/r.direction[k], high/r.direction[k]
		slack := 1e-9 * (math.Abs(a) + math.Abs(b))
		near, far = max(near, min(a, b)-slack), min(far, max(a, b)+slack)
	}
	return near <= far
}

// triangle returns the t at which the ray meets a triangle, from either side (Möller and Trumbore, 1997); false if it misses.
func (r ray) triangle(a, b, c [3]float32) (t float64, ok bool) {
	origin := wide(a)
	ab, ac := wide(b).Sub(origin), wide(c).Sub(origin)
	p := r.direction.Cross(ac)
	det := ab.Dot(p)
	if det == 0 {
		return 0, false
	}
	s := r.origin.Sub(origin)
	u := s.Dot(p) / det
	if !(u >= 0 && u <= 1) {
		return 0, false
	}
	q := s.Cross(ab)
	v := r.direction.Dot(q) / det
	if !(v >= 0 && u+v <= 1) {
		return 0, false
	}
	return ac.Dot(q) / det, true
}

// nearest returns the corner of a hit that is nearest to the pixel's centre in the picture.
func (p *Picker) nearest(h *Hit, c renderer.Camera, size, at image.Point) int {
	best, least := 0, math.Inf(1)
	projection := NewProjector(c, p.Scene, h.Draw, size)
	for i, v := range h.Corners {
		if x, y, ok := projection.Place(v); ok {
			if d := math.Hypot(float64(x)-float64(at.X)-0.5, float64(y)-float64(at.Y)-0.5); d < least {
				best, least = i, d
			}
		}
	}
	return best
}

// Projector projects the vertices of one draw onto a picture.
type Projector struct {
	scene  *geometry.Scene
	matrix mgl32.Mat4
	pool   []mgl32.Vec3
	size   image.Point
}

// NewProjector returns the Projector of a draw for a picture of the given size.
func NewProjector(c renderer.Camera, s *geometry.Scene, draw int, size image.Point) Projector {
	d := &s.Draws[draw]
	return Projector{
		scene: s, matrix: c.ViewProj(float32(size.X) / float32(size.Y)).Mul4(d.Transform),
		pool: s.Positions[d.VertexOffset:][:d.VertexCount], size: size,
	}
}

// Place returns a vertex's place in pixels, and false if it is behind the eye.
func (p *Projector) Place(v uint32) (x, y float32, ok bool) {
	err := p.scene.Guard(func() error {
		x, y, _, ok = Project(&p.matrix, p.size, p.pool[v])
		return nil
	})
	return x, y, ok && err == nil
}

// Project returns a point's place in pixels and its depth; false if it is behind the eye.
func Project(m *mgl32.Mat4, size image.Point, p mgl32.Vec3) (x, y, z float32, ok bool) {
	row := func(i int) float32 { return m[i]*p[0] + m[i+4]*p[1] + m[i+8]*p[2] + m[i+12] }
	w := row(3)
	if !(w > 1e-12) {
		return 0, 0, 0, false
	}
	return (row(0)/w + 1) / 2 * float32(size.X), (row(1)/w + 1) / 2 * float32(size.Y), row(2) / w, true
}

// blockTriangles is the number of a draw's triangles that share a box. In a scene of 11.5 million triangles a ray
// then tests a few hundred triangles, and the boxes take about a hundredth of the indices' memory.
const blockTriangles = 256

// looseBoxes is how many boxes of a draw a ray through the draw may hit on average. If it hits more,
// for example because an order scatters neighbours over the indices, blocks are made of neighbouring
// triangles instead of consecutive ones.
const looseBoxes = 256

// drawBoxes are the bounding boxes of a draw: one per block of its triangles, and one for all.
type drawBoxes struct {
	whole  geometry.Box
	blocks []geometry.Box
	order  []uint32 // the triangles, ordered by place; nil if blocks follow the index order
}

// block returns the range of positions in the order of triangles that belong to block b. n is the draw's number of triangles.
func block(b, n int) (from, to int) { return b * blockTriangles, min((b+1)*blockTriangles, n) }

// triangle returns the triangle at position k of the order.
func (d *drawBoxes) triangle(k int) int {
	if d.order == nil {
		return k
	}
	return int(d.order[k])
}

// NewPicker returns a scene's picker. It makes the boxes on all cores; instances share them.
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

// makeBoxes makes the boxes of the draws whose indices are in `some`.
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
			box := geometry.BoxOf()
			for k, to := block(j.block, len(indices)/3); k < to; k++ {
				for _, id := range indices[3*d.triangle(k):][:3] {
					box.Add(pool[id])
				}
			}
			d.blocks[j.block] = box
		}
	})
	for _, i := range some {
		d := &draws[i]
		d.whole = geometry.BoxOf()
		for _, box := range d.blocks {
			d.whole.Add(box.Min)
			d.whole.Add(box.Max)
		}
	}
}

// loose reports whether a ray through the draw's box hits too many of the blocks' boxes on average. It hits a block's
// box with a probability that equals this box's surface area divided by that of the draw's box.
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

const cellBits = 7 // the binary logarithm of the number of cells of a grid along each axis

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
	first := make([]uint32, 1<<(3*cellBits)+1) // position in the order of each cell's first triangle
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
