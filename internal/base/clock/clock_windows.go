// Package clock measures how long work takes, in steps far below a microsecond. Go's own clock has steps
// of half a millisecond and more on Windows, where a pass over a small mesh then takes no time.
package clock

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel  = windows.NewLazySystemDLL("kernel32.dll")
	counter = kernel.NewProc("QueryPerformanceCounter")
	second  = query(kernel.NewProc("QueryPerformanceFrequency"))
)

// query calls a function that stores a number of 64 bits. The two that we call never fail on Windows XP or later.
func query(p *windows.LazyProc) (ticks int64) {
	_, _, _ = p.Call(uintptr(unsafe.Pointer(&ticks)))
	return ticks
}

// Start begins a measurement, and returns a function that returns the time since then.
func Start() func() time.Duration {
	began := query(counter)
	return func() time.Duration {
		return time.Duration(float64(query(counter)-began) / float64(second) * float64(time.Second))
	}
}
