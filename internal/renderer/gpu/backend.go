//go:build cgo

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// BackendOptions say which device OpenBackend opens.
type BackendOptions struct {
	Device     string // index, or a part of the name, for Choose; empty for the default
	Validation bool   // turns the validation layer on
	// PipelineBytes bounds the estimated memory of kept pipelines; 0 means the default.
	PipelineBytes int64
}

// Backend executes plans on a device. It is a plan.Backend.
type Backend struct {
	device   *Device
	instance *Instance // closed with the backend; nil if the device is the caller's
	scene    *sceneBuffers

	bandwidth     float64 // result of copyBandwidth; 0 until it is measured
	options       plan.Options
	partTriangles int // a part ends after this many triangles

	front         *Image // the image of Show
	frontCommands *Commands

	recordings []*recording // least recently executed first
	lent       []*recording // recordings of Recorders
}

var _ plan.Backend = (*Backend)(nil)

// OpenBackend opens a device without a window, and a backend on it.
func OpenBackend(o BackendOptions) (*Backend, error) {
	in, err := NewInstance(Options{Validation: o.Validation})
	if err != nil {
		return nil, err
	}
	d, err := openChosen(in, o.Device, OpenOptions{PipelineBytes: o.PipelineBytes})
	if err != nil {
		in.Close()
		return nil, err
	}
	b := NewBackend(d)
	b.instance = in
	return b, nil
}

func openChosen(in *Instance, device string, o OpenOptions) (_ *Device, err error) {
	defer must.Catch(&err)
	infos := must.Get(Devices(in))
	return Open(in, infos[must.Get(Choose(infos, device))], o)
}

// NewBackend makes a backend on a device that the caller continues to own.
func NewBackend(d *Device) *Backend {
	b := &Backend{device: d, partTriangles: partTriangles}
	if d.Info.Type == TypeCPU {
		b.partTriangles = partTrianglesSoftware
	}
	return b
}

// GPU returns the device, for work that is not a plan. Objects that the caller makes on it belong
// to the caller.
func (b *Backend) GPU() *Device { return b.device }

// Info describes the device. GPU().Info has all known properties.
func (b *Backend) Info() plan.Info {
	d := &b.device.Info
	return plan.Info{
		Name: "gpu", Device: d.Name, Driver: d.DriverName + " " + d.DriverInfo, Subgroup: d.Subgroup.Size, Software: d.Type == TypeCPU,
		Key: d.key(), SetCosts: func(c *renderer.Costs) { b.device.costs = c },
		Aside: b.aside, Compile: b.compilePlans, Messages: b.Messages, CopyBandwidth: b.copyBandwidth,
		HardwareCounts: b.hardwareCounts, HardwareLacks: d.hardwareLacks(),
	}
}

// aside calls Device.Aside. After each call of Device.Idle it asks Options.Progress whether the work
// should continue.
func (b *Backend) aside(work func(context.Context)) {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	d := b.device
	if idle, progress := d.Idle, b.options.Progress; idle != nil && progress != nil {
		d.Idle = func(submitted bool) {
			idle(submitted)
			if err := progress(0); err != nil {
				stop(err)
			}
		}
		defer func() { d.Idle = idle }()
	}
	d.Aside(func() { work(ctx) })
}

// Messages returns what the validation layer reported; also after Close.
func (b *Backend) Messages() []string { return b.device.instance.Messages() }

// Limits returns the limits that plans must respect on this device. Memory that the next plan
// replaces or shares counts as free.
func (b *Backend) Limits() renderer.Limits {
	l := b.device.Info.PlanLimits()
	l.DeviceBytes = max(1, b.device.MemoryFree()+b.held()) // 0 would mean unknown
	l.Costs = b.device.costs
	l.Shared = slices.ContainsFunc(b.device.Info.memoryTypes, func(t memoryType) bool { return t.flags&sharedMemory == sharedMemory })
	return l
}

// held returns the bytes of memory that the next plan replaces or shares.
func (b *Backend) held() int64 {
	n := int64(0)
	if b.scene != nil {
		n += b.scene.bytes()
	}
	for _, r := range b.recordings[:max(0, len(b.recordings)-b.keep()+1)] {
		n += r.bytes()
	}
	return n
}

// Set replaces the options, and frees recordings beyond Options.Keep.
func (b *Backend) Set(o plan.Options) {
	b.options = o
	b.closeRecordings(b.keep())
}

// keep returns how many recordings the backend keeps.
func (b *Backend) keep() int { return max(1, b.options.Keep) }

// Holding counts the resources that a backend's device holds.
type Holding struct {
	Bytes       int64 // memory on the device and for transfers, including staging
	Allocations int   // number of memory allocations
	Pipelines   int   // number of compiled pipelines, of all backends of the device
}

// Holding returns what the backend's device holds now.
func (b *Backend) Holding() Holding {
	return Holding{b.device.held, b.device.allocations, len(b.device.pipelines.kept)}
}

// Exec runs a plan. It records the plan first, unless the recording is kept (Options.Keep).
// Errors: *renderer.OverflowError, *MemoryError, *SizeError, *CallError, errors that match
// ErrDeviceLost or ErrTimeout, and those of Options.Progress. After a *MemoryError the device holds
// nothing of the frame, of kept plans or of the scene.
func (b *Backend) Exec(p *plan.Plan, camera renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	out, err := b.exec(p, camera, want)
	b.freeIfFull(err)
	if err != nil {
		b.dropUnfinished()
		return nil, err
	}
	return out, nil
}

// freeIfFull frees everything that frames hold if err is a *MemoryError.
func (b *Backend) freeIfFull(err error) {
	var memory *MemoryError
	if errors.As(err, &memory) {
		b.closeFrames()
		b.closeFront()
	}
}

func (b *Backend) exec(p *plan.Plan, camera renderer.Camera, want renderer.Want) (_ *renderer.Output, err error) {
	defer must.Catch(&err)
	must.OK(p.CheckExec(camera, want))
	must.OK(checkHost(p))
	r := b.recorded(p)
	keeps := p.Lean && want&(renderer.WantVisible|renderer.WantDepth) != 0
	must.OK(r.setCamera(camera, keeps))
	r.tidy()
	r.run(want)
	r.lean.dirty = keeps
	must.OK(r.loopsEnded())
	if err := r.overflow(); err != nil {
		// The caller will replace a plan that overflowed. Its recording is freed now, so that the new plan's
		// recording does not evict another.
		r.close()
		b.recordings = slices.Delete(b.recordings, len(b.recordings)-1, len(b.recordings))
		return nil, err
	}
	return r.output(want), nil
}

// checkHost returns an error for a plan that only the CPU backend draws.
func checkHost(p *plan.Plan) error {
	if p.Backend() == "cpu" {
		return fmt.Errorf("gpu: the %s rasterizer runs on the cpu backend", p.Frame.Raster)
	}
	return nil
}

// dropUnfinished frees recordings that were cancelled before every run-once pass had run.
func (b *Backend) dropUnfinished() {
	b.recordings = slices.DeleteFunc(b.recordings, func(r *recording) bool {
		drop := r.unfinished()
		if drop {
			r.close()
		}
		return drop
	})
}

// closeRecordings frees all recordings but the `left` that were executed last.
func (b *Backend) closeRecordings(left int) {
	for len(b.recordings) > left {
		b.recordings[0].close()
		b.recordings = slices.Delete(b.recordings, 0, 1) // Delete clears the freed entry, which refers to a scene
	}
}

func (b *Backend) closeFrames() {
	b.closeRecordings(0)
	b.scene.close()
	b.scene = nil
}

// recorded returns the recording of a plan, and makes it if none is kept. It first frees what the
// new recording replaces, so that memory need not hold both.
func (b *Backend) recorded(p *plan.Plan) *recording {
	if i := slices.IndexFunc(b.recordings, func(r *recording) bool { return r.plan == p }); i >= 0 {
		r := b.recordings[i]
		b.recordings = append(slices.Delete(b.recordings, i, i+1), r)
		return r
	}
	b.closeRecordings(b.keep() - 1)
	b.device.pipelines.evict()
	switch {
	case p.Gathered: // such a plan has its own pools, and needs the memory
		b.closeFrames()
	case b.scene == nil || b.scene.scene != p.Frame.Scene:
		b.closeFrames()
		b.scene = must.Get(b.uploadScene(p, nil))
		if err := p.Frame.Scene.Changed(); err != nil { // the device trusts every index
			b.closeFrames()
			must.OK(err)
		}
	}
	r := &recording{backend: b, plan: p, scene: b.scene, sets: map[setKey]*Set{}}
	if err := r.build(); err != nil {
		r.close()
		must.OK(err)
	}
	b.recordings = append(b.recordings, r)
	return r
}

// Reset frees the memory of frames and restores a new backend's options.
func (b *Backend) Reset() {
	b.closeFrames()
	b.closeFront()
	b.options = plan.Options{}
}

// Close frees what the backend made, except pipelines: other backends of the device may use them. If
// OpenBackend opened the device, Close closes it, too.
func (b *Backend) Close() {
	b.Reset()
	b.frontCommands.Close()
	b.frontCommands = nil
	if b.instance == nil {
		return
	}
	_ = b.device.Close()  // nothing can be done about a device that cannot be closed
	if !b.device.Lost() { // a lost device is not freed, so its instance cannot be
		b.instance.Close()
	}
}

var errShaderCount = errors.New("gpu: a pass needs one compute shader, or a vertex and a fragment shader")
