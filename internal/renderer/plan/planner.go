package plan

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

// planner makes a Plan. It holds what only planning needs.
type planner struct {
	*Plan
	limits renderer.Limits

	kernel     Kernel
	multiplier uint32 // of ids, for a strategy that mixes them; else 0
	worst      []int  // most vertices that the first i batches can yield
	budget     int64  // bytes of a chunk's queues

	windowMost windowUse
	reserve    int64 // bytes that windows leave free

	ids     map[Block][2]BufferID // both are the same if a block has one buffer
	steps   []step                // of the passes so far
	uploads int                   // so far
}

func newPlanner(f renderer.Frame, l renderer.Limits) *planner {
	x := resolve(&f)
	return &planner{Plan: &Plan{Frame: f, Recipe: x.recipe(), plugs: x, Halves: 1, VertexShare: 1}, limits: l, ids: map[Block][2]BufferID{}}
}

// newStrategyPlan plans a frame that a strategy draws, with all sizes chosen.
func newStrategyPlan(f renderer.Frame, l renderer.Limits) (*Plan, error) {
	chosen := f.QueueBudget == 0
	if chosen {
		bounded := l
		if f.DeviceBudget > 0 {
			bounded.DeviceBytes = min(cmp.Or(l.DeviceBytes, f.DeviceBudget), f.DeviceBudget)
		}
		f.QueueBudget = bounded.QueueBudget()
	}
	p, err := planFrame(f, l, whole{}, 0)
	var large *sizeError
	if chosen && errors.As(err, &large) && f.QueueBudget > renderer.LeastQueueBudget {
		f.QueueBudget = renderer.LeastQueueBudget
		p, err = planFrame(f, l, whole{}, 0)
	}
	if !errors.As(err, &large) {
		return p, err
	}
	if why, ok := Windows.Allows(&f); !ok {
		return nil, fmt.Errorf("%w; %s", err, why)
	}
	first, reserve := err, int64(0)
	for range 8 {
		p, err = planFrame(f, l, windows{}, reserve)
		if !errors.As(err, &large) || large.excess == 0 {
			break
		}
		reserve += 2*large.excess + 4<<10 // another cut may be larger than hoped
	}
	if fits := errors.As(err, &large) && large.excess == 0; err != nil && !fits && f.DeviceBudget == 0 {
		// The frame's own need is more informative than why windows do not help.
		return nil, first
	}
	return p, err
}

// planFrame plans the frame with one residency. Windows leave reserve bytes free.
func planFrame(f renderer.Frame, l renderer.Limits, r residency, reserve int64) (_ *Plan, err error) {
	defer must.Catch(&err)
	p := newPlanner(f, l)
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
