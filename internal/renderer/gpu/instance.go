//go:build cgo

package gpu

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"sync"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

const validationLayer = "VK_LAYER_KHRONOS_validation"

// Options configure an Instance; the zero value is valid.
type Options struct {
	AppName string
	// Validation enables core and synchronization validation, which is slow and fills
	// Instance.Messages. SHADEONCE_VALIDATION=1 does the same.
	Validation bool
	// Extensions are the instance extensions that a window surface needs.
	Extensions []string
	// GetProcAddr is a window library's vkGetInstanceProcAddr; nil opens LoaderLibrary.
	GetProcAddr unsafe.Pointer
}

// Instance is a connection to the Vulkan loader. vulkan-go keeps entry points in globals, so
// surface functions work only for the instance made last.
type Instance struct {
	ext        extInstance
	validation bool
	closed     []string // messages kept at Close
	api        vk.Version
	isClosed   bool
}

// NewInstance connects to the loader. Errors: *LoaderError, ErrNoValidation,
// *CallError.
func NewInstance(o Options) (_ *Instance, err error) {
	defer must.Catch(&err)
	loading.Lock()
	defer loading.Unlock()
	getProcAddr := must.Get(openLoader(o.GetProcAddr, LoaderLibrary))
	validation := o.Validation || os.Getenv(ValidationVariable) == "1"
	if validation && !extHasLayer(getProcAddr, validationLayer) {
		return nil, ErrNoValidation
	}
	extensions := slices.Clone(o.Extensions)
	debugUtils := validation || extHasExtension(getProcAddr, "VK_EXT_debug_utils")
	if debugUtils && !slices.Contains(extensions, "VK_EXT_debug_utils") {
		extensions = append(extensions, "VK_EXT_debug_utils")
	}
	if validation {
		extensions = append(extensions, "VK_EXT_validation_features")
	}
	// A 1.0 loader refuses any other version; later loaders accept versions that they do not know.
	api := min(extInstanceVersion(getProcAddr), vk.Version(vk.MakeVersion(1, 3, 0)))
	ext, r := extCreateInstance(getProcAddr, cmp.Or(o.AppName, "shadeonce"), api, extensions, validation, debugUtils)
	must.OK(check("vkCreateInstance", r))
	in := &Instance{ext: ext, validation: validation, api: api}
	if err := vk.InitInstance(ext.handle()); err != nil {
		in.Close()
		return nil, fmt.Errorf("gpu: %w", err)
	}
	return in, nil
}

// Handle returns the VkInstance, for making surfaces.
func (in *Instance) Handle() vk.Instance { return in.ext.handle() }

// API returns the version for which the instance was made: "1.3.0".
func (in *Instance) API() string { return in.api.String() }

// Validation reports whether the validation layer is on.
func (in *Instance) Validation() bool { return in.validation }

// Messages returns what the validation layer has reported, oldest first, at most 256 messages. It
// may be called after Close, which reports leaks.
func (in *Instance) Messages() []string {
	if in.isClosed {
		return in.closed
	}
	return in.ext.messages(false)
}

// ClearMessages deletes the messages so far.
func (in *Instance) ClearMessages() {
	in.closed = nil
	if !in.isClosed {
		in.ext.messages(true)
	}
}

// Close closes the connection. Devices must be closed before.
func (in *Instance) Close() {
	if in.isClosed {
		return
	}
	in.ext.destroy()
	in.closed = in.ext.messages(true)
	in.isClosed = true
	in.ext.free()
}

// ListDevices returns the Devices of a temporary instance.
func ListDevices() ([]DeviceInfo, error) {
	in, err := NewInstance(Options{})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return Devices(in)
}

// Devices lists the devices of all drivers, in the loader's order, which defines the indices for
// Choose. An empty list is not an error.
func Devices(in *Instance) ([]DeviceInfo, error) {
	handles, err := List("vkEnumeratePhysicalDevices", func(n *uint32, list []vk.PhysicalDevice) vk.Result {
		return vk.EnumeratePhysicalDevices(in.Handle(), n, list)
	})
	var infos []DeviceInfo
	for _, h := range handles {
		infos = append(infos, in.ext.query(h))
	}
	return infos, err
}

// vulkan-go keeps its entry points in C globals. loading guards them. loaded says that the
// instance-independent entry points are set: setting them again would clear those of an open
// instance.
var (
	loading sync.Mutex
	loaded  bool
)

// openLoader makes vulkan-go use the given vkGetInstanceProcAddr (a window library's) or, if it is
// nil, that of the library. The caller must hold the mutex `loading`.
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
