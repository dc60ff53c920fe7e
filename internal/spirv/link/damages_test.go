package link_test

import (
	"fmt"
	"strings"
)

// damage replaces the line of testdata/plain.txt that begins with old. Lines of new are separated
// by "; ". want is a part of the error; empty if the module can be joined.
type damage struct{ name, old, new, want string }

const loadIn = "%a = OpLoad"

var damages = []damage{
	{"as it is", "OpName %in", `OpName %in "in"`, ""},

	// Ids and operands.
	{"id that is not defined", loadIn, "%a = OpLoad %vec4 %missing", "OpLoad: id"},
	{"type that is not defined", "%vec4 =", "%vec4 = OpTypeVector %missing 4", "OpTypeVector: id"},
	{"type of itself", "%block =", "%block = OpTypeStruct %block %vec4", "is used before it is defined"},
	{"array of itself", "%block =", "%array = OpTypeArray %array %two; %block = OpTypeStruct %array %vec4", "is used before it is defined"},
	{"types in a circle", "%block =", "%block = OpTypeStruct %other; %other = OpTypeStruct %block", "is used before it is defined"},
	{"used before", "%vec4 =", "%early = OpTypeVector %late 4; %late = OpTypeFloat 64; %vec4 = OpTypeVector %float 4", "is used before it is defined"},
	{"defined twice", "%two =", "%one = OpConstant %uint 2", "is defined twice"},
	{"an id of another function", "OpReturnValue", "OpReturnValue %a", "is of another function"},
	{"too many operands", loadIn, "%a = OpLoad %vec4 %in 0 0", "OpLoad: 5 operands are too many"},
	{"too few operands", "%b =", "%b = OpMatrixTimesVector %vec4 %m", "OpMatrixTimesVector: 3 operands are too few"},
	{"unknown memory operands", loadIn, "%a = OpLoad %vec4 %in 0x10000", "operands are too few"},
	{"a switch with half a case", "OpReturn", "OpSwitch %n %begin 1", "OpSwitch: 3 operands are too few"},
	{"a string without an end", "OpEntryPoint", "OpEntryPoint Vertex %main 0x6e69616d", "operands are too few"},
	{"deep types", "%block =", deep(300) + "; %block = OpTypeStruct %mat4 %vec4", "types nest deeper than 255"},
	{"an unknown instruction", loadIn, "Op9999 1 2 3; %a = OpLoad %vec4 %in", "instruction 9999 is not supported"},

	// The module.
	{"no entry point", "OpEntryPoint", "", "no entry point of the vertex stage"},
	{"a fragment shader", "OpEntryPoint", `OpEntryPoint Fragment %main "main" %position %in %vertex`, "no entry point of the vertex stage"},
	{"an entry point that is no function", "OpEntryPoint", `OpEntryPoint Vertex %vec4 "main"`, "is called but is not a function"},
	{"an entry point that returns", "OpEntryPoint", `OpEntryPoint Vertex %scale "main" %position %in %vertex`, "the entry point has a result or parameters"},
	{"two entry points", "OpEntryPoint", `OpEntryPoint Vertex %main "main" %position; OpEntryPoint Vertex %main "other" %position`, `2 entry points of the vertex stage, ["main" "other"]: name one`},
	{"no memory model", "OpMemoryModel", "", "0 memory models, not one"},
	{"addresses", "OpMemoryModel", "OpMemoryModel Physical64 GLSL450", "addressing model 5348: addresses are not supported"},
	{"a kernel's memory", "OpMemoryModel", "OpMemoryModel Logical OpenCL", "memory model 2 is not one of Vulkan's"},
	{"a kernel", "OpCapability", "OpCapability Kernel", "capability Kernel is not supported"},
	{"pointers", "OpCapability", "OpCapability Shader; OpCapability VariablePointers", "capability VariablePointers is not supported"},
	{"buffers by address", "OpCapability", "OpCapability Shader; OpCapability PhysicalStorageBufferAddresses", "capability PhysicalStorageBufferAddresses is not supported"},
	{"an unknown capability", "OpCapability", "OpCapability 9999", "capability9999 is not supported"},
	{"other instructions", "%glsl =", `%glsl = OpExtInstImport "OpenCL.std"`, `extended instructions "OpenCL.std" are not supported`},
	{"a debugger's instructions", "%f =", "%debug = OpExtInst %void %set 1; %f = OpConvertSToF %float %n", "is not defined"},
	{"groups of decorations", "OpDecorate %in", "OpDecorate %group Location 0; %group = OpDecorationGroup; OpGroupDecorate %group %in", ""},
	{"a function in a function", "%local =", "%inner = OpFunction %void None %nothing", "a function begins within a function"},
	{"instructions behind functions", "", "%late = OpTypeFloat 64\n", "OpTypeFloat stands between functions"},
	{"a function that calls itself", "%scaled =", "%scaled = OpFunctionCall %vec4 %scale %given", "a function calls itself"},
	{"a call of main", "%scaled =", "%v = OpFunctionCall %void %main; %scaled = OpCopyObject %vec4 %given", "a function calls the entry point"},
	{"a call of no function", "%d =", "%d = OpFunctionCall %vec4 %half %c", "is called but is not a function"},

	// Instructions that a vertex shader must not contain.
	{"a store to a uniform", "OpStore", "OpStore %position %d; OpStore %p %m", "stores to camera: a vertex shader may be run any number of times"},
	{"a store to an input", "OpStore", "OpStore %position %d; OpStore %in %d", "stores to in: "},
	{"a store to no pointer", "OpStore", "OpStore %d %d", "stores to "},
	{"a copy to a uniform", "OpStore", "OpStore %position %d; OpCopyMemory %p %p", "stores to camera: "},
	{"an atomic", "OpStore", "%x = OpAtomicIAdd %int %vertex %one %one %one; OpStore %position %d", "OpAtomicIAdd: a vertex shader may be run any number of times"},
	{"a barrier", "OpStore", "OpControlBarrier %two %two %two; OpStore %position %d", "OpControlBarrier: barriers wait for other vertices"},
	{"a subgroup operation", "OpStore", "%x = OpGroupNonUniformElect %bool %two; OpStore %position %d", "OpGroupNonUniformElect: subgroup operations see other vertices"},
	{"a derivative", "OpStore", "%x = OpDPdx %vec4 %d; OpStore %position %d", "OpDPdx: derivatives exist only in fragment shaders"},
	{"a kill", "OpReturn", "OpKill", "OpKill: a vertex shader cannot discard"},
	{"a primitive", "OpStore", "OpEmitVertex; OpStore %position %d", "OpEmitVertex: primitives exist only in geometry shaders"},
	{"an image", loadIn, "%image = OpImageFetch %vec4 %in %n; %a = OpLoad %vec4 %in", "OpImageFetch: images and samplers are not supported"},
	{"a sampler", "%camera =", "%sampler = OpTypeSampler; %ptrSampler = OpTypePointer UniformConstant %sampler; %camera = OpVariable %ptrSampler UniformConstant", "images and samplers are not supported"},
	{"a storage image", "%camera =", "%image = OpTypeImage %float 1 0 0 0 2 1; %ptrImage = OpTypePointer UniformConstant %image; %camera = OpVariable %ptrImage UniformConstant", "camera: storage images are not supported"},
	{"an image that is a matrix", "%camera =", "%ptrImage = OpTypePointer UniformConstant %mat4; %camera = OpVariable %ptrImage UniformConstant", "camera: OpTypeMatrix is not an image"},
	{"an image with a member", "%camera =", "%image = OpTypeImage %float 1 0 0 0 1 0; %ptrImage = OpTypePointer UniformConstant %image; %camera = OpVariable %ptrImage UniformConstant", "camera: OpAccessChain: images and samplers are not supported"},
	{"an image of nothing", "%camera =", "%image = OpTypeImage %void 1 0 0 0 1 0; %ptrImage = OpTypePointer UniformConstant %image; %camera = OpVariable %ptrImage UniformConstant", "camera: OpTypeVoid is not a type of values"},
	{"shared memory", "%camera =", "%ptrShared = OpTypePointer Workgroup %block; %camera = OpVariable %ptrShared Workgroup", "has storage class 4, which vertex shaders cannot use"},
	{"pointers that are compared", "OpStore", "%x = OpPtrEqual %bool %in %in; OpStore %position %d", "OpPtrEqual: pointers are not supported"},
	{"interpolation", "OpStore", "%x = OpExtInst %vec4 %glsl 76 %in; OpStore %position %d", "interpolation functions exist only in fragment shaders"},
	{"a size of the subgroup", "OpDecorate %vertex", "OpDecorate %vertex BuiltIn SubgroupSize", "built-in SubgroupSize is not supported"},

	// Memory.
	{"a variable as large as can be", "%ptrLocal =", "%much = OpConstant %uint 4096; %array = OpTypeArray %vec4 %much; %ptrLocal = OpTypePointer Function %array", ""},
	{"a larger variable", "%ptrLocal =", "%much = OpConstant %uint 4097; %array = OpTypeArray %vec4 %much; %ptrLocal = OpTypePointer Function %array", "local: a variable of 65552 bytes; those of a shader may take 65536 bytes together"},
	{"too many variables", "%local =", locals(4097), "local: a variable of 16 bytes; those of a shader may take 65536 bytes together"},
	{"an endless variable", "%ptrLocal =", "%much = OpConstant %uint 0x7fffffff; %row = OpTypeArray %mat4 %much; %rows = OpTypeArray %row %much; %ptrLocal = OpTypePointer Function %rows", "local: a variable of 2147483648 bytes; those"},
	{"a large constant", "%half =", "%much = OpConstant %uint 4097; %array = OpTypeArray %vec4 %much; %large = OpUndef %array; %half = OpSpecConstantOp %float 81 %large 0 0", "OpUndef: a value of 65552 bytes, more than 65536"},

	// Parts.
	{"a component that is not there", "OpStore", "%x = OpCompositeExtract %float %c 4; OpStore %position %d", "OpCompositeExtract: part 4 of OpTypeVector, which has 4"},
	{"a part of a part", "OpStore", "%x = OpCompositeExtract %float %m 3 0xffffffff; OpStore %position %d", "OpCompositeExtract: part 4294967295 of OpTypeVector, which has 4"},
	{"a part of a number", "OpStore", "%x = OpCompositeExtract %float %c 0 0; OpStore %position %d", "OpCompositeExtract: part 0 of OpTypeFloat, which has 0"},
	{"a member that is not there", "OpStore", "%x = OpLoad %block %camera; %y = OpCompositeExtract %vec4 %x 2; OpStore %position %d", "OpCompositeExtract: part 2 of OpTypeStruct, which has 2"},
	{"an element that is not there", "OpStore", "%x = OpLoad %blocks %many; %y = OpCompositeExtract %vec4 %x 2 1; OpStore %position %d", "OpCompositeExtract: part 2 of OpTypeArray, which has 2"},
	{"a part that is put nowhere", "OpStore", "%x = OpCompositeInsert %mat4 %f %m 4 0; OpStore %position %d", "OpCompositeInsert: part 4 of OpTypeMatrix, which has 4"},
	{"a component of neither vector", "OpStore", "%x = OpVectorShuffle %vec4 %c %a 0 1 2 8; OpStore %position %d", "OpVectorShuffle: component 8 of vectors with 8"},
	{"components that are too few", "OpStore", "%x = OpVectorShuffle %vec4 %c %a 0 1; OpStore %position %d", "OpVectorShuffle: 2 components for a vector of 4"},
	{"an undefined component", "OpStore", "%x = OpVectorShuffle %vec4 %c %a 0 1 7 0xffffffff; %y = OpCompositeInsert %vec4 %f %x 3; OpStore %position %d", ""},
	{"a shuffled number", "OpStore", "%x = OpVectorShuffle %vec4 %f %f 0 0 0 0; OpStore %position %d", "OpVectorShuffle: component 0 of vectors with 0"},
	{"a member that a chain chooses", "%p =", "%p = OpAccessChain %ptrMat %camera %two", "OpAccessChain: part 2 of OpTypeStruct, which has 2"},
	{"a member below 0", "%zero =", "%zero = OpConstant %int 0xffffffff", "OpAccessChain: part 4294967295 of OpTypeStruct, which has 2"},
	{"a member by a variable number", "%f =", "%x = OpAccessChain %ptrMat %camera %n; %f = OpConvertSToF %float %n", "OpAccessChain: a member of a struct by a number that is not constant"},
	{"a part of a constant", "%half =", "%h = OpConstant %float 1; %v = OpConstantComposite %vec4 %h %h %h %h; %half = OpSpecConstantOp %float 81 %v 4", "OpCompositeExtract: part 4 of OpTypeVector, which has 4"},
	{"a length of no array", "OpStore", "%x = OpArrayLength %uint %camera 1; OpStore %position %d", "OpArrayLength: member 1 is not a runtime array"},

	// Inputs, outputs and blocks.
	{"no position", "OpDecorate %position", "OpDecorate %position Location 0", "writes no Position"},
	{"a position of another type", "%ptrOut =", "%ptrOut = OpTypePointer Output %float", "Position is float, not vec4"},
	{"an index that is a float", "%ptrInt =", "%ptrInt = OpTypePointer Input %float", "VertexIndex is float, not int"},
	{"an input without a location", "OpDecorate %in Location", "", "in: neither a location nor a built-in variable"},
	{"an input far away", "OpDecorate %in Location", "OpDecorate %in Location 70", "in: vec4 at location 70 takes more than the 64 locations available"},
	{"a component too many", "OpDecorate %in Location", "OpDecorate %in Location 0; OpDecorate %in Component 1", "input in begins at component 1"},
	{"a component far away", "OpDecorate %in Location", "OpDecorate %in Location 0; OpDecorate %in Component 0xffffffff", "input in begins at component 4294967295"},
	{"a huge input", "%ptrIn =", "%huge = OpConstant %uint 0x7fffffff; %array = OpTypeArray %vec4 %huge; %ptrIn = OpTypePointer Input %array", "takes more than the 64 locations available"},
	{"a struct as an input", "%ptrIn =", "%ptrIn = OpTypePointer Input %block", "in: an input that is a struct"},
	{"a bool as an input", "%ptrIn =", "%ptrIn = OpTypePointer Input %bool", "in: an input of bool"},
	{"doubles as an input", "%ptrIn =", "%double = OpTypeFloat 64; %dvec = OpTypeVector %double 2; %ptrIn = OpTypePointer Input %dvec", "in: an input of dvec2: inputs of 64 bits are not supported"},
	{"a variable of another class", "%in =", "%in = OpVariable %ptrIn Output", "its type has another storage class"},
	{"a variable of no pointer", "%in =", "%in = OpVariable %vec4 Input", "its type has another storage class"},
	{"a member without an offset", "OpMemberDecorate %block 1", "", "camera: member member1 has no offset"},
	{"a member far away", "OpMemberDecorate %block 1", "OpMemberDecorate %block 1 Offset 0xfffffff0", "more than a block can hold"},
	{"a matrix without a stride", "OpMemberDecorate %block 0 MatrixStride", "", "camera: member member0: a mat4 without a stride"},
	{"a huge stride", "OpMemberDecorate %block 0 MatrixStride", "OpMemberDecorate %block 0 MatrixStride 0xffffffff", "more than a block can hold"},
	{"a block of a vector", "%ptrBlock =", "%ptrBlock = OpTypePointer Uniform %vec4", "camera: a block whose type is not a struct"},
	{"a block of bools", "%block =", "%block = OpTypeStruct %mat4 %bool", "a bool, which blocks cannot hold"},
	{"a vector of 9", "%vec4 =", "%vec4 = OpTypeVector %float 9", "a vector of 9 float"},
	{"a matrix of ints", "%mat4 =", "%ivec4 = OpTypeVector %int 4; %mat4 = OpTypeMatrix %ivec4 4", "a matrix of 4 ivec4"},
	{"a float of 7 bits", "%float =", "%float = OpTypeFloat 7", "a number of 7 bits"},
	{"a runtime array", "%block =", "%none = OpConstant %uint 0; %array = OpTypeArray %vec4 %none; %block = OpTypeStruct %mat4 %array", "an array of vec4 without a length"},
	{"an array whose length is a float", "%block =", "%long = OpConstant %float 1; %array = OpTypeArray %vec4 %vec4; %block = OpTypeStruct %mat4 %array", "an array of vec4 without a length"},
	{"an array in the middle", "%block =", "%array = OpTypeRuntimeArray %vec4; %block = OpTypeStruct %array %vec4", "an array of vec4 without a stride"},
	{"an open uniform block", "%block =", "%array = OpTypeRuntimeArray %vec4; %block = OpTypeStruct %mat4 %array", "an array of vec4 without a stride"},
	{"many members", "%ptrIn =", wide(20) + "; %ptrIn = OpTypePointer Input %wide19", "more than 16384 members in structs"},
	{"blocks without a number", "%ptrBlock =", "%array = OpTypeRuntimeArray %block; %ptrBlock = OpTypePointer Uniform %array", "camera: an array of blocks without a length"},
	{"blocks by a number that is not constant", "%p =", "%p = OpAccessChain %ptrMat %many %n %zero; %p2 = OpLoad %vec4 %p", "many: an array of blocks whose index is not constant"},
	{"blocks as a whole", "%p =", "%p = OpCopyObject %ptrMany %many", "many: an array of blocks that is used as a whole"},
	{"a block far away", "%p =", "%p = OpAccessChain %ptrMat %many %half %zero", "many: element 1056964608 of an array of blocks"},
	{"a block as a whole", "%p =", "%x = OpLoad %block %camera; %p = OpAccessChain %ptrMat %camera %zero", ""},
	{"an index into a number", "OpStore", "%x = OpAccessChain %ptrLocal %local %zero %zero; OpStore %position %d", "an index into OpTypeFloat, whose length is not known"},
	{"an index that is no number", "OpStore", "%x = OpAccessChain %ptrLocal %local %d; OpStore %position %d", "an index of OpTypeVector, which is not an integer"},
	{"a block that is passed", "%d =", "%d = OpFunctionCall %vec4 %scale %camera", "camera: a block that a function has as an argument is not supported"},
}

// deep returns n structs, each of which contains the previous one.
func deep(n int) string {
	text := "%deep0 = OpTypeStruct %float"
	for i := 1; i < n; i++ {
		text += fmt.Sprintf("; %%deep%d = OpTypeStruct %%deep%d", i, i-1)
	}
	return text
}

// wide returns structs each of which contains the previous one twice.
func wide(n int) string {
	text := "%wide0 = OpTypeStruct %float %float"
	for i := 1; i < n; i++ {
		text += fmt.Sprintf("; %%wide%d = OpTypeStruct %%wide%d %%wide%d", i, i-1, i-1)
	}
	return text
}

// locals declares n variables of 16 bytes, the first of them the module's own.
func locals(n int) string {
	lines := []string{"%local = OpVariable %ptrLocal Function"}
	for i := 1; i < n; i++ {
		lines = append(lines, fmt.Sprintf("%%local%d = OpVariable %%ptrLocal Function", i))
	}
	return strings.Join(lines, "; ")
}
