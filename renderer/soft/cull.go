package soft

import (
	"math"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// This file mirrors shaders/cull/*.comp.

// culling holds the buffers of the culling passes.
type culling struct {
	marks  []uint32 // one per slot of the vertex queue
	counts [renderer.CullCounts]uint32
}

// positioned adds n to the count of vertices that geometry passes have positioned.
func (f *frame) positioned(n int) {
	atomic.AddUint32(&f.culling.counts[renderer.CullPositioned], uint32(n))
}

// epoch returns the mark for vertices of triangles that survive culling. Each chunk has two marks of its own: for its counting round and for its drawing round.
func epoch(op *plan.Dispatch) uint32 { return 2*op.Push.Chunk + 1 + op.Spec["PHASE"] }

// culler decides which triangles to drop.
type culler struct {
	setup
	faces renderer.FaceCulling
	slack int32
	reach [2]float32 // the picture's size
}

// smallSpan bounds the box of a small triangle, in subpixels per side.
const smallSpan = 1 << 14

// perRange is how many triangles or vertices a thread takes at once.
const perRange = 4096

// cullTriangles mirrors cull/triangles.comp.
func (f *frame) cullTriangles(op *plan.Dispatch, threads int) {
	if f.states[op.Push.Chunk].overflow {
		return
	}
	size, triangles := op.Raster, int(op.Push.TriangleCount)
	c := culler{
		setup: setup{width: int(size.Width), height: int(size.Height)},
		faces: renderer.FaceCulling(op.Spec["FACES"]), slack: int32(op.Spec["SLACK"]),
		reach: [2]float32{float32(size.Width), float32(size.Height)},
	}
	parallel((triangles+perRange-1)/perRange, threads, func(i int) {
		var counts [renderer.CullKinds]uint32
		for triangle := i * perRange; triangle < min((i+1)*perRange, triangles); triangle++ {
			counts[f.cullTriangle(&c, op, triangle)]++
		}
		for kind, n := range counts {
			atomic.AddUint32(&f.culling.counts[kind], n*op.Spec["TALLY"])
		}
	})
}

// cullTriangle returns the verdict on a triangle. It marks the vertices of a survivor, and makes a dropped triangle
// degenerate.
func (f *frame) cullTriangle(c *culler, op *plan.Dispatch, triangle int) int {
	var v [3]int
	var p [3]*[4]float32
	for i := range v {
		v[i] = f.queues.Corner(renderer.Indexed, triangle, i)
		p[i] = &f.queues.Positions[v[i]]
	}
	from := f.queues.Attributes[v[0]][1]
	if renderer.View(op.Spec["VIEW"]) == renderer.Batches {
		from = f.batches[from-op.Push.BatchNumber].Draw
	}
	verdict := c.verdict(p, f.draws[from].Flags)
	switch {
	case verdict == renderer.CullSurvived:
		for _, vertex := range v {
			atomic.StoreUint32(&f.culling.marks[vertex], epoch(op))
		}
	case f.queues.Corners != nil:
		f.queues.Corners[3*triangle+1], f.queues.Corners[3*triangle+2] = uint32(v[0]), uint32(v[0])
	default:
		slots := &f.queues.Triangles[triangle][0]
		*slots = *slots & 1023 * 0x100401
	}
	return verdict
}

// verdict returns the test that drops a triangle, or renderer.CullSurvived. `flags` are the draw's.
func (c *culler) verdict(p [3]*[4]float32, flags uint32) int {
	beyond := ^0
	inside := true
	for _, p := range p {
		for _, x := range p {
			if x-x != 0 { // infinite or not a number
				return renderer.CullSurvived
			}
		}
		beyond &= beyondOf(p)
		inside = inside && c.inside(p)
	}
	if beyond != 0 {
		return renderer.CullFrustum
	}
	if !inside {
		return renderer.CullSurvived
	}
	var at [3]place
	placed := true
	for i, p := range p {
		var ok bool
		clip := corner{x: float64(p[0]), y: float64(p[1]), z: float64(p[2]), w: float64(p[3])}
		at[i], ok = c.project(&clip)
		placed = placed && ok
	}
	if !placed {
		return renderer.CullSurvived
	}
	area := edge(&at[0], &at[1], &at[2])
	if area == 0 && (c.slack == 0 || *p[0] == *p[1] || *p[1] == *p[2] || *p[2] == *p[0]) {
		return renderer.CullZeroArea
	}
	oneSided := c.faces == renderer.AllFaces || c.faces == renderer.FacesOfFile && flags&renderer.DrawOneSided != 0
	back := area > 0
	if flags&renderer.DrawMirrored != 0 {
		back = area < 0
	}
	if oneSided && back {
		return renderer.CullBackFace
	}
	if c.noSample(&at, area < 0) {
		return renderer.CullNoSample
	}
	return renderer.CullSurvived
}

// noSample reports whether a triangle's box, widened by c.slack subpixels, contains no pixel centre or,
// if slack is 0 and the triangle small, only one that lies outside the triangle.
func (c *culler) noSample(at *[3]place, swapped bool) bool {
	minX, maxX := min(at[0].subX, at[1].subX, at[2].subX), max(at[0].subX, at[1].subX, at[2].subX)
	minY, maxY := min(at[0].subY, at[1].subY, at[2].subY), max(at[0].subY, at[1].subY, at[2].subY)
	left, right := max(ceilPixel(minX-c.slack), 0), min(floorPixel(maxX+c.slack), int32(c.width)-1)
	top, bottom := max(ceilPixel(minY-c.slack), 0), min(floorPixel(maxY+c.slack), int32(c.height)-1)
	if left > right || top > bottom {
		return true
	}
	if c.slack != 0 || left != right || top != bottom || max(maxX-minX, maxY-minY) >= smallSpan {
		return false
	}
	t := triangle{x: [3]int32{at[0].subX, at[1].subX, at[2].subX}, y: [3]int32{at[0].subY, at[1].subY, at[2].subY}}
	if swapped {
		t.x[1], t.x[2], t.y[1], t.y[2] = t.x[2], t.x[1], t.y[2], t.y[1]
	}
	for i := range 3 {
		e := newEdge(&t, (i+1)%3, (i+2)%3)
		if e.value+int64(left)*e.stepX+int64(top)*e.stepY < e.bias {
			return true
		}
	}
	return false
}

// inside reports whether a corner is certainly inside all planes. It keeps a margin from the guard
// band's edges.
func (c *culler) inside(p *[4]float32) bool {
	guard := float32(1.75 * guardPx * p[3])
	return p[3] >= smallestW && math.Float32bits(p[2])>>31 == 0 && p[2] <= p[3] &&
		absolute(p[0])*c.reach[0] <= guard && absolute(p[1])*c.reach[1] <= guard
}

func absolute(x float32) float32 { return float32(math.Abs(float64(x))) }

// cullShade mirrors cull/shade.comp: it shades the attributes of marked vertices. This
// computes their positions again; they have not changed and are discarded.
func (f *frame) cullShade(op *plan.Dispatch, threads int) {
	s := f.newShader(op)
	s.cull = false
	marks := f.culling.marks
	parallel((len(marks)+perRange-1)/perRange, threads, func(i int) {
		shaded := uint32(0)
		for place := i * perRange; place < min((i+1)*perRange, len(marks)); place++ {
			if marks[place] != epoch(op) {
				continue
			}
			shaded++
			attributes := &f.queues.Attributes[place]
			id, from, batch := attributes[0], attributes[1], uint32(0)
			if s.view == renderer.Batches {
				from, batch = f.batches[from-op.Push.BatchNumber].Draw, from
			}
			dr := &f.draws[from]
			_, *attributes = s.shade(dr, id, batch)
			if op.Spec["COUNT"] != 0 {
				atomic.AddUint32(&f.counts[dr.CountOffset+id], 1)
			}
		}
		atomic.AddUint32(&f.culling.counts[renderer.CullShaded], shaded*op.Spec["TALLY"])
	})
}
