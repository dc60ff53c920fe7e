package link

import "github.com/shadeonce/shadeonce/internal/spirv/module"

// caller writes the body of custom_vertex.
type caller struct {
	writer
	host     hostParts
	layout   Layout
	draw     uint32 // ids of the values of parameters draw and vertex
	vertex   uint32
	index    uint32 // value of the parameter that GLSL calls id
	first    uint32 // id of the word in Shadings at which the draw's record begins
	position uint32
	shown    uint32
	local    []uint32 // variables that hold arguments for custom_fetch; empty if custom_fetch takes values
	block    uint32   // label of the current block
	fetched  map[uint32]uint32
	loopEnds uint32 // the buffer; 0 if there is none

	stored  uint32    // the buffer of distances; 0 if there is none
	outputs [2]uint32 // variables of clip and cull distances; 0 if there are none
}

func (c *caller) label(id uint32) {
	c.emit(module.OpLabel, id)
	c.block = id
}

// word writes code that reads word n of the draw's record.
func (c *caller) word(n int) uint32 {
	index := c.value(module.OpIAdd, c.uintType(), c.first, c.constant(uint32(n)))
	return c.loadElement(c.host.shadings, c.uintType(), index)
}

// loadElement writes code that reads an element of a host buffer that is one array.
func (c *caller) loadElement(b buffer, elementType, index uint32) uint32 {
	pointer := c.value(module.OpAccessChain, c.pointerType(b.class, elementType), b.variable, c.constant(0), index)
	return c.value(module.OpLoad, elementType, pointer)
}

// write writes custom_vertex, which calls the programs.
func (c *caller) write(programs []*copier) {
	for _, in := range c.host.stub.Body {
		if in.Op == module.OpFunction || in.Op == module.OpFunctionParameter {
			c.out = append(c.out, in)
		}
	}
	c.label(c.id())
	for range 3 {
		if c.host.fetchPointers {
			c.local = append(c.local, c.value(module.OpVariable, c.pointerType(module.FunctionLocal, c.uintType()), uint32(module.FunctionLocal)))
		}
	}
	c.draw, c.vertex, c.index = c.parameter(0, c.uintType()), c.parameter(1, c.uintType()), c.parameter(2, c.uintType())
	if !c.layout.Trusted {
		c.first = c.value(module.OpIMul, c.uintType(), c.draw, c.constant(uint32(c.layout.Words)))
	}
	if len(programs) == 1 {
		c.run(programs[0])
	} else {
		c.choose(programs)
	}
	c.emit(module.OpStore, c.host.parameters[4], c.shown)
	c.emit(module.OpReturnValue, c.position)
	c.emit(module.OpFunctionEnd)
}

// parameter returns the value of a parameter, which may be passed by a pointer.
func (c *caller) parameter(n int, typeID uint32) uint32 {
	if c.host.stubPointers {
		return c.value(module.OpLoad, typeID, c.host.parameters[n])
	}
	return c.host.parameters[n]
}

// choose writes code that runs the program that the draw's record selects.
func (c *caller) choose(programs []*copier) {
	merge := c.id()
	selector := c.word(RecordProgram)
	labels, cases := []uint32{}, []uint32{}
	for n := range programs {
		labels = append(labels, c.id())
		if n > 0 {
			cases = append(cases, uint32(n), labels[n])
		}
	}
	c.emit(module.OpSelectionMerge, merge, 0)
	c.emit(module.OpSwitch, append([]uint32{selector, labels[0]}, cases...)...)
	var positions, shown []uint32
	for n, p := range programs {
		c.label(labels[n])
		c.run(p)
		positions = append(positions, c.position, c.block)
		shown = append(shown, c.shown, c.block)
		c.emit(module.OpBranch, merge)
	}
	c.label(merge)
	c.position = c.value(module.OpPhi, c.vec4Type(), positions...)
	c.shown = c.value(module.OpPhi, c.vec4Type(), shown...)
}

// run writes code that calls a program: the code sets the variables that the program reads, and then
// reads those that the program has written.
func (c *caller) run(p *copier) {
	for i, place := range p.places {
		if place.slot != 0 {
			c.emit(module.OpStore, place.slot, c.word(p.program.Blocks[i].Slot))
		}
	}
	for _, r := range p.resets {
		c.emit(module.OpStore, r.variable, r.value)
	}
	c.fetched = map[uint32]uint32{}
	for _, in := range p.v.Inputs {
		value, _ := c.input(p, in.Type, in, in.Location)
		c.emit(module.OpStore, p.mapped(in.ID), value)
	}
	for _, b := range p.v.BuiltIns {
		value := c.builtIn(b.BuiltIn)
		if b.Type.Kind == module.Int {
			value = c.value(module.OpBitcast, p.mapped(b.Type.ID), value)
		}
		c.emit(module.OpStore, p.mapped(b.ID), value)
	}
	entry := p.v.Functions[0]
	c.value(module.OpFunctionCall, p.mapped(entry.Body[0].Type()), p.mapped(entry.ID))
	if c.layout.LoopEnds != 0 && p.program.Counter() != 0 {
		c.tellLoops(p)
	}
	c.tellDistances(p)
	c.position = c.output(p, p.v.Position)
	if c.layout.Clip {
		c.position = c.clip(c.position)
	}
	c.shown = c.null(c.vec4Type())
	if part, ok := p.v.Part(c.layout.Shown); ok {
		c.shown = c.ranged(c.widened(p, c.part(p, part), part.Of))
	}
	if c.layout.Shown == "" {
		for _, o := range p.v.Outputs {
			c.keep(p, c.output(p, o), o.Type)
		}
	}
}

// part writes code that reads an output or a part of it.
func (c *caller) part(p *copier, part module.Part) uint32 {
	value := c.output(p, part.Variable)
	if len(part.Index) == 0 {
		return value
	}
	return c.value(module.OpCompositeExtract, p.mapped(part.Of.ID), append([]uint32{value}, part.Index...)...)
}

// ranged multiplies a value by the layout's Scale, then adds Offset, and rounds after each step; with Scale 0 it changes nothing.
func (c *caller) ranged(shown uint32) uint32 {
	if c.layout.Scale == 0 {
		return shown
	}
	offset := c.float(c.layout.Offset)
	shown = c.exactly(module.OpVectorTimesScalar, c.vec4Type(), shown, c.float(c.layout.Scale))
	return c.exactly(module.OpFAdd, c.vec4Type(), shown, c.global(module.OpConstantComposite, c.vec4Type(), offset, offset, offset, offset))
}

// keep adds all numbers of an output to the sum c.shown, so that drivers do not optimize the output away.
func (c *caller) keep(p *copier, value uint32, t *module.Type) {
	switch t.Kind {
	case module.Matrix, module.Array:
		for i := range t.Count {
			c.keep(p, c.value(module.OpCompositeExtract, p.mapped(t.Elem.ID), value, uint32(i)), t.Elem)
		}
	case module.Struct:
		for i, m := range t.Members {
			c.keep(p, c.value(module.OpCompositeExtract, p.mapped(m.Type.ID), value, uint32(i)), m.Type)
		}
	case module.Float, module.Int, module.Uint, module.Vector:
		c.shown = c.value(module.OpFAdd, c.vec4Type(), c.shown, c.widened(p, value, t))
	}
}

func (c *caller) builtIn(b module.BuiltIn) uint32 {
	t := c.uintType()
	switch b {
	case module.VertexIndex, module.VertexID:
		return c.value(module.OpIAdd, t, c.index, c.word(RecordBaseVertex))
	case module.InstanceID:
		return c.value(module.OpISub, t, c.word(RecordInstance), c.word(RecordBaseInstance))
	case module.DeviceIndex, module.ViewIndex: // there is one device and one view
		return c.constant(0)
	}
	return c.word(builtInWords[b])
}

// builtInWords are the words of a draw's record that hold built-in variables.
var builtInWords = map[module.BuiltIn]int{
	module.InstanceIndex: RecordInstance, module.BaseVertex: RecordBaseVertex, module.BaseInstance: RecordBaseInstance, module.DrawIndex: RecordDrawIndex,
}

// output writes code that reads an output after the program has written it.
func (c *caller) output(p *copier, o module.Variable) uint32 {
	pointer, t := p.mapped(o.ID), p.mapped(o.Type.ID)
	if o.Member >= 0 {
		pointer = c.value(module.OpAccessChain, c.pointerType(module.Private, t), pointer, c.constant(uint32(o.Member)))
	}
	return c.value(module.OpLoad, t, pointer)
}

// clip writes code that multiplies a position by the record's matrix, with products and sums that no driver
// may fuse, as in exact_transform.
func (c *caller) clip(position uint32) uint32 {
	sum := uint32(0)
	for column := range 4 {
		var words []uint32
		for row := range 4 {
			words = append(words, c.value(module.OpBitcast, c.floatType(), c.word(RecordClip+4*column+row)))
		}
		whole := c.value(module.OpCompositeConstruct, c.vec4Type(), words...)
		factor := c.value(module.OpCompositeExtract, c.floatType(), position, uint32(column))
		product := c.exactly(module.OpVectorTimesScalar, c.vec4Type(), whole, factor)
		if sum != 0 {
			product = c.exactly(module.OpFAdd, c.vec4Type(), sum, product)
		}
		sum = product
	}
	return sum
}

// widened makes a vec4 from a scalar or vector; missing components are 0, 0, 0, 1.
func (c *caller) widened(p *copier, value uint32, t *module.Type) uint32 {
	scalar, n := t.Scalar(), 1
	if t.Kind == module.Vector {
		n = t.Count
	}
	var parts []uint32
	for i := range 4 {
		part := c.float(float32(i / 3))
		if i < n {
			part = value
			if n > 1 {
				part = c.value(module.OpCompositeExtract, p.mapped(scalar.ID), value, uint32(i))
			}
			if op, ok := map[module.Kind]module.Op{module.Int: module.OpConvertSToF, module.Uint: module.OpConvertUToF}[scalar.Kind]; ok {
				part = c.value(op, c.floatType(), part)
			} else if scalar.Width != 32 {
				part = c.value(module.OpFConvert, c.floatType(), part)
			}
		}
		parts = append(parts, part)
	}
	return c.value(module.OpCompositeConstruct, c.vec4Type(), parts...)
}
