package walk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
)

// MaxSteps bounds the steps of a walk.
const MaxSteps = 10000

// PaperSizes has the paper's batches by strategy, section 6.3.
var PaperSizes = map[string]reuse.Params{
	"naive": {Batch: 576}, "warp": {Batch: 576},
	"hash": {Batching: "dynamic", Batch: 1536}, "phash": {Batching: "dynamic", Batch: 1536}, "sort": {Batching: "dynamic", Batch: 1536},
}

// Driver runs walks with several strategies.
type Driver struct {
	apps.Run
	Agents, Grid, Steps int
	Seed                uint32
	// SortEvery has an entry for each walk of a strategy: the number of steps from one sort of the agents
	// by cell to the next; 0 means no sort.
	SortEvery []int

	hash    string // hash of the agents' cells at the end
	notices []string
}

// Paper walks with every strategy as in section 6.3, with unsorted agents and with agents sorted
// before each step. Times are per step.
func Paper(ctx context.Context, b *gpu.Backend) (_ []apps.Row, err error) {
	defer must.Catch(&err)
	d := Driver{Run: must.Get(apps.PaperRun(b, PaperSizes)), Agents: 300000, Grid: 256, Steps: 10, Seed: 1, SortEvery: []int{0, 1}}
	must.OK(d.Do(ctx, ""))
	rows := d.Rows()
	for i := range rows {
		for _, ms := range []*float64{&rows[i].Milliseconds, &rows[i].Sorting, &rows[i].Cutting} {
			*ms /= float64(d.Steps)
		}
	}
	return rows, nil
}

// ways returns the walks to do.
func (d *Driver) ways() (list []way) {
	for _, every := range d.SortEvery {
		for _, c := range d.Configs {
			list = append(list, way{c, every})
		}
	}
	return list
}

// Do walks with every strategy, and writes the steps of the first walk to the folder `path`, unless it is "".
func (d *Driver) Do(ctx context.Context, path string) (err error) {
	defer must.Catch(&err)
	d.Configs = d.Fitted(d.Agents)
	must.OK(d.fits())
	took := clock.Start()
	start := must.Get(New(progress.Part(ctx, 0, .05), d.Agents, d.Grid, d.Seed))
	tables := measure.Milliseconds(took())
	if d.Agents > manyAgents && path != "" {
		d.notice("%d agents: "+largeTerms, d.Agents, sampledAgents, maxLargeSide)
	}
	ways := d.ways()
	for i, by := range ways {
		ctx := apps.Share(ctx, .05, i, len(ways))
		if i > 0 || path == "" {
			must.OK(d.walk(ctx, start, by, tables, nil))
		} else {
			must.OK(atomicfile.Failed(path, atomicfile.Folder(path, func(made string) error {
				out := folder{path: made, tables: start.Tables, agents: d.Agents, steps: d.Steps}
				if err := d.walk(ctx, start, by, tables, &out); err != nil {
					return err
				}
				return errors.Join(out.finish(), CheckFolder(path)) // check again, since much time has passed
			})))
		}
	}
	return nil
}

// Rows returns the rows. Walks with sorted agents are compared with the naive strategies on
// unsorted agents, if there are such rows.
func (d *Driver) Rows() []apps.Row {
	d.Run.Rows()
	return d.CompareRows(func(_, naive *apps.Row) bool { return naive.Part == d.part(0) })
}

// part names a walk in its rows, by its steps and how often it sorts.
func (d *Driver) part(sortEvery int) string {
	steps := names.Count(d.Steps, "step")
	switch sortEvery {
	case 0:
		return steps
	case 1:
		return steps + ", sorted before each"
	}
	return fmt.Sprintf("%s, sorted every %d", steps, sortEvery)
}

// open begins a walk from a copy of `start`, where the driver's strategies run: on the CPU or on the device.
func (d *Driver) open(ctx context.Context, start *Walk, by way) state {
	b := d.GPU()
	if b == nil {
		w := newOnCPU(start, by.config)
		return &w
	}
	o := d.options(by)
	part := must.Get(PartOf(b, d.Agents, d.Grid, o))
	if part < d.Agents {
		d.notice("the device takes the agents in parts of %d, and the host sorts them: %d do not fit", part, d.Agents)
		return must.Get(NewParts(b, start, part, o))
	}
	return must.Get(NewResident(ctx, b, start, o))
}

func (d *Driver) options(by way) DeviceOptions {
	return DeviceOptions{Reuse: by.config, Subgroups: d.Subgroups, Sorts: by.sortEvery > 0}
}

// walk does one walk and adds its row.
func (d *Driver) walk(ctx context.Context, start *Walk, by way, tables float64, out *folder) (err error) {
	defer must.Catch(&err)
	s := d.open(ctx, start, by)
	defer s.Close()
	all, took := d.steps(progress.Part(ctx, 0, .8), start, s, by, out)
	agents := must.Get(s.Agents(ctx))
	hash := fmt.Sprintf("%016x", Sum(agents))
	if d.hash = cmp.Or(d.hash, hash); hash != d.hash {
		return errors.New("the strategies did not move the agents alike")
	}
	took = d.time(ctx, s, start, by, took)
	d.AddRow(apps.Row{
		App: "walk", File: fmt.Sprintf("%d agents, %dx%d", d.Agents, d.Grid, d.Grid), Part: d.part(by.sortEvery),
		Tables: tables, Cutting: measure.Milliseconds(took.Cut), Sorting: measure.Milliseconds(took.Sorted), Hash: hash,
	}, by.config, took.Device(), all)
	return nil
}

// steps takes all steps. `out`, unless nil, gets the start and each step.
func (d *Driver) steps(ctx context.Context, start *Walk, s state, by way, out *folder) (all reuse.Stats, took StepTime) {
	verify := must.Get(d.newCheck(start, by))
	occupancy := must.Get(s.Occupancy(ctx))
	out.add(ctx, 0, occupancy, s)
	for step := range d.Steps {
		ctx := apps.Share(ctx, 0, step, d.Steps)
		must.OK(by.take(ctx, s, step, &took))
		counts := must.Get(s.Counts())
		all.Add(d.stats(occupancy, counts), 1)
		if d.Verify {
			must.OK(verify.step(ctx, s, step))
		}
		occupancy = must.Get(s.Occupancy(ctx))
		out.add(ctx, step+1, occupancy, s)
		progress.Tell(ctx, 1)
	}
	return all, took
}

// newCheck returns a check of a walk. On a device the reference is the same strategy on the CPU; on the CPU
// it is a walk that shades every cell once.
func (d *Driver) newCheck(start *Walk, by way) (*check, error) {
	if d.GPU() != nil {
		return &check{by, newOnCPU(start, by.config), true}, nil
	}
	multi, err := reuse.Params{}.Resolve("multi")
	return &check{by, newOnCPU(start, multi), false}, err
}

// stats returns a step's statistics, from the occupancy before it and the shading counts of the
// cells.
func (d *Driver) stats(occupancy, counts []uint32) reuse.Stats {
	corners := (d.Agents + 2) / 3 * 3
	st := reuse.Stats{Draws: 1, Vertices: len(counts), Referenced: Occupied(occupancy), Triangles: corners / 3, Indices: corners}
	for _, n := range counts {
		st.Invocations += int(n)
	}
	return st
}

// time repeats all steps of a walk on a device, and returns the times of the median walk. If the device is a
// CPU or does not hold all agents, it repeats nothing and returns `once`, the times of the walk itself.
func (d *Driver) time(ctx context.Context, s state, start *Walk, by way, once StepTime) StepTime {
	resident, ok := s.(*Resident)
	if !ok || d.On.Info().Software {
		return once
	}
	return must.Get(stream.Median(func() (sum StepTime, err error) {
		defer must.Catch(&err)
		must.OK(resident.Restart(ctx, start))
		for step := range d.Steps {
			must.OK(by.take(ctx, resident, step, &sum))
		}
		return sum, nil
	}, StepTime.Device))
}

// Approximate host memory of a walk, in bytes per agent and per cell. The CPU's figures were measured
// with 10 million agents and a grid of 4096 cells per side. With a GPU the host holds the agents
// and, at the end, their cells by place, their order and their cells by number. A walk in parts
// also holds the stream and the cells before and after a step.
const (
	bytesPerAgent      = 40
	bytesPerCell       = 90
	bytesPerAgentGPU   = 16
	bytesPerAgentParts = 32
)

// Fits returns an error if a walk on the CPU needs more memory than the system has free.
func Fits(agents, grid int) error { return fits(bytesPerAgent, agents, grid) }

func fits(perAgent int64, agents, grid int) error {
	need := perAgent*int64(agents) + bytesPerCell*int64(grid)*int64(grid)
	return apps.Fits(need, 0, fmt.Sprintf("%d agents on %d cells", agents, grid*grid))
}

// fits returns an error if the host or the device cannot hold the walk.
func (d *Driver) fits() (err error) {
	defer must.Catch(&err)
	b, perAgent := d.GPU(), int64(bytesPerAgent)
	if b != nil {
		if !d.Verify {
			perAgent = bytesPerAgentGPU
		}
		for _, by := range d.ways() {
			part := must.Get(PartOf(b, d.Agents, d.Grid, d.options(by)))
			if part < d.Agents || by.config.Batching == reuse.DynamicBatching {
				perAgent = max(perAgent, bytesPerAgentParts)
			}
		}
	}
	return fits(perAgent, d.Agents, d.Grid)
}

// notice records a notice to the user, once.
func (d *Driver) notice(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(d.notices, text) {
		d.notices = append(d.notices, text)
	}
}

// Notices returns notices about work that is left out or done differently because the walk is large.
func (d *Driver) Notices() []string { return d.notices }
