package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

// CheckExec returns an error if no backend can execute the plan for the camera and the wanted output. Every
// Exec calls it first.
func (p *Plan) CheckExec(camera renderer.Camera, want renderer.Want) error {
	if want&renderer.WantCounts != 0 && p.Frame.NoCounts {
		return errors.New("counts are wanted of a frame that keeps none")
	}
	if want&renderer.WantCounts != 0 && p.Frame.ShownByShape {
		return errors.New("counts of all draws are wanted of a frame that shows those of shapes")
	}
	if want&renderer.WantQueues != 0 && p.Buffer(VertexPositions) == nil {
		return errors.New("queues are wanted of a plan that fills none")
	}
	if want&renderer.WantVisible != 0 && !p.KeepsVisible() {
		return errors.New("visible triangles are wanted of the hardware rasterizer, which does not keep them")
	}
	return camera.CheckFor(float32(max(1, p.Frame.Width)) / float32(max(1, p.Frame.Height)))
}

// KeepsVisible reports whether the plan's raster host records which triangle each pixel shows, or draws nothing.
// Hosts that record triangles agree in every pixel.
func (p *Plan) KeepsVisible() bool { return p.parts().raster.about().visible }

// Overflow returns the error for queues that should have held this many vertices and triangles; nil if they had room.
func (p *Plan) Overflow(vertices, triangles int) error {
	switch {
	case triangles > p.TriangleCapacity:
		return &renderer.OverflowError{Stage: renderer.TriangleQueue, Need: triangles, Have: p.TriangleCapacity}
	case vertices > p.VertexCapacity:
		return &renderer.OverflowError{Stage: renderer.VertexQueue, Need: vertices, Have: p.VertexCapacity}
	}
	return nil
}

// maxReplans is how often a frame is planned again after an overflow.
const maxReplans = 3

// Render plans a frame and executes it (Exec). The plan that worked is returned, to be
// executed for further cameras.
func Render(b Backend, f renderer.Frame, camera renderer.Camera, want renderer.Want) (*renderer.Output, *Plan, error) {
	p, err := newAside(b, f)
	if err != nil {
		return nil, nil, err
	}
	return Exec(b, p, camera, want)
}

// Exec executes a plan. If a queue overflows, it plans again with the need that the backend
// reported. The need of some plans depends on the camera, so a plan that worked for one may
// overflow for another. Exec returns the plan that worked.
func Exec(b Backend, p *Plan, camera renderer.Camera, want renderer.Want) (*renderer.Output, *Plan, error) {
	for try := 1; ; try++ {
		out, err := b.Exec(p, camera, want)
		var overflow *renderer.OverflowError
		if !errors.As(err, &overflow) || try > maxReplans {
			return out, p, err
		}
		f := replan(p, overflow)
		if try == maxReplans {
			f.VertexShare = 1 // the worst case always fits
		}
		next, err := newAside(b, f)
		if err != nil {
			return nil, nil, err
		}
		next.Choice, next.FittedTo = p.Choice, p.FittedTo
		p = next
	}
}

// newAside is New, run by Info.Aside if the backend has it: the device's idle function then runs meanwhile.
func newAside(b Backend, f renderer.Frame) (p *Plan, err error) {
	limits := b.Limits()
	plan := func(ctx context.Context) {
		err = f.Scene.Guard(func() (err error) {
			p, err = newIn(ctx, f, limits)
			return err
		})
	}
	if aside := b.Info().Aside; aside != nil {
		aside(plan)
	} else {
		plan(context.Background())
	}
	return p, err
}

// replan returns the frame with the vertex share that an overflow of the vertex queue showed to be needed; after
// other overflows it is 1. The queue budget stays the same, so chunks become smaller.
func replan(p *Plan, e *renderer.OverflowError) renderer.Frame {
	f := p.Frame
	f.VertexShare = 1
	if e.Stage == renderer.VertexQueue && e.Have > 0 {
		// A tenth more than the need, since the next plan cuts its chunks between other batches.
		f.VertexShare = min(1, 1.1*p.VertexShare*float64(e.Need)/float64(e.Have))
	}
	return f
}

// planner makes a Plan. It holds what is needed only during planning.
type planner struct {
	*Plan
	limits renderer.Limits
	ctx    context.Context // cancels planning when it ends

	kernel     Kernel
	multiplier uint32 // factor that mixes ids, for a strategy that mixes them; else 0
	worst      []int  // [i]: most vertices that the first i batches can yield
	budget     int64  // bytes of a chunk's queues

	windowMost windowUse
	reserve    int64 // bytes of device memory that windows leave free

	ids     map[Block][2]BufferID // a block's buffer for each half or window slot; equal if it has one buffer
	steps   []step                // of the passes so far
	uploads int                   // number of uploads so far
}

func newPlanner(f renderer.Frame, l renderer.Limits) *planner {
	x := resolve(&f)
	return &planner{ctx: context.Background(), Plan: &Plan{Frame: f, Recipe: x.recipe(), plugs: x, Halves: 1, VertexShare: 1}, limits: l, ids: map[Block][2]BufferID{}}
}

// newStrategyPlan plans a frame that a strategy draws, with all sizes chosen.
func newStrategyPlan(ctx context.Context, f renderer.Frame, l renderer.Limits) (*Plan, error) {
	chosen := f.QueueBudget == 0
	if chosen {
		bounded := l
		if f.DeviceBudget > 0 {
			bounded.DeviceBytes = min(cmp.Or(l.DeviceBytes, f.DeviceBudget), f.DeviceBudget)
		}
		f.QueueBudget = bounded.QueueBudget()
	}
	p, err := planFrame(ctx, f, l, whole{}, 0)
	var large *sizeError
	if chosen && errors.As(err, &large) && f.QueueBudget > renderer.LeastQueueBudget {
		f.QueueBudget = renderer.LeastQueueBudget
		p, err = planFrame(ctx, f, l, whole{}, 0)
	}
	if !errors.As(err, &large) {
		return p, err
	}
	if why, ok := Windows.Allows(&f); !ok {
		return nil, fmt.Errorf("%w; %s", err, why)
	}
	first, reserve, whole := err, int64(0), large.need
	for range 8 {
		p, err = planFrame(ctx, f, l, windows{}, reserve)
		if !errors.As(err, &large) || large.excess == 0 {
			break
		}
		reserve += 2*large.excess + 4<<10 // the next cut may need more than estimated
	}
	if room := (*roomError)(nil); f.DeviceBudget > 0 && whole > 0 && errors.As(err, &room) && whole < room.need {
		return nil, fmt.Errorf("device memory of %s is too small: the frame needs about %s", bytesize.Text(room.have), bytesize.Text(whole))
	}
	if fits := errors.As(err, &large) && large.excess == 0; err != nil && !fits && f.DeviceBudget == 0 {
		// The need of the frame without windows says more than why windows do not help.
		return nil, first
	}
	return p, err
}

// planFrame plans the frame with one residency. Windows leave `reserve` bytes of device memory free.
func planFrame(ctx context.Context, f renderer.Frame, l renderer.Limits, r residency, reserve int64) (_ *Plan, err error) {
	defer must.Catch(&err)
	p := newPlanner(f, l)
	p.ctx = ctx
	p.reserve, p.plugs.residency = reserve, r
	p.Recipe = p.plugs.recipe()
	needs := p.plugs.needs(&f, &p.limits)
	must.OK(needs.Check(&p.limits))
	p.kernel, p.Native = *needs.Kernel, needs.Kernel.Native
	must.OK(p.plugs.layOutShade())
	must.OK(r.cut(p))
	if choose := f.Reuse.Strategy.Multiplier; choose != nil {
		p.multiplier = choose(reuse.SampleBatches(p.sample(), p.Frame.Reuse), f.Reuse)
	}
	p.layOutBuffers()
	must.OK(p.checkSizes(l))
	must.OK(p.plugs.raster.fits(p))
	p.listPasses()
	return p.finish(), nil
}

// finish lists the passes of the steps in the plan, and fails for vertex shaders that the device
// cannot run.
func (p *planner) finish() *Plan {
	for _, s := range p.steps {
		for i := range s {
			s[i].Beside = i > 0
		}
		p.Passes = append(p.Passes, s...)
	}
	must.OK(p.checkShade())
	return p.Plan
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// Backend executes plans. It keeps what it made for the last plan, so that executing the same
// plan again needs no set-up.
type Backend interface {
	Info() Info
	// Limits returns what plans must respect now; free memory is part of it.
	Limits() renderer.Limits
	// Set replaces the options. A new backend has the zero Options.
	Set(Options)
	// Exec runs the plan for a camera and reads back what want asks for. If queues were too small,
	// the error is an *OverflowError.
	Exec(p *Plan, camera renderer.Camera, want renderer.Want) (*renderer.Output, error)
	Close()
}

// Info describes a backend, and holds functions that only some backends have; a function is nil if
// the backend does not have it.
type Info struct {
	Name     string // "gpu" or "cpu": the flag value
	Device   string // the device's own name
	Driver   string // name and version; of the CPU backend, Go's version
	Subgroup int    // lanes of the device's subgroups; 0 without subgroups
	Software bool   // whether it is a GPU backend whose device is a CPU

	// Key identifies device and driver, as a key for data kept between runs.
	Key string
	// SetCosts sets Limits.Costs of the backend, and of other backends of its device.
	SetCosts func(*renderer.Costs)

	// Aside runs host work and returns when it is done. Meanwhile the device's idle function runs, if
	// one is set. The work's context ends if Options.Progress returns an error.
	Aside func(work func(context.Context))
	// Compile compiles the missing pipelines of several plans on all cores, in advance. Exec compiles only those of its own plan.
	Compile func(list []*Plan) error
	// Messages returns what the validation layer has reported, also after Close.
	Messages func() []string
	// CopyBandwidth measures how fast the device copies memory, in bytes read plus bytes written
	// per second.
	CopyBandwidth func() (float64, error)
	// HardwareCounts draws a scene with the graphics pipeline. It returns how often the vertex
	// shader ran: for each (draw, vertex) pair, laid out as by reuse.Analyze, and in all, from the
	// pipeline's statistics. A number that the device cannot count is nil or 0.
	HardwareCounts func(s *geometry.Scene) (counts []uint32, invocations uint64, err error)
	// HardwareLacks says in a line what HardwareCounts cannot count; empty if nothing.
	HardwareLacks string
}

// Options change how a backend executes plans. A backend ignores options that do not
// concern it.
type Options struct {
	Keep int // number of plans that stay recorded, each with its own queues, so that several can be used in turn; 0 means 1

	// Progress is called by Exec with 0 before it compiles a pipeline, and after each part with the
	// share that is done. If it returns an error, Exec cancels the rest, waits for what was
	// submitted, and returns that error. May be nil.
	Progress func(done float64) error

	// Stepwise submits a plan step by step, so that other submissions need not wait for all of it;
	// a plan in windows is always submitted by window. It affects plans that are recorded from
	// then on.
	Stepwise bool

	// KeepOnce runs passes that give the same result for every camera only at the first Exec of a
	// kept plan. Only the output of this Exec has their timings and Cooperated.
	KeepOnce bool
}

// Tell reports progress: `done` of the `of` parts are done. If it returns an error, the caller must cancel the others.
func (o *Options) Tell(done, of int) error {
	if o.Progress == nil {
		return nil
	}
	return o.Progress(float64(done) / float64(of))
}
