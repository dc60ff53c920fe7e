package stream

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// WalkParts is a random walk whose agents stay on the host, which also sorts them: for
// a device that cannot hold all of them. It shades a part of the stream at a time.
type WalkParts struct {
	walkPrograms

	host    walk.Walk
	part    int      // agents at a time at most
	before  []uint32 // by number: the agents' cells before the last step; nil where there was none
	indices *gpu.Buffer
	next    *gpu.Buffer
	order   *gpu.Buffer // by place: the agent, if sorted
}

// NewWalkParts prepares a walk that a device takes in parts of so many agents at most.
func NewWalkParts(b *gpu.Backend, from *walk.Walk, part int, o WalkOptions) (*WalkParts, error) {
	w := &WalkParts{host: *from, part: min(part, len(from.Agents)+2) / 3 * 3}
	if err := w.make(b, from, o); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *WalkParts) make(b *gpu.Backend, from *walk.Walk, o WalkOptions) (err error) {
	if err := w.walkPrograms.make(b, from.Tables, o); err != nil {
		return err
	}
	for _, x := range []struct {
		name string
		made **gpu.Buffer
	}{{"WalkCells", &w.indices}, {"WalkNext", &w.next}, {"WalkOrder", &w.order}} {
		if *x.made, err = w.newBuffer(x.name, w.part+sortPadding); err != nil {
			return err
		}
	}
	return nil
}

// Sort is Walk.Sort, on the host; it returns the host's time.
func (w *WalkParts) Sort(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	err := w.host.Sort(ctx)
	return time.Since(began), err
}

// Advance takes a step.
func (w *WalkParts) Advance(ctx context.Context) (t WalkTime, err error) {
	stream, err := w.host.Stream(ctx)
	if err != nil {
		return t, err
	}
	began := time.Now()
	batches := Cut(stream, w.Reuse)
	t.Cutting = time.Since(began)
	next := make([]uint32, len(w.host.Agents))
	for at := 0; at < batches.Stream; {
		part := w.take(batches, at)
		took, err := w.shadePart(ctx, stream, part, at == 0, next)
		if err != nil {
			return t, err
		}
		t.Shading += took
		at += part.Stream
	}
	before := w.host.Agents
	if err := w.host.Move(ctx, next); err != nil {
		return t, err
	}
	w.before = before
	return t, nil
}

// take is the batches from one on that a part has room for. A strategy of whole draws
// shades the ids with the first part.
func (w *WalkParts) take(all Batches, at int) Batches {
	first, end := all.Table[at].FirstIndex, at
	for end < all.Stream && int(all.Table[end].FirstIndex+all.Table[end].IndexCount-first) <= w.part {
		end++
	}
	part := Batches{Table: all.Table[at:end:end], Stream: end - at, Multiplier: all.Multiplier}
	if all.Meshlets.Table != nil {
		part.Meshlets = meshletsOf(all.Meshlets, at, end)
	}
	if at == 0 {
		part.Table = append(part.Table, all.Table[all.Stream:]...)
	}
	return part
}

// meshletsOf are the lists of the batches from one to before another, which lie in order.
func meshletsOf(m reuse.Meshlets, from, to int) reuse.Meshlets {
	part := reuse.Meshlets{Table: slices.Clone(m.Table[from:to]), Words: m.Words}
	if to < len(m.Table) {
		part.Words = m.Words[:m.Table[to].FirstWord]
	}
	first := part.Table[0].FirstWord
	part.Words = part.Words[first:]
	for i := range part.Table {
		part.Table[i].FirstWord -= first
	}
	return part
}

// shadePart shades a part of the stream, and puts by place into next where its agents go.
func (w *WalkParts) shadePart(ctx context.Context, s apps.Stream, part Batches, clear bool, next []uint32) (time.Duration, error) {
	start, last := part.Table[0].FirstIndex, part.Table[part.Stream-1]
	end := last.FirstIndex + last.IndexCount
	agents := min(int(end), len(next)) - int(start)
	part.Table = slices.Clone(part.Table)
	for i := range part.Table[:part.Stream] {
		part.Table[i].FirstIndex -= start
		part.Table[i].FirstTriangle -= start / 3
	}
	if _, err := w.uploadBatches(part); err != nil {
		return 0, err
	}
	if err := gpu.Upload(w.device, w.indices, s.Indices[start:end]); err != nil {
		return 0, err
	}
	order := w.host.Order()
	if order != nil {
		if err := gpu.Upload(w.device, w.order, order[start:int(start)+agents]); err != nil {
			return 0, err
		}
	}
	b, err := w.bind(order != nil, w.indices, w.next, w.order)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	took, err := w.shade(ctx, b, part, clear, [4]uint32{w.host.Step, uint32(agents), start, w.host.Seed})
	if err != nil {
		return 0, err
	}
	return took, gpu.DownloadAt(w.device, next[start:int(start)+agents], w.next, 0)
}

// Occupancy is how many agents stand in each cell.
func (w *WalkParts) Occupancy(context.Context) ([]uint32, error) { return w.host.Occupancy(), nil }

// Agents are the agents' cells by number. They must not be changed.
func (w *WalkParts) Agents(context.Context) ([]uint32, error) { return w.host.Agents, nil }

// Moved is where agents stood before the last step and stand now: of all, or of the
// first most of them.
func (w *WalkParts) Moved(_ context.Context, most int) (before, after []uint32, err error) {
	n := min(most, len(w.before))
	return w.before[:n], w.host.Agents[:n], nil
}

// Close frees what the walk has on the device. Nil is fine.
func (w *WalkParts) Close() {
	if w == nil {
		return
	}
	for _, b := range []*gpu.Buffer{w.indices, w.next, w.order} {
		b.Close()
	}
	w.walkPrograms.Close()
}

// WalkPart is how many agents a device takes at a time: all, or, where a buffer for all
// were too large or their memory more than is free, so many that all fits. It refuses a
// grid whose tables do not fit.
func WalkPart(b *gpu.Backend, agents, grid int, o WalkOptions) (int, error) {
	const least = 1 << 16 // agents of a part that is worth an upload
	cells := int64(grid) * int64(grid)
	const margin = 40 // cells around the grid, at most (walk.DeviceTables)
	largest := (cells + 2*margin*int64(grid) + margin*margin) * wordBytes
	fixed := largest + 2*cells*wordBytes // potential, counts, occupancy
	if o.Reuse.Strategy.WholeDraws {
		largest = cells * walkMoveBytes
		fixed += largest
	}
	// Cells before and after, batches, the sort's counts; what the sort moves.
	perAgent := int64(2*wordBytes + 2)
	if o.Reuse.Batching == reuse.DynamicBatching {
		perAgent += walkBatchBytes / 3
	}
	if o.Reuse.Strategy.Listed {
		perAgent += 2*wordBytes + walkMeshletBytes/3 // an id, a third of a triangle
	}
	if o.Sorts {
		perAgent += 2 * wordBytes
	}
	limits := b.Limits()
	if largest > limits.MaxBufferBytes {
		return 0, fmt.Errorf("stream: %s on %dx%d cells: %w", o.Reuse.Strategy.Name, grid, grid, &gpu.SizeError{
			What: "its largest table", Need: largest, Have: limits.MaxBufferBytes, Limit: "maxStorageBufferRange", Bytes: true})
	}
	free := limits.DeviceBytes - fixed
	if free < perAgent*int64(min(agents, least)) {
		return 0, fmt.Errorf("stream: %s on %dx%d cells: %w", o.Reuse.Strategy.Name, grid, grid, &gpu.MemoryError{Need: fixed + perAgent*int64(min(agents, least)), Have: limits.DeviceBytes})
	}
	fit := min(limits.MaxBufferBytes/wordBytes-sortPadding, free/perAgent)
	if int64(agents) <= fit {
		return agents, nil
	}
	return int(min(fit, walkPartMost)), nil
}

// walkPartMost bounds the agents of a part: more gain nothing.
const walkPartMost = 1 << 24
