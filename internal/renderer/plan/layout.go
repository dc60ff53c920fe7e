package plan

import (
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
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
	p.add(Draws, ByPlan, "scene", "Draw", p.plugs.residency.draws(p), shaders.DrawSize)
	p.textureBuffers()
}

func (p *planner) cameraBuffer() {
	p.add(Cameras, ByCamera, "frame", "Camera", 1, shaders.CameraSize).Usage = Uniform
}

// layOutBuffers adds the buffers of a frame that has a strategy.
func (p *planner) layOutBuffers() {
	f := &p.Frame
	p.sceneBuffers()
	p.distanceBuffer()
	p.plugs.source.buffers(p)
	p.add(Batches, ByPlan, "scene", "Batch", max(len(p.Batches), p.windowMost.batches), shaders.BatchSize)
	if lists := &p.Meshlets; lists.Table != nil {
		p.add(Meshlets, ByPlan, "scene", "Meshlet", len(lists.Table), shaders.MeshletSize)
		p.add(MeshletWords, ByPlan, "scene", "uint id or triangle", len(lists.Words), 4)
	}
	p.cameraBuffer()
	p.Lean = p.leans()
	p.Sole = p.Lean && len(f.Scene.Draws) == 1 && f.Scene.Draws[0].FirstIndex == 0
	by := ByPasses
	if p.Lean {
		by = ByCamera
	}
	if draws := p.plugs.residency.draws(p); p.Lean && draws <= leanDraws {
		p.add(Clips, ByCamera, "frame", "mat4", draws, 64)
	} else {
		p.add(Clips, ByPasses, "camera:clips", "mat4", draws, 64)
	}
	pairs, counted := p.plugs.residency.pairs(p), ByPasses
	switch {
	case f.Shown != nil:
		counted = ByPlan
	case f.NoCounts:
		pairs, counted = 0, ByNobody
	}
	p.add(Counts, counted, p.geometryName(), "uint", pairs, 4)
	p.add(QueueStates, by, p.geometryName(), "QueueState", len(p.Chunks), shaders.QueueStateSize).Usage = Commands
	p.plugs.sink.buffers(p)
	p.plugs.shade.buffers(p)
	p.cullBuffers()
	p.plugs.raster.buffers(p)
	p.cullRasterBuffer()
	if p.Halves == 2 {
		p.double(halvedBlocks)
		p.add(countsUnwritten, ByNobody, "none", "uint", 0, 4)
		p.add(countsUnread, ByNobody, "none", "uint", 0, 4)
	}
	p.double(p.plugs.residency.twice(p))
}

// cleared returns the blocks that a frame first sets to zero.
func (p *planner) cleared() []Block {
	blocks := []Block{Counts, QueueStates}
	if p.Frame.Shown != nil || p.rounds()[0].once {
		blocks = blocks[1:] // Counts holds what is shown, or what the first round counts once
	}
	blocks = slices.Concat(blocks, p.plugs.raster.cleared(p), p.cullCleared())
	if p.Lean {
		blocks = slices.DeleteFunc(except(blocks, LeftZero...), func(b Block) bool { return p.Buffers[p.ids[b][0]].Filled != ByPasses })
	}
	return blocks
}

// sizeError says that the device cannot hold a plan.
type sizeError struct {
	text   string
	excess int64 // bytes; 0 if it is not the sum that is too large
}

func (e *sizeError) Error() string { return e.text }

// DoesNotFit marks the error for renderer.DoesNotFit.
func (e *sizeError) DoesNotFit() {}

// DeviceBytes returns the most device memory that executing the plan takes.
func (p *Plan) DeviceBytes() int64 { return p.ownBytes() + stagingBytes + p.FetchBytes }

// ownBytes returns the bytes of the plan's buffers and its picture.
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
