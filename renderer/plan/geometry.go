package plan

import (
	"maps"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// geometry is the geometry stage of a chunk, with culling where the frame asks for it.
// In the round ahead its passes are called count:*, and write no queue unless
// culling has to know what is seen.
func (p *planner) geometry(t target) (steps []step) {
	f := &p.Frame
	if f.Reuse.Strategy.WholeDraws {
		steps = p.wholeDraws(t)
	} else {
		for _, push := range p.slices(t.chunk) {
			steps = append(steps, step{p.strategy(t, push)})
		}
	}
	if f.Cull && !f.Fuses() {
		steps = append(steps, step{p.cullTriangles(t)}, step{p.cullShade(t)})
	}
	return steps
}

// stage is the name of a pass of the geometry stage.
func (t target) stage(stage, name string) string {
	if t.ahead {
		stage = "count"
	}
	return stage + ":" + name
}

// strategy finds repeated indices in batches of a chunk, and shades.
func (p *planner) strategy(t target, push shaders.ChunkPush) Pass {
	if p.Frame.Fuses() {
		return p.fusedStrategy(t, push)
	}
	s, subgroups := p.Frame.Reuse.Strategy, p.kernel.Subgroups()
	writes := []Block{VertexPositions, VertexAttributes, Triangles, Corners, QueueStates}
	if p.counting(t) && !p.Frame.Cull {
		writes = append(writes, Counts)
	}
	shader, reads := p.variantOf("geometry/"+s.Name, p.strategyBlocks())
	pass := p.dispatch(t, t.stage("geometry", s.Name), shader, p.geometrySpec(t, subgroups), p.groups((int(push.BatchCount)+subgroups-1)/subgroups), touched{
		reads: reads, writes: writes,
	})
	pass.Op.(*Dispatch).Push = push
	return pass
}

// shadingBlocks are what the vertex shader reads, and what finds its vertices.
var shadingBlocks = []Block{Positions, Normals, Indices, Draws, Batches, Cameras, Clips, Skin, Bones}

// strategyBlocks are what a strategy over batches reads: lists hold the indices, too.
func (p *planner) strategyBlocks() []Block {
	if !p.Frame.Reuse.Strategy.Listed {
		return shadingBlocks
	}
	return append(except(shadingBlocks, Indices), Meshlets, MeshletWords)
}

// geometrySpec is the specialization of a geometry pass: every constant that
// some strategy has. Where culling follows, the pass counts vertices that it places and
// not those shaded.
func (p *planner) geometrySpec(t target, subgroups int) map[string]uint32 {
	f := &p.Frame
	count, write := p.counting(t), !t.ahead
	if f.Cull {
		count, write = p.tally(t) != 0, true
	}
	spec := p.kernel.Spec(p.largestBatch(), subgroups)
	maps.Copy(spec, map[string]uint32{
		"VIEW": uint32(f.View), "QUEUE": uint32(f.Queue), "COUNT": flag(count), "WRITE": flag(write), "CULL": flag(f.Cull), "LOAD": uint32(f.Load),
		"CORNERS": flag(p.Cornered()), "EVEN": flag(p.even(t.chunk)), "TALLY": flag(f.Cull) * p.tally(t),
	})
	return p.vertexSpec(spec)
}

// heldBytes is what the strategy holds of a shaded vertex until the triangles are
// assembled.
func heldBytes(f *renderer.Frame) int {
	if f.Fuses() {
		return placedBytes
	}
	if f.Queue == renderer.Expanded {
		return positionBytes + attributeBytes
	}
	return 0
}
