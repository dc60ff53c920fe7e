// Package present shows pictures of renderer/gpu in a window: the surface, and
// the swapchain, which is recreated whenever the window changes.
//
// It does not depend on the library that made the window, nor on what a picture shows.
// None of it is safe for concurrent use.
package present

import (
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// Surface is a window as Vulkan sees it.
type Surface struct {
	instance *gpu.Instance
	handle   vk.Surface
}

// AdoptSurface takes over a VkSurfaceKHR that a window library made for the
// instance, given as its 64-bit value.
func AdoptSurface(in *gpu.Instance, handle uint64) *Surface {
	return &Surface{instance: in, handle: *(*vk.Surface)(unsafe.Pointer(&handle))}
}

// Handle is the VkSurfaceKHR, for gpu.OpenOptions.
func (s *Surface) Handle() vk.Surface { return s.handle }

// Close frees the surface, after its swapchain and before its window and
// instance. A nil surface is fine.
func (s *Surface) Close() {
	if s == nil || s.handle == vk.NullSurface {
		return
	}
	vk.DestroySurface(s.instance.Handle(), s.handle, nil)
	s.handle = vk.NullSurface
}
