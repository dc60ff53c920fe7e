package plan

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// planner makes a Plan. It holds what only planning needs.
type planner struct {
	*Plan
	limits renderer.Limits

	kernel     Kernel
	multiplier uint32  // of ids, for a strategy that mixes them; else 0
	worst      []int   // vertices that the first i batches yield at most
	budget     int64   // bytes of a chunk's queues
	cells      float32 // lattice cells per scene unit of displacement; 0 until a pass needs it
	height     float32 // of displacement, in scene units

	windowMost windowUse
	reserve    int64 // bytes that windows leave free

	ids     map[Block][2]BufferID // both the same where a block has one buffer
	steps   []step                // of the passes so far
	uploads int                   // so far
}

func newPlanner(f renderer.Frame, l renderer.Limits) *planner {
	return &planner{Plan: &Plan{Frame: f, Halves: 1, VertexShare: 1}, limits: l, ids: map[Block][2]BufferID{}}
}

// New lays a frame out within the limits of a backend.
func New(f renderer.Frame, l renderer.Limits) (*Plan, error) {
	p, err := newPlan(f, l)
	var lacking *CapabilityError
	if errors.As(err, &lacking) {
		lacking.Runs = Strategies(l)
	}
	return p, err
}

// newPlan builds the plan; New adds the strategies that would run to its errors. What
// the device cannot hold is planned again in windows.
func newPlan(f renderer.Frame, l renderer.Limits) (*Plan, error) {
	if f.Raw {
		if f.Raster == renderer.AutoRaster {
			f.Raster = renderer.HardwareRaster
		}
		return rawPlan(f, l)
	}
	if err := f.Check(l); err != nil {
		return nil, err
	}
	if err := checkSurface(f.Scene); err != nil {
		return nil, err
	}
	var first error
	list := candidatesFor(f, l)
	for i := range list {
		p, err := newStrategyPlan(list[i].frame, l)
		if err == nil {
			p.Choice = list[i:].why(&f, l)
			if f.Reuse.FitBatch {
				p.FittedTo = l.Multiprocessors
			}
			return p, nil
		}
		first = cmp.Or(first, err) // compute, for one, may need more workgroups than there are
	}
	return nil, first
}

// newStrategyPlan plans a frame that is drawn by a strategy with all sizes chosen.
func newStrategyPlan(f renderer.Frame, l renderer.Limits) (*Plan, error) {
	chosen := f.QueueBudget == 0
	if chosen {
		bounded := l
		if f.DeviceBudget > 0 {
			bounded.DeviceBytes = min(cmp.Or(l.DeviceBytes, f.DeviceBudget), f.DeviceBudget)
		}
		f.QueueBudget = bounded.QueueBudget()
	}
	p, err := planFrame(f, l, (*planner).cutStream, 0)
	var large *sizeError
	if chosen && errors.As(err, &large) && f.QueueBudget > renderer.LeastQueueBudget {
		f.QueueBudget = renderer.LeastQueueBudget
		p, err = planFrame(f, l, (*planner).cutStream, 0)
	}
	if !errors.As(err, &large) {
		return p, err
	}
	if why := canWindow(&f); why != "" {
		return nil, fmt.Errorf("%w; %s", err, why)
	}
	whole, reserve := err, int64(0)
	for range 8 {
		p, err = planFrame(f, l, (*planner).cutWindows, reserve)
		if !errors.As(err, &large) || large.excess == 0 {
			break
		}
		reserve += 2*large.excess + 4<<10 // what is cut anew need not be as small as hoped
	}
	if fits := errors.As(err, &large) && large.excess == 0; err != nil && !fits && f.DeviceBudget == 0 {
		// What the frame would need says more than why windows would not do.
		return nil, whole
	}
	return p, err
}

// planFrame plans the frame with the stream cut by cut.
func planFrame(f renderer.Frame, l renderer.Limits, cut func(*planner) error, reserve int64) (*Plan, error) {
	p := newPlanner(f, l)
	p.reserve = reserve
	var err error
	if p.kernel, err = NewKernel(f.Reuse, f.Subgroups, heldBytes(&f), f.Fuses(), &p.limits); err != nil {
		return nil, err
	}
	p.Native = p.kernel.Native
	if err := p.makeCustom(); err != nil {
		return nil, err
	}
	if err := cut(p); err != nil {
		return nil, err
	}
	if choose := f.Reuse.Strategy.Multiplier; choose != nil {
		p.multiplier = choose(reuse.SampleBatches(p.sample(), p.Frame.Reuse), f.Reuse)
	}
	p.layOutBuffers()
	if err := p.checkSizes(l); err != nil {
		return nil, err
	}
	if err := p.checkRaster(); err != nil {
		return nil, err
	}
	p.listPasses()
	return p.finish()
}

// finish lists the passes of the steps in the plan, and refuses shaders that the device
// cannot run.
func (p *planner) finish() (*Plan, error) {
	for _, s := range p.steps {
		for i := range s {
			s[i].Beside = i > 0
		}
		p.Passes = append(p.Passes, s...)
	}
	if err := p.checkShaders(); err != nil {
		return nil, err
	}
	if err := p.checkCustom(); err != nil {
		return nil, err
	}
	return p.Plan, nil
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
