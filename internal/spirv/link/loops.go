package link

import "github.com/shadeonce/shadeonce/internal/spirv/module"

// Counter returns the variable in which the program's loops count; 0 if they do not.
func (p *Program) Counter() uint32 {
	if l := p.Vertex.Module.Loops; l != nil && p.Vertex.Used[l.Counter] {
		return l.Counter
	}
	return 0
}

// declareBuffer declares a buffer that programs write to, in the set of Values.
func (j *joined) declareBuffer(binding, content uint32, name string) uint32 {
	whole := j.global(module.OpTypeStruct, 0, content)
	j.decorate(whole, module.BlockDecoration)
	j.decorateMember(whole, 0, module.Offset, 0)
	variable := j.global(module.OpVariable, j.pointerType(module.StorageBuffer, whole), uint32(module.StorageBuffer))
	j.decorate(variable, module.DescriptorSet, j.valuesSet)
	j.decorate(variable, module.Binding, binding)
	j.name(variable, name)
	return variable
}

// tellLoops writes that a program's loops had to end.
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
