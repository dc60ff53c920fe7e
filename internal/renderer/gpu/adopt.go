//go:build cgo

package gpu

import (
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

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

func adoptInstance(h Handles) (*Instance, DeviceInfo, error) {
	loading.Lock()
	defer loading.Unlock()
	getProcAddr, err := openLoader(h.GetProcAddr, LoaderLibrary)
	if err != nil {
		return nil, DeviceInfo{}, err
	}
	if err := vk.InitInstance(vk.Instance(h.Instance)); err != nil {
		return nil, DeviceInfo{}, err
	}
	ext, r := extAdoptInstance(getProcAddr, vk.Instance(h.Instance), vk.Version(h.API))
	if err := check("vkGetInstanceProcAddr", r); err != nil {
		return nil, DeviceInfo{}, err
	}
	info := ext.query(vk.PhysicalDevice(h.Physical))
	if err := info.Unusable(); err != nil {
		ext.free()
		return nil, info, err
	}
	enabled := h.Features.fields()
	for i, has := range info.Features.fields() {
		*has = *has && *enabled[i]
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
