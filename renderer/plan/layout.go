package plan

import (
	"fmt"

	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

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
	p.surfaceBuffers()
	p.add(Batches, ByPlan, "scene", "Batch", max(len(p.Batches), p.windowMost.batches), shaders.BatchSize)
	if lists := &p.Meshlets; f.Reuse.Strategy.Listed {
		p.add(Meshlets, ByPlan, "scene", "Meshlet", len(lists.Table), shaders.MeshletSize)
		p.add(MeshletWords, ByPlan, "scene", "uint id or triangle", len(lists.Words), 4)
	}
	p.cameraBuffer()
	p.add(Clips, ByPasses, "camera:clips", "mat4", p.drawCount(), 64)
	pairs, counted := s.DrawVertices(), ByPasses
	if p.Windowed() {
		pairs = p.windowMost.pairs
	}
	switch {
	case f.Shown != nil:
		counted = ByPlan
		if !p.Windowed() {
			pairs = len(f.Shown)
		}
	case f.NoCounts:
		pairs = 0
	}
	p.add(Counts, counted, geometry, "uint", pairs, 4)
	p.add(QueueStates, ByPasses, geometry, "QueueState", len(p.Chunks), shaders.QueueStateSize).Usage = Commands
	switch {
	case f.Fuses() && f.Reuse.Strategy.Spills:
		p.add(Spilled, ByPasses, geometry, "PlacedVertex", p.VertexCapacity, placedBytes)
	case !f.Fuses():
		p.queueBuffers(geometry, assembly)
	}
	vertices, rows, skinned := 0, 0, ByNobody
	if f.VertexShader == renderer.Skin {
		vertices, rows, skinned = len(s.Positions), boneRows*boneCount, ByPlan
	}
	p.add(Skin, skinned, "scene", "uint2 bones, weights", vertices, skinBytes)
	p.add(Bones, skinned, "scene", "vec4 row", rows, 16)
	p.customBuffers()
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

// queueBuffers adds the queues between the geometry stage and the rasterizer.
func (p *planner) queueBuffers(geometry, assembly string) {
	f := &p.Frame
	whole := f.Reuse.Strategy.WholeDraws
	positions, records := geometry, p.TriangleCapacity
	if f.Queue == renderer.Expanded {
		positions = assembly
	}
	if f.Queue == renderer.Expanded || p.Cornered() {
		records = 0
	}
	p.add(VertexPositions, ByPasses, positions, "vec4 posClip", p.VertexCapacity, positionBytes)
	p.add(VertexAttributes, ByPasses, positions, "uint2 attributes", p.AttributeCount(), attributeBytes)
	p.add(Triangles, ByPasses, geometry, "uint2 record", records, recordBytes)
	if whole {
		positions, attributes := p.scratch()
		p.add(ScratchPositions, ByPasses, geometry, "vec4 posClip", positions, positionBytes)
		p.add(ScratchAttributes, ByPasses, geometry, "uint2 attributes", attributes, attributeBytes)
	}
	p.add(Corners, ByPasses, assembly, "uint vertex", p.corners(), cornerBytes).Usage = Indexes
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
		blocks = append(blocks, CullCounts)
		if !p.Frame.Fuses() {
			blocks = append(blocks, VertexMarks)
		}
	}
	return blocks
}

// sizeError says that the device cannot hold a plan.
type sizeError struct {
	text   string
	excess int64 // bytes; 0 where it is not the sum that is too large
}

func (e *sizeError) Error() string { return e.text }

// DoesNotFit is what renderer.DoesNotFit looks for.
func (e *sizeError) DoesNotFit() {}

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
			need, most := bytesize.Texts(b.Bytes, l.MaxBufferBytes)
			return &sizeError{text: fmt.Sprintf("buffer %s needs %s (%s), the device binds at most %s", b.Name, need, b.Shape, most)}
		}
	}
	if most := l.MaxIndex; most > 0 && p.Cornered() && p.Frame.Raster == renderer.HardwareRaster && !p.Frame.NoRaster && int64(p.VertexCapacity) > most {
		return fmt.Errorf("the queue has room for %d vertices, the device draws %d by index: a smaller --queue-budget helps", p.VertexCapacity, most)
	}
	total := p.ownBytes()
	if l.DeviceBytes > 0 && total > l.DeviceBytes {
		need, have := bytesize.Texts(total, l.DeviceBytes)
		return &sizeError{fmt.Sprintf("scene, queues and picture need %s, the device has %s", need, have), total - l.DeviceBytes}
	}
	total = p.DeviceBytes()
	if have := p.Frame.DeviceBudget; have > 0 && total > have {
		need, budget := bytesize.Texts(total, have)
		return &sizeError{fmt.Sprintf("scene, queues, picture and staging need %s, the device budget is %s", need, budget), total - have}
	}
	return nil
}
