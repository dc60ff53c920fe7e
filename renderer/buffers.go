package renderer

import (
	"fmt"

	"github.com/shadeonce/shadeonce/shaders"
)

// Bytes of one element in the queues.
const (
	positionBytes  = 16 // clip position
	attributeBytes = 8
	triangleBytes  = 8 // record of the indexed form
	skinBytes      = 8 // four bones and their weights
	// firstVertexShare is the first guess of how many vertices a triangle list
	// yields, as a share of the worst case, where the worst case is over budget.
	firstVertexShare = 0.5
)

// cutChunks cuts the batches so that a chunk's queues keep to the budget. The
// vertex queue holds the worst case where that costs one chunk; otherwise a
// share of it, which may overflow and is then planned again.
func (p *Plan) cutChunks(l Limits) error {
	f := &p.Frame
	if f.Reuse.Strategy.WholeDraws {
		p.wholeChunk()
		return nil
	}
	p.sumWorst()
	share := 1.0
	if whole := p.chunk(0, len(p.Batches)); p.queueBytes(whole, 1) > f.QueueBudget || !p.bindable(whole, 1, l) {
		share = firstVertexShare
	}
	if f.VertexShare != 0 {
		share = f.VertexShare
	}
	if f.Queue == Expanded || f.Reuse.Strategy.FixedPlaces {
		share = 1
	}
	for first := 0; first < len(p.Batches); {
		n := p.fit(first, share, l)
		if n == 0 {
			c := p.chunk(first, 1)
			return fmt.Errorf("renderer: queue budget of %s is too small: one batch of %d indices needs %s",
				Size(f.QueueBudget), f.Reuse.Batch, Size(p.queueBytes(c, share)))
		}
		c := p.chunk(first, n)
		p.Chunks = append(p.Chunks, c)
		p.TriangleCapacity = max(p.TriangleCapacity, c.TriangleCount)
		p.VertexCapacity = max(p.VertexCapacity, p.vertices(c, share))
		first += n
	}
	return nil
}

// fit is the largest number of batches from first that keeps to the budget.
func (p *Plan) fit(first int, share float64, l Limits) int {
	lo, hi := 0, len(p.Batches)-first
	for lo < hi {
		n := (lo + hi + 1) / 2
		c := p.chunk(first, n)
		if p.queueBytes(c, share) <= p.Frame.QueueBudget && p.bindable(c, share, l) {
			lo = n
		} else {
			hi = n - 1
		}
	}
	return lo
}

func (p *Plan) bindable(c Chunk, share float64, l Limits) bool {
	return int64(p.vertices(c, share))*16 <= l.MaxBufferBytes && int64(c.TriangleCount)*triangleBytes <= l.MaxBufferBytes
}

func (p *Plan) chunk(first, n int) Chunk {
	batches := p.Batches[first : first+n]
	c := Chunk{FirstBatch: first, BatchCount: n, FirstTriangle: int(batches[0].FirstTriangle)}
	last := batches[n-1]
	c.TriangleCount = int(last.FirstTriangle) + int(last.IndexCount)/3 - c.FirstTriangle
	c.WorstVertices = 3 * c.TriangleCount
	if p.Frame.Queue == Indexed {
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

func (p *Plan) vertices(c Chunk, share float64) int {
	return max(int(share*float64(c.WorstVertices)), min(c.WorstVertices, p.Frame.Reuse.Strategy.MaxUnique(p.Frame.Reuse)))
}

// vertexBytes is what the queues hold of a vertex.
func (p *Plan) vertexBytes() int {
	if !p.Frame.hasAttributes() {
		return positionBytes
	}
	return positionBytes + attributeBytes
}

func (p *Plan) queueBytes(c Chunk, share float64) int64 {
	n := int64(p.vertices(c, share)) * int64(p.vertexBytes())
	if p.Frame.Queue == Indexed {
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
	p.addBuffer("Positions", "scene", "float3", len(s.Positions), 12)
	p.addBuffer("Normals", "scene", "float3", len(s.Normals), 12)
	p.addBuffer("Indices", "scene", "uint", len(s.Indices), 4)
	p.addBuffer("Draws", "scene", "Draw", len(s.Draws), shaders.DrawSize)
}

func (p *Plan) layOutBuffers(l Limits) {
	s := p.Frame.Scene
	geometry := "geometry:" + p.Frame.Reuse.Strategy.Name
	add := p.addBuffer
	p.sceneBuffers()
	p.batchBuffers()
	add("Cameras", "frame", "Camera", 1, shaders.CameraSize)
	add("Clips", "camera:clips", "mat4", len(s.Draws), 64)
	add("Counts", geometry, "uint", s.DrawVertices(), 4)
	positions, whole := geometry, p.Frame.Reuse.Strategy.WholeDraws
	if whole && p.Frame.Queue == Expanded {
		positions += assembleSuffix
	}
	add("VertexPositions", positions, "vec4 posClip", p.VertexCapacity, positionBytes)
	add("VertexAttributes", positions, "uint2 attributes", p.AttributeCount(), attributeBytes)
	records := p.TriangleCapacity
	if p.Frame.Queue == Expanded || whole {
		records = 0
	}
	add("Triangles", geometry, "uint2 record", records, triangleBytes)
	add("QueueStates", geometry, "QueueState", len(p.Chunks), shaders.QueueStateSize)
	vertices, rows := 0, 0
	if p.Frame.VertexShader == Skin {
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

func (p *Plan) checkSizes(l Limits) error {
	total := int64(0)
	for _, b := range p.Buffers {
		if b.Bytes > l.MaxBufferBytes {
			return fmt.Errorf("renderer: buffer %s needs %s (%s), the device binds at most %s", b.Name, Size(b.Bytes), b.Shape, Size(l.MaxBufferBytes))
		}
		total += b.Bytes
	}
	total += int64(p.Frame.Width) * int64(p.Frame.Height) * 8
	if l.DeviceBytes > 0 && total > l.DeviceBytes {
		return fmt.Errorf("renderer: scene, queues and picture need %s, the device has %s", Size(total), Size(l.DeviceBytes))
	}
	return nil
}

// Size prints a byte count for people: "3.2 GiB".
func Size(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.4g %s", f, units[i])
}
