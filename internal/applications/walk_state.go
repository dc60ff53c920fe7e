package applications

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/renderer/stream"
)

// walkState is a walk under way by a strategy, on the CPU (cpuWalk) or on a device
// (stream.Walk, stream.WalkParts).
type walkState interface {
	Sort(context.Context) (time.Duration, error)
	Advance(context.Context) (stream.WalkTime, error)
	Counts() ([]uint32, error) // how often the last step shaded each cell
	Occupancy(context.Context) ([]uint32, error)
	Agents(context.Context) ([]uint32, error)
	// Moved is where agents stood before the last step and stand now, of about most of
	// them at most; nil at the start.
	Moved(ctx context.Context, most int) (before, after []uint32, err error)
	Close()
}

// cpuWalk is the reference.
type cpuWalk struct {
	walk.Walk
	config reuse.Config
	counts []uint32
	before []uint32
}

func (w *cpuWalk) Sort(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	err := w.Walk.Sort(ctx)
	return time.Since(began), err
}

func (w *cpuWalk) Advance(ctx context.Context) (t stream.WalkTime, err error) {
	before, began := w.Walk.Agents, time.Now()
	if _, w.counts, err = w.Walk.Advance(ctx, w.config); err != nil {
		return t, err
	}
	w.before = before
	return stream.WalkTime{Shading: time.Since(began)}, nil
}

func (w *cpuWalk) Counts() ([]uint32, error) { return w.counts, nil }

func (w *cpuWalk) Occupancy(context.Context) ([]uint32, error) { return w.Walk.Occupancy(), nil }

func (w *cpuWalk) Agents(context.Context) ([]uint32, error) { return w.Walk.Agents, nil }

func (w *cpuWalk) Moved(_ context.Context, most int) (before, after []uint32, err error) {
	n := min(most, len(w.before))
	return w.before[:n], w.Walk.Agents[:n], nil
}

func (w *cpuWalk) Close() {}

// open begins a walk, which leaves start as it is.
func (w *Walk) open(ctx context.Context, start *walk.Walk, by walkBy) (walkState, error) {
	if w.GPU == nil {
		return &cpuWalk{Walk: *start, config: by.config}, nil
	}
	o := w.options(by)
	part, err := stream.WalkPart(w.GPU, w.Agents, w.Grid, o)
	if err != nil {
		return nil, err
	}
	if part < w.Agents {
		w.notice("the device takes the agents in parts of %d, and the host sorts them: %d do not fit", part, w.Agents)
		return stream.NewWalkParts(w.GPU, start, part, o)
	}
	return stream.NewWalk(ctx, w.GPU, start, o)
}

func (w *Walk) options(by walkBy) stream.WalkOptions {
	return stream.WalkOptions{Reuse: by.config, Subgroups: w.Subgroups, Sorts: by.sortEvery > 0}
}

// A walk takes about so many bytes of the host per agent and per cell. On the CPU: what
// 10 million agents, and a grid of 4096 cells a side, were measured to take. With a
// GPU: agents, and at the end their cells by place, order and cells by number; in parts
// the stream, too, and cells before and after.
const (
	bytesPerAgent      = 40
	bytesPerCell       = 90
	bytesPerAgentGPU   = 16
	bytesPerAgentParts = 32
)

// fits refuses a walk that the host or the device cannot hold.
func (w *Walk) fits() error {
	perAgent := int64(bytesPerAgent)
	if w.GPU != nil && !w.Verify {
		perAgent = bytesPerAgentGPU
	}
	if w.GPU != nil {
		for _, by := range w.ways() {
			part, err := stream.WalkPart(w.GPU, w.Agents, w.Grid, w.options(by))
			if err != nil {
				return err
			}
			if part < w.Agents || by.config.Batching == reuse.DynamicBatching {
				perAgent = max(perAgent, bytesPerAgentParts)
			}
		}
	}
	return fitsWalk(perAgent, w.Agents, w.Grid)
}

// walkCheck holds the steps of a walk against the reference.
type walkCheck struct {
	walkBy
	reference cpuWalk
	counts    bool // compare counts, too
}

// newCheck compares a device with the CPU, by the same strategy; the CPU with shading
// every cell once.
func (w *Walk) newCheck(start *walk.Walk, by walkBy) (*walkCheck, error) {
	if w.GPU != nil {
		return &walkCheck{by, cpuWalk{Walk: *start, config: by.config}, true}, nil
	}
	multi, err := reuse.Params{}.Resolve("multi")
	return &walkCheck{by, cpuWalk{Walk: *start, config: multi}, false}, err
}

// step takes a step with the reference, and compares.
func (k *walkCheck) step(ctx context.Context, state walkState, step int) error {
	if err := take(progress.Silent(ctx), &k.reference, k.walkBy, step, new(stream.WalkTime)); err != nil {
		return err
	}
	agents, err := state.Agents(ctx)
	if err != nil {
		return err
	}
	if !slices.Equal(agents, k.reference.Walk.Agents) {
		return fmt.Errorf("%s: step %d moves agents elsewhere than the reference does", k.config, step+1)
	}
	counts, err := state.Counts()
	if err == nil && k.counts && !slices.Equal(counts, k.reference.counts) {
		err = fmt.Errorf("%s: step %d does not shade each cell as often as the reference does", k.config, step+1)
	}
	return err
}

// time takes all steps of a walk on a device again and again, and returns the times of
// the median walk.
func (w *Walk) time(ctx context.Context, state walkState, start *walk.Walk, by walkBy, once stream.WalkTime) (stream.WalkTime, error) {
	device, whole := state.(*stream.Walk)
	if !whole || w.GPU.Software() {
		return once, nil
	}
	return stream.Median(func() (sum stream.WalkTime, err error) {
		if err := device.Restart(ctx, start); err != nil {
			return sum, err
		}
		for step := range w.Steps {
			if err := take(ctx, device, by, step, &sum); err != nil {
				return sum, err
			}
		}
		return sum, nil
	}, stream.WalkTime.Device)
}
