package link

import "github.com/shadeonce/shadeonce/internal/spirv/module"

// declareDistances declares the destination of distances: a buffer, or outputs of the pipeline.
func (c *caller) declareDistances() {
	d := c.layout.Distances
	switch {
	case d.Total() == 0:
	case c.host.stage == module.VertexStage:
		c.outputs[0] = c.declareDistance(module.ClipDistance, module.ClipDistances, d.Clip)
		c.outputs[1] = c.declareDistance(module.CullDistance, module.CullDistances, d.CullPlanes)
	case c.layout.Stored != 0:
		list := c.global(module.OpTypeRuntimeArray, 0, c.floatType())
		c.decorate(list, module.ArrayStride, 4)
		c.stored = c.declareBuffer(module.StorageBuffer, c.layout.Stored, 0, list)
		c.name(c.stored, "distances")
	}
}

// declareDistance declares an output of `size` distances and returns its variable; 0 if size is 0.
func (c *caller) declareDistance(b module.BuiltIn, needs module.Capability, size int) uint32 {
	if size == 0 {
		return 0
	}
	c.require(needs)
	list := c.global(module.OpTypeArray, 0, c.floatType(), c.constant(uint32(size)))
	variable := c.global(module.OpVariable, c.pointerType(module.Output, list), uint32(module.Output))
	c.decorate(variable, module.BuiltInVariable, uint32(b))
	return variable
}

// tellDistances writes code that stores the distances that a program has written. If other programs write
// more of them, it stores 0 for the missing ones, which clips and culls nothing.
func (c *caller) tellDistances(p *copier) {
	if c.stored == 0 && c.outputs == [2]uint32{} {
		return
	}
	d, next := c.layout.Distances, c.value(module.OpIMul, c.uintType(), c.index, c.constant(uint32(c.layout.Distances.Total())))
	next = c.value(module.OpIAdd, c.uintType(), next, c.word(RecordDistances))
	for i, of := range []module.Variable{p.v.ClipDistance, p.v.CullDistance} {
		var all uint32
		if of.Type != nil {
			all = c.output(p, of)
		}
		for k := range uint32([]int{d.Clip, d.CullPlanes}[i]) {
			value := c.null(c.floatType())
			if of.Type != nil && int(k) < of.Type.Count {
				value = c.value(module.OpCompositeExtract, c.floatType(), all, k)
			}
			class, path := module.Output, []uint32{c.outputs[i], c.constant(k)}
			if c.stored != 0 {
				class, path = module.StorageBuffer, []uint32{c.stored, c.constant(0), next}
				next = c.value(module.OpIAdd, c.uintType(), next, c.constant(1))
			}
			c.emit(module.OpStore, c.value(module.OpAccessChain, c.pointerType(class, c.floatType()), path...), value)
		}
	}
}

// Counter returns the id of the variable in which the program's loops count their iterations; 0 if they do not count.
func (p *Program) Counter() uint32 {
	if l := p.Vertex.Module.Loops; l != nil && p.Vertex.Used[l.Counter] {
		return l.Counter
	}
	return 0
}

// declareBuffer declares a buffer in the set of Values. Its only member begins at byte `base`, and has the type `content`.
func (j *joined) declareBuffer(class module.StorageClass, binding, base, content uint32) uint32 {
	whole := j.global(module.OpTypeStruct, 0, content)
	j.decorate(whole, module.BlockDecoration)
	j.decorateMember(whole, 0, module.Offset, base)
	variable := j.global(module.OpVariable, j.pointerType(class, whole), uint32(class))
	j.bind(variable, binding)
	return variable
}

func (j *joined) bind(variable, binding uint32) {
	j.decorate(variable, module.DescriptorSet, j.valuesSet)
	j.decorate(variable, module.Binding, binding)
}

// tellLoops writes code that records whether a program's loops were stopped at their limit.
func (c *caller) tellLoops(p *copier) {
	number, ended, then := c.uintType(), c.id(), c.id()
	left := c.value(module.OpLoad, number, p.mapped(p.program.Counter()))
	spent := c.value(module.OpIEqual, c.global(module.OpTypeBool, 0), left, c.constant(0))
	c.emit(module.OpSelectionMerge, then, 0)
	c.emit(module.OpBranchConditional, spent, ended, then)
	c.label(ended)
	to := c.value(module.OpAccessChain, c.pointerType(module.StorageBuffer, number), c.loopEnds, c.constant(0))
	const device, relaxed = 1, 0
	c.value(module.OpAtomicUMax, number, to, c.constant(device), c.constant(relaxed), c.constant(uint32(p.number)+1))
	c.emit(module.OpBranch, then)
	c.label(then)
}
