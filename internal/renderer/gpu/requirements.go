package gpu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// capabilityFeatures reports whether a device supports a capability that a shader declares. Every
// Vulkan 1.1 device supports those not listed.
var capabilityFeatures = map[string]func(i *DeviceInfo) bool{
	"Int64":                              func(i *DeviceInfo) bool { return i.Features.Int64 },
	"Int64Atomics":                       func(i *DeviceInfo) bool { return i.Features.Int64Atomics },
	"Int64ImageEXT":                      func(i *DeviceInfo) bool { return i.Features.ImageInt64Atomics },
	"Int8":                               func(i *DeviceInfo) bool { return i.Features.Int8 },
	"StorageBuffer8BitAccess":            func(i *DeviceInfo) bool { return i.Features.Int8 },
	"Int16":                              func(i *DeviceInfo) bool { return i.Features.Int16 },
	"StorageBuffer16BitAccess":           func(i *DeviceInfo) bool { return i.Features.Int16 },
	"Float64":                            func(i *DeviceInfo) bool { return i.Features.Float64 },
	"Float16":                            func(i *DeviceInfo) bool { return i.Features.Float16 },
	"ClipDistance":                       func(i *DeviceInfo) bool { return i.Features.ClipDistance },
	"CullDistance":                       func(i *DeviceInfo) bool { return i.Features.CullDistance },
	"Geometry":                           func(i *DeviceInfo) bool { return i.Features.PrimitiveID },
	"DrawParameters":                     func(i *DeviceInfo) bool { return i.Features.DrawParameters },
	"VulkanMemoryModel":                  func(i *DeviceInfo) bool { return i.Features.MemoryModel },
	"GroupNonUniformVote":                subgroup(OpVote),
	"GroupNonUniformArithmetic":          subgroup(OpArithmetic),
	"GroupNonUniformBallot":              subgroup(OpBallot),
	"GroupNonUniformShuffle":             subgroup(OpShuffle),
	"GroupNonUniformShuffleRelative":     subgroup(OpShuffleRelative),
	"GroupNonUniformClustered":           subgroup(OpClustered),
	"GroupNonUniformQuad":                subgroup(OpQuad),
	"VulkanMemoryModelDeviceScope":       func(i *DeviceInfo) bool { return i.Features.MemoryModel },
	"MeshShadingEXT":                     func(i *DeviceInfo) bool { return i.Features.MeshShader },
	"UniformAndStorageBuffer8BitAccess":  func(*DeviceInfo) bool { return false },
	"UniformAndStorageBuffer16BitAccess": func(*DeviceInfo) bool { return false },
}

func subgroup(op SubgroupOps) func(*DeviceInfo) bool {
	return func(i *DeviceInfo) bool { return i.Subgroup.Ops&op != 0 }
}

// PlanLimits returns the limits that plans must respect on the device while none of its memory is
// in use.
func (i *DeviceInfo) PlanLimits() renderer.Limits {
	l := renderer.Limits{
		MaxBufferBytes: i.Limits.StorageBufferBytes,
		DeviceBytes:    max(1, i.Memory()), // 0 would mean unknown
		MaxIndex:       i.Limits.IndexValue,
		MaxImageSide:   min(i.Limits.Image2D, renderer.MaxImageSide),
		MaxGroups:      i.Limits.WorkgroupCount[0],
		MaxWorkgroup:   min(i.Limits.WorkgroupInvocations, i.Limits.WorkgroupSize[0]),
		SharedBytes:    i.Limits.SharedMemoryBytes,
		OneSubgroup:    i.barriersJoinSubgroups(),

		Multiprocessors: i.Multiprocessors(),
		Mesh:            i.Limits.Mesh,

		VertexCounters:     i.Features.VertexStores,
		PipelineStatistics: i.Features.PipelineStatistics,
	}
	for capability, has := range capabilityFeatures {
		if !has(i) {
			l.Missing = append(l.Missing, capability)
		}
	}
	slices.Sort(l.Missing)
	if i.Subgroup.Ops&OpBallot == 0 {
		return l
	}
	l.NativeLanes, l.Mesh.NativeLanes = i.nativeLanes(shaders.Compute), i.nativeLanes(shaders.Mesh)
	return l
}

// nativeLanes returns the widths that subgroups of a stage can have. All lanes of a batch must
// exist, so subgroups must be full.
func (i *DeviceInfo) nativeLanes(stage shaders.Stage) (list []int) {
	for _, lanes := range []int{4, 8, 16, 32, 64} {
		if i.CanRequire(lanes, stage) && i.Features.FullSubgroups {
			list = append(list, lanes)
		}
	}
	return list
}

// Number of multiprocessors, by type, of devices whose drivers do not report it: that of a small
// device of the type.
var typeMultiprocessors = map[DeviceType]int{TypeIntegrated: 8, TypeDiscrete: 32, TypeVirtual: 32}

// Multiprocessors returns the number that the driver reports, else that of the device's type; 0
// for a CPU, and for other types.
func (i *DeviceInfo) Multiprocessors() int {
	if i.Type == TypeCPU {
		return 0
	}
	return cmp.Or(i.Limits.Multiprocessors, typeMultiprocessors[i.Type])
}

// Lacks lists the capabilities that a shader needs and the device does not have.
func (i *DeviceInfo) Lacks(s *shaders.Shader) []string {
	var lacking []string
	for _, c := range s.Capabilities {
		if has := capabilityFeatures[c]; has != nil && !has(i) {
			lacking = append(lacking, c)
		}
	}
	return lacking
}

// barriersJoinSubgroups reports whether the driver's subgroup barriers fail if the subgroups of a
// workgroup execute different numbers of them. llvmpipe of Mesa 25.0.7 then skips the work of
// some subgroups; that of 22.3.6 does not. Versions in between were not tried.
func (i *DeviceInfo) barriersJoinSubgroups() bool {
	var major int
	_, err := fmt.Sscanf(i.DriverInfo, "Mesa %d", &major)
	return i.DriverName == "llvmpipe" && err == nil && major > 22
}
