//go:build cgo

package gpu

import (
	"fmt"

	vk "github.com/vulkan-go/vulkan"
)

// Absent says why the program has no Vulkan; nil if it was built with Vulkan.
var Absent error

// CallError is a Vulkan call that failed: "gpu: vkCreateDevice: out of host memory".
type CallError struct {
	Call   string // name of the call
	Result vk.Result
}

func (e *CallError) Error() string { return "gpu: " + e.Call + ": " + resultText(e.Result) }

// Is reports, for errors.Is, whether the target is ErrDeviceLost and the call has lost the device.
func (e *CallError) Is(target error) bool {
	return target == ErrDeviceLost && e.Result == vk.ErrorDeviceLost
}

// check turns a result into an error that names the call; positive results (incomplete,
// suboptimal) are not errors.
func check(call string, r vk.Result) error {
	if r >= 0 {
		return nil
	}
	return &CallError{call, r}
}

// List calls `list` twice: for the number of items, and then for the items.
func List[T any](call string, list func(n *uint32, items []T) vk.Result) ([]T, error) {
	var n uint32
	if err := check(call, list(&n, nil)); err != nil || n == 0 {
		return nil, err
	}
	items := make([]T, n)
	err := check(call, list(&n, items))
	return items[:min(int(n), len(items))], err
}

var resultTexts = map[vk.Result]string{
	vk.ErrorOutOfHostMemory:      "out of host memory",
	vk.ErrorOutOfDeviceMemory:    "out of device memory",
	vk.ErrorInitializationFailed: "initialization failed",
	vk.ErrorDeviceLost:           ErrDeviceLost.Error(),
	vk.ErrorMemoryMapFailed:      "memory map failed",
	vk.ErrorLayerNotPresent:      "layer not present",
	vk.ErrorExtensionNotPresent:  "extension not present",
	vk.ErrorFeatureNotPresent:    "feature not present",
	vk.ErrorIncompatibleDriver:   "no driver that fits (" + DriverRemedy + ")",
	vk.ErrorTooManyObjects:       "too many objects",
	vk.ErrorFormatNotSupported:   "format not supported",
	vk.ErrorSurfaceLost:          "surface lost",
	vk.ErrorOutOfDate:            "surface out of date",
}

func resultText(r vk.Result) string {
	if text, known := resultTexts[r]; known {
		return text
	}
	return fmt.Sprintf("result %d", int32(r))
}
