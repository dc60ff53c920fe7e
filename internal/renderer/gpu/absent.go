//go:build !cgo

package gpu

import (
	"errors"
	"unsafe"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// Absent says why the program has no Vulkan; nil if it was built with Vulkan.
var Absent = errors.New("this program was built without Vulkan")

var errAbsent = &LoaderError{Absent}

// Stand-ins for the parts of a device. No device can be opened, so no value of these types exists,
// and functions that take them are never called.
type (
	Backend  struct{ plan.Backend }
	Device   struct{ Info DeviceInfo }
	Buffer   struct{ Size int64 }
	Commands struct{}
	Recorder struct{}
	Instance struct{}
	Usage    uint32

	physicalDevice struct{}
	memoryType     struct{}
)

// The settings and constants that callers name.
type (
	Options        struct{ Validation bool }
	BackendOptions struct {
		Device        string
		Validation    bool
		PipelineBytes int64
	}
	CallError struct {
		error
		Call string
	}
)

const UsageStorage Usage = 0

var stageBits map[shaders.Stage]uint32

// Functions that would open a device fail with Absent's text.

func OpenBackend(BackendOptions) (*Backend, error) { return nil, errAbsent }
func NewInstance(Options) (*Instance, error)       { return nil, errAbsent }
func Devices(*Instance) ([]DeviceInfo, error)      { return nil, errAbsent }
func ListDevices() ([]DeviceInfo, error)           { return nil, errAbsent }

// Functions that callers use with a device.

func Adopt(Handles) (*Device, error)                              { return nil, errAbsent }
func NewBackend(*Device) *Backend                                 { return nil }
func (*Device) AdoptBuffer(string, unsafe.Pointer, int64) *Buffer { return nil }
func (*Device) Close() error                                      { return nil }
func (*Recorder) SetCamera(renderer.Camera) error                 { return errAbsent }
func (*Recorder) Record(unsafe.Pointer) error                     { return errAbsent }
func (*Recorder) Overflow() error                                 { return errAbsent }
func (*Instance) Close()                                          {}
func (*Instance) API() string                                     { return "" }
func (*Backend) GPU() *Device                                     { return nil }
func (*Backend) NewRecorder(*plan.Plan, map[plan.Block]*Buffer) (*Recorder, error) {
	return nil, errAbsent
}
func (*Device) NewBuffer(string, int64, Usage) (*Buffer, error) { return nil, errAbsent }
func (*Device) NewCommands(string) (*Commands, error)           { return nil, errAbsent }
func (*Buffer) Close()                                          {}
func (*Commands) Begin()                                        {}
func (*Commands) End() error                                    { return errAbsent }
func (*Commands) Run() error                                    { return errAbsent }
func (*Commands) Timings() ([]renderer.Timing, error)           { return nil, errAbsent }
func (*Commands) Close()                                        {}
func (*Recorder) RecordPasses(*Commands, []plan.Pass) error     { return errAbsent }
func (*Recorder) Buffer(plan.Block) *Buffer                     { return nil }
func (*Recorder) Close()                                        {}
func Upload[T any](*Device, *Buffer, []T) error                 { return errAbsent }
func UploadAt[T any](*Device, *Buffer, int, []T) error          { return errAbsent }
func Download[T any](*Device, *Buffer, int) ([]T, error)        { return nil, errAbsent }
func DownloadAt[T any](*Device, []T, *Buffer, int) error        { return errAbsent }
