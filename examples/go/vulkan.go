package main

import (
	"fmt"
	"runtime/debug"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// version is the instance's Vulkan version.
var version = vk.MakeVersion(1, 1, 0)

// vulkan holds the host renderer's objects.
type vulkan struct {
	name     string // of the device
	instance vk.Instance
	physical vk.PhysicalDevice
	device   vk.Device
	queue    vk.Queue
	family   uint32
	pool     vk.CommandPool
	memories vk.PhysicalDeviceMemoryProperties
}

// openVulkan opens the first device.
func openVulkan() (*vulkan, error) {
	// vulkan-go's copies of structs in lists must survive until the call ends, so no garbage
	// collection may run.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if err := vk.SetDefaultGetInstanceProcAddr(); err != nil {
		return nil, err
	}
	if err := vk.Init(); err != nil {
		return nil, err
	}
	v := &vulkan{}
	info := vk.InstanceCreateInfo{
		SType:            vk.StructureTypeInstanceCreateInfo,
		PApplicationInfo: &vk.ApplicationInfo{SType: vk.StructureTypeApplicationInfo, ApiVersion: uint32(version)},
	}
	var err error
	if v.instance, err = create("vkCreateInstance", func(h *vk.Instance) vk.Result { return vk.CreateInstance(&info, nil, h) }); err != nil {
		return nil, err
	}
	if err := vk.InitInstance(v.instance); err != nil {
		return nil, err
	}
	list, one := make([]vk.PhysicalDevice, 1), uint32(1)
	if vk.EnumeratePhysicalDevices(v.instance, &one, list); one == 0 {
		return nil, fmt.Errorf("no Vulkan device")
	}
	v.physical = list[0]
	var properties vk.PhysicalDeviceProperties
	vk.GetPhysicalDeviceProperties(v.physical, &properties)
	properties.Deref()
	v.name = vk.ToString(properties.DeviceName[:])
	vk.GetPhysicalDeviceMemoryProperties(v.physical, &v.memories)
	v.memories.Deref()
	return v, v.openDevice()
}

func (v *vulkan) openDevice() error {
	families := make([]vk.QueueFamilyProperties, 16)
	n := uint32(len(families))
	vk.GetPhysicalDeviceQueueFamilyProperties(v.physical, &n, families)
	const both = vk.QueueFlags(vk.QueueGraphicsBit | vk.QueueComputeBit)
	for ; ; v.family++ {
		if v.family == n {
			return fmt.Errorf("no queue that draws and computes")
		}
		if families[v.family].Deref(); families[v.family].QueueFlags&both == both {
			break
		}
	}
	info := vk.DeviceCreateInfo{
		SType:                vk.StructureTypeDeviceCreateInfo,
		QueueCreateInfoCount: 1,
		PQueueCreateInfos: []vk.DeviceQueueCreateInfo{{
			SType: vk.StructureTypeDeviceQueueCreateInfo, QueueFamilyIndex: v.family, QueueCount: 1, PQueuePriorities: []float32{1},
		}},
	}
	var err error
	if v.device, err = create("vkCreateDevice", func(h *vk.Device) vk.Result { return vk.CreateDevice(v.physical, &info, nil, h) }); err != nil {
		return err
	}
	v.queue, _ = create("", func(h *vk.Queue) vk.Result {
		vk.GetDeviceQueue(v.device, v.family, 0, h)
		return vk.Success
	})
	pool := vk.CommandPoolCreateInfo{SType: vk.StructureTypeCommandPoolCreateInfo, QueueFamilyIndex: v.family}
	v.pool, err = create("vkCreateCommandPool", func(h *vk.CommandPool) vk.Result { return vk.CreateCommandPool(v.device, &pool, nil, h) })
	return err
}

// create returns the handle that a call makes. The call writes it to a local variable, since C must
// not see the Go struct that keeps it.
func create[T any](call string, run func(*T) vk.Result) (handle T, err error) {
	if r := run(&handle); r != vk.Success {
		err = fmt.Errorf("%s: %w", call, vk.Error(r))
	}
	return handle, err
}

func (v *vulkan) close() {
	vk.DestroyCommandPool(v.device, v.pool, nil)
	vk.DestroyDevice(v.device, nil)
	vk.DestroyInstance(v.instance, nil)
}

// submit records a command buffer, submits it and waits.
func (v *vulkan) submit(record func(vk.CommandBuffer) error) error {
	list := make([]vk.CommandBuffer, 1)
	info := vk.CommandBufferAllocateInfo{SType: vk.StructureTypeCommandBufferAllocateInfo, CommandPool: v.pool, CommandBufferCount: 1}
	if r := vk.AllocateCommandBuffers(v.device, &info, list); r != vk.Success {
		return fmt.Errorf("vkAllocateCommandBuffers: %w", vk.Error(r))
	}
	vk.BeginCommandBuffer(list[0], &vk.CommandBufferBeginInfo{SType: vk.StructureTypeCommandBufferBeginInfo})
	if err := record(list[0]); err != nil {
		return err
	}
	vk.EndCommandBuffer(list[0])
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // see openVulkan
	r := vk.QueueSubmit(v.queue, 1, []vk.SubmitInfo{{SType: vk.StructureTypeSubmitInfo, CommandBufferCount: 1, PCommandBuffers: list}}, vk.NullFence)
	if r != vk.Success {
		return fmt.Errorf("vkQueueSubmit: %w", vk.Error(r))
	}
	return vk.Error(vk.QueueWaitIdle(v.queue))
}

// buffer is memory that both device and host can access.
type buffer struct {
	handle vk.Buffer
	memory vk.DeviceMemory
	data   []byte
}

func (v *vulkan) newBuffer(size int64) (*buffer, error) {
	info := vk.BufferCreateInfo{
		SType: vk.StructureTypeBufferCreateInfo, Size: vk.DeviceSize(size),
		Usage: vk.BufferUsageFlags(vk.BufferUsageStorageBufferBit | vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit),
	}
	b := &buffer{}
	var err error
	if b.handle, err = create("vkCreateBuffer", func(h *vk.Buffer) vk.Result { return vk.CreateBuffer(v.device, &info, nil, h) }); err != nil {
		return nil, err
	}
	var need vk.MemoryRequirements
	vk.GetBufferMemoryRequirements(v.device, b.handle, &need)
	need.Deref()
	const seen = vk.MemoryPropertyFlags(vk.MemoryPropertyHostVisibleBit | vk.MemoryPropertyHostCoherentBit)
	kind := uint32(0)
	for ; ; kind++ {
		if kind == v.memories.MemoryTypeCount {
			return nil, fmt.Errorf("no memory that the host sees")
		}
		t := v.memories.MemoryTypes[kind]
		if t.Deref(); need.MemoryTypeBits&(1<<kind) != 0 && t.PropertyFlags&seen == seen {
			break
		}
	}
	memory := vk.MemoryAllocateInfo{SType: vk.StructureTypeMemoryAllocateInfo, AllocationSize: need.Size, MemoryTypeIndex: kind}
	if b.memory, err = create("vkAllocateMemory", func(h *vk.DeviceMemory) vk.Result { return vk.AllocateMemory(v.device, &memory, nil, h) }); err != nil {
		return nil, err
	}
	vk.BindBufferMemory(v.device, b.handle, b.memory, 0)
	var at unsafe.Pointer
	if r := vk.MapMemory(v.device, b.memory, 0, vk.DeviceSize(vk.WholeSize), 0, &at); r != vk.Success {
		return nil, fmt.Errorf("vkMapMemory: %w", vk.Error(r))
	}
	b.data = unsafe.Slice((*byte)(at), size)
	return b, nil
}

func (b *buffer) close(v *vulkan) {
	if b == nil {
		return
	}
	vk.DestroyBuffer(v.device, b.handle, nil)
	vk.FreeMemory(v.device, b.memory, nil)
}

func words(data []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)
}

func floats(data []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)
}
