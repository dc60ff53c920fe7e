package link

import "github.com/shadeonce/shadeonce/internal/spirv/module"

// declareDistances declares where distances go: a buffer, or outputs of the pipeline.
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
		c.stored = c.declareBuffer(c.layout.Stored, list, "distances")
	}
}

// declareDistance declares an output; 0 if it has no elements.
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

// tellDistances puts out what a program has written; 0, which is inside, where it has fewer
// distances than others.
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
