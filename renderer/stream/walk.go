package stream

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// Walk is a random walk on a device (shaders/functions/walk.glsl). Agents and the order
// in which the stream takes them stay there from step to step.
type Walk struct {
	walkPrograms

	agents int
	grid   uint32
	seed   uint32
	step   uint32
	sort   *Sort

	cells   [2]*gpu.Buffer // by place in the stream: cells before the next step; before the last one
	orders  [2]*gpu.Buffer // by place: the agent; a spare. Nil unless WalkOptions.Sorts
	ordered bool           // the stream takes agents as orders[0] says, not by number
	moved   bool           // cells[1] still has the cells before the last step

	occupancy *gpu.Buffer
	batches   Batches
	bindings  []walkBinding
}

// walkBinding is a binding that was made for these buffers.
type walkBinding struct {
	cells, order *gpu.Buffer
	binding      *Binding
}

// WalkTime is what a step took: on the device by its clock, on the host where that
// is said.
type WalkTime struct {
	Shading time.Duration // finding the moves from cells, and drawing one for each agent
	Sorting time.Duration
	Cutting time.Duration // of batches on the host, where they are cut dynamically
}

// Device is the time of a step without the host's.
func (t WalkTime) Device() time.Duration { return t.Shading + t.Sorting }

// Add adds another step's.
func (t *WalkTime) Add(other WalkTime) {
	t.Shading += other.Shading
	t.Sorting += other.Sorting
	t.Cutting += other.Cutting
}

// WalkOptions say how a walk is shaded.
type WalkOptions struct {
	Reuse     reuse.Config
	Subgroups renderer.Subgroups
	Sorts     bool // Sort will be called
}

// NewWalk puts a walk onto a device, as long as WalkPart says that all agents fit.
func NewWalk(ctx context.Context, b *gpu.Backend, from *walk.Walk, o WalkOptions) (*Walk, error) {
	w := &Walk{agents: len(from.Agents), grid: from.Grid, seed: from.Seed}
	err := w.make(b, from, o)
	if err == nil {
		err = w.Restart(ctx, from)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Walk) make(b *gpu.Backend, from *walk.Walk, o WalkOptions) (err error) {
	if err := w.walkPrograms.make(b, from.Tables, o); err != nil {
		return err
	}
	for i := range w.orders {
		if o.Sorts {
			if w.orders[i], err = w.newBuffer("WalkOrder", w.agents+sortPadding); err != nil {
				return err
			}
		}
	}
	for i := range w.cells {
		if w.cells[i], err = w.newBuffer("WalkCells", w.agents+sortPadding); err != nil {
			return err
		}
	}
	if w.sort, err = NewSort(w.device, w.agents, w.grid*w.grid); err != nil {
		return err
	}
	if w.occupancy, err = w.newBuffer("WalkOccupancy", int(w.grid*w.grid)); err != nil {
		return err
	}
	if o.Reuse.Batching == reuse.DynamicBatching {
		return nil
	}
	// Static batches depend on the stream's length alone. No page of these is touched.
	return w.cut(apps.Stream{Indices: make([]uint32, w.corners()), IDs: int(w.grid * w.grid)})
}

// corners is the length of the stream, padded to triples.
func (w *Walk) corners() int { return (w.agents + 2) / 3 * 3 }

// Restart puts agents back to where they are in from, of as many agents on the same
// grid.
func (w *Walk) Restart(ctx context.Context, from *walk.Walk) error {
	const part = 1 << 22
	cells := make([]uint32, 0, min(w.agents, part)+sortPadding)
	for first := 0; first < w.agents; first += part {
		agents := from.Agents[first:min(first+part, w.agents)]
		cells = cells[:len(agents)]
		if err := apps.OnAll(ctx, len(agents), func(from, to int) {
			for i, id := range agents[from:to] {
				cells[from+i] = w.tables.Cell(id)
			}
		}); err != nil {
			return err
		}
		if first+len(agents) == w.agents {
			last := cells[len(cells)-1]
			cells = append(cells, last, last)
		}
		if err := gpu.UploadAt(w.device, w.cells[0], first, cells); err != nil {
			return err
		}
	}
	w.step, w.ordered, w.moved = from.Step, false, false
	return nil
}

// Sort has the stream of the next steps take agents by the cells that they stand in
// now, those of a cell by number, as walk.Walk.Sort does. It returns the device's time.
// The walk was made with WalkOptions.Sorts.
func (w *Walk) Sort(ctx context.Context) (time.Duration, error) {
	if w.orders[0] == nil {
		return 0, errors.New("stream: the walk was made not to be sorted")
	}
	var err error
	took, ran := w.run(ctx, "sort", func(c *gpu.Commands) {
		if w.ordered {
			err = w.sort.RecordUnsort(c, w.cells[0], w.orders[0], w.cells[1])
			w.cells[0], w.cells[1] = w.cells[1], w.cells[0]
		}
		if err == nil {
			w.cells, w.orders, err = w.sort.Record(c, w.cells, w.orders)
		}
	})
	w.ordered, w.moved = true, false
	return took, errors.Join(err, ran)
}

// Advance takes a step.
func (w *Walk) Advance(ctx context.Context) (t WalkTime, err error) {
	if w.Reuse.Batching == reuse.DynamicBatching {
		indices, err := gpu.Download[uint32](w.device, w.cells[0], w.corners())
		if err != nil {
			return t, err
		}
		began := time.Now()
		if err := w.cut(apps.Stream{Indices: indices, IDs: int(w.grid * w.grid)}); err != nil {
			return t, err
		}
		t.Cutting = time.Since(began)
	}
	b, err := w.bind()
	if err != nil {
		return t, err
	}
	t.Shading, err = w.shade(ctx, b, w.batches, true, [4]uint32{w.step, uint32(w.agents), 0, w.seed})
	if err == nil {
		w.cells[0], w.cells[1] = w.cells[1], w.cells[0]
		w.moved = true
		w.step++
	}
	return t, err
}

// cut cuts the stream, and uploads the batches.
func (w *Walk) cut(s apps.Stream) error {
	w.batches = Cut(s, w.Reuse)
	grown, err := w.uploadBatches(w.batches)
	if grown {
		w.unbind()
	}
	return err
}

// bind finds or makes the binding of the next step.
func (w *Walk) bind() (*Binding, error) {
	order := w.buffers["WalkWeights"] // which is not read as such
	if w.ordered {
		order = w.orders[0]
	}
	for _, x := range w.bindings {
		if x.cells == w.cells[0] && x.order == order {
			return x.binding, nil
		}
	}
	b, err := w.walkPrograms.bind(w.ordered, w.cells[0], w.cells[1], order)
	if err == nil {
		w.bindings = append(w.bindings, walkBinding{w.cells[0], order, b})
	}
	return b, err
}

func (w *Walk) unbind() {
	for _, x := range w.bindings {
		x.binding.Close()
	}
	w.bindings = nil
}

// Occupancy is how many agents stand in each cell.
func (w *Walk) Occupancy(ctx context.Context) ([]uint32, error) {
	var err error
	_, ran := w.run(ctx, "occupancy", func(c *gpu.Commands) { err = w.sort.RecordOccupancy(c, w.cells[0], w.occupancy) })
	if err := errors.Join(err, ran); err != nil {
		return nil, err
	}
	return gpu.Download[uint32](w.device, w.occupancy, int(w.grid*w.grid))
}

// Agents are the agents' cells by number, as walk.Walk.Agents has them.
func (w *Walk) Agents(ctx context.Context) ([]uint32, error) {
	cells, err := gpu.Download[uint32](w.device, w.cells[0], w.agents)
	if err != nil {
		return nil, err
	}
	if !w.ordered {
		return cells, w.ids(ctx, cells)
	}
	order, err := gpu.Download[uint32](w.device, w.orders[0], w.agents)
	if err != nil {
		return nil, err
	}
	agents := make([]uint32, w.agents)
	return agents, apps.OnAll(ctx, w.agents, func(from, to int) {
		for k := from; k < to; k++ {
			agents[order[k]] = w.tables.ID(cells[k])
		}
	})
}

func (w *Walk) ids(ctx context.Context, cells []uint32) error {
	return apps.OnAll(ctx, len(cells), func(from, to int) {
		for k := from; k < to; k++ {
			cells[k] = w.tables.ID(cells[k])
		}
	})
}

// Moved is where agents stood before the last step and stand now: of all, or of a sample
// of about most of them from all over the stream. Nil where nobody has moved since the
// start or the last sort.
func (w *Walk) Moved(ctx context.Context, most int) (before, after []uint32, err error) {
	const runs = 64
	if !w.moved {
		return nil, nil, nil
	}
	starts, length := []int{0}, w.agents
	if w.agents > most {
		starts, length = starts[:0], max(1, most/runs)
		for i := range runs {
			starts = append(starts, i*(w.agents/runs))
		}
	}
	for i, list := range []*[]uint32{&after, &before} {
		for _, first := range starts {
			cells := make([]uint32, min(length, w.agents-first))
			if err := gpu.DownloadAt(w.device, cells, w.cells[i], first); err != nil {
				return nil, nil, err
			}
			*list = append(*list, cells...)
		}
		if err := w.ids(ctx, *list); err != nil {
			return nil, nil, err
		}
	}
	return before, after, nil
}

// Close frees what the walk has on the device. Nil is fine.
func (w *Walk) Close() {
	if w == nil {
		return
	}
	w.unbind()
	w.sort.Close()
	for _, b := range slices.Concat(w.cells[:], w.orders[:], []*gpu.Buffer{w.occupancy}) {
		b.Close()
	}
	w.walkPrograms.Close()
}
