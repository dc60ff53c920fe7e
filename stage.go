package shadeonce

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
	"github.com/shadeonce/shadeonce/renderer"
)

// Stream is an index stream: a list of ids, whose length is a multiple of 3. Every id is less than the field IDs.
type Stream = reuse.Stream

// Function is the caller's own shade function, compiled into a strategy. Its field Tables has an entry
// for each buffer that the function declares; the field Name of an entry is the buffer's name.
type Function = plan.OwnFunction

// ReadFunction reads SPIR-V that was compiled from the strategy's file in shaders/geometry with
// -DFUNCTION=FUNCTION_OWN (docs/apps.md). For multi with a function whose corners take results, it also takes a
// second module, compiled from multi-expand.
func ReadFunction(strategy string, spirv ...[]byte) (*Function, error) {
	s, err := reuse.Lookup(strategy)
	if err != nil {
		return nil, err
	}
	return plan.ReadFunction(s, spirv...)
}

// Stage is a shade function in a strategy, with the sizes and data that it needs to shade a stream.
type Stage struct {
	Strategy  string // the strategy into which Function was compiled
	Function  *Function
	Held      int               // bytes of a result, in std430, if corners take results; else 0
	Arguments [4]uint32         // push constants of the function
	Constants map[string]uint32 // specialization constants that the function's own source declares; no others are allowed
	Tables    []Table           // one for each of Function.Tables
}

// Table is a buffer of a shade function: Read or Write makes it.
type Table = stream.Block

// Read returns a table that the function reads, for the named block, which is not writeonly. Elements consist of numbers, in the
// layout of the shader.
func Read[T any](block string, data []T) Table { return stream.Table(plan.Block(block), data) }

// Write returns a table of n elements that the function writes, for the named block, which is not readonly.
func Write[T any](block string, n int) Table { return stream.Result[T](plan.Block(block), n) }

// Results are the outputs of Shade on the device.
type Results struct {
	Counts Counts
	Took   time.Duration // the device's time, which includes counting

	backend *gpu.Backend
	tables  stream.Tables
}

// Close frees the tables.
func (r *Results) Close() {
	if r != nil {
		r.tables.Close()
		r.tables = nil
	}
}

// Shade shades a stream on a Vulkan device. The lengths of tables are not checked, except that none is empty: the
// function must not read or write beyond them.
func (d *Device) Shade(ctx context.Context, s Stream, by Stage) (_ *Results, err error) {
	defer must.Catch(&err)
	b := must.Get(d.gpu())
	if ctx == nil || by.Function == nil {
		must.Fail("shadeonce: Shade without a context or a function")
	}
	must.Get(reuse.Lookup(by.Strategy)) // auto is none
	c := must.Get(reuse.Resolve(by.Strategy, 0, 0))
	must.OK(stream.CheckOwn(by.Function, by.Tables...))
	r := &Results{backend: b, tables: must.Get(stream.NewTables(b, by.Tables...))}
	if err := r.run(ctx, s, stream.Options{Function: plan.Function{
		Name: "own", Shader: by.Function, Reuse: c, Held: by.Held, Arguments: by.Arguments, Spec: by.Constants,
	}}); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Results) run(ctx context.Context, s Stream, o stream.Options) error {
	run, err := stream.NewRun(r.backend, s, r.tables, o)
	if err != nil {
		return err
	}
	defer run.Close()
	if r.Took, err = run.Do(ctx); err == nil {
		r.Counts.Stats, r.Counts.PerVertex, err = run.Counts()
	}
	return err
}

// Load returns the first n elements of a table of the results.
func Load[T any](r *Results, block string, n int) ([]T, error) {
	if r == nil || r.tables[plan.Block(block)] == nil {
		return nil, fmt.Errorf("shadeonce: no table %q in the results", block)
	}
	return stream.Load[T](r.backend, r.tables[plan.Block(block)], n)
}

// Handles are a caller's Vulkan objects, from any binding of Vulkan.
type Handles struct {
	GetProcAddr unsafe.Pointer // vkGetInstanceProcAddr; nil means that of the system's Vulkan loader
	Instance    unsafe.Pointer // VkInstance
	API         uint32         // the instance's API version, at least 1.1, as VK_MAKE_API_VERSION makes it
	Physical    unsafe.Pointer // VkPhysicalDevice
	Device      unsafe.Pointer // VkDevice
	Queue       unsafe.Pointer // VkQueue; must support compute
	Family      int            // index of the queue's family
	Features    Features
}

// Features are the optional features with which a caller created its device. Most fields have the name of a
// Vulkan feature, shortened: VertexStores is vertexPipelineStoresAndAtomics. Work that needs other features is
// refused, or done without them.
type Features struct {
	Int64, Int64Atomics, SharedInt64Atomics, ImageInt64Atomics bool
	PipelineStatistics, VertexStores, FragmentStores           bool
	PrimitiveID                                                bool // gl_PrimitiveID in fragment shaders: geometryShader
	DrawParameters                                             bool
	SubgroupSizeControl, FullSubgroups                         bool
	Synchronization2, MemoryModel                              bool
	Int8, Int16, ScalarLayout                                  bool
	MultiDraw                                                  bool // multiDrawIndirect and drawIndirectFirstInstance
	Float64, Float16                                           bool
	MeshShader                                                 bool
	ClipDistance, CullDistance                                 bool
}

// Adopt makes a Device from a caller's device. Close frees none of the caller's objects. While a
// method runs, the caller must not use the queue.
func Adopt(h Handles) (*Device, error) {
	if h.Instance == nil || h.Physical == nil || h.Device == nil || h.Queue == nil || h.Family < 0 {
		return nil, errors.New("shadeonce: Adopt without an instance, a physical device, a device or a queue")
	}
	device, err := gpu.Adopt(gpu.Handles{
		GetProcAddr: h.GetProcAddr, Instance: h.Instance, API: h.API, Physical: h.Physical, Device: h.Device, Queue: h.Queue, Family: h.Family,
		Features: gpu.Features(h.Features),
	})
	if err != nil {
		return nil, err
	}
	return &Device{backend: gpu.NewBackend(device), adopted: device}, nil
}

// Recorder records a scene's geometry stage into the caller's command buffers.
type Recorder struct{ of *gpu.Recorder }

// Record records the passes into a VkCommandBuffer, which has begun and is not in a render pass. The
// passes see earlier writes, and later commands see the writes of the passes. The command buffer may
// be submitted many times, one submission after the other.
func (r *Recorder) Record(commands unsafe.Pointer) error {
	if r == nil || r.of == nil || commands == nil {
		return errors.New("shadeonce: no recorder, it was closed, or no command buffer")
	}
	return r.of.Record(commands)
}

// Overflow returns an error if a queue was too small in the last submission, which must have ended.
func (r *Recorder) Overflow() error {
	if r == nil || r.of == nil {
		return errors.New("shadeonce: no recorder, or it was closed")
	}
	return r.of.Overflow()
}

// SetCamera sets the camera of later submissions. No submission may be running.
func (r *Recorder) SetCamera(c Camera) error {
	if r == nil || r.of == nil {
		return errors.New("shadeonce: no recorder, or it was closed")
	}
	return r.of.SetCamera(c)
}

// Close frees what the recorder made.
func (r *Recorder) Close() {
	if r != nil && r.of != nil {
		r.of.Close()
		r.of = nil
	}
}

// NewRecorder plans a frame of a scene: without Frame.Raster only the geometry stage, with "compute" or "fused" a
// picture in PictureColor, and with "hardware" the inputs of an indexed, indirect draw by the caller (Corners,
// QueueStates). For each of the stage's blocks ("Positions", "Indices", "Counts", "VertexPositions", ...) it
// asks `own` for a VkBuffer with the usages storage and transfer. If `own` is nil or returns nil, it allocates the block.
// If the host fills a block, a caller that supplies its buffer must fill it. The vertex queue has room for the worst case.
func (d *Device) NewRecorder(s *Scene, f Frame, own func(block string, bytes int64) (unsafe.Pointer, error)) (_ *Recorder, err error) {
	defer must.Catch(&err)
	b := must.Get(d.gpu())
	frame := must.Get(d.frame(s, &f))
	if frame.VertexShare = 1; f.Raster == "" {
		frame.NoRaster, frame.View = true, renderer.NoView
	}
	p := must.Get(plan.New(frame, b.Limits()))
	given := map[plan.Block]*gpu.Buffer{}
	for _, x := range p.Buffers {
		if own == nil || given[x.Block] != nil {
			continue
		}
		if handle := must.Get(own(string(x.Block), x.Bytes)); handle != nil {
			given[x.Block] = b.GPU().AdoptBuffer(string(x.Block), handle, x.Bytes)
		}
	}
	r := must.Get(b.NewRecorder(p, given))
	camera := renderer.CountCamera(s.Bounds())
	if f.Camera != nil {
		camera = *f.Camera
	} else if f.Raster != "" {
		camera = must.Get(FitCamera(s, f.Width, f.Height))
	}
	if err := r.SetCamera(camera); err != nil {
		r.Close()
		return nil, err
	}
	return &Recorder{r}, nil
}
