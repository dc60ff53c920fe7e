package gpu

import vk "github.com/vulkan-go/vulkan"

// name gives an object the name by which validation messages and graphics
// debuggers speak of it. It does nothing without VK_EXT_debug_utils.
func (d *Device) name(kind vk.ObjectType, handle uint64, name string) {
	if handle != 0 {
		d.ext.name(kind, handle, name)
	}
}
