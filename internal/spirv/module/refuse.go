package module

import (
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// reasons say why instructions of a class cannot be in a vertex shader, or not in one that runs
// in a compute shader.
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

// allowedClasses are the classes of instructions that are copied unchanged.
var allowedClasses = []Class{
	"Miscellaneous", "Debug", "Extension", "Function", "Memory", "Annotation", "Composite", "Conversion", "Arithmetic", "Relational", "Bit",
	"Control-Flow", "Type", "Constant",
}

// refusedOps are instructions of these classes that are refused.
var refusedOps = map[string][]Op{
	"a vertex shader cannot discard": {OpKill, OpTerminateInvocation, OpDemoteToHelperInvocation},
	"addresses are not supported": {
		OpCopyMemorySized, OpConvertPtrToU, OpConvertUToPtr, OpPtrCastToGeneric, OpGenericCastToPtr, OpGenericCastToPtrExplicit, OpTypeForwardPointer,
	},
	"pointers are not supported":       {OpPtrAccessChain, OpGenericPtrMemSemantics, OpInBoundsPtrAccessChain, OpPtrEqual, OpPtrNotEqual, OpPtrDiff},
	"it exists only in OpenCL kernels": {OpLifetimeStart, OpLifetimeStop, OpSizeOf},
}

// refusedCapabilities are those that change the meaning of other instructions. All other named
// capabilities only allow instructions, types and variables, which are checked where the shader
// uses them.
var refusedCapabilities = []Capability{4, 5, 6, 4441, 4442, 5347}

func (v *Vertex) refuse() {
	for c := range v.Module.Capabilities() {
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
	for _, f := range v.Functions {
		for _, in := range f.Body {
			v.refuseInstruction(in)
		}
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
	if in.Op == OpVariable || in.Op == OpTypePointer {
		at := 1
		if in.Op == OpVariable {
			at = 2
		}
		switch class := StorageClass(in.At(at)); class {
		case Input, Output, Private, FunctionLocal, Uniform, StorageBuffer, PushConstant, UniformConstant: // see findImages
		default:
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
	switch StorageClass(pointer.At(1)) {
	case Output, Private, FunctionLocal:
		if pointer.Op == OpTypePointer {
			return
		}
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
