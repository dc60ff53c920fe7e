package gpu

/*
#cgo CFLAGS: -std=gnu11 -Wall -O2
#cgo !windows LDFLAGS: -ldl -lpthread
#cgo windows LDFLAGS: -static -lpthread
#include <stdlib.h>
#include "ext.h"
*/
import "C"

import (
	"errors"
	"math"
	"strings"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/renderer"
)

// This file and ext_record.go are the renderer's cgo. They complement vulkan-go for two kinds of
// calls: those of Vulkan 1.1 and later, which vulkan-go lacks, and those that take arrays of
// structs, which vulkan-go copies to memory that the garbage collector may free during the call.
// Rules to keep it safe:
//
// - what crosses to C holds no Go pointer: in structs handles travel as integers, and
//   only pointers to numbers and to such structs are passed, for the duration of the call;
// - create-infos and pNext chains are built in C, on its stack;
// - handles come back through local variables.

// extInstance is a VkInstance with its entry points and message log.
type extInstance struct{ p *C.vkxInstance }

// extDevice is a VkDevice with its entry points.
type extDevice struct{ p *C.vkxDevice }

// word returns a handle as C takes it. Handles are never kept as unsafe.Pointer: drivers may use
// small numbers for them, which the Go runtime reports as corrupt pointers.
func word[T any](handle T) C.uint64_t { return *(*C.uint64_t)(unsafe.Pointer(&handle)) }

// fromWord converts a handle that C returned.
func fromWord[T any](w C.uint64_t) T { return *(*T)(unsafe.Pointer(&w)) }

// handOut runs a call that makes an object, and stores the object's handle.
func handOut[T any](handle *T, call func(out *C.uint64_t) C.VkResult) vk.Result {
	var out C.uint64_t
	r := call(&out)
	*handle = fromWord[T](out)
	return vk.Result(r)
}

// bits returns a handle as a number, for naming it.
func bits[T any](handle T) uint64 { return uint64(word(handle)) }

func extOpenLoader(library string) (unsafe.Pointer, error) {
	name := C.CString(library)
	defer C.free(unsafe.Pointer(name))
	var why [256]C.char
	p := C.vkx_open_loader(name, &why[0], C.size_t(len(why)))
	if p == nil {
		return nil, errors.New(C.GoString(&why[0]))
	}
	return p, nil
}

func extInstanceVersion(getProcAddr unsafe.Pointer) vk.Version {
	return vk.Version(C.vkx_instance_version(getProcAddr))
}

func extHasLayer(getProcAddr unsafe.Pointer, name string) bool {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.vkx_has_layer(getProcAddr, c) != 0
}

// extHasExtension reports whether the loader or a driver has an instance extension.
func extHasExtension(getProcAddr unsafe.Pointer, name string) bool {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.vkx_has_instance_extension(getProcAddr, c) != 0
}

func extCreateInstance(getProcAddr unsafe.Pointer, app string, api vk.Version, extensions []string, validation, debugUtils bool) (extInstance, vk.Result) {
	name := C.CString(app)
	defer C.free(unsafe.Pointer(name))
	list := C.CString(strings.Join(extensions, "\x00"))
	defer C.free(unsafe.Pointer(list))
	var out *C.vkxInstance
	r := C.vkx_create_instance(getProcAddr, name, C.uint32_t(api), list, C.uint32_t(len(extensions)), cbool(validation), cbool(debugUtils), &out)
	return extInstance{out}, vk.Result(r)
}

func extAdoptInstance(getProcAddr unsafe.Pointer, handle vk.Instance, api vk.Version) (extInstance, vk.Result) {
	var out *C.vkxInstance
	r := C.vkx_adopt_instance(getProcAddr, unsafe.Pointer(handle), C.uint32_t(api), &out)
	return extInstance{out}, vk.Result(r)
}

func cbool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (in extInstance) handle() vk.Instance {
	return vk.Instance(C.vkx_instance_handle(in.p))
}

func (in extInstance) destroy() { C.vkx_destroy_instance(in.p) }
func (in extInstance) free()    { C.vkx_free_instance(in.p) }

// messages returns a copy of the log and, if `clear` is set, empties it.
func (in extInstance) messages(clear bool) []string {
	n := C.vkx_log_count(in.p)
	list := make([]string, 0, n)
	for i := range n {
		list = append(list, C.GoString(C.vkx_log_at(in.p, i)))
	}
	if clear {
		C.vkx_log_clear(in.p)
	}
	return list
}

func (in extInstance) surfaceFormats(phys vk.PhysicalDevice, surface vk.Surface) ([]SurfaceFormat, vk.Result) {
	var n C.uint32_t
	r := C.vkx_surface_formats(in.p, unsafe.Pointer(phys), word(surface), &n, nil)
	if r != C.VK_SUCCESS || n == 0 {
		return nil, vk.Result(r)
	}
	list := make([]C.VkSurfaceFormatKHR, n)
	r = C.vkx_surface_formats(in.p, unsafe.Pointer(phys), word(surface), &n, &list[0])
	out := make([]SurfaceFormat, n)
	for i, f := range list[:n] {
		out[i] = SurfaceFormat{vk.Format(f.format), vk.ColorSpace(f.colorSpace)}
	}
	return out, vk.Result(r)
}

func (in extInstance) query(phys vk.PhysicalDevice) DeviceInfo {
	var c C.vkxDeviceInfo
	C.vkx_query_device(in.p, unsafe.Pointer(phys), &c)
	limits := &c.core.limits
	info := DeviceInfo{
		Name:          C.GoString(&c.core.deviceName[0]),
		Type:          DeviceType(c.core.deviceType),
		VendorID:      uint32(c.core.vendorID),
		DeviceID:      uint32(c.core.deviceID),
		DriverName:    C.GoString(&c.driverName[0]),
		DriverInfo:    C.GoString(&c.driverInfo[0]),
		DriverVersion: uint32(c.core.driverVersion),
		API:           vk.Version(c.core.apiVersion).String(),
		Subgroup: Subgroup{
			Size: int(c.subgroupSize), Min: int(c.subgroupMin), Max: int(c.subgroupMax),
			Ops: SubgroupOps(c.subgroupOps), RequiredSizeStages: uint32(c.requiredSizeStages),
			MaxPerWorkgroup: int(c.maxSubgroups),
		},
		Limits: Limits{
			BufferBytes:           int64(min(uint64(c.maxBufferBytes-1), math.MaxInt64-1)) + 1,
			StorageBufferBytes:    int64(limits.maxStorageBufferRange),
			SharedMemoryBytes:     int(limits.maxComputeSharedMemorySize),
			WorkgroupInvocations:  int(limits.maxComputeWorkGroupInvocations),
			Image2D:               int(limits.maxImageDimension2D),
			PushConstantBytes:     int(limits.maxPushConstantsSize),
			MemoryAllocations:     int(limits.maxMemoryAllocationCount),
			StorageBuffersPerSet:  int(limits.maxDescriptorSetStorageBuffers),
			StorageBuffersStage:   int(limits.maxPerStageDescriptorStorageBuffers),
			TimestampPeriodNanos:  float64(limits.timestampPeriod),
			SubPixelPrecisionBits: int(limits.subPixelPrecisionBits),
			IndexValue:            int64(limits.maxDrawIndexedIndexValue),
			IndirectDraws:         int(limits.maxDrawIndirectCount),
			Multiprocessors:       int(c.multiprocessors),
			Mesh: renderer.MeshLimits{
				MaxGroups: int(c.meshGroups), MaxTotal: int(c.meshGroupsTotal), MaxWorkgroup: int(c.meshInvocations), SharedBytes: int(c.meshSharedBytes),
				OutputBytes: int(c.meshOutputBytes), Vertices: int(c.meshOutputVertices), Triangles: int(c.meshOutputPrimitives),
				Preferred: int(c.meshPreferredInvocations),
			},
		},
		handle:    phys,
		swapchain: c.hasSwapchain != 0,
		apiWord:   uint32(c.core.apiVersion),
	}
	for i := range 3 {
		info.Limits.WorkgroupSize[i] = int(limits.maxComputeWorkGroupSize[i])
		info.Limits.WorkgroupCount[i] = int(limits.maxComputeWorkGroupCount[i])
	}
	for i := range info.DeviceUUID {
		info.DeviceUUID[i] = byte(c.deviceUUID[i])
		info.driverUUID[i] = byte(c.driverUUID[i])
		info.cacheUUID[i] = byte(c.core.pipelineCacheUUID[i])
	}
	info.Features = featuresFromBits(uint64(c.features))
	for i := range min(c.familyCount, C.uint32_t(len(c.familyFlags))) {
		info.families = append(info.families, queueFamily{uint32(c.familyFlags[i]), int(c.familyTimestampBits[i])})
	}
	memoryFromC(&c, &info)
	return info
}

// heapsFree returns how much this process may still take of each heap, for a device with
// VK_EXT_memory_budget.
func (in extInstance) heapsFree(phys vk.PhysicalDevice) (free [C.VK_MAX_MEMORY_HEAPS]int64) {
	var budget, usage [C.VK_MAX_MEMORY_HEAPS]C.uint64_t
	C.vkx_query_budget(in.p, unsafe.Pointer(phys), &budget[0], &usage[0])
	for i := range free {
		free[i] = max(0, int64(budget[i])-int64(usage[i]))
	}
	return free
}

func memoryFromC(c *C.vkxDeviceInfo, info *DeviceInfo) {
	info.budgetKnown = c.hasBudget != 0
	for i := range c.memory.memoryHeapCount {
		h := c.memory.memoryHeaps[i]
		heap := MemoryHeap{Bytes: int64(h.size), Budget: int64(h.size), DeviceLocal: h.flags&C.VK_MEMORY_HEAP_DEVICE_LOCAL_BIT != 0}
		if c.hasBudget != 0 {
			heap.Budget, heap.Usage = int64(c.budget[i]), int64(c.usage[i])
		}
		info.Heaps = append(info.Heaps, heap)
	}
	for i := range c.memory.memoryTypeCount {
		t := c.memory.memoryTypes[i]
		info.memoryTypes = append(info.memoryTypes, memoryType{vk.MemoryPropertyFlagBits(t.propertyFlags), int(t.heapIndex)})
	}
}

func (in extInstance) createDevice(phys vk.PhysicalDevice, family uint32, swapchain bool) (extDevice, vk.Result) {
	var out *C.vkxDevice
	r := C.vkx_create_device(in.p, unsafe.Pointer(phys), C.uint32_t(family), cbool(swapchain), &out)
	return extDevice{out}, vk.Result(r)
}

func (in extInstance) adoptDevice(handle vk.Device) (extDevice, vk.Result) {
	var out *C.vkxDevice
	r := C.vkx_adopt_device(in.p, unsafe.Pointer(handle), &out)
	return extDevice{out}, vk.Result(r)
}

func (d extDevice) handle() vk.Device { return vk.Device(C.vkx_device_handle(d.p)) }
func (d extDevice) destroy()          { C.vkx_destroy_device(d.p) }

// name sets an object's name for validation messages and graphics debuggers.
func (d extDevice) name(kind vk.ObjectType, handle uint64, name string) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	C.vkx_name(d.p, C.uint32_t(kind), C.uint64_t(handle), c)
}

func (d extDevice) createCache(data []byte, h *vk.PipelineCache) vk.Result {
	return handOut(h, func(out *C.uint64_t) C.VkResult {
		return C.vkx_create_cache(d.p, unsafe.Pointer(unsafe.SliceData(data)), C.uint64_t(len(data)), out)
	})
}

func cBindings(list []setBinding) []C.vkxBinding {
	out := make([]C.vkxBinding, len(list))
	for i, b := range list {
		out[i] = C.vkxBinding{C.uint32_t(b.Binding), C.uint32_t(b.Type), C.uint32_t(b.Stages)}
	}
	return out
}

func (d extDevice) createSetLayout(list []setBinding, h *vk.DescriptorSetLayout) vk.Result {
	return handOut(h, func(out *C.uint64_t) C.VkResult {
		return C.vkx_create_set_layout(d.p, C.uint32_t(len(list)), unsafe.SliceData(cBindings(list)), out)
	})
}

// createPipelineLayout makes a layout of at most one set.
func (d extDevice) createPipelineLayout(set vk.DescriptorSetLayout, pushBytes int, stages vk.ShaderStageFlagBits, h *vk.PipelineLayout) vk.Result {
	sets := [1]C.uint64_t{word(set)}
	var n C.uint32_t
	if set != vk.NullDescriptorSetLayout {
		n = 1
	}
	return handOut(h, func(out *C.uint64_t) C.VkResult {
		return C.vkx_create_pipeline_layout(d.p, n, &sets[0], C.uint32_t(pushBytes), C.uint32_t(stages), out)
	})
}

// createSet makes a descriptor pool, and allocates one set from it.
func (d extDevice) createSet(layout vk.DescriptorSetLayout, list []setBinding) (vk.DescriptorPool, vk.DescriptorSet, vk.Result) {
	var pool, set C.uint64_t
	r := C.vkx_create_set(d.p, word(layout), C.uint32_t(len(list)), unsafe.SliceData(cBindings(list)), &pool, &set)
	return fromWord[vk.DescriptorPool](pool), fromWord[vk.DescriptorSet](set), vk.Result(r)
}

func (d extDevice) writeSet(set vk.DescriptorSet, list []setWrite) vk.Result {
	writes := make([]C.vkxWrite, len(list))
	for i, w := range list {
		writes[i] = C.vkxWrite{binding: C.uint32_t(w.Binding), _type: C.uint32_t(w.Type), buffer: word(w.Buffer)}
	}
	return vk.Result(C.vkx_write_set(d.p, word(set), C.uint32_t(len(writes)), unsafe.SliceData(writes)))
}

// cStage copies a stage to C memory; free releases it.
func cStage(s stageCode) (c C.vkxStage, free func()) {
	ids := C.malloc(C.size_t(4*len(s.ids) + 4))
	values := C.malloc(C.size_t(4*len(s.ids) + 4))
	copy(unsafe.Slice((*uint32)(ids), len(s.ids)), s.ids)
	copy(unsafe.Slice((*uint32)(values), len(s.ids)), s.values)
	code := C.CBytes(s.spirv)
	c = C.vkxStage{
		flag: C.uint32_t(s.stage), subgroupSize: C.uint32_t(s.lanes), fullSubgroups: C.uint32_t(cbool(s.full)),
		code: (*C.uint32_t)(code), codeBytes: C.uint64_t(len(s.spirv)),
		specIDs: (*C.uint32_t)(ids), specValues: (*C.uint32_t)(values), specCount: C.uint32_t(len(s.ids)),
	}
	return c, func() { C.free(ids); C.free(values); C.free(code) }
}

func (d extDevice) createCompute(cache vk.PipelineCache, layout vk.PipelineLayout, s stageCode, h *vk.Pipeline) vk.Result {
	c, free := cStage(s)
	defer free()
	return handOut(h, func(out *C.uint64_t) C.VkResult {
		return C.vkx_create_compute(d.p, word(cache), word(layout), c, out)
	})
}

// createGraphics makes a graphics pipeline of a vertex or mesh shader, without a fragment shader if
// fragment has no code.
func (d extDevice) createGraphics(cache vk.PipelineCache, layout vk.PipelineLayout, pass vk.RenderPass, first, fragment stageCode, o RasterOptions, h *vk.Pipeline) vk.Result {
	v, freeFirst := cStage(first)
	defer freeFirst()
	f, freeFragment := cStage(fragment)
	defer freeFragment()
	raster := C.vkxRaster{
		depthTest: C.uint32_t(cbool(!o.NoDepth)), depthWrite: C.uint32_t(cbool(!o.NoDepth)), blend: C.uint32_t(cbool(o.Blend)),
		discard: C.uint32_t(cbool(o.Discard)), streams: C.uint32_t(o.Streams),
	}
	return handOut(h, func(out *C.uint64_t) C.VkResult {
		return C.vkx_create_graphics(d.p, word(cache), word(layout), word(pass), v, f, raster, out)
	})
}

func (d extDevice) createPass(color, depth vk.Format, clear bool, h *vk.RenderPass) vk.Result {
	return handOut(h, func(out *C.uint64_t) C.VkResult {
		return C.vkx_create_pass(d.p, C.uint32_t(color), C.uint32_t(depth), cbool(clear), out)
	})
}

func (d extDevice) createFramebuffer(pass vk.RenderPass, color, depth vk.ImageView, width, height int, h *vk.Framebuffer) vk.Result {
	return handOut(h, func(out *C.uint64_t) C.VkResult {
		return C.vkx_create_framebuffer(d.p, word(pass), word(color), word(depth), C.uint32_t(width), C.uint32_t(height), out)
	})
}
