package walk

import (
	"context"
	"errors"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// Resident is a walk whose agents stay on a device from step to step, together with the order in
// which the stream takes them.
type Resident struct {
	device

	walk   Walk // the walk at its start, with the number of steps taken so far; its agents are not updated
	agents int
	stream reuse.Stream // all its indices are 0; nothing writes or reads them, so the system provides no memory for them
	sorter *sorter

	cells   [2]*gpu.Buffer // by stream position: cells[0] has the current cells; cells[1] those before the last step if `moved` is set
	orders  [2]*gpu.Buffer // by stream position: the agent; the second buffer is scratch. Nil unless DeviceOptions.Sorts
	ordered bool           // the stream takes agents in the order of orders[0], not by number
	moved   bool           // cells[1] still holds the cells before the last step

	occupancy *gpu.Buffer
	cut       *plan.Cut // set if batches are static
}

// NewResident uploads a walk to a device. It is for devices that hold all agents at once: the caller asks PartOf
// first, and calls NewParts if that returns fewer.
func NewResident(ctx context.Context, b *gpu.Backend, from *Walk, o DeviceOptions) (*Resident, error) {
	if !from.made() {
		return nil, errNoWalk
	}
	agents, cells := len(from.Agents), int(from.Grid*from.Grid)
	w := &Resident{walk: *from, agents: agents, stream: reuse.Stream{Name: "agents", Indices: make([]uint32, (agents+2)/3*3), IDs: cells}}
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

func (w *Resident) make(b *gpu.Backend, from *Walk, o DeviceOptions) (err error) {
	defer must.Catch(&err)
	w.device = must.Get(newDevice(b, from.Tables, o))
	for i := range w.cells {
		w.cells[i] = must.Get(w.words("WalkCells", w.agents+padding))
		if o.Sorts {
			w.orders[i] = must.Get(w.words("WalkOrder", w.agents+padding))
		}
	}
	w.sorter = newSorter(b.GPU(), w.agents, uint32(w.stream.IDs))
	w.occupancy = must.Get(w.words("WalkOccupancy", w.stream.IDs))
	if o.Reuse.Batching == reuse.DynamicBatching {
		return nil
	}
	// Static batches depend only on the stream's length.
	w.cut = plan.CutStream(w.stream, o.Reuse)
	static, err := stream.NewTables(b, stream.Table("Batches", w.cut.Table))
	if err == nil {
		w.tables["Batches"] = static["Batches"]
	}
	return err
}

// Restart moves the agents to their cells in the walk `from`, which has as many agents and the same
// grid.
func (w *Resident) Restart(ctx context.Context, from *Walk) (err error) {
	defer must.Catch(&err)
	const part = 1 << 22
	cells := make([]uint32, 0, min(w.agents, part)+padding)
	for first := 0; first < w.agents; first += part {
		agents := from.Agents[first:min(first+part, w.agents)]
		cells = cells[:len(agents)]
		must.OK(apps.OnAll(ctx, len(agents), func(from, to int) {
			for i, id := range agents[from:to] {
				cells[from+i] = w.walk.Tables.Cell(id)
			}
		}))
		if first+len(agents) == w.agents {
			last := cells[len(cells)-1]
			cells = append(cells, last, last)
		}
		must.OK(gpu.UploadAt(w.backend.GPU(), w.cells[0], first, cells))
	}
	w.walk.Step, w.ordered, w.moved = from.Step, false, false
	return nil
}

// Sort makes the stream of the next steps take agents ordered by their current cells, and agents in
// the same cell by number, as Walk.Sort does. It returns the device's time. The walk must have been
// made with DeviceOptions.Sorts.
func (w *Resident) Sort(ctx context.Context) (time.Duration, error) {
	if w.orders[0] == nil {
		return 0, errors.New("stream: the walk was made without DeviceOptions.Sorts")
	}
	sorted, swapped := w.sorter.sort(w.ordered)
	took, err := stream.Exec(ctx, w.backend, sorted, stream.Tables{
		sortKeys: w.cells[0], sortedKeys: w.cells[1], sortValues: w.orders[0], sortedValues: w.orders[1],
	})
	if swapped {
		slices.Reverse(w.cells[:])
		slices.Reverse(w.orders[:])
	}
	w.ordered, w.moved = true, false
	return took, err
}

// Advance takes a step: it moves every agent.
func (w *Resident) Advance(ctx context.Context) (t StepTime, err error) {
	s := w.stream
	if w.cut == nil {
		if s.Indices, err = gpu.Download[uint32](w.backend.GPU(), w.cells[0], len(s.Indices)); err != nil {
			return t, err
		}
	}
	own := stream.Tables{"Indices": w.cells[0], "WalkNext": w.cells[1]}
	if w.ordered {
		own["WalkOrder"] = w.orders[0]
	}
	t, err = w.shade(ctx, s, own, stream.Options{
		Function: plan.Function{Arguments: [4]uint32{w.walk.Step, uint32(w.agents), 0, w.walk.Seed}}, Cut: w.cut,
	})
	if err == nil {
		slices.Reverse(w.cells[:])
		w.moved = true
		w.walk.Step++
	}
	return t, err
}

// Occupancy counts the agents in each cell.
func (w *Resident) Occupancy(ctx context.Context) ([]uint32, error) {
	if _, err := stream.Exec(ctx, w.backend, w.sorter.occupancy(), stream.Tables{sortKeys: w.cells[0], sortOccupancy: w.occupancy}); err != nil {
		return nil, err
	}
	return gpu.Download[uint32](w.backend.GPU(), w.occupancy, w.stream.IDs)
}

// Agents returns the agents' cells by number, as in Walk.Agents.
func (w *Resident) Agents(ctx context.Context) (_ []uint32, err error) {
	defer must.Catch(&err)
	cells := must.Get(gpu.Download[uint32](w.backend.GPU(), w.cells[0], w.agents))
	if !w.ordered {
		return cells, w.ids(ctx, cells)
	}
	order := must.Get(gpu.Download[uint32](w.backend.GPU(), w.orders[0], w.agents))
	agents := make([]uint32, w.agents)
	return agents, apps.OnEach(ctx, w.agents, func(k int) {
		agents[order[k]] = w.walk.Tables.ID(cells[k])
	})
}

// ids replaces the numbers of cells by their ids.
func (w *Resident) ids(ctx context.Context, cells []uint32) error {
	return apps.OnEach(ctx, len(cells), func(k int) {
		cells[k] = w.walk.Tables.ID(cells[k])
	})
}

// Moved returns the agents' cells before and after the last step, for all agents or, if there are more than
// `most`, for a sample of about that many from all parts of the stream. It returns nil if nobody has moved since
// the start or the last sort.
func (w *Resident) Moved(ctx context.Context, most int) (before, after []uint32, err error) {
	defer must.Catch(&err)
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
			must.OK(gpu.DownloadAt(w.backend.GPU(), cells, w.cells[i], first))
			*list = append(*list, cells...)
		}
		must.OK(w.ids(ctx, *list))
	}
	return before, after, nil
}

// Close frees the walk's memory on the device.
func (w *Resident) Close() {
	for _, b := range slices.Concat(w.cells[:], w.orders[:], []*gpu.Buffer{w.occupancy}) {
		b.Close()
	}
	w.tables.Close()
}

// Sizes of the sort's passes. A workgroup processes a tile.
const (
	digitBits     = 8       // largest number of bits of a digit (shaders/sort/tile.glsl: SORT_DIGITS)
	sortSubgroups = 8       // most subgroups in a workgroup, if subgroups are native
	manyKeys      = 1 << 21 // from this number of keys on, there are enough large tiles for all multiprocessors
	virtualLanes  = 32
	padding       = 2 // extra keys at the end, which fill up the last triple
)

// The blocks of shaders/sort. Keys and values have a second buffer each, and every digit moves
// them from one buffer to the other. The caller provides all blocks except the counts.
const (
	sortKeys      plan.Block = "SortKeys"
	sortValues    plan.Block = "SortValues"
	sortedKeys    plan.Block = "SortedKeys"
	sortedValues  plan.Block = "SortedValues"
	sortOccupancy plan.Block = "SortOccupancy"
	sortCounts    plan.Block = "SortCounts" // counts of digits, by tile
)

// sorter plans how a device sorts keys, each with a value. The sort is a stable radix sort, least
// significant digit first (shaders/sort).
type sorter struct {
	count  int    // number of keys
	digits []uint // number of bits of each digit, the lowest digit first
	spec   map[string]uint32
	limits renderer.Limits
}

// newSorter returns a sorter of `count` keys, each below `limit`.
func newSorter(d *gpu.Device, count int, limit uint32) *sorter {
	lanes, own := 0, 16
	if native := d.Info.PlanLimits().NativeLanes; slices.Contains(native, d.Info.Subgroup.Size) {
		lanes = d.Info.Subgroup.Size
	}
	if count < manyKeys {
		own = 4
	}
	return newSorterOf(d, count, limit, lanes, own)
}

// newSorterOf returns a sorter with native subgroups of the given number of lanes, or with virtual
// ones if `lanes` is 0. An invocation takes `own` keys, or fewer if shared memory does not suffice.
func newSorterOf(d *gpu.Device, count int, limit uint32, lanes, own int) *sorter {
	subgroups, native := 1, uint32(1)
	if lanes == 0 {
		lanes, native = virtualLanes, 0
	} else {
		subgroups = max(1, min(sortSubgroups, d.Info.Limits.WorkgroupInvocations/lanes))
	}
	for own > 1 && sortSharedBytes(subgroups, lanes, own) > d.Info.Limits.SharedMemoryBytes {
		own /= 2
	}
	return &sorter{count, splitKey(bits.Len32(limit - 1)), map[string]uint32{
		"LANES": uint32(lanes), "NATIVE": native, "WORKGROUP": uint32(subgroups * lanes), "SORT_OWN": uint32(own),
	}, d.Info.PlanLimits()}
}

// sortSharedBytes returns the shared memory that sort/move takes: counts of digits by subgroup,
// their places, sums by invocation, and the tile.
func sortSharedBytes(subgroups, lanes, own int) int {
	return (subgroups+2)<<digitBits*wordBytes + subgroups*lanes*(2+own)*wordBytes + 6*wordBytes
}

// splitKey splits keys of a number of bits into as few digits as possible, of equal length.
func splitKey(keyBits int) []uint {
	n := max(1, (keyBits+digitBits-1)/digitBits)
	return slices.Repeat([]uint{uint(max(1, (keyBits+n-1)/n))}, n)
}

func (s *sorter) tiles() int {
	tile := int(s.spec["SORT_OWN"] * s.spec["WORKGROUP"])
	return (s.count + tile - 1) / tile
}

// newPlan returns a plan that has no passes yet. Its buffers are the caller's blocks and the counts. Each of
// the caller's buffers of keys and values has room for count+2 words.
func (s *sorter) newPlan(blocks ...plan.Block) *plan.Plan {
	p := &plan.Plan{Frame: renderer.Frame{Reuse: reuse.Config{Lanes: int(s.spec["LANES"])}, NoRaster: true}, Native: s.spec["NATIVE"] != 0}
	for _, b := range blocks {
		p.Buffers = append(p.Buffers, plan.Buffer{Name: string(b), Block: b, Filled: plan.ByNobody})
	}
	p.Buffers = append(p.Buffers, plan.Buffer{Name: string(sortCounts), Block: sortCounts, Bytes: int64(s.tiles()+1) << s.digits[0] * wordBytes})
	return p
}

// sort plans the sort of SortKeys; the keys' values are their places 0, 1, .. The result is the sorted
// keys, followed by two copies of the last key, and their values. It is in SortKeys and SortValues or, if
// `swapped`, in SortedKeys and SortedValues; the contents of the other blocks are undefined. If
// `unsort` is set, the plan first puts the keys back into the order of their values.
func (s *sorter) sort(unsort bool) (p *plan.Plan, swapped bool) {
	p = s.newPlan(sortKeys, sortValues, sortedKeys, sortedValues)
	if unsort {
		s.add(p, false, "unsort", s.tiles(), shaders.SortPush{}, nil)
	}
	first, shift, swapped := map[string]uint32{"SORT_FIRST": 1}, uint(0), unsort
	for _, length := range s.digits {
		push := shaders.SortPush{Shift: uint32(shift), Bits: uint32(length)}
		s.add(p, swapped, "count", s.tiles(), push, nil)
		s.add(p, swapped, "scan", 1<<length, push, nil)
		s.add(p, swapped, "move", s.tiles(), push, first)
		first, shift, swapped = nil, shift+length, !swapped
	}
	return p, swapped
}

// occupancy plans counting how often each key occurs. SortOccupancy has a word for each possible key.
func (s *sorter) occupancy() *plan.Plan {
	p := s.newPlan(sortKeys, sortOccupancy)
	uses := []plan.Use{{Block: sortOccupancy, Buffer: p.Find(sortOccupancy, 0), Access: plan.Write}}
	p.Passes = []plan.Pass{{Name: "clear", Chunk: plan.NoChunk, Uses: uses, Op: &plan.Clear{}}}
	s.add(p, false, "occupancy", s.tiles(), shaders.SortPush{}, nil)
	return p
}

// add adds a pass of a shader in shaders/sort. If `swapped` is set, the pass binds SortedKeys and
// SortedValues in place of SortKeys and SortValues, and the reverse.
func (s *sorter) add(p *plan.Plan, swapped bool, name string, groups int, push shaders.SortPush, own map[string]uint32) {
	push.Count, push.Tiles = uint32(s.count), uint32(s.tiles())
	shader, spec := shaders.Must("sort/"+name), maps.Clone(s.spec)
	maps.Copy(spec, own)
	p.Passes = append(p.Passes, plan.Pass{
		Name: "sort", Chunk: plan.NoChunk,
		Uses: plan.UsesOf(shader, func(b plan.Block) plan.BufferID {
			if other, ok := otherOf[b]; ok && swapped {
				b = other
			}
			return p.Find(b, 0)
		}),
		Op: &plan.Dispatch{Pipeline: plan.Pipeline{Shaders: []string{shader.Name}, Spec: spec}, Sort: &push, Groups: plan.Groups(groups, &s.limits)},
	})
}

var otherOf = map[plan.Block]plan.Block{sortKeys: sortedKeys, sortedKeys: sortKeys, sortValues: sortedValues, sortedValues: sortValues}
