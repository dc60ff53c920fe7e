package module

import (
	"maps"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// readBlocks adds a variable's block, or the elements of an array of blocks that the functions
// read.
func (v *Vertex) readBlocks(id, typeID uint32, class StorageClass) {
	m := v.Module
	b := Block{Name: v.variableName(id, typeID), ID: id, Kind: StorageBlock}
	array := m.Definition(typeID)
	if array.Op == OpTypeRuntimeArray {
		must.Fail("an array of blocks without a length")
	}
	if b.Array = array.Op == OpTypeArray; b.Array {
		typeID = array.At(1)
	}
	if m.Definition(typeID).Op != OpTypeStruct {
		must.Fail("a block whose type is not a struct")
	}
	_, storage := m.Decoration(typeID, BufferBlock)
	switch {
	case class == PushConstant:
		b.Kind = PushConstants
	case class == Uniform && !storage:
		b.Kind = UniformBlock
	}
	b.Legacy = class == Uniform && storage
	b.Set, b.Binding = first(m.Decoration(id, DescriptorSet)), first(m.Decoration(id, Binding))
	t := v.laidOut.read(typeID)
	b.Type, b.Size, b.Open = t, int(t.size(0, false)), t.endsOpen()
	b.Align = max(minAlign, t.Alignment())
	if b.Open && b.Kind != StorageBlock {
		must.Fail("%s that end in a runtime array", b.Kind)
	}
	if !b.Array {
		v.Blocks = append(v.Blocks, b)
		return
	}
	for _, element := range v.elements(id) {
		b.Element = element
		v.Blocks = append(v.Blocks, b)
	}
}

// elements lists the elements of an array of blocks that the functions read.
func (v *Vertex) elements(id uint32) []uint32 {
	seen := map[uint32]bool{}
	for _, f := range v.Functions {
		for _, in := range f.Body {
			for _, at := range v.Module.References(in) {
				if in.Operands[at] != id {
					continue
				}
				if in.Op != OpAccessChain && in.Op != OpInBoundsAccessChain || at != 2 {
					must.Fail("an array of blocks that is used as a whole")
				}
				element, ok := v.Constant(in.At(3))
				if !ok || len(in.Operands) < 4 {
					must.Fail("an array of blocks whose index is not constant")
				}
				if element >= maxBlockArray {
					must.Fail("element %d of an array of blocks", element)
				}
				seen[element] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
