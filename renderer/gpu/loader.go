//go:build cgo

package gpu

import (
	"sync"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// vulkan-go keeps its entry points in C globals. loading guards them; loaded says that the
// instance-independent ones are set, since setting them again would clear those of a living
// instance.
var (
	loading sync.Mutex
	loaded  bool
)

// openLoader makes vulkan-go use the given vkGetInstanceProcAddr (a window library's) or, if it
// is nil, that of the library. The caller must hold loading.
func openLoader(getProcAddr unsafe.Pointer, library string) (unsafe.Pointer, error) {
	if getProcAddr == nil {
		p, err := extOpenLoader(library)
		if err != nil {
			return nil, &LoaderError{err}
		}
		getProcAddr = p
	}
	vk.SetGetInstanceProcAddr(getProcAddr)
	if !loaded {
		if err := vk.Init(); err != nil {
			return nil, &LoaderError{err}
		}
		loaded = true
	}
	return getProcAddr, nil
}
