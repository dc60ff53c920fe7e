package module

import (
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// reasons say, by class, why instructions are refused: a vertex shader cannot contain them, or we do not support them where a
// compute shader runs it. Reads of the images that findImages found are not refused.
var reasons = map[Class]string{
	"Image":               "images and samplers are not supported",
	"Group":               "subgroup operations see other vertices",
	"Non-Uniform":         "subgroup operations see other vertices",
	"Barrier":             "barriers wait for other vertices",
	"Atomic":              "a vertex shader may be run any number of times, and so must not change memory",
	"Derivative":          "derivatives exist only in fragment shaders",
	"Primitive":           "primitives exist only in geometry shaders",
	"Pipe":                "pipes exist only in OpenCL kernels",
	"Device-Side_Enqueue": "queues exist only in OpenCL kernels",
}

// allowedClasses are the classes of instructions that a vertex shader may contain, except for refusedOps.
var allowedClasses = []Class{
	"Miscellaneous", "Debug", "Extension", "Function", "Memory", "Annotation", "Composite", "Conversion", "Arithmetic", "Relational", "Bit",
	"Control-Flow", "Type", "Constant",
}

// refusedOps are the refused instructions of the allowed classes, by reason.
var refusedOps = map[string][]Op{
	"a vertex shader cannot discard": {OpKill, OpTerminateInvocation, OpDemoteToHelperInvocation},
	"addresses are not supported": {
		OpCopyMemorySized, OpConvertPtrToU, OpConvertUToPtr, OpPtrCastToGeneric, OpGenericCastToPtr, OpGenericCastToPtrExplicit, OpTypeForwardPointer,
	},
	"pointers are not supported":       {OpPtrAccessChain, OpGenericPtrMemSemantics, OpInBoundsPtrAccessChain, OpPtrEqual, OpPtrNotEqual, OpPtrDiff},
	"it exists only in OpenCL kernels": {OpLifetimeStart, OpLifetimeStop, OpSizeOf},
}

// refusedCapabilities are capabilities that change the meaning of other instructions. All other
// named capabilities only allow instructions, types and variables, which are checked at their use.
var refusedCapabilities = []Capability{4, 5, 6, 4441, 4442, 5347} // addresses, linkage, kernels, variable pointers (two), physical addresses

func (v *Vertex) refuse() {
	for _, c := range v.Module.Capabilities() {
		if _, known := capabilityNames[c]; !known || slices.Contains(refusedCapabilities, c) {
			must.Fail("capability %s is not supported", c)
		}
	}
	v.refuseMemoryModel()
	for _, in := range v.Module.Globals {
		if v.Used[in.Result()] || in.Op == OpTypeForwardPointer {
			v.refuseGlobal(in)
		}
	}
	for _, in := range v.Body {
		v.refuseInstruction(in)
	}
}

func (v *Vertex) refuseMemoryModel() {
	const logical, glsl450, vulkan = 0, 1, 3
	models := slices.DeleteFunc(slices.Clone(v.Module.Head), func(in Instruction) bool { return in.Op != OpMemoryModel })
	if len(models) != 1 {
		must.Fail("%d memory models, not one", len(models))
	}
	if models[0].At(0) != logical {
		must.Fail("addressing model %d: addresses are not supported", models[0].At(0))
	}
	if m := models[0].At(1); m != glsl450 && m != vulkan {
		must.Fail("memory model %d is not one of Vulkan's", m)
	}
}

func (v *Vertex) refuseGlobal(in Instruction) {
	if at := map[Op]int{OpTypePointer: 1, OpVariable: 2}[in.Op]; at > 0 {
		usable := []StorageClass{Input, Output, Private, FunctionLocal, Uniform, StorageBuffer, PushConstant, UniformConstant} // see findImages
		if class := StorageClass(in.At(at)); !slices.Contains(usable, class) {
			must.Fail("%s %d has storage class %d, which vertex shaders cannot use", in.Op, in.Result(), uint32(class))
		}
	}
	refuseOp(in.Op)
}

func refuseOp(op Op) {
	for why, ops := range refusedOps {
		if slices.Contains(ops, op) {
			must.Fail("%s: %s", op, why)
		}
	}
	if why, refused := reasons[op.Class()]; refused {
		must.Fail("%s: %s", op, why)
	}
	if !slices.Contains(allowedClasses, op.Class()) {
		must.Fail("%s is not supported", op)
	}
}

func (v *Vertex) refuseInstruction(in Instruction) {
	switch in.Op {
	case OpStore, OpCopyMemory:
		v.refuseStore(in)
	case OpExtInst:
		v.refuseExtended(in)
	case OpImage, OpImageFetch, OpImageQuerySize, OpImageQuerySizeLod, OpSampledImage, OpImageSampleImplicitLod, OpImageSampleExplicitLod:
		if v.images[in.At(2)] != 0 {
			return
		}
	}
	refuseOp(in.Op)
}

// refuseStore fails for stores to anything but an invocation's own variables.
func (v *Vertex) refuseStore(in Instruction) {
	pointer := v.Module.Definition(v.Module.Definition(in.At(0)).Type())
	if pointer.Op == OpTypePointer && slices.Contains([]StorageClass{Output, Private, FunctionLocal}, StorageClass(pointer.At(1))) {
		return
	}
	root := in.At(0)
	for range maxTypeDepth {
		chain := v.Module.Definition(root)
		if chain.Op != OpAccessChain && chain.Op != OpInBoundsAccessChain && chain.Op != OpCopyObject {
			break
		}
		root = chain.At(2)
	}
	typeID := v.Module.Definition(v.Module.Definition(root).Type()).At(2)
	must.Fail("stores to %s: a vertex shader may be run any number of times, and so must not change memory", v.variableName(root, typeID))
}

// ImportName returns the name of the set that an OpExtInstImport imports.
func (in Instruction) ImportName() string { return literalString(in.Operands[1:]) }

// DebugSet reports whether a set of extended instructions has no effect on what a module does.
func DebugSet(name string) bool {
	return strings.HasPrefix(name, "NonSemantic.") || name == "OpenCL.DebugInfo.100" || name == "DebugInfo"
}

func (v *Vertex) refuseExtended(in Instruction) {
	const interpolateFirst, interpolateLast = 76, 78
	if v.Module.Definition(in.At(2)).Op != OpExtInstImport {
		must.Fail("OpExtInst without a set")
	}
	switch name := v.Module.Definition(in.At(2)).ImportName(); {
	case name == "GLSL.std.450" && in.At(3) >= interpolateFirst && in.At(3) <= interpolateLast:
		must.Fail("interpolation functions exist only in fragment shaders")
	case name != "GLSL.std.450" && !DebugSet(name):
		must.Fail("extended instructions %q are not supported", name)
	}
}

// maxPrivate bounds the memory of private and function variables. A device runs many invocations at once, and
// reserves that memory for each.
const maxPrivate = 64 << 10 // bytes of an invocation

// boundMemory fails if the shader's own variables together, or a single value, take more than
// maxPrivate. The error names the largest variable.
func (v *Vertex) boundMemory() {
	var largest string
	most, total := int64(0), int64(0)
	for _, in := range slices.Concat(v.Globals, v.Body) {
		switch t := v.Module.Definition(in.Type()); {
		case in.Op == OpVariable && t.Op == OpTypePointer && (StorageClass(in.At(2)) == Private || StorageClass(in.At(2)) == FunctionLocal):
			name := v.variableName(in.Result(), t.At(2))
			n := v.bytes(name, t.At(2))
			if n > most {
				largest, most = name, n
			}
			total = min(total+n, mostBytes)
		case t.Op == OpTypeArray || t.Op == OpTypeStruct:
			if n := v.bytes(in.Op.String(), in.Type()); n > maxPrivate {
				must.Fail("%s: a value of %d bytes, more than %d", in.Op, n, maxPrivate)
			}
		}
	}
	if total > maxPrivate {
		must.Fail("%s: a variable of %d bytes; those of a shader may take %d bytes together", largest, most, maxPrivate)
	}
}

func (v *Vertex) bytes(name string, typeID uint32) int64 {
	defer must.Place("%s", name)
	return v.plain.read(typeID).bytes()
}

const mostBytes = 1 << 31 // larger sizes count as this one

// bytes returns how many bytes a type takes outside of blocks.
func (t *Type) bytes() (n int64) {
	switch t.Kind {
	case Vector, Matrix, Array:
		return min(int64(t.Count)*t.Elem.bytes(), mostBytes)
	case Struct:
		for _, m := range t.Members {
			n = min(n+m.Type.bytes(), mostBytes)
		}
		return n
	}
	return int64(t.Width / 8)
}

// maxInlined bounds how many instructions a function has once all of its calls are inlined, as drivers
// inline them.
const maxInlined = 1 << 20 // instructions

// boundCalls fails if a function has too many instructions once its calls are inlined. `order` lists callers before
// the functions that they call.
func boundCalls(order []Function) {
	sizes := map[uint32]int{}
	for _, f := range slices.Backward(order) {
		n := len(f.Body)
		for _, in := range f.Body {
			if in.Op == OpFunctionCall {
				n += sizes[in.At(2)]
			}
		}
		if sizes[f.ID] = n; n > maxInlined {
			must.Fail("a function comes to more than %d instructions with those that it calls", maxInlined)
		}
	}
}

// undefinedComponent stands, in an OpVectorShuffle, for a component of the result that may have any value.
const undefinedComponent = 0xffffffff

// checkParts fails if a literal names a part that a value or struct does not have, or if a
// struct's member is not chosen by a constant: a driver may crash on either. Other indices of
// access chains are clamped when the shader runs.
func (v *Vertex) checkParts() {
	for _, in := range v.Globals {
		if in.Op == OpSpecConstantOp {
			v.checkPartsOf(Instruction{Op(in.At(2)), append(in.Operands[:2:2], in.Operands[3:]...)})
		}
	}
	for _, in := range v.Body {
		v.checkPartsOf(in)
	}
}

func (v *Vertex) checkPartsOf(in Instruction) {
	defer must.Place("%s", in.Op)
	typeOf := func(operand int) uint32 { return v.Module.Definition(in.At(operand)).Type() }
	switch in.Op {
	case OpCompositeExtract:
		v.checkPath(typeOf(2), in.Operands[3:])
	case OpCompositeInsert:
		v.checkPath(typeOf(3), in.Operands[4:])
	case OpVectorShuffle:
		v.checkShuffle(v.partsOf(typeOf(2))+v.partsOf(typeOf(3)), v.partsOf(in.At(0)), in.Operands[4:])
	case OpAccessChain, OpInBoundsAccessChain:
		v.checkChain(v.Module.Definition(typeOf(2)).At(2), in.Operands[3:])
	case OpArrayLength:
		struc := v.Module.Definition(typeOf(2)).At(2)
		v.checkPath(struc, in.Operands[3:])
		if v.Module.Definition(v.part(struc, in.At(3))).Op != OpTypeRuntimeArray {
			must.Fail("member %d is not a runtime array", in.At(3))
		}
	}
}

// partsOf returns how many parts values of a type have; 0 if it is not a composite.
func (v *Vertex) partsOf(typeID uint32) uint64 {
	switch t := v.Module.Definition(typeID); t.Op {
	case OpTypeVector, OpTypeMatrix:
		return uint64(t.At(2))
	case OpTypeArray:
		length, _ := v.Constant(t.At(2))
		return uint64(length)
	case OpTypeStruct:
		return uint64(len(t.Operands) - 1)
	}
	return 0
}

func (v *Vertex) part(typeID, index uint32) uint32 {
	t := v.Module.Definition(typeID)
	if t.Op == OpTypeStruct {
		return t.At(1 + int(index))
	}
	return t.At(1)
}

func (v *Vertex) checkPath(typeID uint32, indices []uint32) {
	for _, index := range indices {
		if n := v.partsOf(typeID); uint64(index) >= n {
			must.Fail("part %d of %s, which has %d", index, v.Module.Definition(typeID).Op, n)
		}
		typeID = v.part(typeID, index)
	}
}

func (v *Vertex) checkShuffle(from, to uint64, components []uint32) {
	if uint64(len(components)) != to {
		must.Fail("%d components for a vector of %d", len(components), to)
	}
	for _, c := range components {
		if c != undefinedComponent && uint64(c) >= from {
			must.Fail("component %d of vectors with %d", c, from)
		}
	}
}

// checkChain checks the struct members in an access chain.
func (v *Vertex) checkChain(typeID uint32, indices []uint32) {
	for _, id := range indices {
		index, constant := v.Constant(id)
		if v.Module.Definition(typeID).Op == OpTypeStruct {
			if !constant {
				must.Fail("a member of a struct by a number that is not constant")
			}
			v.checkPath(typeID, []uint32{index})
		}
		typeID = v.part(typeID, index)
	}
}
