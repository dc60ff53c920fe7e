package plan

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// Bytes of one element in the queues.
const (
	positionBytes  = 16 // clip position
	attributeBytes = 8
	triangleBytes  = 8       // record of the indexed form
	skinBytes      = 8       // four bones and their weights
	shareMargin    = 1.15    // of the vertex queue over what a sample needs
	spillMargin    = 1.05    // of the vertex queue over its fixed places
	mostTriangles  = 1 << 26 // of a chunk, so that places fit 32 bits when multiplied
)

// cutStream cuts the whole stream into batches and chunks.
func (p *Plan) cutStream(l renderer.Limits) error {
	p.Batches = reuse.Batches(p.Frame.Scene, p.Frame.Reuse)
	return p.cutChunks(l)
}

// cutChunks cuts the batches so that the queues keep to the budget: one chunk
// where that holds all, else chunks for two halves of it, which take turns. Where
// half the budget does not hold a batch, chunks follow each other through all of it.
func (p *Plan) cutChunks(l renderer.Limits) error {
	f := &p.Frame
	if f.Reuse.Strategy.WholeDraws {
		p.wholeChunk()
		return nil
	}
	p.sumWorst()
	whole := p.chunk(0, len(p.Batches))
	p.chooseShare()
	fits := func() bool { return p.queueBytes(whole) <= f.QueueBudget && p.bindable(whole, l) }
	return p.cutHalves(!fits(), p.cutBudget, l)
}

// cutHalves cuts chunks for two halves of the budget, where these are wanted, may be
// and hold a batch; else for all of it.
func (p *Plan) cutHalves(wanted bool, cut func(renderer.Limits) error, l renderer.Limits) error {
	f := &p.Frame
	if wanted && !f.NoRaster && !f.OneHalf {
		p.chunkBudget, p.Halves = f.QueueBudget/2, 2
		if cut(l) == nil {
			return nil
		}
	}
	p.chunkBudget, p.Halves = f.QueueBudget, 1
	return cut(l)
}

// chooseShare guesses what share of the worst case the vertex queue needs, by a
// sample of the batches. Where that is too little it overflows, and the need is known.
func (p *Plan) chooseShare() {
	f := &p.Frame
	s := f.Reuse.Strategy
	p.vertexShare = 1
	switch {
	case f.Queue == renderer.Expanded, s.FixedPlaces && !s.Spills:
	case f.VertexShare != 0:
		p.vertexShare = min(1, f.VertexShare)
	case p.roomy():
	default:
		mean, most := reuse.Sample(f.Scene, f.Reuse)
		p.vertexShare = min(1, (mean+most)/2*shareMargin)
	}
}

// places is how many sixteenths of a vertex a triangle has places for in the vertex
// queue, where places are fixed: what is left of the queue is for batches that
// need more.
func (p *Plan) places() int {
	if p.vertexShare == 1 {
		return 16 * 3
	}
	return int(16 * 3 * p.vertexShare / spillMargin)
}

// SpillFirst is where the places begin in the vertex queue that batches are given
// which need more than their own.
func (p *Plan) SpillFirst(chunk int) int {
	if !p.Frame.Reuse.Strategy.Spills {
		return 0
	}
	return p.Chunks[chunk].TriangleCount * p.places() >> 4
}

// cutBudget cuts the batches into chunks of at most chunkBudget.
func (p *Plan) cutBudget(l renderer.Limits) error {
	p.Chunks, p.TriangleCapacity, p.VertexCapacity = nil, 0, 0
	return p.cutBatches(l)
}

// cutBatches adds the chunks of Batches.
func (p *Plan) cutBatches(l renderer.Limits) error {
	for first := 0; first < len(p.Batches); {
		n := p.fit(first, l)
		if n == 0 {
			c := p.chunk(first, 1)
			return fmt.Errorf("renderer: queue budget of %s is too small: one batch of %d indices needs %s",
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

// fit is the largest number of batches from first that keeps to the budget.
func (p *Plan) fit(first int, l renderer.Limits) int {
	lo, hi := 0, len(p.Batches)-first
	for lo < hi {
		n := (lo + hi + 1) / 2
		c := p.chunk(first, n)
		if p.queueBytes(c) <= p.chunkBudget && p.bindable(c, l) {
			lo = n
		} else {
			hi = n - 1
		}
	}
	return lo
}

func (p *Plan) bindable(c Chunk, l renderer.Limits) bool {
	return c.TriangleCount <= mostTriangles && p.drawable(c) && int64(p.vertices(c))*16 <= l.MaxBufferBytes && int64(c.TriangleCount)*triangleBytes <= l.MaxBufferBytes
}

func (p *Plan) chunk(first, n int) Chunk {
	batches := p.Batches[first : first+n]
	c := Chunk{FirstBatch: first, BatchCount: n, FirstTriangle: int(batches[0].FirstTriangle)}
	last := batches[n-1]
	c.TriangleCount = int(last.FirstTriangle) + int(last.IndexCount)/3 - c.FirstTriangle
	c.WorstVertices = 3 * c.TriangleCount
	if p.Frame.Queue == renderer.Indexed {
		c.WorstVertices = p.worst[first+n] - p.worst[first]
	}
	return c
}

// sumWorst makes the prefix sum of what each batch yields at most.
func (p *Plan) sumWorst() {
	r := p.Frame.Reuse
	p.worst = make([]int, len(p.Batches)+1)
	for i, b := range p.Batches {
		p.worst[i+1] = p.worst[i] + r.Strategy.WorstInvocations(r, int(b.IndexCount))
	}
}

func (p *Plan) vertices(c Chunk) int {
	return max(int(p.vertexShare*float64(c.WorstVertices)), min(c.WorstVertices, p.Frame.Reuse.Strategy.MaxUnique(p.Frame.Reuse)))
}

// vertexBytes is what the queues hold of a vertex.
func (p *Plan) vertexBytes() int {
	if !p.Frame.HasAttributes() {
		return positionBytes
	}
	return positionBytes + attributeBytes
}

func (p *Plan) queueBytes(c Chunk) int64 {
	n := int64(p.vertices(c)) * int64(p.vertexBytes())
	if p.Frame.Queue == renderer.Indexed {
		n += int64(c.TriangleCount) * triangleBytes
	}
	return n
}

// addBuffer adds a buffer of count elements of size bytes, never empty, so that it
// can be bound.
func (p *Plan) addBuffer(name, from, shape string, count, size int) {
	p.Buffers = append(p.Buffers, Buffer{Name: name, From: from, Bytes: int64(max(count, 1)) * int64(size), Shape: fmt.Sprintf("%d x %s", count, shape)})
}

// sceneBuffers adds the pools and the draws, which every plan has.
func (p *Plan) sceneBuffers() {
	s := p.Frame.Scene
	positions, normals, indices := len(s.Positions), len(s.Normals), len(s.Indices)
	if p.Gathered {
		positions, normals, indices = p.windowMost.vertices, p.windowMost.vertices, p.windowMost.indices
	}
	p.addBuffer("Positions", "scene", "float3", positions, 12)
	p.addBuffer("Normals", "scene", "float3", normals, 12)
	p.addBuffer("Indices", "scene", "uint", indices, 4)
	p.addBuffer("Draws", "scene", "Draw", p.drawCount(), shaders.DrawSize)
}

func (p *Plan) layOutBuffers(l renderer.Limits) {
	s := p.Frame.Scene
	geometry := "geometry:" + p.Frame.Reuse.Strategy.Name
	add := p.addBuffer
	p.sceneBuffers()
	add("Batches", "scene", "Batch", max(len(p.Batches), p.windowMost.batches), shaders.BatchSize)
	add("Cameras", "frame", "Camera", 1, shaders.CameraSize)
	pairs := s.DrawVertices()
	if p.Windowed() {
		pairs = p.windowMost.pairs
	}
	if p.Frame.NoCounts && p.Frame.Shown == nil {
		pairs = 0
	}
	add("Clips", "camera:clips", "mat4", p.drawCount(), 64)
	add("Counts", geometry, "uint", pairs, 4)
	positions, whole := geometry, p.Frame.Reuse.Strategy.WholeDraws
	if whole && p.Frame.Queue == renderer.Expanded {
		positions += assembleSuffix
	}
	add("VertexPositions", positions, "vec4 posClip", p.VertexCapacity, positionBytes)
	add("VertexAttributes", positions, "uint2 attributes", p.AttributeCount(), attributeBytes)
	records := p.TriangleCapacity
	if p.Frame.Queue == renderer.Expanded || whole {
		records = 0
	}
	add("Triangles", geometry, "uint2 record", records, triangleBytes)
	add("QueueStates", geometry, "QueueState", len(p.Chunks), shaders.QueueStateSize)
	vertices, rows := 0, 0
	if p.Frame.VertexShader == renderer.Skin {
		vertices, rows = len(s.Positions), boneRows*boneCount
	}
	add("Skin", "scene", "uint2 bones, weights", vertices, skinBytes)
	add("Bones", "scene", "vec4 row", rows, 16)
	if whole {
		positions, attributes := p.scratch()
		add("ScratchPositions", geometry, "vec4 posClip", positions, positionBytes)
		add("ScratchAttributes", geometry, "uint2 attributes", attributes, attributeBytes)
		geometry += assembleSuffix
	}
	add("Corners", geometry, "uint vertex", p.corners(), cornerBytes)
	p.cullBuffers()
	p.rasterBuffers(l)
}

// sizeError says that the device cannot hold a plan.
type sizeError struct {
	text   string
	excess int64 // bytes; 0 where it is not the sum that is too large
}

func (e *sizeError) Error() string { return e.text }

// DeviceBytes is the device memory that executing the plan takes at most.
func (p *Plan) DeviceBytes() int64 { return p.ownBytes() + stagingBytes + 2*p.windowMost.fetched() }

// ownBytes is what the plan's buffers and its picture take.
func (p *Plan) ownBytes() int64 {
	total := int64(p.Frame.Width) * int64(p.Frame.Height) * 8
	for _, b := range p.Buffers {
		total += b.Bytes
	}
	return total
}

func (p *Plan) checkSizes(l renderer.Limits) error {
	for _, b := range p.Buffers {
		if b.Bytes > l.MaxBufferBytes {
			return &sizeError{text: fmt.Sprintf("renderer: buffer %s needs %s (%s), the device binds at most %s", b.Name, bytesize.Text(b.Bytes), b.Shape, bytesize.Text(l.MaxBufferBytes))}
		}
	}
	total := p.ownBytes()
	if l.DeviceBytes > 0 && total > l.DeviceBytes {
		return &sizeError{fmt.Sprintf("renderer: scene, queues and picture need %s, the device has %s", bytesize.Text(total), bytesize.Text(l.DeviceBytes)), total - l.DeviceBytes}
	}
	total = p.DeviceBytes()
	if have := p.Frame.DeviceBudget; have > 0 && total > have {
		return &sizeError{fmt.Sprintf("renderer: scene, queues, picture and staging need %s, the device budget is %s", bytesize.Text(total), bytesize.Text(have)), total - have}
	}
	return nil
}
