package module

import (
	"cmp"
	"maps"
	"slices"
)

// gatherer rewrites a module so that each array of blocks with a computed index becomes one block.
type gatherer struct {
	limiter
	arrays map[uint32]blockArray // by variable
	plain  map[uint32]bool       // structs that lose the decoration Block
}

// blockArray is an array of blocks that becomes the only member of a block.
type blockArray struct {
	class                        StorageClass
	struc, length                uint32 // ids of the blocks' type and of the array's length
	stride                       uint32
	array, block, pointer, first uint32 // ids of the new types, and of a constant 0
}

// gathered replaces each array of blocks that has an index which is not constant. One block takes its place: the array is
// that block's only member and keeps its name, so that values are named as before. values holds the module's constants, by
// id. gathered returns m itself if there is no such array, or if another variable shares the blocks' type.
func (m *Module) gathered(values map[uint32]uint32) (*Module, error) {
	g := gatherer{limiter{m: m, bound: m.Bound}, map[uint32]blockArray{}, map[uint32]bool{}}
	for _, f := range m.Functions {
		for _, in := range f.Body {
			if _, constant := values[in.At(3)]; !constant && chains(in) {
				g.gather(in.At(2), values)
			}
		}
	}
	for _, in := range m.Globals {
		if _, array := g.arrays[in.Result()]; in.Op == OpVariable && !array {
			t := m.Definition(m.Definition(in.At(0)).At(2))
			if t.Op == OpTypeArray {
				t = m.Definition(t.At(1))
			}
			if g.plain[t.Result()] {
				return m, nil // another block has the type
			}
		}
	}
	if len(g.arrays) == 0 {
		return m, nil
	}
	out, err := Decode(g.rewritten())
	if err == nil {
		out.File, out.Loops, out.gatheredArrays = m.File, m.Loops, g.arrays
	}
	return out, err
}

func chains(in Instruction) bool {
	return (in.Op == OpAccessChain || in.Op == OpInBoundsAccessChain) && len(in.Operands) > 3
}

// gather adds the variable to g.arrays if it is an array of at most maxBlockArray blocks that do not end in a runtime array.
func (g *gatherer) gather(variable uint32, values map[uint32]uint32) {
	pointer := g.m.Definition(g.m.Definition(variable).At(0))
	class := StorageClass(pointer.At(1))
	array := g.m.Definition(pointer.At(2))
	_, known := g.arrays[variable]
	if known || g.m.Definition(variable).Op != OpVariable || array.Op != OpTypeArray || class != Uniform && class != StorageBuffer {
		return
	}
	t, err := g.m.BlockType(array.At(1))
	if err != nil || t.Kind != Struct || t.endsOpen() || values[array.At(2)] > maxBlockArray {
		return
	}
	stride := Block{Size: int(t.size(0, false)), Align: max(minAlign, t.Alignment())}.Stride()
	g.arrays[variable] = blockArray{class, t.ID, array.At(2), uint32(stride), g.id(), g.id(), g.id(), g.id()}
	g.plain[t.ID] = true
}

func (g *gatherer) rewritten() []uint32 {
	code := g.m.Code
	g.words = slices.Clone(code[:HeaderWords])
	n := 0
	for at := HeaderWords; at < len(code); at += int(code[at] >> 16) {
		if n++; n == len(g.m.Head)+1 {
			g.annotate()
		}
		in := Instruction{Op(code[at]), slices.Clone(code[at+1 : at+int(code[at]>>16)])}
		a, array := g.arrays[in.At(2)]
		switch {
		case in.Op == OpDecorate && g.plain[in.At(0)] && (Decoration(in.At(1)) == BlockDecoration || Decoration(in.At(1)) == BufferBlock):
			continue
		case in.Op == OpVariable:
			if a, array := g.arrays[in.At(1)]; array {
				g.emit(OpTypeArray, a.array, a.struc, a.length)
				g.emit(OpTypeStruct, a.block, a.array)
				g.emit(OpTypePointer, a.pointer, uint32(a.class), a.block)
				g.emit(OpConstant, g.m.Definition(a.length).Type(), a.first, 0)
				in.Operands[0] = a.pointer
			}
		case array && chains(in):
			in.Operands = slices.Insert(in.Operands, 3, a.first)
		}
		g.emit(in.Op, in.Operands...)
	}
	g.words[3] = g.bound
	return g.words
}

// annotate names and decorates the new types.
func (g *gatherer) annotate() {
	for _, variable := range slices.Sorted(maps.Keys(g.arrays)) {
		a := g.arrays[variable]
		g.emit(OpMemberName, append([]uint32{a.block, 0}, LiteralString(cmp.Or(g.m.Name(variable), "elements"))...)...)
		g.emit(OpMemberDecorate, a.block, 0, uint32(Offset), 0)
		g.emit(OpDecorate, a.array, uint32(ArrayStride), a.stride)
		kind := BlockDecoration
		if _, storage := g.m.Decoration(a.struc, BufferBlock); storage {
			kind = BufferBlock
		}
		g.emit(OpDecorate, a.block, uint32(kind))
	}
}
