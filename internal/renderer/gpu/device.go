// Package gpu is the Vulkan backend: instance and device, memory, pipelines made from reflected
// shaders, and command buffers that are recorded once and submitted again for every frame.
//
// It knows nothing of mesh files, window libraries or strategies. Apart from examples, only this package and
// internal/renderer/present import vulkan-go; ext.go and ext_record.go are its cgo files. Without cgo,
// absent.go replaces the code that calls Vulkan: it has no device, and its errors say why.
//
// Nothing here may be used from two goroutines at once, except Instance.Messages. The package itself
// compiles pipelines on several goroutines (compileAll), and runs host work on another (Device.Aside).
package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// DeviceType is Vulkan's kind of device.
type DeviceType int

// The types of devices, numbered as in Vulkan.
const (
	TypeOther DeviceType = iota
	TypeIntegrated
	TypeDiscrete
	TypeVirtual
	TypeCPU
)

func (t DeviceType) String() string {
	if t < 0 || int(t) >= len(deviceTypeNames) {
		return "other"
	}
	return deviceTypeNames[t]
}

var deviceTypeNames = [...]string{"other", "integrated", "discrete", "virtual", "cpu"}

// DeviceInfo is what is known of a device before it is opened. Apart from the handle it is plain
// data.
type DeviceInfo struct {
	Name          string
	Type          DeviceType
	VendorID      uint32
	DeviceID      uint32
	DriverName    string // "llvmpipe", "NVIDIA"; empty if the driver does not say
	DriverInfo    string // the driver's own version text
	DriverVersion uint32 // in the vendor's encoding
	API           string // version that both device and instance support: "1.3.230"
	DeviceUUID    [16]byte
	Subgroup      Subgroup
	Limits        Limits
	Features      Features
	Heaps         []MemoryHeap

	handle      physicalDevice
	apiWord     uint32
	driverUUID  [16]byte
	cacheUUID   [16]byte // identifies the driver's pipeline caches
	swapchain   bool
	budgetKnown bool
	families    []queueFamily
	memoryTypes []memoryType
}

// Subgroup describes a device's subgroups.
type Subgroup struct {
	Size               int // lanes, unless a pipeline requires another size
	Min, Max           int // range of sizes that a pipeline may require; both equal Size without size control
	Ops                SubgroupOps
	RequiredSizeStages uint32 // VkShaderStageFlags of the stages that may require a size
	MaxPerWorkgroup    int    // most subgroups per workgroup if a size is required
}

// SubgroupOps are VkSubgroupFeatureFlags.
type SubgroupOps uint32

// The subgroup operations of Vulkan 1.1.
const (
	OpBasic           SubgroupOps = 1 << 0
	OpVote            SubgroupOps = 1 << 1
	OpArithmetic      SubgroupOps = 1 << 2
	OpBallot          SubgroupOps = 1 << 3
	OpShuffle         SubgroupOps = 1 << 4
	OpShuffleRelative SubgroupOps = 1 << 5
	OpClustered       SubgroupOps = 1 << 6
	OpQuad            SubgroupOps = 1 << 7
)

var subgroupOpNames = [...]string{"basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle-relative", "clustered", "quad"}

func (o SubgroupOps) String() string {
	var names []string
	for i, n := range subgroupOpNames {
		if o&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, " ")
}

// CanRequire reports whether shaders of a stage may require subgroups with that number of lanes.
func (i *DeviceInfo) CanRequire(lanes int, stage shaders.Stage) bool {
	return i.Features.SubgroupSizeControl && i.Subgroup.RequiredSizeStages&uint32(stageBits[stage]) != 0 &&
		lanes >= i.Subgroup.Min && lanes <= i.Subgroup.Max && lanes&(lanes-1) == 0
}

// Limits are the device limits that matter to the renderer.
type Limits struct {
	BufferBytes           int64 // maxBufferSize; no bound if the device does not say
	StorageBufferBytes    int64 // maxStorageBufferRange
	SharedMemoryBytes     int   // maxComputeSharedMemorySize
	WorkgroupInvocations  int
	WorkgroupSize         [3]int
	WorkgroupCount        [3]int
	Image2D               int // pixels per side
	PushConstantBytes     int
	MemoryAllocations     int
	StorageBuffersPerSet  int     // maxDescriptorSetStorageBuffers
	StorageBuffersStage   int     // maxPerStageDescriptorStorageBuffers
	TimestampPeriodNanos  float64 // nanoseconds per tick
	SubPixelPrecisionBits int     // subpixel bits of the hardware rasterizer
	IndexValue            int64   // largest index of an indexed draw
	IndirectDraws         int     // most draws of one indirect call
	Multiprocessors       int     // or compute units; 0 if the driver does not say
	Mesh                  renderer.MeshLimits
}

// Features are the optional features of a device, in the order of ext.h; Open enables all that the device has.
type Features struct {
	Int64, Int64Atomics, SharedInt64Atomics, ImageInt64Atomics bool
	PipelineStatistics, VertexStores, FragmentStores           bool
	PrimitiveID                                                bool // gl_PrimitiveID in fragment shaders (geometryShader)
	DrawParameters                                             bool
	SubgroupSizeControl, FullSubgroups                         bool
	Synchronization2, MemoryModel                              bool
	Int8, Int16, ScalarLayout                                  bool
	MultiDraw                                                  bool // many indirect draws per call, each with its own first instance
	Float64, Float16                                           bool
	MeshShader                                                 bool
	ClipDistance, CullDistance                                 bool
}

// featureNames are the optional features in the order of ext.h.
var featureNames = []string{
	"shaderInt64", "shaderBufferInt64Atomics", "shaderSharedInt64Atomics", "shaderImageInt64Atomics",
	"pipelineStatisticsQuery", "vertexPipelineStoresAndAtomics", "fragmentStoresAndAtomics", "geometryShader",
	"shaderDrawParameters", "subgroupSizeControl", "computeFullSubgroups", "synchronization2", "vulkanMemoryModel",
	"shaderInt8", "shaderInt16", "scalarBlockLayout",
	"multiDrawIndirect", "shaderFloat64", "shaderFloat16", "meshShader",
	"shaderClipDistance", "shaderCullDistance",
}

// fields returns the struct's fields, all of one type, in the order of ext.h.
func (f *Features) fields() []bool { return (*[unsafe.Sizeof(*f)]bool)(unsafe.Pointer(f))[:] }

func featuresFromBits(bits uint64) (f Features) {
	for i := range f.fields() {
		f.fields()[i] = bits&(1<<i) != 0
	}
	return f
}

// Names lists the features that the device has, by Vulkan's names.
func (f Features) Names() []string {
	var names []string
	for i, has := range f.fields() {
		if has {
			names = append(names, featureNames[i])
		}
	}
	return names
}

// MemoryHeap is one of the device's memories. Its sizes are in bytes.
type MemoryHeap struct {
	Bytes       int64
	Budget      int64 // how much this process may use in all; Bytes if the driver does not say
	Usage       int64 // how much this process uses; 0 if the driver does not say
	DeviceLocal bool
}

type queueFamily struct {
	flags         uint32 // VkQueueFlags
	timestampBits int
}

func (f queueFamily) drawsAndComputes() bool {
	const both = 1 | 2 // VK_QUEUE_GRAPHICS_BIT, VK_QUEUE_COMPUTE_BIT
	return f.flags&both == both
}

// Unusable returns why the renderer cannot use the device; nil if it can.
func (i *DeviceInfo) Unusable() error {
	const leastVersion = 1<<22 | 1<<12 // 1.1.0, as Vulkan packs versions
	if i.apiWord < leastVersion {
		return fmt.Errorf("it supports Vulkan %s, but 1.1 is needed", i.API)
	}
	if i.queueFamily() < 0 {
		return fmt.Errorf("no queue that draws and computes")
	}
	return nil
}

func (i *DeviceInfo) queueFamily() int {
	return slices.IndexFunc(i.families, queueFamily.drawsAndComputes)
}

// Memory returns how many bytes this process could allocate when the device was queried, in the
// device-local heap that had the most left.
func (i *DeviceInfo) Memory() int64 {
	var best int64
	for _, h := range i.Heaps {
		if h.DeviceLocal {
			best = max(best, h.Budget-h.Usage)
		}
	}
	return best
}

// rank orders the types of devices for the default choice: best first.
var rank = map[DeviceType]int{TypeDiscrete: 0, TypeIntegrated: 1, TypeVirtual: 2, TypeOther: 3, TypeCPU: 4}

// Choose picks a device by index, or by a part of its name that no other device's name contains,
// ignoring case. If want is empty it picks the first usable device of the best type: discrete,
// integrated, virtual, other, CPU. It returns the index. If none or several match, the error lists
// the devices.
func Choose(infos []DeviceInfo, want string) (int, error) {
	if len(infos) == 0 {
		return -1, errors.New("no Vulkan device: the loader found no driver (" + DriverRemedy + ")")
	}
	number, err := strconv.Atoi(want)
	numbered, best := err == nil, -1
	for k := range infos {
		info := &infos[k]
		switch {
		case numbered && number != k, !strings.Contains(strings.ToLower(info.Name), strings.ToLower(want)) && !numbered:
		case want == "" && (info.Unusable() != nil || best >= 0 && rank[info.Type] >= rank[infos[best].Type]):
		case want != "" && best >= 0:
			return -1, fmt.Errorf("device %q is part of several names: want the number of one; there is %s", want, list(infos))
		default:
			best = k
		}
	}
	switch {
	case best < 0 && want != "":
		return -1, fmt.Errorf("no device %q; there is %s", want, list(infos))
	case best < 0:
		return -1, fmt.Errorf("no device can be used; there is %s", list(infos))
	}
	if err := infos[best].Unusable(); err != nil {
		return -1, fmt.Errorf("device %d (%s) cannot be used: %w", best, infos[best].Name, err)
	}
	return best, nil
}

func list(infos []DeviceInfo) string {
	lines := make([]string, len(infos))
	for i := range infos {
		lines[i] = fmt.Sprintf("%d: %s (%s)", i, infos[i].Name, infos[i].Type)
		if err := infos[i].Unusable(); err != nil {
			lines[i] += " unusable: " + err.Error()
		}
	}
	return strings.Join(lines, ", ")
}

// Handles are the Vulkan objects of a caller that has its own renderer.
type Handles struct {
	// GetProcAddr is the caller's vkGetInstanceProcAddr; nil means that of LoaderLibrary.
	GetProcAddr unsafe.Pointer
	Instance    unsafe.Pointer // VkInstance
	API         uint32         // the instance's API version, at least 1.1, as VK_MAKE_API_VERSION makes it
	Physical    unsafe.Pointer // VkPhysicalDevice
	Device      unsafe.Pointer // VkDevice
	Queue       unsafe.Pointer // VkQueue; must support compute; uploads and downloads are submitted to it
	Family      int            // family of the queue
	Features    Features       // features with which the device was made
}

// capabilityFeatures has, by SPIR-V capability, a function that reports whether a device supports it. Others
// count as supported: of those, the shaders here declare only what every Vulkan 1.1 device supports.
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

// PlanLimits returns the limits that plans must respect on the device, with the memory that was free
// when it was queried.
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

// nativeLanes returns the widths that full subgroups of a stage can have; none if the device cannot
// require full subgroups. All lanes of a batch must exist.
func (i *DeviceInfo) nativeLanes(stage shaders.Stage) (list []int) {
	for _, lanes := range []int{4, 8, 16, 32, 64} {
		if i.CanRequire(lanes, stage) && i.Features.FullSubgroups {
			list = append(list, lanes)
		}
	}
	return list
}

// typeMultiprocessors is the number of multiprocessors of a small device of each type. It is used for drivers that
// report no number.
var typeMultiprocessors = map[DeviceType]int{TypeIntegrated: 8, TypeDiscrete: 32, TypeVirtual: 32}

// Multiprocessors returns the number that the driver reports or, if it reports none, that of
// typeMultiprocessors. It is 0 for a CPU, and if neither has a number.
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
