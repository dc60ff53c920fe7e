package gpu

import (
	"errors"
	"fmt"

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

// ValidationVariable is the environment variable that, set to 1, enables the validation layer in
// every Instance.
const ValidationVariable = "SHADEONCE_VALIDATION"

// ErrNoValidation means that validation was requested and its layer is not installed.
var ErrNoValidation = errors.New("the validation layer is not installed (" + LayerRemedy + "; or unset " + ValidationVariable + ")")

// LoaderError means that the Vulkan loader (LoaderLibrary) could not be used, or that the program
// was built without Vulkan.
type LoaderError struct{ Cause error }

func (e *LoaderError) Error() string {
	if Absent != nil {
		return Absent.Error()
	}
	return fmt.Sprintf("no Vulkan loader: %v; install it (%s)", e.Cause, LoaderRemedy)
}

func (e *LoaderError) Unwrap() error { return e.Cause }

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
