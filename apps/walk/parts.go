package walk

import (
	"context"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
)

// Parts is a random walk whose agents stay on the host, which also sorts them, for a device that
// cannot hold all of them. It shades one part of the stream at a time.
type Parts struct {
	onHost
	device

	part int         // most agents at a time
	next *gpu.Buffer // by place in the part: the agent's next cell
}

// NewParts prepares a walk that a device processes in parts of at most that many agents.
func NewParts(b *gpu.Backend, from *Walk, part int, o DeviceOptions) (*Parts, error) {
	w := &Parts{onHost: onHost{Walk: *from}, part: min(part, len(from.Agents)+2) / 3 * 3}
	var err error
	if w.device, err = newDevice(b, from.Tables, o); err == nil {
		w.next, err = w.words("WalkNext", w.part+padding)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// Advance takes a step.
func (w *Parts) Advance(ctx context.Context) (t StepTime, err error) {
	defer must.Catch(&err)
	s := must.Get(w.Stream(ctx))
	began := time.Now()
	cut := plan.CutStream(s, w.Reuse)
	t.Cut = time.Since(began)
	next := make([]uint32, len(w.Walk.Agents))
	for at := 0; at < cut.Stream; {
		part := w.take(cut, at)
		took := must.Get(w.shadePart(ctx, s, part, at > 0, next))
		t.Shaded += took
		at += part.Stream
	}
	before := w.Walk.Agents
	must.OK(w.Move(ctx, next))
	w.before = before
	return t, nil
}

// take returns the batches, starting with batch at, that fit a part. A whole-draw strategy shades
// the ids with the first part.
func (w *Parts) take(all *plan.Cut, at int) *plan.Cut {
	first, end := all.Table[at].FirstIndex, at
	for end < all.Stream && int(all.Table[end].FirstIndex+all.Table[end].IndexCount-first) <= w.part {
		end++
	}
	part := &plan.Cut{Table: slices.Clone(all.Table[at:end]), Stream: end - at, Multiplier: all.Multiplier}
	if all.Meshlets.Table != nil {
		part.Meshlets = meshletsOf(all.Meshlets, at, end)
	}
	if at == 0 {
		part.Table = append(part.Table, all.Table[all.Stream:]...)
	}
	return part
}

// meshletsOf returns the lists of a range of batches; the lists lie in order.
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

// shadePart shades a part of the stream, and writes the agents' next cells to next, by place.
// Parts after the first add to the counts.
func (w *Parts) shadePart(ctx context.Context, s reuse.Stream, part *plan.Cut, later bool, next []uint32) (_ time.Duration, err error) {
	defer must.Catch(&err)
	start, last := part.Table[0].FirstIndex, part.Table[part.Stream-1]
	end := last.FirstIndex + last.IndexCount
	agents := min(int(end), len(next)) - int(start)
	for i := range part.Table[:part.Stream] {
		part.Table[i].FirstIndex -= start
		part.Table[i].FirstTriangle -= start / 3
	}
	own := stream.Tables{"WalkNext": w.next}
	if order := w.Order(); order != nil {
		ordered := must.Get(stream.NewTables(w.backend, stream.Table("WalkOrder", order[start:int(start)+agents])))
		defer ordered.Close()
		own["WalkOrder"] = ordered["WalkOrder"]
	}
	s.Indices = s.Indices[start:end]
	t := must.Get(w.shade(ctx, s, own, stream.Options{
		Function: plan.Function{Arguments: [4]uint32{w.Step, uint32(agents), start, w.Seed}, AddCounts: later}, Cut: part,
	}))
	return t.Shaded, gpu.DownloadAt(w.backend.GPU(), next[start:int(start)+agents], w.next, 0)
}

// Close frees what the walk has on the device.
func (w *Parts) Close() {
	w.next.Close()
	w.tables.Close()
}
