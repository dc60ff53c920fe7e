//go:build cgo

package gpu

import (
	"errors"
	"fmt"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Usage says how a buffer is used, as a sum of flags.
type Usage uint32

// Usages of device-local buffers. Buffers of every usage can be copied to and from.
const (
	UsageStorage  Usage = Usage(vk.BufferUsageStorageBufferBit)
	UsageUniform  Usage = Usage(vk.BufferUsageUniformBufferBit)
	UsageIndirect Usage = Usage(vk.BufferUsageIndirectBufferBit)
	UsageIndex    Usage = Usage(vk.BufferUsageIndexBufferBit)
	UsageVertex   Usage = Usage(vk.BufferUsageVertexBufferBit)
)

// Buffer is a Vulkan buffer. Each has its own memory allocation: the renderer needs a few dozen, and
// devices allow at least 4096.
type Buffer struct {
	Name string
	Size int64 // bytes, as requested but rounded up to whole words

	device *Device
	handle vk.Buffer
	memory allocation

	// mapped is the memory of a buffer that the host reaches (host and shared buffers); nil for others. The host may
	// write or read it while no submission that uses it is in flight, with Flush after writing and Invalidate before reading.
	mapped []byte

	adopted bool // whether handle is a caller's
}

// allocation is memory of one heap.
type allocation struct {
	handle   vk.DeviceMemory
	bytes    int64
	heap     int
	coherent bool
}

// HostAccess says how the host uses a HostBuffer.
type HostAccess int

// The accesses: a host buffer gets the kind of memory that is best to write, or best to read.
const (
	HostWrites HostAccess = iota
	HostReads
)

// NewBuffer makes a buffer in device-local memory; its contents are undefined. A size of 0 gives
// 4 bytes, so that it can be bound. Errors: *SizeError, *MemoryError, *CallError.
func (d *Device) NewBuffer(name string, size int64, usage Usage) (*Buffer, error) {
	limit := d.Info.Limits.StorageBufferBytes
	if usage&UsageStorage != 0 && size > limit {
		return nil, &SizeError{What: "buffer " + name, Need: size, Have: limit, Limit: "maxStorageBufferRange", Bytes: true}
	}
	wants := []vk.MemoryPropertyFlagBits{vk.MemoryPropertyDeviceLocalBit}
	return d.newBuffer(name, size, usage, wants)
}

const (
	visible      = vk.MemoryPropertyHostVisibleBit
	coherent     = visible | vk.MemoryPropertyHostCoherentBit
	sharedMemory = vk.MemoryPropertyDeviceLocalBit | coherent
)

// NewSharedBuffer makes a buffer that the host writes directly and shaders read, in device memory
// if the host can access that.
func (d *Device) NewSharedBuffer(name string, size int64, usage Usage) (*Buffer, error) {
	return d.newMapped(name, size, usage, []vk.MemoryPropertyFlagBits{sharedMemory, coherent, visible})
}

// NewHostBuffer makes a buffer that the host writes or reads directly, and that the device copies
// from or to.
func (d *Device) NewHostBuffer(name string, size int64, access HostAccess) (*Buffer, error) {
	wants := []vk.MemoryPropertyFlagBits{coherent, visible}
	if access == HostReads { // reading uncached memory is slow, a few dozen MB/s
		wants = []vk.MemoryPropertyFlagBits{
			visible | vk.MemoryPropertyHostCachedBit | vk.MemoryPropertyHostCoherentBit, visible | vk.MemoryPropertyHostCachedBit, visible,
		}
	}
	return d.newMapped(name, size, 0, wants)
}

func (d *Device) newMapped(name string, size int64, usage Usage, wants []vk.MemoryPropertyFlagBits) (*Buffer, error) {
	b, err := d.newBuffer(name, size, usage, wants)
	if err != nil {
		return nil, err
	}
	var p unsafe.Pointer
	if err = d.check("vkMapMemory", vk.MapMemory(d.handle, b.memory.handle, 0, vk.DeviceSize(vk.WholeSize), 0, &p)); err == nil {
		b.mapped = unsafe.Slice((*byte)(p), b.Size)
	}
	return made(b, err)
}

func (d *Device) newBuffer(name string, size int64, usage Usage, wants []vk.MemoryPropertyFlagBits) (*Buffer, error) {
	if size < 0 {
		return nil, fmt.Errorf("gpu: buffer %s of %d bytes: must not be negative", name, size)
	}
	// Round up to whole words, so that fills and 4-byte copies reach the end.
	size = max(4, (size+3)&^3)
	usage |= Usage(vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit)
	if limit := d.Info.Limits.BufferBytes; size > limit {
		return nil, &SizeError{What: "buffer " + name, Need: size, Have: limit, Limit: "maxBufferSize", Bytes: true}
	}
	b := &Buffer{Name: name, Size: size, device: d}
	err := CreateBy(d, &b.handle, vk.ObjectTypeBuffer, name, "vkCreateBuffer", vk.CreateBuffer,
		vk.BufferCreateInfo{SType: vk.StructureTypeBufferCreateInfo, Size: vk.DeviceSize(size), Usage: vk.BufferUsageFlags(usage)})
	if err != nil {
		return nil, d.memoryError(err, size)
	}
	var need vk.MemoryRequirements
	vk.GetBufferMemoryRequirements(d.handle, b.handle, &need)
	if b.memory, err = d.allocate(name, &need, wants); err == nil {
		err = d.check("vkBindBufferMemory", vk.BindBufferMemory(d.handle, b.handle, b.memory.handle, 0))
	}
	return made(b, err)
}

// allocate takes memory of the first wanted kind that the device has. If the heap cannot hold it,
// allocate fails without asking the driver: some drivers promise memory that they do not have,
// and a process that uses such memory dies.
func (d *Device) allocate(name string, need *vk.MemoryRequirements, wants []vk.MemoryPropertyFlagBits) (allocation, error) {
	need.Deref()
	bytes, kind := int64(need.Size), d.memoryKind(need.MemoryTypeBits, wants)
	need.Free()
	if kind < 0 {
		return allocation{}, fmt.Errorf("gpu: %s: the device has no memory of the kind needed", name)
	}
	if limit := d.Info.Limits.MemoryAllocations; d.allocations >= limit {
		return allocation{}, &SizeError{What: name, Need: int64(d.allocations) + 1, Have: int64(limit), Limit: "maxMemoryAllocationCount"}
	}
	heap := d.Info.memoryTypes[kind].heap
	if have := d.heapFree(heap); bytes > have {
		return allocation{}, &MemoryError{Need: bytes, Have: have}
	}
	a := allocation{bytes: bytes, heap: heap, coherent: d.Info.memoryTypes[kind].flags&vk.MemoryPropertyHostCoherentBit != 0}
	allocate := vk.AllocateMemory
	if d.refuse != nil && d.refuse(bytes) {
		allocate = func(vk.Device, *vk.MemoryAllocateInfo, *vk.AllocationCallbacks, *vk.DeviceMemory) vk.Result {
			return vk.ErrorOutOfDeviceMemory
		}
	}
	err := CreateBy(d, &a.handle, vk.ObjectTypeDeviceMemory, name, "vkAllocateMemory", allocate,
		vk.MemoryAllocateInfo{SType: vk.StructureTypeMemoryAllocateInfo, AllocationSize: vk.DeviceSize(bytes), MemoryTypeIndex: uint32(kind)})
	if err != nil {
		return allocation{}, d.memoryError(err, bytes)
	}
	d.allocations++
	d.used[heap] += bytes
	d.held += bytes
	d.peak = max(d.peak, d.held)
	return a, nil
}

// release frees memory, mapped or not; a zero allocation is allowed.
func (d *Device) release(a allocation) {
	if a.handle == vk.NullDeviceMemory {
		return
	}
	vk.FreeMemory(d.handle, a.handle, nil)
	d.allocations--
	d.used[a.heap] -= a.bytes
	d.held -= a.bytes
}

func (d *Device) memoryKind(types uint32, wants []vk.MemoryPropertyFlagBits) int {
	for _, want := range wants {
		for i, t := range d.Info.memoryTypes {
			if types&(1<<i) != 0 && t.flags&want == want {
				return i
			}
		}
	}
	return -1
}

// heapFree returns how many bytes this process may still take from a heap. If the driver tells
// no budget, that is the heap's size less what this Device has allocated.
func (d *Device) heapFree(heap int) int64 {
	if d.Info.budgetKnown {
		return d.instance.ext.heapsFree(d.Info.handle)[heap]
	}
	return max(0, d.Info.Heaps[heap].Bytes-d.used[heap])
}

// MemoryFree returns how many bytes this process may still take from the device-local heap that
// has the most left.
func (d *Device) MemoryFree() int64 {
	var most int64
	for i, h := range d.Info.Heaps {
		if h.DeviceLocal {
			most = max(most, d.heapFree(i))
		}
	}
	return most
}

// memoryError turns out-of-memory results into a MemoryError.
func (d *Device) memoryError(err error, need int64) error {
	var call *CallError
	if errors.As(err, &call) && (call.Result == vk.ErrorOutOfDeviceMemory || call.Result == vk.ErrorOutOfHostMemory) {
		return &MemoryError{Need: need, Have: d.MemoryFree()}
	}
	return err
}

// Flush makes what the host wrote visible to later submissions.
func (b *Buffer) Flush() error {
	if b.memory.coherent {
		return nil
	}
	return b.device.check("vkFlushMappedMemoryRanges", b.device.ext.flush(b.memory.handle))
}

// Invalidate makes what finished submissions wrote visible to the host.
func (b *Buffer) Invalidate() error {
	if b.memory.coherent {
		return nil
	}
	return b.device.check("vkInvalidateMappedMemoryRanges", b.device.ext.invalidate(b.memory.handle))
}

// Close frees the buffer, which no submission may be using. Nil is allowed.
func (b *Buffer) Close() {
	if b == nil || b.handle == vk.NullBuffer || b.device.lost || b.adopted {
		return
	}
	d := b.device
	vk.DestroyBuffer(d.handle, b.handle, nil)
	d.release(b.memory)
	b.handle, b.memory, b.mapped = vk.NullBuffer, allocation{}, nil
}
