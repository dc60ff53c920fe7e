package module

import "fmt"

// StorageClass says where a pointer points.
type StorageClass uint32

// The storage classes in modules for Vulkan.
const (
	UniformConstant StorageClass = 0
	Input           StorageClass = 1
	Uniform         StorageClass = 2
	Output          StorageClass = 3
	Workgroup       StorageClass = 4
	Private         StorageClass = 6
	FunctionLocal   StorageClass = 7
	PushConstant    StorageClass = 9
	StorageBuffer   StorageClass = 12
)

// Decoration is the number of a decoration.
type Decoration uint32

// Decorations.
const (
	RelaxedPrecision Decoration = 0
	SpecID           Decoration = 1
	BlockDecoration  Decoration = 2
	BufferBlock      Decoration = 3
	RowMajor         Decoration = 4
	ColMajor         Decoration = 5
	ArrayStride      Decoration = 6
	MatrixStride     Decoration = 7
	BuiltInVariable  Decoration = 11
	Invariant        Decoration = 18
	NonWritable      Decoration = 24
	NonReadable      Decoration = 25
	Location         Decoration = 30
	Component        Decoration = 31
	Binding          Decoration = 33
	DescriptorSet    Decoration = 34
	Offset           Decoration = 35
	NoContraction    Decoration = 42
	Flat             Decoration = 14
)

// BuiltIn is the number of a built-in variable.
type BuiltIn uint32

// Built-in variables that vertex shaders read or write.
const (
	Position      BuiltIn = 0
	PointSize     BuiltIn = 1
	ClipDistance  BuiltIn = 3
	CullDistance  BuiltIn = 4
	VertexID      BuiltIn = 5
	InstanceID    BuiltIn = 6
	Layer         BuiltIn = 9
	ViewportIndex BuiltIn = 10
	WorkgroupSize BuiltIn = 25
	VertexIndex   BuiltIn = 42
	InstanceIndex BuiltIn = 43
	BaseVertex    BuiltIn = 4424
	BaseInstance  BuiltIn = 4425
	DrawIndex     BuiltIn = 4426
	DeviceIndex   BuiltIn = 4438
	ViewIndex     BuiltIn = 4440
)

// String returns a built-in variable's name in the specification.
func (b BuiltIn) String() string {
	names := map[BuiltIn]string{
		Position: "Position", PointSize: "PointSize", ClipDistance: "ClipDistance", CullDistance: "CullDistance", VertexID: "VertexId",
		InstanceID: "InstanceId", Layer: "Layer", ViewportIndex: "ViewportIndex", WorkgroupSize: "WorkgroupSize", VertexIndex: "VertexIndex",
		InstanceIndex: "InstanceIndex", BaseVertex: "BaseVertex", BaseInstance: "BaseInstance", DrawIndex: "DrawIndex", ViewIndex: "ViewIndex",
		36: "SubgroupSize", 41: "SubgroupLocalInvocationId", 4416: "SubgroupEqMask", 4417: "SubgroupGeMask", 4418: "SubgroupGtMask",
		4419: "SubgroupLeMask", 4420: "SubgroupLtMask", DeviceIndex: "DeviceIndex", 4432: "PrimitiveShadingRateKHR",
	}
	if name, ok := names[b]; ok {
		return name
	}
	return fmt.Sprintf("built-in %d", uint32(b))
}

// Capability is what a module requires of a device.
type Capability uint32

// Capabilities that concern types, addresses and built-in outputs.
const (
	Float16                      Capability = 9
	ClipDistances                Capability = 32
	CullDistances                Capability = 33
	Float64                      Capability = 10
	Int64                        Capability = 11
	Int16                        Capability = 22
	Int8                         Capability = 39
	StorageBuffer16Bit           Capability = 4433
	UniformAndStorageBuffer16Bit Capability = 4434
	StoragePushConstant16        Capability = 4435
	StorageBuffer8Bit            Capability = 4448
	UniformAndStorageBuffer8Bit  Capability = 4449
	StoragePushConstant8         Capability = 4450
)

// capabilityNames are the capabilities that graphics and compute shaders declare.
var capabilityNames = map[Capability]string{
	0: "Matrix", 1: "Shader", 2: "Geometry", 3: "Tessellation", 4: "Addresses", 5: "Linkage", 6: "Kernel", 9: "Float16", 10: "Float64",
	11: "Int64", 12: "Int64Atomics", 22: "Int16", 23: "TessellationPointSize", 24: "GeometryPointSize", 25: "ImageGatherExtended",
	27: "StorageImageMultisample", 28: "UniformBufferArrayDynamicIndexing", 29: "SampledImageArrayDynamicIndexing",
	30: "StorageBufferArrayDynamicIndexing", 31: "StorageImageArrayDynamicIndexing", 32: "ClipDistance", 33: "CullDistance",
	34: "ImageCubeArray", 35: "SampleRateShading", 39: "Int8", 40: "InputAttachment", 41: "SparseResidency", 42: "MinLod", 43: "Sampled1D",
	44: "Image1D", 45: "SampledCubeArray", 46: "SampledBuffer", 47: "ImageBuffer", 48: "ImageMSArray", 49: "StorageImageExtendedFormats",
	50: "ImageQuery", 51: "DerivativeControl", 52: "InterpolationFunction", 53: "TransformFeedback", 54: "GeometryStreams",
	55: "StorageImageReadWithoutFormat", 56: "StorageImageWriteWithoutFormat", 57: "MultiViewport", 61: "GroupNonUniform",
	62: "GroupNonUniformVote", 63: "GroupNonUniformArithmetic", 64: "GroupNonUniformBallot", 65: "GroupNonUniformShuffle",
	66: "GroupNonUniformShuffleRelative", 67: "GroupNonUniformClustered", 68: "GroupNonUniformQuad", 69: "ShaderLayer",
	70: "ShaderViewportIndex", 4422: "FragmentShadingRateKHR", 4423: "SubgroupBallotKHR", 4427: "DrawParameters", 4431: "SubgroupVoteKHR",
	4433: "StorageBuffer16BitAccess", 4434: "UniformAndStorageBuffer16BitAccess", 4435: "StoragePushConstant16",
	4436: "StorageInputOutput16", 4437: "DeviceGroup", 4439: "MultiView", 4441: "VariablePointersStorageBuffer", 4442: "VariablePointers",
	4448: "StorageBuffer8BitAccess", 4449: "UniformAndStorageBuffer8BitAccess", 4450: "StoragePushConstant8", 4464: "DenormPreserve",
	4465: "DenormFlushToZero", 4466: "SignedZeroInfNanPreserve", 4467: "RoundingModeRTE", 4468: "RoundingModeRTZ", 4472: "RayQueryKHR",
	4479: "RayTracingKHR", 5016: "Int64ImageEXT", 5055: "ShaderClockKHR", 5254: "ShaderViewportIndexLayerEXT", 5283: "MeshShadingEXT",
	5284: "FragmentBarycentricKHR", 5297: "GroupNonUniformPartitionedNV", 5301: "ShaderNonUniform", 5302: "RuntimeDescriptorArray",
	5306: "UniformBufferArrayNonUniformIndexing", 5307: "SampledImageArrayNonUniformIndexing", 5308: "StorageBufferArrayNonUniformIndexing",
	5345: "VulkanMemoryModel", 5346: "VulkanMemoryModelDeviceScope", 5347: "PhysicalStorageBufferAddresses",
	5379: "DemoteToHelperInvocation", 6018: "DotProductInput4x8BitPacked", 6019: "DotProduct",
}

// String returns the capability's name in the specification.
func (c Capability) String() string {
	if name, ok := capabilityNames[c]; ok {
		return name
	}
	return fmt.Sprintf("capability%d", uint32(c))
}

// Stage is an entry point's execution model.
type Stage uint32

// Stages.
const (
	VertexStage   Stage = 0
	FragmentStage Stage = 4
	ComputeStage  Stage = 5
	MeshStage     Stage = 5365
)

// String returns the stage in lower case.
func (s Stage) String() string {
	names := []string{"vertex", "tessellation control", "tessellation evaluation", "geometry", "fragment", "compute", "kernel"}
	if int64(s) < int64(len(names)) {
		return names[s]
	}
	return fmt.Sprintf("execution model %d", uint32(s))
}
