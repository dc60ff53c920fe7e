package gpu

import (
	"errors"
	"fmt"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/bytesize"
)

var (
	// ErrDeviceLost is matched (errors.Is) by every error after the driver has lost the device.
	// Nothing on it can be trusted: Close it.
	ErrDeviceLost = errors.New("device lost: the driver gave up on it (a hang, a crash, or it was unplugged)")
	// ErrTimeout is matched by an error of Wait if the device did not finish in time. The device
	// may be hung; Close then frees none of its objects.
	ErrTimeout = errors.New("the device did not finish in time")
)

// CallError is a Vulkan call that failed: "gpu: vkCreateDevice: out of host memory".
type CallError struct {
	Call   string // name of the call
	Result vk.Result
}

func (e *CallError) Error() string { return "gpu: " + e.Call + ": " + resultText(e.Result) }

// Is lets errors.Is find ErrDeviceLost.
func (e *CallError) Is(target error) bool {
	return target == ErrDeviceLost && e.Result == vk.ErrorDeviceLost
}

// MemoryError says how much memory an allocation needs and how much the device has left.
type MemoryError struct{ Need, Have int64 } // bytes

func (e *MemoryError) Error() string {
	need, have := bytesize.Texts(e.Need, e.Have)
	return fmt.Sprintf("out of device memory: needs %s, the device has %s", need, have)
}

// DoesNotFit marks the error for renderer.DoesNotFit.
func (e *MemoryError) DoesNotFit() {}

// SizeError is a request beyond a limit of the device.
type SizeError struct {
	What       string // the buffer or image
	Need, Have int64  // in bytes if Bytes is set
	Limit      string // Vulkan's name of the limit
	Bytes      bool   // whether Need and Have are bytes
}

func (e *SizeError) Error() string {
	need, have := fmt.Sprint(e.Need), fmt.Sprint(e.Have)
	if e.Bytes {
		need, have = bytesize.Texts(e.Need, e.Have)
	}
	return fmt.Sprintf("%s needs %s, the device allows %s (%s)", e.What, need, have, e.Limit)
}

// DoesNotFit marks the error for renderer.DoesNotFit.
func (e *SizeError) DoesNotFit() {}

// check turns a result into an error that names the call; positive results (incomplete,
// suboptimal) are not errors.
func check(call string, r vk.Result) error {
	if r >= 0 {
		return nil
	}
	return &CallError{call, r}
}

// List calls list twice: for the number of items, and then for the items.
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
	vk.ErrorIncompatibleDriver:   "no driver that fits (is one installed? Debian and Ubuntu: mesa-vulkan-drivers)",
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
