package plan

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// queueSink leaves shaded vertices and triangles in queues for the rasterizer. A scene whose
// queues exceed their budget is processed in chunks.
type queueSink struct{ kept }

// kept holds a sink's fixed properties. The sink's methods choose its buffers and passes.
type kept struct {
	name      string
	batchless string                                  // why vertices are not shaded in batches; empty if they are
	turns     bool                                    // a chunk's geometry may run while another chunk is drawn
	corners   bool                                    // the indexed form names three vertices per triangle for rasterizers that read them as an index buffer
	always    bool                                    // with corners: for all other rasterizers too
	fitted    func(*geometry.Scene) int               // triangles of a scene by which batches are fitted; nil means all
	buffers   func(vertices, triangles int64) []int64 // bytes of the buffers that hold all of a scene at once; nil if it may come in chunks
	most      func(reuse.Config) int                  // most indices of a batch whose size the user left open; nil means no bound
}

func (k kept) about() kept { return k }

var toQueue = queueSink{kept{name: "queue", turns: true, corners: true}}

// Bytes of one element in the queues.
const (
	positionBytes  = 16 // clip position
	attributeBytes = 8
	recordBytes    = 8 // of a triangle of the indexed form
	cornerBytes    = 4 // a slot of the vertex queue
)

const (
	shareMargin   = 1.15    // size of the vertex queue relative to what a sample needs
	spillMargin   = 1.05    // size of the vertex queue relative to its reserved slots
	mostTriangles = 1 << 26 // of a chunk, so that a triangle's number times places() fits 32 bits
)

func (queueSink) needs(f *renderer.Frame, l *renderer.Limits, n *Needs) {
	held := 0
	if f.Queue == renderer.Expanded {
		held = positionBytes + attributeBytes
	}
	n.strategy(f, l, "geometry/", held, false)
	n.culling(f)
}

// cutAll cuts the batches into chunks whose queues stay within the budget. If everything fits, it makes one chunk.
// Otherwise chunks use the two halves of the budget in turn, and each fits one half. If that is not
// possible (see cutHalves), each chunk uses the whole budget.
func (s queueSink) cutAll(p *planner) error {
	p.sumWorst()
	whole := p.chunk(0, len(p.Batches))
	p.VertexShare = s.share(p)
	fits := p.queueBytes(whole) <= p.Frame.QueueBudget && p.bindable(whole)
	return p.cutHalves(!fits, func() error { return s.cut(p) })
}

// share returns what share of the worst case the vertex queue gets: all of it if slots are fixed, else
// Frame.VertexShare if it is set, else all of it if there is room (roomy), else an estimate from a sample of the
// batches. If the estimate is too low, the queue overflows, and then the need is known.
func (queueSink) share(p *planner) float64 {
	f := &p.Frame
	s := f.Reuse.Strategy
	switch {
	case f.Queue == renderer.Expanded, s.FixedPlaces && !s.Spills:
		return 1
	case f.VertexShare != 0:
		return min(1, f.VertexShare)
	case p.roomy():
		return 1
	}
	mean, most := worstShare(f.Scene, f.Reuse)
	return min(1, (mean+most)/2*shareMargin)
}

func (queueSink) cut(p *planner) error {
	for first := 0; first < len(p.Batches); {
		n := p.fit(first)
		if n == 0 {
			c := p.chunk(first, 1)
			return fmt.Errorf("queue budget of %s is too small: one batch of %d indices needs %s",
				bytesize.Text(p.Frame.QueueBudget), p.Frame.Reuse.Batch, bytesize.Text(p.queueBytes(c)))
		}
		c := p.chunk(first, n)
		p.Chunks = append(p.Chunks, c)
		p.TriangleCapacity = max(p.TriangleCapacity, c.TriangleCount)
		p.VertexCapacity = max(p.VertexCapacity, p.vertices(c))
		first += n
	}
	return nil
}

func (queueSink) batch(p *planner) uint32 { return uint32(p.Frame.Reuse.Batch) }

// even reports whether the shaders can compute a chunk's batches from its first one. They can if batches are
// static and belong to one draw, and all but the last have the full length.
func (queueSink) even(p *planner, chunk int) bool {
	batches := p.batchesOf(chunk)
	return p.Frame.Reuse.Batching == reuse.StaticBatching && oneDraw(batches) && (len(batches) == 1 || batches[0].IndexCount == p.largestBatch())
}

func (queueSink) buffers(p *planner) {
	geometry := p.geometryName()
	p.queueBuffers(geometry)
	p.cornerBuffer(geometry)
}

// queueBuffers adds the queues. `from` is the pass that writes the vertices.
func (p *planner) queueBuffers(from string) {
	records := p.TriangleCapacity
	if p.Frame.Queue == renderer.Expanded || p.Cornered() {
		records = 0
	}
	p.add(VertexPositions, ByPasses, from, "vec4 posClip", p.VertexCapacity, positionBytes)
	p.add(VertexAttributes, ByPasses, from, "uint2 attributes", p.AttributeCount(), attributeBytes)
	p.add(Triangles, ByPasses, p.geometryName(), "uint2 record", records, recordBytes)
}

// cornerBuffer adds the triangle queue that has a vertex per corner.
func (p *planner) cornerBuffer(from string) {
	corners := 0
	if p.Cornered() {
		corners = 3 * p.TriangleCapacity
	}
	p.add(Corners, ByPasses, from, "uint vertex", corners, cornerBytes).Usage = Indexes
}

// passes returns the passes that find repeated indices in a chunk's batches and shade the unique
// vertices. In the counting round they are called count:*, and write no queue unless culling must know
// what is visible.
func (queueSink) passes(p *planner, t target) (steps []step) {
	for _, push := range p.slices(t.chunk) {
		steps = append(steps, step{p.batchPass(t, "geometry", push, p.geometrySpec(t, p.kernel.Subgroups()), touched{
			reads: p.strategyBlocks(), writes: p.withCounts(t, VertexPositions, VertexAttributes, Triangles, Corners, QueueStates),
		})})
	}
	return append(steps, p.cullPasses(t)...)
}

// batchPass returns a pass that runs the strategy's shader for a stage (geometry or fused) on the
// batches that `push` names.
func (p *planner) batchPass(t target, stage string, push shaders.ChunkPush, spec map[string]uint32, x touched) Pass {
	each, name := p.kernel.Subgroups(), p.Frame.Reuse.Strategy.Name
	pass := p.shadingPass(t, t.stage(stage, name), stage+"/"+name, spec, p.groups((int(push.BatchCount)+each-1)/each), x)
	pass.Op.(*Dispatch).Push = push
	return pass
}

func (queueSink) written(p *Plan, shaded, triangles int64) int64 {
	if p.Frame.Queue == renderer.Expanded {
		return 3 * triangles * int64(p.vertexBytes())
	}
	return shaded*int64(p.vertexBytes()) + triangles*p.triangleBytes()
}

func (queueSink) sifts(*renderer.Frame, *renderer.Limits) bool    { return false }
func (queueSink) together(*renderer.Frame, *renderer.Limits) bool { return false }

func (queueSink) sample(s *geometry.Scene, c reuse.Config) sample { return sampled(s, c) }

// worstShare runs the strategy's reference over a sample of batches from all parts of the stream. It
// returns the batches' mean and largest share of their worst case (WorstInvocations).
func worstShare(s *geometry.Scene, c reuse.Config) (mean, most float64) {
	invocations, worst := 0, 0
	for _, batch := range reuse.SampleBatches(s, c) {
		n, bound := 0, c.Strategy.WorstInvocations(c, len(batch))
		c.Strategy.Reference(c, batch, func(it *reuse.Iteration) { n += len(it.Unique) })
		invocations, worst = invocations+n, worst+bound
		most = max(most, float64(n)/float64(max(1, bound)))
	}
	return float64(invocations) / float64(max(1, worst)), most
}
