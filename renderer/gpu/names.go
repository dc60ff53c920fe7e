package gpu

import vk "github.com/vulkan-go/vulkan"

// Create makes an object of the device, here and in renderer/present: it keeps the
// handle that the call hands out, and names it.
func Create[T any](d *Device, kept *T, kind vk.ObjectType, name, call string, run func(*T) vk.Result) error {
	var handle T // of its own, so that C never sees the struct that keeps it
	if err := d.check(call, run(&handle)); err != nil {
		return err
	}
	*kept = handle
	d.name(kind, bits(handle), name)
	return nil
}

// name gives an object the name by which validation messages and graphics
// debuggers speak of it. It does nothing without VK_EXT_debug_utils.
func (d *Device) name(kind vk.ObjectType, handle uint64, name string) {
	if handle != 0 {
		d.ext.name(kind, handle, name)
	}
}
