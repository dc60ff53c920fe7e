package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// sceneBuffers adds the pools, the table of draws and the buffers of textures, which every plan of a scene has.
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

// layOutBuffers adds the buffers of a frame with a strategy.
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
		blocks = blocks[1:] // not Counts: it holds the counts to show, or the first round, which a backend may run once, clears it
	}
	blocks = slices.Concat(blocks, p.plugs.raster.cleared(p), p.cullCleared())
	if p.Lean {
		blocks = slices.DeleteFunc(except(blocks, LeftZero...), func(b Block) bool { return p.Buffers[p.ids[b][0]].Filled != ByPasses })
	}
	return blocks
}

// sizeError is the error of a plan that the device cannot hold.
type sizeError struct {
	text   string
	excess int64 // how many bytes all buffers together exceed the memory; 0 if one buffer alone is too large
	need   int64 // bytes of all buffers and staging; 0 if one buffer alone is too large
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
		return &sizeError{fmt.Sprintf("scene, queues and picture need %s, the device has %s", need, have), total - l.DeviceBytes, p.DeviceBytes()}
	}
	total = p.DeviceBytes()
	if have := p.Frame.DeviceBudget; have > 0 && total > have {
		need, budget := bytesize.Texts(total, have)
		return &sizeError{fmt.Sprintf("scene, queues, picture and staging need %s, the device budget is %s", need, budget), total - have, total}
	}
	return nil
}

// lookSpec returns a copy of a specialization, extended by the constants of shaders that colour
// pixels.
func (p *planner) lookSpec(spec map[string]uint32) map[string]uint32 {
	f := &p.Frame
	light := renderer.FullLight
	if f.View != renderer.Shaded {
		light = f.Look.Light
	}
	out := map[string]uint32{
		"VIEW": uint32(f.View), "SMOOTH": flag(f.Look.Smooth), "LIGHT": math.Float32bits(light.Strength()), "EDGES": uint32(f.Look.Edges*8 + 0.5),
		"SHOWN_ABS": flag(f.Look.Range.Abs), "SHOWN_FLAT": flag(shownFlatly(f)),
	}
	maps.Copy(out, spec)
	for i, c := range f.Palette.Colors() {
		out[fmt.Sprintf("HEAT_%d", i+1)] = uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16
	}
	return out
}

// CameraData returns a camera in the form that shaders read.
func CameraData(c renderer.Camera, width, height int) shaders.Camera {
	return shaders.Camera{
		ViewProj:       c.ViewProj(float32(width) / float32(height)),
		LightDirection: c.Forward().Vec4(0),
	}
}

// DrawData returns the draws of a frame's scene, or of a window's, in the form that shaders read.
// Marks are by draw; nil for none.
func DrawData(f *renderer.Frame, s *geometry.Scene, marks []renderer.Mark) []shaders.Draw {
	offsets := f.CountOffsets(s)
	data := make([]shaders.Draw, len(s.Draws))
	for i := range s.Draws {
		d := &s.Draws[i]
		data[i] = shaders.Draw{
			Transform: d.Transform, NormalRows: normalRows(d.Transform), Color: d.Color,
			IndexCount: d.IndexCount, FirstIndex: d.FirstIndex, VertexOffset: d.VertexOffset, FirstInstance: uint32(i),
			CountOffset: offsets[i], Flags: drawFlags(d), Material: d.Material,
		}
		if marks != nil {
			data[i].Flags |= marks[i].Flags()
		}
		if unshaded(f, i) {
			data[i].Flags |= shaders.DrawUnshaded
		}
	}
	runs(data)
	return data
}

// normalRows returns the cofactor matrix of the transform's linear part, scaled. It is a multiple of
// the inverse transpose, and exists even if the transform is singular. The scale makes the
// greatest magnitude of its elements 1, since cofactors grow with the square of the transform's own scale,
// and gives it the sign of the inverse.
func normalRows(m mgl32.Mat4) (rows [3][4]float32) {
	var columns, cofactors [3]exact.Vec
	for c := range columns {
		columns[c] = exact.Double(m.Col(c).Vec3())
	}
	largest := 0.0
	for c := range cofactors {
		cofactors[c] = columns[(c+1)%3].Cross(columns[(c+2)%3])
		for _, x := range cofactors[c] {
			largest = max(largest, math.Abs(x))
		}
	}
	if largest == 0 {
		return rows
	}
	if columns[0].Dot(cofactors[0]) < 0 { // the determinant, by which cofactors and inverse differ, is negative
		largest = -largest
	}
	for r := range rows {
		for c := range cofactors {
			rows[r][c] = float32(cofactors[c][r] / largest)
		}
	}
	return rows
}

// GeometryBytes returns a lower bound on the bytes that a frame's geometry passes move if the scene takes
// stats.Invocations shader invocations. The bound is computed from the plan. It counts the batch table
// and the index stream (or the meshlets that replace it), read once, the least that an invocation reads of
// its vertex (such as the position), and the queues, written once.
//
// For a mesh that is subdivided while it is drawn, it counts the pools and tables once instead.
//
// The true number is larger: memory moves whole cache lines, strategies may read indices and vertices
// more than once, and shading counts, the draws and the camera are left out.
func (p *Plan) GeometryBytes(stats reuse.Stats) int64 {
	f := &p.Frame
	if f.Reuse.Strategy == nil {
		return 0 // a direct plan has no geometry pass
	}
	shaded := int64(stats.Invocations)
	read, indices := p.parts().source.reads(p, shaded*p.shade().vertexBytes(p))
	if lists := &p.Meshlets; lists.Table != nil {
		indices = int64(len(lists.Table))*shaders.MeshletSize + int64(len(lists.Words))*indexBytes
	}
	read += indices + int64(p.BatchCount)*shaders.BatchSize
	return read + p.parts().sink.written(p, shaded, int64(f.Scene.Triangles()))
}

const indexBytes = 4 // a uint
