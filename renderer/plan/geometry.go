package plan

import (
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
	if f.Cull {
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
	s, subgroups := p.Frame.Reuse.Strategy, p.subgroups()
	writes := []Block{VertexPositions, VertexAttributes, Triangles, QueueStates}
	if p.counting(t) && !p.Frame.Cull {
		writes = append(writes, Counts)
	}
	shader, reads := p.surfaceOf("geometry/"+s.Name, []Block{Positions, Normals, Indices, Draws, Batches, Cameras, Clips, Skin, Bones})
	pass := p.dispatch(t, t.stage("geometry", s.Name), shader, p.geometrySpec(t, subgroups), p.groups((int(push.BatchCount)+subgroups-1)/subgroups), touched{
		reads: reads, writes: writes,
	})
	pass.Op.(*Dispatch).Push = push
	return pass
}

// geometrySpec is the specialization of a geometry pass: every constant that
// some strategy has. Where culling follows, the pass counts vertices that it places and
// not those shaded.
func (p *planner) geometrySpec(t target, subgroups int) map[string]uint32 {
	f, r := &p.Frame, p.Frame.Reuse
	workgroup := r.Workgroup
	if r.Strategy.UsesLanes {
		workgroup = subgroups * r.Lanes
	}
	count, write := p.counting(t), !t.ahead
	if f.Cull {
		count, write = !t.ahead && !f.NoCounts, true
	}
	return p.vertexSpec(map[string]uint32{
		"LANES": uint32(r.Lanes), "NATIVE": flag(p.Native), "WORKGROUP": uint32(workgroup),
		"BATCH": p.largestBatch(), "UNIQUE": uint32(r.Strategy.MaxUnique(r)), "TABLE": uint32(r.Table()),
		"VIEW": uint32(f.View), "QUEUE": uint32(f.Queue), "COUNT": flag(count), "WRITE": flag(write), "CULL": flag(f.Cull),
		"LOAD": uint32(f.Load), "PROBES": uint32(r.Probes),
	})
}

// nativeWorkgroup is the invocations of a workgroup that holds several native
// subgroups: enough that a multiprocessor's limit on workgroups does not bind.
const nativeWorkgroup = 128

// subgroups is how many batches a workgroup takes: one per subgroup where these are
// native, else one.
func (p *planner) subgroups() int {
	if !p.Native {
		return 1
	}
	fit := min(p.limits.MaxWorkgroup, nativeWorkgroup) / p.Frame.Reuse.Lanes
	return max(1, min(fit, p.limits.SharedBytes/sharedBytes(&p.Frame, p.Native)))
}

// sharedBytes is the shared memory that the strategy's shader takes for a batch.
func sharedBytes(f *renderer.Frame, native bool) int {
	vertex := 0
	if f.Queue == renderer.Expanded {
		vertex = positionBytes + attributeBytes
	}
	return max(1, f.Reuse.Strategy.SharedBytes(f.Reuse, !native, vertex))
}

// runsNative says whether the strategy's lanes are the device's own.
func runsNative(f *renderer.Frame, l renderer.Limits) bool {
	return f.Reuse.Strategy.UsesLanes && f.Subgroups != renderer.VirtualSubgroups && l.Native(f.Reuse.Lanes)
}
