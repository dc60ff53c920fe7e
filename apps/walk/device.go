package walk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
	"github.com/shadeonce/shadeonce/renderer"
)

// DeviceOptions are the settings for shading a walk on a device.
type DeviceOptions struct {
	Reuse     reuse.Config
	Subgroups renderer.Subgroups
	Sorts     bool // whether Sort will be called
}

// device holds what all steps of a walk on a device share (shaders/functions/walk.glsl).
type device struct {
	DeviceOptions

	backend *gpu.Backend
	grid    int
	tables  stream.Tables // tables of the shade function, counts, and a whole-draw strategy's results
}

const (
	cornersOfPart = 1 << 20 // most corners of a dispatch (plan.Function.Part)
	wordBytes     = 4
	moveBytes     = 32 // size of WalkMoves in shaders/functions/walk.glsl
	batchBytes    = 16
)

var (
	errNoDevice = errors.New("walk: no device, or no strategy")
	errNoWalk   = errors.New("walk: no walk that New made")
)

func newDevice(b *gpu.Backend, t *Tables, o DeviceOptions) (device, error) {
	if b == nil || o.Reuse.Strategy == nil {
		return device{}, errNoDevice
	}
	d, layout := device{DeviceOptions: o, backend: b, grid: int(t.Grid)}, t.ForDevice()
	blocks := []stream.Block{
		stream.Result[uint32]("Counts", d.cells()), stream.Table("WalkPotential", layout.Potential),
		stream.Table("WalkPrior", layout.Prior[:]), stream.Table("WalkWeights", t.Weight[:]),
	}
	if o.Reuse.Strategy.WholeDraws {
		blocks = append(blocks, stream.Result[uint32]("ScratchResults", d.cells()*moveBytes/wordBytes))
	}
	var err error
	d.tables, err = stream.NewTables(b, blocks...)
	return d, err
}

func (d *device) cells() int { return d.grid * d.grid }

func (d *device) words(name string, n int) (*gpu.Buffer, error) {
	return d.backend.GPU().NewBuffer(name, int64(n)*wordBytes, gpu.UsageStorage)
}

// shade shades a stream. `own` holds the buffers of this step, such as WalkNext, and WalkOrder if the agents are
// sorted. `o` holds the options that differ between steps.
func (d *device) shade(ctx context.Context, s reuse.Stream, own stream.Tables, o stream.Options) (t StepTime, err error) {
	tables := maps.Clone(d.tables)
	maps.Copy(tables, own)
	o.Name, o.Reuse, o.Subgroups, o.Held, o.Part = "walk", d.Reuse, d.Subgroups, moveBytes, cornersOfPart
	o.Spec = map[string]uint32{"WALK_GRID": uint32(d.grid), "WALK_ORDERED": 1}
	if tables["WalkOrder"] == nil {
		o.Spec["WALK_ORDERED"] = 0
		tables["WalkOrder"] = tables["WalkWeights"] // the shader does not read it, so any buffer will do
	}
	run, err := stream.NewRun(d.backend, s, tables, o)
	if err != nil {
		return t, err
	}
	defer run.Close()
	t.Cut = run.Cutting
	t.Shaded, err = run.Do(ctx)
	return t, err
}

// Counts returns how often each cell was shaded in the last step.
func (d *device) Counts() ([]uint32, error) {
	return gpu.Download[uint32](d.backend.GPU(), d.tables["Counts"], d.cells())
}

// mostOfPart bounds the agents of a part: larger parts gain nothing.
const mostOfPart = 1 << 24

// PartOf returns how many agents a device processes at a time: all, or fewer if a buffer for all
// would be too large or memory would not suffice. It fails for a grid whose tables do not fit.
func PartOf(b *gpu.Backend, agents, grid int, o DeviceOptions) (int, error) {
	if b == nil || o.Reuse.Strategy == nil {
		return 0, errNoDevice
	}
	const least = 1 << 16 // fewest agents for which a part is worth an upload
	cells := int64(grid) * int64(grid)
	const margin = 40 // the most cells that DeviceTables adds to a side of the grid
	largest := (cells + 2*margin*int64(grid) + margin*margin) * wordBytes
	fixed := largest + 2*cells*wordBytes // potential, counts, occupancy
	if o.Reuse.Strategy.WholeDraws {
		largest = cells * moveBytes
		fixed += largest
	}
	// perAgent bounds the bytes per agent of buffers that grow with the agents: cells before and after a step, 2 bytes
	// for the sort's counts and static batches, dynamic batches, the strategy's lists, and the sort's keys and values.
	perAgent := int64(2*wordBytes + 2)
	if o.Reuse.Batching == reuse.DynamicBatching {
		perAgent += batchBytes / 3
	}
	perAgent += int64(o.Reuse.Strategy.ListBytes())
	if o.Sorts {
		perAgent += 2 * wordBytes
	}
	limits, what := b.Limits(), fmt.Sprintf("stream: %s on %dx%d cells", o.Reuse.Strategy.Name, grid, grid)
	if largest > limits.MaxBufferBytes {
		return 0, fmt.Errorf("%s: %w", what, &gpu.SizeError{
			What: "its largest table", Need: largest, Have: limits.MaxBufferBytes, Limit: "maxStorageBufferRange", Bytes: true})
	}
	free, need := limits.DeviceBytes-fixed, perAgent*int64(min(agents, least))
	if free < need {
		return 0, fmt.Errorf("%s: %w", what, &gpu.MemoryError{Need: fixed + need, Have: limits.DeviceBytes})
	}
	fit := min(limits.MaxBufferBytes/wordBytes-padding, free/perAgent)
	if int64(agents) <= fit {
		return agents, nil
	}
	return int(min(fit, mostOfPart)), nil
}

// Parts is a random walk for a device that cannot hold all agents: the host holds and sorts them, and
// the device shades one part of the stream at a time.
type Parts struct {
	onHost
	device

	part int         // most agents at a time
	next *gpu.Buffer // by place in the part: the agent's next cell
}

// NewParts prepares a walk that a device processes in parts of at most the given number of agents.
func NewParts(b *gpu.Backend, from *Walk, part int, o DeviceOptions) (*Parts, error) {
	if !from.made() {
		return nil, errNoWalk
	}
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

// Advance takes a step: it moves every agent.
func (w *Parts) Advance(ctx context.Context) (t StepTime, err error) {
	defer must.Catch(&err)
	s := must.Get(w.Stream(ctx))
	took := clock.Start()
	cut := plan.CutStream(s, w.Reuse)
	t.Cut = took()
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

// take returns as many batches as fit a part, beginning with number `at`. A whole-draw strategy shades
// all ids with the first part.
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

// meshletsOf returns the lists of a range of batches; the lists are in the batches' order.
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

// shadePart shades a part of the stream, and writes the agents' next cells to `next`, by place in the
// stream. If `later` is set, the counts are added to those of the earlier parts.
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

// Close frees the walk's memory on the device.
func (w *Parts) Close() {
	w.next.Close()
	w.tables.Close()
}
