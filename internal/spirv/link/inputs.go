package link

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// input writes code that reads an input, or a part of one, whose data begin at a location. It returns the value
// and the next location.
func (c *caller) input(p *copier, t *module.Type, in module.Variable, location uint32) (value, next uint32) {
	from, _ := p.program.input(location)
	if from.Attribute == FromClip {
		return c.parameter(3, p.mapped(t.ID)), location + uint32(t.Locations())
	}
	if t.Kind != module.Matrix && t.Kind != module.Array {
		return c.components(p, t, in, from), location + 1
	}
	var parts []uint32
	for range t.Count {
		var part uint32
		part, location = c.input(p, t.Elem, in, location)
		parts = append(parts, part)
	}
	return c.value(module.OpCompositeConstruct, p.mapped(t.ID), parts...), location
}

// components makes a scalar or vector from the components fetched for a location.
func (c *caller) components(p *copier, t *module.Type, in module.Variable, from Input) uint32 {
	scalar, n := t.Scalar(), 1
	if t.Kind == module.Vector {
		n = t.Count
	}
	words := c.fetch(from)
	wide := map[module.Kind]uint32{module.Float: c.floatType(), module.Int: c.global(module.OpTypeInt, 0, 32, 1), module.Uint: c.uintType()}[scalar.Kind]
	var parts []uint32
	for i := range n {
		part := c.value(module.OpCompositeExtract, c.uintType(), words, in.Component+uint32(i))
		if scalar.Kind != module.Uint {
			part = c.value(module.OpBitcast, wide, part)
		}
		if scalar.Width != 32 {
			narrow := map[module.Kind]module.Op{module.Float: module.OpFConvert, module.Int: module.OpSConvert, module.Uint: module.OpUConvert}[scalar.Kind]
			part = c.value(narrow, p.mapped(scalar.ID), part)
		}
		parts = append(parts, part)
	}
	if n == 1 {
		return parts[0]
	}
	return c.value(module.OpCompositeConstruct, p.mapped(t.ID), parts...)
}

const (
	floatOne   = 0x3f800000
	firstWhole = vertexformat.R32_SFLOAT - 2 // R32_UINT, the first of the formats with 32-bit components
)

// fetch writes code that reads the four components of a location, once for all inputs that share it.
// Formats with 32-bit components do not use the host's function, which handles all formats: drivers inline
// it at every call, and captured frames call it a hundred times.
func (c *caller) fetch(from Input) uint32 {
	if words, ok := c.fetched[from.Location]; ok {
		return words
	}
	uvec4 := c.vectorType(c.uintType(), 4)
	var words uint32
	switch from.Attribute {
	case FromPositions:
		words = c.elements(c.host.positions, c.floatType(), c.vertex, 0, 3, floatOne)
	case FromNormals:
		words = c.elements(c.host.normals, c.floatType(), c.vertex, 0, 3, floatOne)
	case FromConstant:
		words = c.global(module.OpConstantComposite, uvec4, c.constant(from.Value[0]), c.constant(from.Value[1]), c.constant(from.Value[2]), c.constant(from.Value[3]))
	case FromSkin:
		if c.host.skin == nil {
			must.Fail("host: no buffer Skin")
		}
		words = c.loadElement(*c.host.skin, c.vectorType(c.uintType(), 2), c.vertex)
	default:
		element := c.vertex
		if from.PerDraw {
			element = c.draw
		}
		if f := from.Format; f >= firstWhole && f <= vertexformat.R32G32B32A32_SFLOAT {
			one := map[bool]uint32{true: floatOne, false: 1}[f.Class() == vertexformat.Float]
			words = c.elements(c.host.attributes, c.uintType(), element, from.FirstByte/4, uint32(f.Size()/4), one)
			break
		}
		arguments := []uint32{c.constant(uint32(from.Format)), c.constant(from.FirstByte), element}
		for i, pointer := range c.local {
			c.emit(module.OpStore, pointer, arguments[i])
			arguments[i] = pointer
		}
		words = c.value(module.OpFunctionCall, uvec4, append([]uint32{c.host.fetch}, arguments...)...)
	}
	c.fetched[from.Location] = words
	return words
}

// elements writes code that reads element number `element` of an array: the given number of 32-bit components. The array begins at
// word `first` of the buffer. The result has four components; missing ones are taken from 0, 0, 0, `one`.
func (c *caller) elements(b buffer, typeID, element, first, components, one uint32) uint32 {
	at := c.value(module.OpIMul, c.uintType(), element, c.constant(components))
	words := []uint32{c.constant(0), c.constant(0), c.constant(0), c.constant(one)}
	for i := range components {
		words[i] = c.loadElement(b, typeID, c.value(module.OpIAdd, c.uintType(), at, c.constant(first+i)))
		if typeID != c.uintType() {
			words[i] = c.value(module.OpBitcast, c.uintType(), words[i])
		}
	}
	return c.value(module.OpCompositeConstruct, c.vectorType(c.uintType(), 4), words...)
}

// checkInput fails if an input cannot be read from the data of its locations.
func checkInput(p Program, in module.Variable) {
	for n := range in.Type.Locations() {
		location := in.Location + uint32(n)
		from, ok := p.input(location)
		if !ok {
			must.Fail("input %s at location %d has no data", in.Name, location)
		}
		class := vertexformat.Float
		switch {
		case from.Attribute >= 0 || from.Attribute == FromConstant:
			class = from.Format.Class()
		case from.Attribute == FromSkin:
			class = vertexformat.Uint
		}
		float := in.Type.Scalar().Kind == module.Float
		if float != (class == vertexformat.Float) {
			must.Fail("input %s at location %d is %s and cannot be read from %s", in.Name, location, in.Type, from)
		}
	}
	last := 1
	t := in.Type
	for t.Kind == module.Array || t.Kind == module.Matrix {
		t = t.Elem
	}
	if t.Kind == module.Vector {
		last = t.Count
	}
	if int(in.Component)+last > 4 || in.Component > 3 {
		must.Fail("input %s begins at component %d", in.Name, in.Component)
	}
}

// String describes the data that an input reads.
func (in Input) String() string {
	if in.Attribute >= 0 {
		return in.Format.String()
	}
	return [...]string{"positions", "normals", "skins", "the draw's matrix", "a constant"}[FromPositions-in.Attribute]
}
