package bytesize

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// FreeMemory returns how many bytes of memory the system has available; 0 if it does not say.
func FreeMemory() int64 {
	var status struct { // MEMORYSTATUSEX
		length, load                      uint32
		totalPhysical, availablePhysical  uint64
		totalPage, availablePage          uint64
		totalVirtual, availableVirtual, _ uint64
	}
	status.length = uint32(unsafe.Sizeof(status))
	if ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0
	}
	return int64(status.availablePhysical)
}
