package soft

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// This file mirrors shaders/geometry/*.comp with shaders/include/sink_queue.glsl. The strategy's
// reference replaces the shader's search for repeated indices; the handling of an iteration is
// the same for all strategies.

// dispatch is one geometry pass.
type dispatch struct {
	*frame
	shader
	op           *plan.Dispatch
	count, write bool
	form         renderer.QueueForm
	batches      []reuse.Batch // of the pass: the chunk's, or a part of them (Frame.Slice)
	state        *state
}

// batchRange is a run of batches that one thread takes, with its results.
type batchRange struct {
	first, end int      // indices into dispatch.batches
	ids        []uint32 // indexed form: the vertices to shade, in queue order
	perBatch   []uint32 // how many of ids belong to each batch
	base       uint64   // slot of ids[0] in the vertex queue
	needs      state    // what queues that are too small would need; vertices only in the expanded form
	iterations int
	laneSlots  int
}

// batchesPerRange is small, so that threads finish at about the same time.
const batchesPerRange = 128

// geometry runs in two steps, since a batch's slots in the vertex queue depend on earlier batches: it first
// finds the iterations of all batches, then shades them. With an expanded queue (three fixed slots per triangle)
// it shades in the first step.
func (f *frame) geometry(op *plan.Dispatch, threads int) {
	first := int(op.Push.FirstBatch)
	end := min(first+int(op.Push.BatchCount), len(f.batches))
	d := &dispatch{
		frame: f, op: op,
		shader: f.newShader(op),
		count:  op.Spec["COUNT"] != 0, write: op.Spec["WRITE"] != 0,
		form:    renderer.QueueForm(op.Spec["QUEUE"]),
		batches: f.batches[first:end],
		state:   &f.states[op.Push.Chunk],
	}
	ranges := d.cut()
	parallel(len(ranges), threads, func(i int) { d.find(&ranges[i]) })
	for i := range ranges {
		d.allocate(&ranges[i])
	}
	if d.write && d.form == renderer.Indexed && !d.state.overflow {
		parallel(len(ranges), threads, func(i int) { d.place(&ranges[i]) })
	}
}

// newShader returns the vertex shader as specialized by a pass.
func (f *frame) newShader(op *plan.Dispatch) shader {
	return shader{
		scene: f.scene, camera: &f.camera, view: renderer.View(op.Spec["VIEW"]),
		vertex: f.plan.Frame.VertexShader, skin: &f.skin, noise: newDisplace(op.Spec),
		shaded: f.shaded, cull: op.Spec["CULL"] != 0,
	}
}

// cut divides the pass's batches into ranges, reusing the slices of earlier passes.
func (d *dispatch) cut() []batchRange {
	n := (len(d.batches) + batchesPerRange - 1) / batchesPerRange
	for len(d.ranges) < n {
		d.ranges = append(d.ranges, batchRange{})
	}
	for i := range n {
		r := &d.ranges[i]
		*r = batchRange{
			first: i * batchesPerRange, end: min((i+1)*batchesPerRange, len(d.batches)),
			ids: r.ids[:0], perBatch: r.perBatch[:0],
		}
	}
	return d.ranges[:n]
}

// find runs the reference over a range's batches and counts shadings. In the indexed form it writes the
// triangles, with vertex numbers relative to the range's first vertex; in the expanded form it shades.
func (d *dispatch) find(r *batchRange) {
	var room []uint32
	for i := r.first; i < r.end; i++ {
		b := &d.batches[i]
		dr := &d.draws[b.Draw]
		var own []uint32
		if d.count {
			own = d.counts[dr.CountOffset:]
		}
		triangle := int(b.FirstTriangle) - int(d.op.Push.FirstTriangle)
		before := len(r.ids)
		d.reference(b, &room, func(it *reuse.Iteration) {
			if d.count {
				if d.cull {
					d.positioned(len(it.Unique))
				} else {
					for _, id := range it.Unique {
						atomic.AddUint32(&own[id], 1)
					}
				}
				r.iterations++
				r.laneSlots += it.LaneSlots
			}
			switch {
			case !d.write:
			case d.form == renderer.Indexed:
				d.writeTriangles(r, it, triangle)
				r.ids = append(r.ids, it.Unique...)
			default:
				d.writeCorners(r, it, triangle, dr, d.batchNumber(i))
			}
			triangle += len(it.Slots) / 3
		})
		r.perBatch = append(r.perBatch, uint32(len(r.ids)-before))
	}
}

func (d *dispatch) writeTriangles(r *batchRange, it *reuse.Iteration, triangle int) {
	base := uint32(len(r.ids))
	for k := 0; k+2 < len(it.Slots); k += 3 {
		if d.triangleFits(r, triangle) {
			if d.queues.Corners != nil {
				for c, slot := range it.Slots[k : k+3] {
					d.queues.Corners[3*triangle+c] = base + uint32(slot)
				}
			} else {
				slots := uint32(it.Slots[k]) | uint32(it.Slots[k+1])<<10 | uint32(it.Slots[k+2])<<20
				d.queues.Triangles[triangle] = [2]uint32{slots, base}
			}
		}
		triangle++
	}
}

func (d *dispatch) triangleFits(r *batchRange, triangle int) bool {
	if triangle < d.plan.TriangleCapacity {
		return true
	}
	r.needs.overflow = true
	r.needs.triangleCount = max(r.needs.triangleCount, uint64(triangle)+1)
	return false
}

// writeCorners shades an iteration's vertices and stores each at the corners that use it: the
// corners of a triangle begin at 3 * its position.
func (d *dispatch) writeCorners(r *batchRange, it *reuse.Iteration, triangle int, dr *draw, batch uint32) {
	var positions [maxSlots][4]float32
	var attributes [maxSlots][2]uint32
	for s, id := range it.Unique {
		positions[s], attributes[s] = d.shade(dr, id, batch)
	}
	for k, slot := range it.Slots {
		if !d.triangleFits(r, triangle+k/3) {
			continue
		}
		vertex := 3*triangle + k
		r.needs.vertexCount = max(r.needs.vertexCount, uint64(vertex)+1)
		if vertex >= d.plan.VertexCapacity {
			r.needs.overflow = true
			continue
		}
		d.queues.Positions[vertex], d.queues.Attributes[vertex] = positions[slot], attributes[slot]
	}
}

// batchNumber returns the number that batch i of the pass has in the stream.
func (d *dispatch) batchNumber(i int) uint32 {
	return d.op.Push.BatchNumber + d.op.Push.FirstBatch + uint32(i)
}

// maxSlots is the number of slots that a triangle record can address: 10 bits per corner.
const maxSlots = 1 << 10

// allocate assigns a range its slots in the vertex queue. For naive they equal the slots that its shader
// computes without allocation: it shades three vertices per triangle, so the vertices of a triangle
// begin at 3 * its position.
func (d *dispatch) allocate(r *batchRange) {
	d.stats.Iterations += r.iterations
	d.stats.LaneSlots += r.laneSlots
	s := d.state
	s.overflow = s.overflow || r.needs.overflow
	s.triangleCount = max(s.triangleCount, r.needs.triangleCount)
	if d.form == renderer.Expanded {
		s.vertexCount = max(s.vertexCount, r.needs.vertexCount)
		return
	}
	r.base = s.vertexCount
	s.vertexCount += uint64(len(r.ids))
	s.overflow = s.overflow || s.vertexCount > uint64(d.plan.VertexCapacity)
}

// place shades a range's vertices into their slots, and adds the range's first slot to the vertex
// numbers of its triangles. The chunk is known to fit.
func (d *dispatch) place(r *batchRange) {
	positions, attributes := d.queues.Positions[r.base:], d.queues.Attributes[r.base:]
	next := 0
	for i := r.first; i < r.end; i++ {
		b := &d.batches[i]
		for range r.perBatch[i-r.first] {
			positions[next], attributes[next] = d.shade(&d.draws[b.Draw], r.ids[next], d.batchNumber(i))
			next++
		}
		triangle := int(b.FirstTriangle) - int(d.op.Push.FirstTriangle)
		for t := range int(b.IndexCount) / 3 {
			if d.queues.Corners == nil {
				d.queues.Triangles[triangle+t][1] += uint32(r.base)
				continue
			}
			for c := range 3 {
				d.queues.Corners[3*(triangle+t)+c] += uint32(r.base)
			}
		}
	}
}

// mostKept bounds the indices of instances whose iterations are kept, at about 6 bytes per index.
const mostKept = 1 << 25

// instances caches the reference's results for draws that share indices, so that it runs only for
// the first of these draws.
type instances struct {
	several []bool // by draw: whether others use the same indices; nil if nothing is kept
	found   sync.Map
}

// indexRange is a part of the index pool.
type indexRange struct{ first, count uint32 }

func newInstances(s *geometry.Scene) *instances {
	times, kept := map[indexRange]int{}, 0
	for i := range s.Draws {
		d := &s.Draws[i]
		key := indexRange{d.FirstIndex, d.IndexCount}
		if times[key]++; times[key] == 2 {
			kept += int(d.IndexCount)
		}
	}
	in := &instances{}
	if kept == 0 || kept > mostKept {
		return in
	}
	in.several = make([]bool, len(s.Draws))
	for i := range s.Draws {
		d := &s.Draws[i]
		in.several[i] = times[indexRange{d.FirstIndex, d.IndexCount}] > 1
	}
	return in
}

// reference calls `each` with the iterations of the strategy's reference over a batch. Draws that share indices share results.
func (d *dispatch) reference(b *reuse.Batch, room *[]uint32, each func(*reuse.Iteration)) {
	config, in := d.plan.Frame.Reuse, d.instances
	run := func(each func(*reuse.Iteration)) {
		config.Strategy.Reference(config, d.frame.scene.IndicesAt(b.FirstIndex, b.IndexCount, room), each)
	}
	if in.several == nil || !in.several[b.Draw] {
		run(each)
		return
	}
	key := indexRange{b.FirstIndex, b.IndexCount}
	found, ok := in.found.Load(key)
	if !ok {
		var list []reuse.Iteration
		run(func(it *reuse.Iteration) {
			one := *it
			one.Unique, one.Slots = slices.Clone(it.Unique), slices.Clone(it.Slots)
			list = append(list, one)
		})
		found, _ = in.found.LoadOrStore(key, list)
	}
	list := found.([]reuse.Iteration)
	for i := range list {
		each(&list[i])
	}
}
