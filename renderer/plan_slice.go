package renderer

import "github.com/shadeonce/shadeonce/shaders"

// leastSlice is the smallest Frame.Slice, in triangles: that of the largest batch.
const leastSlice = 1024

// slices are the pushes of the passes that take a chunk's batches: one, or as many
// as Frame.Slice wants. They share the chunk's queues, whose places follow from
// the chunk alone, so that they leave what one pass would.
func (p *Plan) slices(chunk int) []shaders.ChunkPush {
	whole, n := p.push(chunk), 1
	if p.Frame.Slice > 0 && p.Frame.BatchOn == BatchHost {
		most := max(p.Frame.Slice, leastSlice)
		n = (p.Chunks[chunk].TriangleCount + most - 1) / most
	}
	each := (whole.BatchCount + uint32(n) - 1) / uint32(max(n, 1))
	list := make([]shaders.ChunkPush, 0, n)
	for first := uint32(0); first < whole.BatchCount; first += each {
		push := whole
		push.FirstBatch, push.BatchCount = whole.FirstBatch+first, min(each, whole.BatchCount-first)
		list = append(list, push)
	}
	return list
}

// drawable says whether the graphics pipeline may draw a chunk at once: that takes
// all of it in one pass.
func (p *Plan) drawable(c Chunk) bool {
	f := &p.Frame
	return f.Slice == 0 || f.NoRaster || f.Raster != HardwareRaster || c.TriangleCount <= max(f.Slice, leastSlice)
}

// countOnce lists the passes that count how often the whole scene is shaded, which
// no camera changes.
func (p *Plan) countOnce(l Limits) {
	first := len(p.Passes)
	p.Passes = append(p.Passes, Pass{Name: "clear", Kind: Clear, Writes: []string{"Counts"}})
	for i := range p.Chunks {
		p.countChunk(i, l)
	}
	for i := range p.Passes[first:] {
		p.Passes[first+i].Once = true
	}
}
