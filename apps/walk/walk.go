// Package walk moves agents at random over a grid: a potential draws them up its slope, and some
// jumps are long (paper, section 6.3; D. Brockmann, T. Geisel: Lévy Flights in Inhomogeneous
// Media, 2003).
//
// The index stream is the agents' cells. The shade function lists the most likely moves from a
// cell (ShadeCell), once for all agents of a batch in that cell; then each agent draws one
// (Draw). Except for the host's tables, everything is in whole numbers.
//
// Walk is the reference. On a device agents stay from step to step (Resident) or, if it cannot
// hold all of them, on the host (Parts). A Driver walks with either and writes the steps.
package walk

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Bounds of the parameters.
const (
	MaxAgents = 1 << 30 // an index stream has fewer than 2^31 corners
	MaxGrid   = 1 << 12
)

// Walk is a set of agents on a grid.
type Walk struct {
	Grid   uint32 // cells per side
	Seed   uint32
	Step   uint32   // steps taken so far
	Agents []uint32 // by agent: its cell, y<<16 | x
	Tables *Tables
	order  []uint32 // by place in the stream: the agent; nil if the stream takes agents by number
}

// made reports whether New made the walk.
func (w *Walk) made() bool {
	return w != nil && w.Tables != nil && w.Grid == w.Tables.Grid && len(w.Tables.Potential) == int(w.Grid)*int(w.Grid)
}

// New makes a walk whose agents start in random cells.
func New(ctx context.Context, agents, grid int, seed uint32) (_ *Walk, err error) {
	defer must.Catch(&err)
	switch {
	case agents < 1 || agents > MaxAgents:
		must.Fail("%d agents: must be 1 to %d", agents, MaxAgents)
	case grid < 1 || grid > MaxGrid:
		must.Fail("grid of %d cells a side: must be 1 to %d", grid, MaxGrid)
	}
	w := &Walk{Grid: uint32(grid), Seed: seed, Agents: make([]uint32, agents)}
	w.Tables = must.Get(newTables(progress.Part(ctx, 0, .5), w.Grid, seed))
	return w, apps.OnEach(progress.Part(ctx, .5, 1), agents, func(agent int) {
		w.Agents[agent] = w.start(uint32(agent))
	})
}

// Stream returns the index stream of the next step: one corner per agent, in the order of the last Sort, padded to
// whole triples; the id is the number of the agent's cell. Unlike the ids in Agents, cell numbers are dense, from 0.
// Numbers and ids have the same order, so every strategy gives the same result for both.
func (w *Walk) Stream(ctx context.Context) (reuse.Stream, error) {
	cells := make([]uint32, len(w.Agents), len(w.Agents)+2)
	if err := apps.OnEach(ctx, len(cells), func(k int) {
		cells[k] = w.Tables.Cell(w.Agents[w.agent(k)])
	}); err != nil {
		return reuse.Stream{}, err
	}
	return reuse.Stream{Name: "agents", Indices: reuse.Triples(cells), IDs: int(w.Grid * w.Grid)}, nil
}

// Order returns the order of the last Sort: by place in the stream, the agent. It is nil if the
// stream takes agents by number. It must not be changed.
func (w *Walk) Order() []uint32 { return w.order }

// Move ends a step that was computed elsewhere. `cells` holds the agents' new cells, by place in the
// step's stream. After an error no agent has moved.
func (w *Walk) Move(ctx context.Context, cells []uint32) error {
	if len(cells) < len(w.Agents) {
		return fmt.Errorf("cells of %d agents, and there are %d", len(cells), len(w.Agents))
	}
	moved := make([]uint32, len(w.Agents))
	if err := apps.OnEach(ctx, len(moved), func(k int) {
		moved[w.agent(k)] = w.Tables.ID(cells[k])
	}); err != nil {
		return err
	}
	w.Agents = moved
	w.Step++
	return nil
}

// agent returns the agent at the k-th corner of the stream.
func (w *Walk) agent(k int) uint32 {
	if w.order == nil {
		return uint32(k)
	}
	return w.order[k]
}

// Advance takes a step by a strategy: it shades each cell as often as the strategy does, and each
// agent draws a move. It returns the statistics and how often each cell was shaded. It returns an error if the
// configuration is invalid, or the context's cause. After an error no agent has moved.
func (w *Walk) Advance(ctx context.Context, c reuse.Config) (_ reuse.Stats, _ []uint32, err error) {
	defer must.Catch(&err)
	stream := must.Get(w.Stream(progress.Part(ctx, 0, .1)))
	moved := make([]uint32, len(w.Agents))
	st, counts := must.Get2(apps.Pass[Moves]{
		Shade: func(cell uint32) Moves { return w.Tables.ShadeCell(w.Tables.ID(cell)) },
		Corner: func(k int, moves *Moves) {
			if k < len(moved) { // not padding
				agent := w.agent(k)
				moved[agent] = w.Draw(agent, w.Agents[agent], moves)
			}
		},
	}.Run(progress.Part(ctx, .1, 1), stream, c))
	w.Agents = moved
	w.Step++
	return st, counts, nil
}

// Sort orders the stream of the next steps by the agents' current cells, and agents in the same cell
// by number. It takes linear time. Agents keep their numbers, so their moves do not
// change. The only error is the context's cause.
func (w *Walk) Sort(ctx context.Context) (err error) {
	defer must.Catch(&err)
	next := make([]uint32, w.Grid*w.Grid+1)
	order := make([]uint32, len(w.Agents))
	must.OK(progress.Each(progress.Part(ctx, 0, .4), len(order), func(from, to int) {
		for _, id := range w.Agents[from:to] {
			next[w.Tables.Cell(id)+1]++
		}
	}))
	for cell := range w.Grid * w.Grid {
		next[cell+1] += next[cell]
	}
	must.OK(progress.Each(progress.Part(ctx, .4, 1), len(order), func(from, to int) {
		for agent := from; agent < to; agent++ {
			at := &next[w.Tables.Cell(w.Agents[agent])]
			order[*at] = uint32(agent)
			*at++
		}
	}))
	w.order = order
	return nil
}

// Occupancy returns how many agents are in each cell.
func (w *Walk) Occupancy() []uint32 {
	occupancy := make([]uint32, w.Grid*w.Grid)
	for _, id := range w.Agents {
		occupancy[w.Tables.Cell(id)]++
	}
	return occupancy
}

// Occupied returns how many cells of an occupancy have an agent.
func Occupied(occupancy []uint32) (cells int) {
	for _, n := range occupancy {
		if n > 0 {
			cells++
		}
	}
	return cells
}

// Sum returns the hash of the agents' cells (see the function Sum).
func (w *Walk) Sum() uint64 { return Sum(w.Agents) }

// Sum returns the 64-bit FNV-1a hash of agents' cells (see Walk.Agents), 4 bytes each, low byte first.
func Sum(agents []uint32) uint64 {
	h := fnv.New64a()
	var bytes []byte
	for part := range slices.Chunk(agents, 1<<14) {
		bytes = bytes[:0]
		for _, id := range part {
			bytes = binary.LittleEndian.AppendUint32(bytes, id)
		}
		h.Write(bytes)
	}
	return h.Sum64()
}

// StepTime is the duration of a step. Work on a device is timed by its clock, all other work by the host's clock.
type StepTime struct {
	Shaded time.Duration // finding the moves from cells, and drawing one for each agent
	Sorted time.Duration
	Cut    time.Duration // cutting batches on the host for a device, if the step needs new ones
}

// Device returns the time of a step without the cutting on the host.
func (t StepTime) Device() time.Duration { return t.Shaded + t.Sorted }

// state is a walk in progress with a strategy: on the CPU (onCPU) or on a device (Resident, Parts).
type state interface {
	// Sort orders the stream of the next steps by the agents' current cells.
	Sort(context.Context) (time.Duration, error)
	Advance(context.Context) (StepTime, error)
	Counts() ([]uint32, error) // how often the last step shaded each cell
	Occupancy(context.Context) ([]uint32, error)
	Agents(context.Context) ([]uint32, error) // the agents' cells by number; must not be changed
	// Moved returns the agents' cells before and after the last step. If there are more than `most` agents,
	// it returns the cells of a sample of about `most`. It returns nil at the start and, on a device, after Sort.
	Moved(ctx context.Context, most int) (before, after []uint32, err error)
	Close()
}

// onHost is a walk whose agents stay on the host.
type onHost struct {
	Walk
	before []uint32 // by number: the agents' cells before the last step; nil if there was none
}

// Sort calls Walk.Sort, and returns how long it took.
func (w *onHost) Sort(ctx context.Context) (time.Duration, error) {
	took := clock.Start()
	err := w.Walk.Sort(ctx)
	return took(), err
}

func (w *onHost) Occupancy(context.Context) ([]uint32, error) { return w.Walk.Occupancy(), nil }
func (w *onHost) Agents(context.Context) ([]uint32, error)    { return w.Walk.Agents, nil }

func (w *onHost) Moved(_ context.Context, most int) (before, after []uint32, err error) {
	n := min(most, len(w.before))
	return w.before[:n], w.Walk.Agents[:n], nil
}

// onCPU is a walk on the CPU, whose steps a strategy's reference takes.
type onCPU struct {
	onHost
	config reuse.Config
	counts []uint32
}

func newOnCPU(start *Walk, c reuse.Config) onCPU {
	return onCPU{onHost: onHost{Walk: *start}, config: c}
}

func (w *onCPU) Advance(ctx context.Context) (t StepTime, err error) {
	before, took := w.Walk.Agents, clock.Start()
	if _, w.counts, err = w.Walk.Advance(ctx, w.config); err != nil {
		return t, err
	}
	w.before = before
	return StepTime{Shaded: took()}, nil
}

func (w *onCPU) Counts() ([]uint32, error) { return w.counts, nil }

func (w *onCPU) Close() {}

// way is a strategy and a sorting interval for a walk.
type way struct {
	config    reuse.Config
	sortEvery int
}

// take takes a step, sorting the agents first if that is due, and adds the times to `sum`.
func (by way) take(ctx context.Context, s state, step int, sum *StepTime) (err error) {
	defer must.Catch(&err)
	if by.sortEvery > 0 && step%by.sortEvery == 0 {
		sum.Sorted += must.Get(s.Sort(progress.Silent(ctx)))
	}
	took := must.Get(s.Advance(ctx))
	sum.Shaded += took.Shaded
	sum.Sorted += took.Sorted
	sum.Cut += took.Cut
	return nil
}

// check compares the steps of a walk with those of the reference.
type check struct {
	way
	reference onCPU
	counts    bool // whether to compare counts, too
}

// step takes the same step with the reference, and compares the results.
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
