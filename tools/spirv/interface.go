package main

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	spirv "github.com/shadeonce/shadeonce/shaders/module"
)

// interfaceVariable adds a buffer or the push constants to the reflection; it skips inputs, outputs
// and shared memory. The operands of a variable are its pointer type, its id and its storage class.
func (r *resolver) interfaceVariable(v spirv.Instruction, out *reflection) {
	class := spirv.StorageClass(v.At(2))
	if !slices.Contains([]spirv.StorageClass{spirv.UniformConstant, spirv.Uniform, spirv.PushConstant, spirv.StorageBuffer}, class) {
		return
	}
	typeID, id := r.m.Definition(v.At(0)).At(2), v.At(1) // the variable's type is a pointer
	if class == spirv.PushConstant {
		r.pushConstants(typeID, out)
		return
	}
	if class == spirv.UniformConstant {
		must.Fail("%s is an image or a sampler: only buffers are supported", r.m.Name(id))
	}
	b := binding{Name: r.m.Name(typeID)}
	var hasSet, hasBinding bool
	b.Set, hasSet = r.m.Decoration(id, spirv.DescriptorSet)
	b.Binding, hasBinding = r.m.Decoration(id, spirv.Binding)
	r.block(class, typeID, &b)
	if !validName(b.Name) || !hasSet || !hasBinding {
		must.Fail("descriptor %q needs a name, a set and a binding", b.Name)
	}
	b.ReadOnly = b.ReadOnly || r.m.has(id, spirv.NonWritable)
	b.WriteOnly = b.WriteOnly || r.m.has(id, spirv.NonReadable)
	out.Bindings = append(out.Bindings, b)
}

// block describes a uniform or storage buffer.
func (r *resolver) block(class spirv.StorageClass, typeID uint32, b *binding) {
	defer must.Place("%s", b.Name)
	members := r.members(typeID)
	if members == nil {
		must.Fail("a buffer whose type is not a struct with members")
	}
	b.Kind = "StorageBuffer"
	if class == spirv.Uniform && !r.m.has(typeID, spirv.BufferBlock) {
		b.Kind = "UniformBuffer"
	}
	b.ReadOnly, b.WriteOnly = r.allMembers(typeID, len(members), spirv.NonWritable), r.allMembers(typeID, len(members), spirv.NonReadable)
	last := len(members) - 1
	if array := r.m.Definition(members[last]); array.Op == spirv.OpTypeRuntimeArray {
		r.runtimeArray(memberKey{typeID, last}, members[last], array, b)
		members = members[:last]
	}
	b.Struct, b.Bytes = r.blockStruct(typeID, members)
	if b.ElementBytes > 0 {
		offset, _ := r.m.member(memberKey{typeID, last}, spirv.Offset)
		r.growHead(typeID, uint64(offset), b)
	}
}

// members returns the types of a struct's members; nil if it has none or is not a struct.
func (r *resolver) members(typeID uint32) []uint32 {
	if t := r.m.Definition(typeID); t.Op == spirv.OpTypeStruct && len(t.Operands) > 1 {
		return t.Operands[1:]
	}
	return nil
}

// growHead extends the part before a runtime array up to the array.
func (r *resolver) growHead(typeID uint32, offset uint64, b *binding) {
	end := b.Bytes
	own := r.structs[typeID] // nil if the part is another struct, or empty
	if own != nil && len(own.Fields) > 0 {
		last := own.Fields[len(own.Fields)-1]
		end = last.Offset + last.Size
	}
	if offset < end || own != nil && offset%own.goAl != 0 {
		must.Fail("the array at byte %d cannot follow %d bytes of members", offset, end)
	}
	if own != nil {
		own.Size = offset
	}
	b.Bytes = offset
}

func (r *resolver) allMembers(typeID uint32, n int, decoration spirv.Decoration) bool {
	for i := range n {
		if _, ok := r.m.member(memberKey{typeID, i}, decoration); !ok {
			return false
		}
	}
	return true
}

func (r *resolver) runtimeArray(key memberKey, id uint32, array spirv.Instruction, b *binding) {
	elem := r.resolve(array.At(1), r.memberLayout(key))
	stride, _ := r.m.Decoration(id, spirv.ArrayStride)
	b.ElementBytes = uint64(stride)
	b.Element = strideElement(elem, uint64(stride))
}

// blockStruct returns the Go struct of a block's members. For a block whose only member is a
// struct it is that struct; a block that is only a runtime array needs none.
func (r *resolver) blockStruct(typeID uint32, members []uint32) (name string, bytes uint64) {
	if len(members) == 0 {
		return "", 0
	}
	offset, _ := r.m.member(memberKey{typeID, 0}, spirv.Offset)
	if len(members) == 1 && offset == 0 && r.m.Definition(members[0]).Op == spirv.OpTypeStruct {
		s := r.structure(members[0])
		return s.Name, s.Size
	}
	blockName := r.m.Name(typeID)
	if !validName(blockName) || exported(blockName) == "" {
		must.Fail("block %q needs a name", blockName)
	}
	s := r.layOut(typeID, exported(blockName), members)
	r.structs[typeID] = s
	return s.Name, s.Size
}

func (r *resolver) pushConstants(typeID uint32, out *reflection) {
	defer must.Place("push constants")
	members := r.members(typeID)
	if members == nil {
		must.Fail("no members")
	}
	if out.PushBytes > 0 {
		must.Fail("two blocks")
	}
	_, out.PushBytes = r.blockStruct(typeID, members)
}
