package main

import (
	"fmt"
	"slices"
)

// interfaceVariable adds a descriptor or the push constants to the reflection and
// skips all other variables. The operands of a variable are its
// pointer type, its id and its storage class.
func (r *resolver) interfaceVariable(v instruction, out *reflection) error {
	class := v.at(2)
	if !slices.Contains([]uint32{classUniformConstant, classUniform, classPushConstant, classStorageBuffer}, class) {
		return nil
	}
	pointer, ok := r.m.types[v.at(0)]
	if !ok || pointer.op != opTypePointer {
		return fmt.Errorf("variable %d has no pointer type", v.at(1))
	}
	typeID, id := pointer.at(2), v.at(1)
	if class == classPushConstant {
		return r.pushConstants(typeID, out)
	}
	b := binding{Name: r.m.names[id], Count: 1}
	d := r.m.decorated[id]
	var hasSet, hasBinding bool
	b.Set, hasSet = d.first(decDescriptorSet)
	b.Binding, hasBinding = d.first(decBinding)
	if t := r.m.types[typeID]; t.op == opTypeArray {
		length, ok := r.m.constants[t.at(2)]
		if !ok || length.op != opConstant {
			return fmt.Errorf("descriptor array %s has no fixed length", b.Name)
		}
		b.Count, typeID = length.at(2), t.at(1)
	}
	var err error
	if class == classUniformConstant {
		err = r.opaque(typeID, &b)
	} else {
		b.Name = r.m.names[typeID]
		err = r.block(class, typeID, &b)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", b.Name, err)
	}
	if !validName(b.Name) || !hasSet || !hasBinding {
		return fmt.Errorf("descriptor %q needs a name, a set and a binding", b.Name)
	}
	b.ReadOnly = b.ReadOnly || d.has(decNonWritable)
	b.WriteOnly = b.WriteOnly || d.has(decNonReadable)
	out.Bindings = append(out.Bindings, b)
	return nil
}

// opaque names the kind of an image or sampler.
func (r *resolver) opaque(typeID uint32, b *binding) error {
	const sampledByShader, storage = 1, 2 // OpTypeImage's Sampled operand
	switch t := r.m.types[typeID]; {
	case t.op == opTypeSampledImage:
		b.Kind = "CombinedSampler"
	case t.op == opTypeSampler:
		b.Kind = "Sampler"
	case t.op == opTypeImage && t.at(6) == sampledByShader:
		b.Kind = "SampledImage"
	case t.op == opTypeImage && t.at(6) == storage:
		b.Kind = "StorageImage"
	default:
		return fmt.Errorf("a descriptor of an unknown kind (instruction %d)", t.op)
	}
	return nil
}

// block describes a uniform or storage buffer.
func (r *resolver) block(class, typeID uint32, b *binding) error {
	members := r.members(typeID)
	if members == nil {
		return fmt.Errorf("a buffer whose type is no struct with members")
	}
	b.Kind = "StorageBuffer"
	std140 := class == classUniform && !r.m.decorated[typeID].has(decBufferBlock)
	if std140 {
		b.Kind = "UniformBuffer"
	}
	b.ReadOnly, b.WriteOnly = r.allMembers(typeID, len(members), decNonWritable), r.allMembers(typeID, len(members), decNonReadable)
	last := len(members) - 1
	if array := r.m.types[members[last]]; array.op == opTypeRuntimeArray {
		if err := r.runtimeArray(memberKey{typeID, uint32(last)}, members[last], array, b); err != nil {
			return err
		}
		members = members[:last]
	}
	var err error
	b.Struct, b.Bytes, err = r.blockStruct(typeID, members)
	if err != nil || b.ElementBytes == 0 {
		return err
	}
	offset, _ := r.m.memberDecorated[memberKey{typeID, uint32(last)}].first(decOffset)
	return r.growHead(typeID, uint64(offset), b)
}

// members are the types of a struct's members; nil where it has none or is no struct.
func (r *resolver) members(typeID uint32) []uint32 {
	if t := r.m.types[typeID]; t.op == opTypeStruct && len(t.operands) > 1 {
		return t.operands[1:]
	}
	return nil
}

// growHead makes the part before a runtime array reach to the array.
func (r *resolver) growHead(typeID uint32, offset uint64, b *binding) error {
	end := b.Bytes
	own := r.structs[typeID] // nil where the part is another struct, or nothing
	if own != nil && len(own.Fields) > 0 {
		last := own.Fields[len(own.Fields)-1]
		end = last.Offset + last.Size
	}
	if offset < end || offset > maxStructSize || own != nil && offset%own.goAl != 0 {
		return fmt.Errorf("the array at byte %d cannot follow %d bytes of members", offset, end)
	}
	if own != nil {
		own.Size = offset
	}
	b.Bytes = offset
	return nil
}

func (r *resolver) allMembers(typeID uint32, n int, decoration uint32) bool {
	for i := range n {
		if !r.m.memberDecorated[memberKey{typeID, uint32(i)}].has(decoration) {
			return false
		}
	}
	return true
}

func (r *resolver) runtimeArray(key memberKey, id uint32, array instruction, b *binding) error {
	elem, err := r.resolve(array.at(1), r.memberLayout(key))
	if err != nil {
		return err
	}
	stride, ok := r.m.decorated[id].first(decArrayStride)
	if !ok || stride == 0 {
		return fmt.Errorf("a runtime array of %s without a stride", elem.glsl)
	}
	b.ElementBytes = uint64(stride)
	b.Element, err = strideElement(elem, uint64(stride))
	return err
}

// blockStruct returns the Go struct of a block's members. A block whose only member is
// a struct takes that one; a block that is only a runtime array needs none.
func (r *resolver) blockStruct(typeID uint32, members []uint32) (name string, bytes uint64, err error) {
	if len(members) == 0 {
		return "", 0, nil
	}
	offset, _ := r.m.memberDecorated[memberKey{typeID, 0}].first(decOffset)
	if len(members) == 1 && offset == 0 && r.m.types[members[0]].op == opTypeStruct {
		s, err := r.structure(members[0])
		if err != nil {
			return "", 0, err
		}
		return s.Name, s.Size, nil
	}
	blockName := r.m.names[typeID]
	if !validName(blockName) || exported(blockName) == "" {
		return "", 0, fmt.Errorf("block %q needs a name", blockName)
	}
	s, err := r.layOut(typeID, exported(blockName), members)
	if err != nil {
		return "", 0, err
	}
	r.structs[typeID] = s
	return s.Name, s.Size, nil
}

func (r *resolver) pushConstants(typeID uint32, out *reflection) error {
	members := r.members(typeID)
	if members == nil {
		return fmt.Errorf("push constants without members")
	}
	if out.PushBytes > 0 {
		return fmt.Errorf("two blocks of push constants")
	}
	var err error
	if out.PushStruct, out.PushBytes, err = r.blockStruct(typeID, members); err != nil {
		return fmt.Errorf("push constants: %w", err)
	}
	return nil
}

// capabilityNames are the capabilities that these shaders may come to need, as
// the SPIR-V specification names them.
var capabilityNames = map[uint32]string{
	0: "Matrix", 1: "Shader", 9: "Float16", 10: "Float64", 11: "Int64", 12: "Int64Atomics", 22: "Int16",
	25: "ImageGatherExtended", 27: "StorageImageMultisample", 32: "ClipDistance", 33: "CullDistance", 34: "ImageCubeArray",
	35: "SampleRateShading", 39: "Int8", 43: "Sampled1D", 44: "Image1D", 46: "SampledBuffer", 47: "ImageBuffer",
	49: "StorageImageExtendedFormats", 50: "ImageQuery", 51: "DerivativeControl", 55: "StorageImageReadWithoutFormat",
	56: "StorageImageWriteWithoutFormat", 61: "GroupNonUniform", 62: "GroupNonUniformVote", 63: "GroupNonUniformArithmetic",
	64: "GroupNonUniformBallot", 65: "GroupNonUniformShuffle", 66: "GroupNonUniformShuffleRelative",
	67: "GroupNonUniformClustered", 68: "GroupNonUniformQuad", 4427: "DrawParameters", 4433: "StorageBuffer16BitAccess",
	4434: "UniformAndStorageBuffer16BitAccess", 4435: "StoragePushConstant16", 4439: "MultiView",
	4448: "StorageBuffer8BitAccess", 4449: "UniformAndStorageBuffer8BitAccess", 4450: "StoragePushConstant8",
	5016: "Int64ImageEXT", 5055: "ShaderClockKHR", 5284: "FragmentBarycentricKHR", 5297: "GroupNonUniformPartitionedNV",
	5301: "ShaderNonUniform", 5302: "RuntimeDescriptorArray", 5345: "VulkanMemoryModel",
	5346: "VulkanMemoryModelDeviceScope", 5347: "PhysicalStorageBufferAddresses", 5379: "DemoteToHelperInvocation",
}

func capabilityName(number uint32) string {
	if name, ok := capabilityNames[number]; ok {
		return name
	}
	return fmt.Sprintf("capability%d", number)
}
