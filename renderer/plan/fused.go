package plan

import (
	"fmt"
	"slices"
	"sort"

	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/shaders"
)

// The fused rasterizer's passes. The geometry pass holds shaded vertices in shared
// memory and draws small triangles at once, so that there is no queue of vertices.
// It lists the other triangles by size. The passes that draw those, and
// raster:resolve, take the corners of a triangle from the index stream again.
//
// The lists take the queue budget. A frame whose camera sees more triangles that are
// not small overflows, and is planned again in chunks of which the lists hold every
// triangle.

const (
	fusedLists  = shaders.RasterClasses - 1 // all classes but the small
	fusedBytes  = 4 * fusedLists            // of the lists, per triangle
	placedBytes = 12                        // of a vertex in shared memory: PlacedVertex
)

// cutFused cuts the batches into chunks: one where nothing is known about the lists,
// else as many as keep the share of their triangles that the lists hold.
func (p *planner) cutFused() error {
	f := &p.Frame
	room := int(min(f.QueueBudget, p.limits.MaxBufferBytes) / fusedBytes)
	total := f.Scene.Triangles()
	most := total
	if f.VertexShare != 0 {
		p.VertexShare = min(1, f.VertexShare)
		most = int(float64(room) / p.VertexShare)
	}
	p.TriangleCapacity = min(room, total)
	for first := 0; first < len(p.Batches); {
		batches := p.Batches[first:]
		start := int(batches[0].FirstTriangle)
		end := func(i int) int { return int(batches[i].FirstTriangle) + int(batches[i].IndexCount)/3 }
		n := sort.Search(len(batches), func(i int) bool { return end(i)-start > most })
		if n == 0 || p.TriangleCapacity == 0 {
			return fmt.Errorf("queue budget of %s is too small: one batch of %d indices needs %s",
				bytesize.Text(f.QueueBudget), f.Reuse.Batch, bytesize.Text(int64(batches[0].IndexCount)/3*fusedBytes))
		}
		p.Chunks = append(p.Chunks, Chunk{FirstBatch: first, BatchCount: n, FirstTriangle: start, TriangleCount: end(n-1) - start})
		first += n
	}
	return nil
}

// shadingBlocks are what the vertex shader reads, and what finds its vertices.
var shadingBlocks = []Block{Positions, Normals, Indices, Draws, Batches, Cameras, Clips, Skin, Bones}

// fusedStrategy is the geometry pass of some batches, which draws.
func (p *planner) fusedStrategy(t target, push shaders.ChunkPush) Pass {
	s, subgroups := p.Frame.Reuse.Strategy, p.kernel.Subgroups()
	shader, reads := p.surfaceOf("fused/"+s.Name, shadingBlocks)
	x := touched{reads: reads}
	if p.counting(t) {
		x.writes = append(x.writes, Counts)
	}
	if !t.ahead {
		x.writes = append(x.writes, QueueStates, RasterLists, RasterTriangles)
		x.updates = []Block{Visible, TileMarks}
	}
	spec := withSpec(p.geometrySpec(t, subgroups), "MAX_GROUPS", uint32(p.limits.MaxGroups))
	pass := p.dispatch(t, t.stage("fused", s.Name), shader, spec, p.groups((int(push.BatchCount)+subgroups-1)/subgroups), x)
	pass.Op.(*Dispatch).Push = push
	return pass
}

// fusedRaster draws the triangles of a chunk that are not small, and colours what is
// seen of it.
func (p *planner) fusedRaster(t target) []step {
	c := &p.Chunks[t.chunk]
	batches := p.Batches[c.FirstBatch:][:c.BatchCount]
	spec := p.vertexSpec(map[string]uint32{
		"BATCH": p.largestBatch(), "MAX_GROUPS": uint32(p.limits.MaxGroups),
		"ONE_DRAW": flag(batches[0].Draw == batches[len(batches)-1].Draw),
	})
	listed := Chunk{TriangleCount: min(c.TriangleCount, p.TriangleCapacity)}
	var lists step
	for list, name := range rasterLists {
		if list == shaders.ListSmall {
			continue
		}
		shader, reads := p.surfaceOf("raster/"+name+"-fused", shadingBlocks)
		draws := p.dispatch(t, "raster:"+name, shader, spec, p.listGroups(list, &listed), touched{
			reads:   append(slices.Clone(reads), RasterLists, RasterTriangles),
			updates: []Block{Visible, TileMarks},
		})
		draws.Op.(*Dispatch).Indirect = &Indirect{p.buffer(RasterLists, t), int64(t.chunk*shaders.RasterLists+list) * indirectBytes}
		lists = append(lists, draws)
	}
	shader, reads := p.surfaceOf("raster/resolve-fused", shadingBlocks)
	resolve := p.dispatch(t, resolveName, shader, p.resolveSpec(t, spec), p.resolveGroups(), touched{
		reads:  p.shown(append(slices.Clone(reads), TileMarks)...),
		writes: []Block{PictureColor, PictureDepth, Visible},
	})
	return []step{lists, {resolve}}
}
