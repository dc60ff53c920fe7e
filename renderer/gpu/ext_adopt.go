package gpu

// #include "ext.h"
import "C"

import (
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

func extAdoptInstance(getProcAddr unsafe.Pointer, handle vk.Instance, api vk.Version) (extInstance, vk.Result) {
	var out *C.vkxInstance
	r := C.vkx_adopt_instance(getProcAddr, unsafe.Pointer(handle), C.uint32_t(api), &out)
	return extInstance{out}, vk.Result(r)
}

func (in extInstance) adoptDevice(handle vk.Device) (extDevice, vk.Result) {
	var out *C.vkxDevice
	r := C.vkx_adopt_device(in.p, unsafe.Pointer(handle), &out)
	return extDevice{out}, vk.Result(r)
}
