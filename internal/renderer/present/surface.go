// Package present shows pictures of internal/renderer/gpu in a window. It has the surface, and the
// swapchain, which is recreated whenever the window changes.
//
// It does not depend on the library that made the window, nor on what a picture shows. Nothing in
// it is safe for concurrent use.
package present

import (
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// Surface is a window in Vulkan.
type Surface struct {
	instance *gpu.Instance
	handle   vk.Surface
}

// AdoptSurface takes over a VkSurfaceKHR that a window library made for the instance, given as
// its 64-bit value.
func AdoptSurface(in *gpu.Instance, handle uint64) *Surface {
	return &Surface{instance: in, handle: *(*vk.Surface)(unsafe.Pointer(&handle))}
}

// Handle returns the VkSurfaceKHR, for gpu.OpenOptions.
func (s *Surface) Handle() vk.Surface { return s.handle }

// Close frees the surface. Close its swapchain before, and its window and instance after it. Nil
// is allowed.
func (s *Surface) Close() {
	if s == nil || s.handle == vk.NullSurface {
		return
	}
	vk.DestroySurface(s.instance.Handle(), s.handle, nil)
	s.handle = vk.NullSurface
}
