package plan

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// placedSink is the sink of the fused rasterizer for whole draws (reuse.Strategy.WholeDraws). A first pass shades
// all vertices and places them on the subpixel grid. raster:placed then draws small triangles and lists the others, as
// strategies over batches do in their only pass. The table of batches holds all batches of triangles,
// followed by those of vertices.
type placedSink struct{ fusedSink }

var toPlaced = placedSink{fusedSink{queueSink{kept{name: "placed", batchless: "whole draws are shaded", fitted: placedTriangles,
	buffers: func(vertices, _ int64) []int64 { return []int64{placedBytes * vertices} }}}}}

const (
	placedName   = "raster:placed"
	placedShader = "raster/placed-fused"
	placeBytes   = 8 // x and y of a placed vertex; its depth, of 4 bytes, follows those of all vertices
)

// placedTriangles returns the number of triangles for which batches of raster:placed are fitted. A lane is done with a
// triangle so soon that four times as many are needed to occupy the device; and draws are short in most scenes of several.
func placedTriangles(s *geometry.Scene) int {
	if len(s.Draws) > 1 {
		return 0
	}
	return s.Triangles() / 4
}

func (s placedSink) needs(f *renderer.Frame, l *renderer.Limits, n *Needs) {
	s.fusedSink.needs(f, l, n)
	n.Shaders = append(n.Shaders, placedShader)
}

func (s placedSink) cutAll(p *planner) error {
	if err := s.fusedSink.cutAll(p); err != nil {
		return err
	}
	p.Batches = append(p.Batches, reuse.VertexBatches(p.Frame.Scene, p.Frame.Reuse)...)
	p.VertexCapacity = p.Frame.Scene.DrawVertices()
	return nil
}

func (placedSink) buffers(p *planner) {
	p.add(Sifted, ByNobody, "none", "uint bits", 0, 4)
	p.add(ScratchAttributes, ByPasses, p.geometryName(), "uint2 x, y; depths", p.VertexCapacity+(p.VertexCapacity+1)/2, placeBytes)
}

// passes returns, for the first chunk, a pass over all vertices, and for each chunk one over its triangles.
func (s placedSink) passes(p *planner, t target) (steps []step) {
	if t.chunk == 0 {
		steps = append(steps, step{s.shade(p, t)})
	}
	if t.ahead {
		return steps
	}
	p.TriangleLanes = 1
	spec := p.drawSpec(map[string]uint32{
		"BATCH": p.largestBatch(), "WORKGROUP": uint32(p.Frame.Reuse.Workgroup), "EVEN": flag(s.even(p, t.chunk)),
	})
	for _, push := range p.slices(t.chunk) {
		pass := p.shadingPass(t, placedName, placedShader, spec, p.groups(int(push.BatchCount)), touched{
			reads:   withTextures(p.drops(), append(shadingBlocks[:len(shadingBlocks):len(shadingBlocks)], ScratchAttributes)),
			writes:  []Block{QueueStates, RasterLists, RasterTriangles},
			updates: []Block{Visible, TileMarks},
		})
		pass.Op.(*Dispatch).Push = push
		steps = append(steps, step{pass})
	}
	return steps
}

// shade returns the pass that shades and places all vertices.
func (placedSink) shade(p *planner, t target) Pass {
	push, last, name := p.push(0), p.Chunks[len(p.Chunks)-1], p.Frame.Reuse.Strategy.Name
	push.FirstBatch = uint32(last.FirstBatch + last.BatchCount)
	push.BatchCount = uint32(len(p.Batches)) - push.FirstBatch
	spec := p.geometrySpec(t, 1)
	spec["VIEW"], spec["EVEN"], spec["ONE_DRAW"] = uint32(renderer.Counts), 0, 1
	pass := p.shadingPass(t, t.stage("fused", name), "fused/"+name, spec, p.groups(int(push.BatchCount)), touched{
		reads: except(shadingBlocks, Indices), writes: p.withCounts(t, ScratchAttributes),
	})
	pass.Op.(*Dispatch).Push = push
	return pass
}

func (placedSink) written(_ *Plan, shaded, _ int64) int64 { return shaded * placedBytes }

func (placedSink) sifts(*renderer.Frame, *renderer.Limits) bool    { return false }
func (placedSink) together(*renderer.Frame, *renderer.Limits) bool { return false }

func (placedSink) sample(s *geometry.Scene, c reuse.Config) sample { return toDraws.sample(s, c) }
