package walk

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// StepTime is the duration of a step: by the device's clock, or on the host.
type StepTime struct {
	Shaded time.Duration // finding the moves from cells, and drawing one for each agent
	Sorted time.Duration
	Cut    time.Duration // cutting batches on the host, if they are cut dynamically
}

// Device returns the time of a step without the cutting on the host.
func (t StepTime) Device() time.Duration { return t.Shaded + t.Sorted }

// state is a walk in progress with a strategy: on the CPU (onCPU) or on a device (Resident,
// Parts).
type state interface {
	// Sort makes the stream of the next steps take agents ordered by their current cells.
	Sort(context.Context) (time.Duration, error)
	Advance(context.Context) (StepTime, error)
	Counts() ([]uint32, error) // how often the last step shaded each cell
	Occupancy(context.Context) ([]uint32, error)
	Agents(context.Context) ([]uint32, error) // the agents' cells by number; must not be changed
	// Moved returns agents' cells before and after the last step, for about most of them at most;
	// nil at the start.
	Moved(ctx context.Context, most int) (before, after []uint32, err error)
	Close()
}

// onHost is a walk whose agents stay on the host.
type onHost struct {
	Walk
	before []uint32 // by number: the agents' cells before the last step; nil if there was none
}

// Sort is Walk.Sort, and returns the host's time.
func (w *onHost) Sort(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	err := w.Walk.Sort(ctx)
	return time.Since(began), err
}

// Occupancy counts the agents in each cell.
func (w *onHost) Occupancy(context.Context) ([]uint32, error) { return w.Walk.Occupancy(), nil }

// Agents returns the agents' cells by number. They must not be changed.
func (w *onHost) Agents(context.Context) ([]uint32, error) { return w.Walk.Agents, nil }

// Moved returns agents' cells before and after the last step: of all agents, or of the first most
// of them.
func (w *onHost) Moved(_ context.Context, most int) (before, after []uint32, err error) {
	n := min(most, len(w.before))
	return w.before[:n], w.Walk.Agents[:n], nil
}

// onCPU is the reference.
type onCPU struct {
	onHost
	config reuse.Config
	counts []uint32
}

func newOnCPU(start *Walk, c reuse.Config) onCPU {
	return onCPU{onHost: onHost{Walk: *start}, config: c}
}

func (w *onCPU) Advance(ctx context.Context) (t StepTime, err error) {
	before, began := w.Walk.Agents, time.Now()
	if _, w.counts, err = w.Walk.Advance(ctx, w.config); err != nil {
		return t, err
	}
	w.before = before
	return StepTime{Shaded: time.Since(began)}, nil
}

func (w *onCPU) Counts() ([]uint32, error) { return w.counts, nil }

func (w *onCPU) Close() {}

// way says how a walk is taken.
type way struct {
	config    reuse.Config
	sortEvery int
}

// take takes a step, sorting the agents first if that is due, and adds its time.
func (by way) take(ctx context.Context, s state, step int, sum *StepTime) error {
	if by.sortEvery > 0 && step%by.sortEvery == 0 {
		took, err := s.Sort(progress.Silent(ctx))
		if err != nil {
			return err
		}
		sum.Sorted += took
	}
	took, err := s.Advance(ctx)
	sum.Shaded += took.Shaded
	sum.Sorted += took.Sorted
	sum.Cut += took.Cut
	return err
}

// check compares the steps of a walk with those of the reference.
type check struct {
	way
	reference onCPU
	counts    bool // compare counts too
}

// step takes a step with the reference, and compares.
func (k *check) step(ctx context.Context, s state, step int) (err error) {
	defer must.Catch(&err)
	must.OK(k.take(progress.Silent(ctx), &k.reference, step, new(StepTime)))
	agents := must.Get(s.Agents(ctx))
	if !slices.Equal(agents, k.reference.Walk.Agents) {
		return fmt.Errorf("%s: step %d moves agents elsewhere than the reference does", k.config, step+1)
	}
	counts, err := s.Counts()
	if err == nil && k.counts && !slices.Equal(counts, k.reference.counts) {
		err = fmt.Errorf("%s: step %d does not shade each cell as often as the reference does", k.config, step+1)
	}
	return err
}
