//go:build cgo

package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"time"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

// OpenOptions say how a device is opened; the zero value is valid.
type OpenOptions struct {
	// Surface is a surface to which the queue must be able to present; null without a window.
	Surface vk.Surface
	// CacheDir is the folder in which compiled pipelines are kept between runs; "" means the user's
	// cache folder, NoCache none.
	CacheDir string
	// PipelineBytes bounds the estimated memory of the pipelines that are kept for later plans; 0
	// means the default, about 64 pipelines.
	PipelineBytes int64
}

// NoCache as OpenOptions.CacheDir keeps no pipelines on disk.
const NoCache = "-"

// Device is an opened device with one queue that draws, computes, copies and, if a surface was
// given, presents.
type Device struct {
	Info DeviceInfo

	// Idle is called every few milliseconds while the host waits: for the device if submitted is true,
	// else for planning and compiling in the background. It may be nil. It may use the device, but not
	// the commands that the host waits for. It is not called recursively.
	Idle   func(submitted bool)
	idleAt time.Time // when it last returned

	instance    *Instance
	ext         extDevice
	handle      vk.Device
	queue       vk.Queue
	family      int
	allocations int
	used        []int64 // bytes by heap
	held, peak  int64   // bytes in all heaps: now, and the most so far

	refuse func(bytes int64) bool // makes an allocation fail; nil except in tests

	costs     *renderer.Costs // of a calibration; nil if there is none
	cache     pipelineCache
	pipelines pipelines
	passes    [2]vk.RenderPass // [0] keeps the target's contents, [1] clears the target first
	upload    *ring            // made at first use
	readback  *ring
	lost      bool // lost or hung: Close must not wait for it
	adopted   bool // made by Adopt from a caller's device
}

// Open opens a device that Devices listed, and enables every feature in Info.Features.
func Open(in *Instance, info DeviceInfo, o OpenOptions) (_ *Device, err error) {
	defer must.Catch(&err)
	if err := info.Unusable(); err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", info.Name, err)
	}
	family := must.Get(chooseFamily(&info, o.Surface))
	ext, r := in.ext.createDevice(info.handle, uint32(family), o.Surface != vk.NullSurface)
	must.OK(check("vkCreateDevice", r))
	var queue vk.Queue
	vk.GetDeviceQueue(ext.handle(), uint32(family), 0, &queue)
	return newDevice(in, info, ext, queue, family, o)
}

// newDevice makes a Device around its handle. If that fails, it closes the device.
func newDevice(in *Instance, info DeviceInfo, ext extDevice, queue vk.Queue, family int, o OpenOptions) (*Device, error) {
	d := &Device{Info: info, instance: in, ext: ext, handle: ext.handle(), queue: queue, family: family, used: make([]int64, len(info.Heaps)),
		pipelines: pipelines{kept: map[string]*keptPipeline{}, most: cmp.Or(o.PipelineBytes, defaultPipelineBytes)}}
	d.name(vk.ObjectTypeDevice, bits(d.handle), info.Name)
	d.name(vk.ObjectTypeQueue, bits(d.queue), "queue")
	for i, name := range []string{"load", "clear"} {
		err := Create(d, &d.passes[i], vk.ObjectTypeRenderPass, name, "vkCreateRenderPass", func(h *vk.RenderPass) vk.Result {
			return ext.createPass(vk.Format(FormatColor), vk.Format(FormatDepth), name == "clear", h)
		})
		if err != nil {
			d.Close()
			return nil, err
		}
	}
	if err := d.openCache(o.CacheDir); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func chooseFamily(info *DeviceInfo, surface vk.Surface) (int, error) {
	if surface == vk.NullSurface {
		return info.queueFamily(), nil
	}
	if !info.swapchain {
		return -1, fmt.Errorf("%s cannot present to a window (no VK_KHR_swapchain)", info.Name)
	}
	for i, f := range info.families {
		if !f.drawsAndComputes() {
			continue
		}
		var supported vk.Bool32
		r := vk.GetPhysicalDeviceSurfaceSupport(info.handle, uint32(i), surface, &supported)
		if err := check("vkGetPhysicalDeviceSurfaceSupportKHR", r); err != nil {
			return -1, err
		}
		if supported.B() {
			return i, nil
		}
	}
	return -1, fmt.Errorf("%s has no queue that draws, computes and presents to this window", info.Name)
}

// Handle returns the VkDevice, for internal/renderer/present.
func (d *Device) Handle() vk.Device { return d.handle }

// Physical returns the VkPhysicalDevice.
func (d *Device) Physical() vk.PhysicalDevice { return d.Info.handle }

// Instance returns the device's instance.
func (d *Device) Instance() *Instance { return d.instance }

// WaitIdle waits until the queue is empty.
func (d *Device) WaitIdle() error { return d.check("vkDeviceWaitIdle", vk.DeviceWaitIdle(d.handle)) }

// Close saves the pipeline cache and frees the device. Everything that callers made from it must be
// closed before. If the device is lost or hung, objects that its driver may still use are not freed.
func (d *Device) Close() error {
	if d.handle == nil {
		return nil
	}
	if d.lost {
		d.handle = nil
		return nil
	}
	err := d.WaitIdle()
	if d.lost {
		d.handle = nil
		return err
	}
	for _, r := range []*ring{d.upload, d.readback} {
		if r != nil {
			r.close()
		}
	}
	d.pipelines.close()
	err = errors.Join(err, d.closeCache())
	for _, p := range d.passes {
		vk.DestroyRenderPass(d.handle, p, nil)
	}
	d.ext.destroy()
	if d.adopted {
		d.instance.ext.free()
	}
	d.handle = nil
	return err
}

// check makes a result an error like the package's function check, and notes in d.lost that the device was lost.
func (d *Device) check(call string, r vk.Result) error {
	if r == vk.ErrorDeviceLost {
		d.lost = true
	}
	return check(call, r)
}

// SurfaceFormat is a pixel format and colour space that a surface supports.
type SurfaceFormat struct {
	Format vk.Format
	Space  vk.ColorSpace
}

// SurfaceFormats lists the formats that a surface supports. (vulkan-go's own call may read freed memory.)
func (d *Device) SurfaceFormats(surface vk.Surface) ([]SurfaceFormat, error) {
	formats, r := d.instance.ext.surfaceFormats(d.Info.handle, surface)
	return formats, d.check("vkGetPhysicalDeviceSurfaceFormatsKHR", r)
}

// Present queues an image of a swapchain for display, after the semaphore. It returns the raw result
// for Check, since "out of date" and "suboptimal" are routine.
func (d *Device) Present(chain vk.Swapchain, image uint32, wait vk.Semaphore) vk.Result {
	return d.ext.present(d.queue, chain, image, wait)
}

// Create makes an object of the device: it stores the handle that the call returns, and names the
// object.
func Create[T any](d *Device, kept *T, kind vk.ObjectType, name, call string, run func(*T) vk.Result) error {
	var handle T // a local, so that C never sees the struct that keeps the handle
	if err := d.check(call, run(&handle)); err != nil {
		return err
	}
	*kept = handle
	d.name(kind, bits(handle), name)
	return nil
}

// CreateBy makes an object of the device by a call of vulkan-go that takes a create-info, which
// CreateBy frees. internal/renderer/present uses it, too.
func CreateBy[T, I any, P interface {
	*I
	Free()
}](d *Device, kept *T, kind vk.ObjectType, name, call string, create func(vk.Device, P, *vk.AllocationCallbacks, *T) vk.Result, info I) error {
	defer P(&info).Free()
	return Create(d, kept, kind, name, call, func(h *T) vk.Result { return create(d.handle, &info, nil, h) })
}

// made returns an object; if making it has failed, made closes it.
func made[T interface{ Close() }](object T, err error) (T, error) {
	if err != nil {
		object.Close()
		var none T
		return none, err
	}
	return object, nil
}

// name gives an object the name that validation messages and graphics debuggers show. It does
// nothing without VK_EXT_debug_utils.
func (d *Device) name(kind vk.ObjectType, handle uint64, name string) {
	if handle != 0 {
		d.ext.name(kind, handle, name)
	}
}

// Adopt makes a Device from a caller's device. Close does not free the caller's objects. While a
// method of the Device or of a Backend on it runs, the caller must not use the queue.
func Adopt(h Handles) (*Device, error) {
	in, info, err := adoptInstance(h)
	if err != nil {
		return nil, err
	}
	ext, r := in.ext.adoptDevice(vk.Device(h.Device))
	if err := check("vkGetDeviceProcAddr", r); err != nil {
		in.ext.free()
		return nil, err
	}
	d, err := newDevice(in, info, ext, vk.Queue(h.Queue), h.Family, OpenOptions{CacheDir: NoCache})
	if err != nil {
		in.ext.free()
		return nil, err
	}
	d.adopted = true
	return d, nil
}

func adoptInstance(h Handles) (_ *Instance, info DeviceInfo, err error) {
	defer must.Catch(&err)
	loading.Lock()
	defer loading.Unlock()
	getProcAddr := must.Get(openLoader(h.GetProcAddr, LoaderLibrary))
	must.OK(vk.InitInstance(vk.Instance(h.Instance)))
	ext, r := extAdoptInstance(getProcAddr, vk.Instance(h.Instance), vk.Version(h.API))
	must.OK(check("vkGetInstanceProcAddr", r))
	info = ext.query(vk.PhysicalDevice(h.Physical))
	if err := info.Unusable(); err != nil {
		ext.free()
		return nil, info, err
	}
	for i, enabled := range h.Features.fields() {
		info.Features.fields()[i] = info.Features.fields()[i] && enabled
	}
	return &Instance{ext: ext, api: vk.Version(h.API)}, info, nil
}

// AdoptBuffer makes a Buffer from a caller's VkBuffer, which needs the usages storage and transfer
// (from and to). Close does not free it.
func (d *Device) AdoptBuffer(name string, handle unsafe.Pointer, size int64) *Buffer {
	return &Buffer{Name: name, Size: size, device: d, handle: vk.Buffer(handle), adopted: true}
}

// Handle returns the VkBuffer.
func (b *Buffer) Handle() vk.Buffer { return b.handle }
