package plan

import (
	"fmt"
	"slices"
	"sort"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// The fused rasterizer's passes. The geometry pass holds shaded vertices in shared
// memory and draws small triangles at once, so that there is no queue of vertices.
// It lists the other triangles by size. The passes that draw those, and
// raster:resolve, take the corners of a triangle from the index stream again.
//
// The lists and the vertices that claim spills share the queue budget. A frame whose
// camera sees more triangles that are not small overflows, and is planned again in
// chunks of which the lists hold every triangle. So is one that spills more than a
// sample of its batches does.

const (
	fusedLists  = shaders.RasterClasses - 1 // all classes but the small
	fusedBytes  = 4 * fusedLists            // of the lists, per triangle
	placedBytes = 12                        // of a vertex that waits for its triangles: PlacedVertex

	leastSpilled = 1.0 / 64 // of the worst case: room for batches unlike those of the sample
)

// fusedShare is the share of their worst case that lists and spilled vertices have room
// for. Of the lists nothing is known until they have overflowed.
func (p *planner) fusedShare() float64 {
	f := &p.Frame
	switch {
	case f.VertexShare != 0:
		return min(1, f.VertexShare)
	case p.kernel.spilled(f.Reuse.Batch) > 0:
		return p.spilledShare()
	}
	return 1
}

// cutFused cuts Batches, the stream's or a window's, into chunks: one where nothing is
// known about the lists, and what is spilled fits; else as many as keep the share.
func (p *planner) cutFused() error {
	f := &p.Frame
	spilled := p.kernel.spilled(f.Reuse.Batch)
	room := min(f.QueueBudget, p.limits.MaxBufferBytes)
	if spilled > 0 {
		room /= 2
	}
	most := f.Scene.Triangles()
	if f.VertexShare != 0 {
		most = int(float64(room/fusedBytes) / p.VertexShare)
	}
	each := p.VertexShare * float64(spilled) / float64(f.Reuse.Batch/3) // vertices that a triangle spills
	if each > 0 {
		most = min(most, int(float64(room/placedBytes)/each))
	}
	for first := 0; first < len(p.Batches); {
		batches := p.Batches[first:]
		start := int(batches[0].FirstTriangle)
		end := func(i int) int { return int(batches[i].FirstTriangle) + int(batches[i].IndexCount)/3 }
		n := sort.Search(len(batches), func(i int) bool { return end(i)-start > most })
		if n == 0 || room < fusedBytes {
			return fmt.Errorf("queue budget of %s is too small: one batch of %d indices needs %s",
				bytesize.Text(f.QueueBudget), f.Reuse.Batch, bytesize.Text(int64(batches[0].IndexCount)/3*fusedBytes+int64(spilled)*placedBytes))
		}
		c := Chunk{FirstBatch: first, BatchCount: n, FirstTriangle: start, TriangleCount: end(n-1) - start}
		p.Chunks = append(p.Chunks, c)
		p.TriangleCapacity = max(p.TriangleCapacity, min(int(room/fusedBytes), c.TriangleCount))
		p.VertexCapacity = max(p.VertexCapacity, spilled, int(each*float64(c.TriangleCount)))
		first += n
	}
	return nil
}

// spilledShare guesses what share of the vertices that batches could spill they do, by
// a sample.
func (p *planner) spilledShare() float64 {
	r := p.Frame.Reuse
	_, most := reuse.Sample(p.Frame.Scene, r)
	most = min(1, most*shareMargin)
	return max(leastSpilled, float64(p.kernel.spilled(int(most*float64(r.Batch))))/float64(p.kernel.spilled(r.Batch)))
}

// even says whether a chunk's batches follow from its first one: they are of one draw,
// and all but the last are as long as the longest.
func (p *planner) even(chunk int) bool {
	if r := p.Frame.Reuse; p.Windowed() || r.Batching != reuse.StaticBatching || r.Strategy.WholeDraws {
		return false // batches of whole draws are of vertices
	}
	batches := p.batchesOf(chunk)
	return oneDraw(batches) && (len(batches) == 1 || batches[0].IndexCount == p.largestBatch())
}

func (p *planner) batchesOf(chunk int) []reuse.Batch {
	c := &p.Chunks[chunk]
	return p.Batches[c.FirstBatch:][:c.BatchCount]
}

// oneDraw says whether batches that follow each other are all of one draw.
func oneDraw(batches []reuse.Batch) bool { return batches[0].Draw == batches[len(batches)-1].Draw }

// fusedStrategy is the geometry pass of some batches, which draws.
func (p *planner) fusedStrategy(t target, push shaders.ChunkPush) Pass {
	f, s, subgroups := &p.Frame, p.Frame.Reuse.Strategy, p.kernel.Subgroups()
	shader, reads := p.variantOf("fused/"+s.Name, p.strategyBlocks())
	x := touched{reads: reads}
	if p.counting(t) {
		x.writes = append(x.writes, Counts)
	}
	if !t.ahead || f.Cull { // culling asks what is seen before it counts
		x.writes = append(x.writes, QueueStates)
		if s.Spills {
			x.writes = append(x.writes, Spilled)
		}
	}
	if !t.ahead {
		x.writes = append(x.writes, RasterLists, RasterTriangles)
		x.updates = []Block{Visible, TileMarks}
	}
	spec := p.geometrySpec(t, subgroups)
	spec["MAX_GROUPS"] = uint32(p.limits.MaxGroups)
	if f.Cull {
		// The pass places vertices, and shades those that surviving triangles have.
		x.writes = append(x.writes, CullCounts)
		spec["COUNT"], spec["FACES"], spec["PHASE"] = flag(p.counting(t)), uint32(f.CullFaces), flag(!t.ahead)
	}
	pass := p.dispatch(t, t.stage("fused", s.Name), shader, spec, p.groups((int(push.BatchCount)+subgroups-1)/subgroups), x)
	pass.Op.(*Dispatch).Push = push
	return pass
}

// fusedRaster draws the triangles of a chunk that are not small, and colours what is
// seen of it.
func (p *planner) fusedRaster(t target) []step {
	c := &p.Chunks[t.chunk]
	one := !p.Windowed() && oneDraw(p.batchesOf(t.chunk))
	spec := p.vertexSpec(map[string]uint32{"MAX_GROUPS": uint32(p.limits.MaxGroups), "ONE_DRAW": flag(one)})
	if !one { // else no pass searches for the batch of a triangle, and strategies share pipelines
		spec["BATCH"] = p.largestBatch()
	}
	listed := Chunk{TriangleCount: min(c.TriangleCount, p.TriangleCapacity)}
	var lists step
	for list, name := range rasterLists {
		if list == shaders.ListSmall {
			continue
		}
		shader, reads := p.variantOf("raster/"+name+"-fused", shadingBlocks)
		draws := p.dispatch(t, "raster:"+name, shader, spec, p.listGroups(list, &listed), touched{
			reads:   append(slices.Clone(reads), RasterLists, RasterTriangles),
			updates: []Block{Visible, TileMarks},
		})
		draws.Op.(*Dispatch).Indirect = &Indirect{p.buffer(RasterLists, t), int64(t.chunk*shaders.RasterLists+list) * indirectBytes}
		lists = append(lists, draws)
	}
	if p.Frame.View == renderer.Batches {
		spec = withSpec(spec, "BATCH", p.largestBatch())
	}
	shader, reads := p.variantOf("raster/resolve-fused", shadingBlocks)
	resolve := p.dispatch(t, resolveName, shader, p.resolveSpec(t, spec), p.resolveGroups(), touched{
		reads:  p.shown(append(slices.Clone(reads), TileMarks)...),
		writes: []Block{PictureColor, PictureDepth, Visible},
	})
	return []step{lists, {resolve}}
}
