package main

import (
	"fmt"
	"math"
	"runtime/debug"
	"unsafe"

	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/present"
)

// newSurface makes the surface of a window.
//
// go-gl/glfw returns the address of a Go variable that nothing refers to any
// more. The garbage collector must not start before that variable has been read; a
// collection that is under way keeps what is allocated meanwhile.
func newSurface(in *gpu.Instance, w *glfw.Window) (*present.Surface, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	address, err := w.CreateWindowSurface(in.Handle(), nil)
	if err != nil {
		return nil, fmt.Errorf("the window cannot be drawn to: %w", err)
	}
	handle := **(**uint64)(unsafe.Pointer(&address))
	return present.AdoptSurface(in, handle), nil
}
