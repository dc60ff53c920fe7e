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
func (p *planner) cutStream() error {
	p.Batches = reuse.Batches(p.Frame.Scene, p.Frame.Reuse)
	err := p.cutChunks()
	p.BatchCount = len(p.Batches)
	return err
}

// cutChunks cuts the batches so that the queues keep to the budget: one chunk
// where that holds all, else chunks for two halves of it, which take turns. Where
// half the budget does not hold a batch, chunks follow each other through all of it.
func (p *planner) cutChunks() error {
	f := &p.Frame
	if f.Reuse.Strategy.WholeDraws {
		p.wholeChunk()
		return nil
	}
	p.sumWorst()
	whole := p.chunk(0, len(p.Batches))
	p.chooseShare()
	fits := p.queueBytes(whole) <= f.QueueBudget && p.bindable(whole)
	return p.cutHalves(!fits, p.cutBudget)
}

// cutHalves cuts chunks for two halves of the budget, where these are wanted, may be
// and hold a batch; else for all of it.
func (p *planner) cutHalves(wanted bool, cut func() error) error {
	f := &p.Frame
	if wanted && !f.NoRaster && !f.OneHalf {
		p.budget, p.Halves = f.QueueBudget/2, 2
		if cut() == nil {
			return nil
		}
	}
	p.budget, p.Halves = f.QueueBudget, 1
	return cut()
}

// chooseShare guesses what share of the worst case the vertex queue needs, by a
// sample of the batches. Where that is too little it overflows, and the need is known.
func (p *planner) chooseShare() {
	f := &p.Frame
	s := f.Reuse.Strategy
	p.VertexShare = 1
	switch {
	case f.Queue == renderer.Expanded, s.FixedPlaces && !s.Spills:
	case f.VertexShare != 0:
		p.VertexShare = min(1, f.VertexShare)
	case p.roomy():
	default:
		mean, most := reuse.Sample(f.Scene, f.Reuse)
		p.VertexShare = min(1, (mean+most)/2*shareMargin)
	}
}

// places is how many sixteenths of a vertex a triangle has places for in the vertex
// queue, where places are fixed: what is left of the queue is for batches that
// need more.
func (p *Plan) places() int {
	if p.VertexShare == 1 {
		return 16 * 3
	}
	return int(16 * 3 * p.VertexShare / spillMargin)
}

// SpillFirst is where the places begin in the vertex queue that batches are given
// which need more than their own.
func (p *Plan) SpillFirst(chunk int) int {
	if !p.Frame.Reuse.Strategy.Spills {
		return 0
	}
	return p.Chunks[chunk].TriangleCount * p.places() >> 4
}

// cutBudget cuts the batches into chunks of at most the budget.
func (p *planner) cutBudget() error {
	p.Chunks, p.TriangleCapacity, p.VertexCapacity = nil, 0, 0
	return p.cutBatches()
}

// cutBatches adds the chunks of Batches.
func (p *planner) cutBatches() error {
	for first := 0; first < len(p.Batches); {
		n := p.fit(first)
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
func (p *planner) fit(first int) int {
	lo, hi := 0, len(p.Batches)-first
	for lo < hi {
		n := (lo + hi + 1) / 2
		c := p.chunk(first, n)
		if p.queueBytes(c) <= p.budget && p.bindable(c) {
			lo = n
		} else {
			hi = n - 1
		}
	}
	return lo
}

func (p *planner) bindable(c Chunk) bool {
	return c.TriangleCount <= mostTriangles && p.drawable(c) && int64(p.vertices(c))*16 <= p.limits.MaxBufferBytes && int64(c.TriangleCount)*triangleBytes <= p.limits.MaxBufferBytes
}

func (p *planner) chunk(first, n int) Chunk {
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
func (p *planner) sumWorst() {
	r := p.Frame.Reuse
	p.worst = make([]int, len(p.Batches)+1)
	for i, b := range p.Batches {
		p.worst[i+1] = p.worst[i] + r.Strategy.WorstInvocations(r, int(b.IndexCount))
	}
}

func (p *planner) vertices(c Chunk) int {
	return max(int(p.VertexShare*float64(c.WorstVertices)), min(c.WorstVertices, p.Frame.Reuse.Strategy.MaxUnique(p.Frame.Reuse)))
}

// vertexBytes is what the queues hold of a vertex.
func (p *Plan) vertexBytes() int {
	if !p.Frame.HasAttributes() {
		return positionBytes
	}
	return positionBytes + attributeBytes
}

func (p *planner) queueBytes(c Chunk) int64 {
	n := int64(p.vertices(c)) * int64(p.vertexBytes())
	if p.Frame.Queue == renderer.Indexed {
		n += int64(c.TriangleCount) * triangleBytes
	}
	return n
}

// sceneBuffers adds the pools and the draws, which every plan has.
func (p *planner) sceneBuffers() {
	s, pools := p.Frame.Scene, ByScene
	positions, normals, indices := len(s.Positions), len(s.Normals), len(s.Indices)
	if p.Gathered {
		positions, normals, indices = p.windowMost.vertices, p.windowMost.vertices, p.windowMost.indices
		pools = ByPlan
	}
	p.add(Positions, pools, "scene", "float3", positions, 12)
	p.add(Normals, pools, "scene", "float3", normals, 12)
	p.add(Indices, pools, "scene", "uint", indices, 4)
	p.add(Draws, ByPlan, "scene", "Draw", p.drawCount(), shaders.DrawSize)
}

// cameraBuffer adds the camera.
func (p *planner) cameraBuffer() {
	p.add(Cameras, ByCamera, "frame", "Camera", 1, shaders.CameraSize).Usage = Uniform
}

// layOutBuffers adds the buffers of a frame that has a strategy.
func (p *planner) layOutBuffers() {
	f, s := &p.Frame, p.Frame.Scene
	geometry := "geometry:" + f.Reuse.Strategy.Name
	assembly, whole := geometry, f.Reuse.Strategy.WholeDraws
	if whole {
		assembly += assembleSuffix
	}
	p.sceneBuffers()
	p.add(Batches, ByPlan, "scene", "Batch", max(len(p.Batches), p.windowMost.batches), shaders.BatchSize)
	p.cameraBuffer()
	p.add(Clips, ByPasses, "camera:clips", "mat4", p.drawCount(), 64)
	pairs, counted := s.DrawVertices(), ByPasses
	if p.Windowed() {
		pairs = p.windowMost.pairs
	}
	switch {
	case f.Shown != nil:
		counted = ByPlan
	case f.NoCounts:
		pairs = 0
	}
	p.add(Counts, counted, geometry, "uint", pairs, 4)
	positions, records := geometry, p.TriangleCapacity
	if f.Queue == renderer.Expanded {
		positions = assembly
	}
	if f.Queue == renderer.Expanded || whole {
		records = 0
	}
	p.add(VertexPositions, ByPasses, positions, "vec4 posClip", p.VertexCapacity, positionBytes)
	p.add(VertexAttributes, ByPasses, positions, "uint2 attributes", p.AttributeCount(), attributeBytes)
	p.add(Triangles, ByPasses, geometry, "uint2 record", records, triangleBytes)
	p.add(QueueStates, ByPasses, geometry, "QueueState", len(p.Chunks), shaders.QueueStateSize).Usage = Commands
	vertices, rows, skinned := 0, 0, ByNobody
	if f.VertexShader == renderer.Skin {
		vertices, rows, skinned = len(s.Positions), boneRows*boneCount, ByPlan
	}
	p.add(Skin, skinned, "scene", "uint2 bones, weights", vertices, skinBytes)
	p.add(Bones, skinned, "scene", "vec4 row", rows, 16)
	if whole {
		positions, attributes := p.scratch()
		p.add(ScratchPositions, ByPasses, geometry, "vec4 posClip", positions, positionBytes)
		p.add(ScratchAttributes, ByPasses, geometry, "uint2 attributes", attributes, attributeBytes)
	}
	p.add(Corners, ByPasses, assembly, "uint vertex", p.corners(), cornerBytes)
	p.cullBuffers()
	p.rasterBuffers()
	if p.Halves == 2 {
		p.double(halvedBlocks)
		p.add(countsUnwritten, ByNobody, "none", "uint", 0, 4)
		p.add(countsUnread, ByNobody, "none", "uint", 0, 4)
	}
	if p.Windowed() {
		p.double(p.windowed())
	}
}

// cleared are the blocks that a frame begins with at zero.
func (p *planner) cleared() []Block {
	blocks := []Block{Counts, QueueStates}
	if p.Frame.Shown != nil || p.rounds()[0].once {
		blocks = blocks[1:] // Counts holds what is shown, or what the first round counts once
	}
	if p.computes() {
		blocks = append(append(blocks, RasterLists, TileMarks), p.visible()...)
	}
	if p.Frame.Cull {
		blocks = append(blocks, CullCounts, VertexMarks)
	}
	return blocks
}

// sizeError says that the device cannot hold a plan.
type sizeError struct {
	text   string
	excess int64 // bytes; 0 where it is not the sum that is too large
}

func (e *sizeError) Error() string { return e.text }

// DeviceBytes is the device memory that executing the plan takes at most.
func (p *Plan) DeviceBytes() int64 { return p.ownBytes() + stagingBytes + p.FetchBytes }

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
