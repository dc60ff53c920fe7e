// Package apps holds what the paper's three applications share (section 6): the mesh that they process, its edges,
// passes over index streams on the CPU, and Run, which lists the strategies to run and a row of measurements for
// each. The applications are the subpackages subdivide, envelope and walk. Each has a reference in Go, the same
// computation on a device, and a Driver that runs both and writes the results. The devices are types of this module's
// internal packages, so other programs call shadeonce.Device.Shade instead.
//
// A reference uses the names of its shader's functions and computes the same sums: in whole numbers,
// or in float32 without fused multiply-adds. So reference and device give the same bits. The
// package has no flags and prints nothing. Files and folders are written whole or not at all.
package apps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// None means no vertex, edge or triangle.
const None = ^uint32(0)

// grain returns how many of n elements a core takes at a time: enough to keep the overhead small,
// and few enough that all cores end at about the same time even if some elements are expensive.
func grain(n int) int { return min(max(n>>8, 1<<5), 1<<12) }

// OnAll splits 0 to n-1 into parts and calls `do` for each, on all cores; `to` is the end, exclusive.
// It returns the context's cause, or an error if `do` is nil.
func OnAll(ctx context.Context, n int, do func(from, to int)) error {
	if do == nil {
		return errors.New("apps: no function to call")
	}
	_, err := geometry.FirstBad(ctx, n, grain(n), func(from, to int) int {
		do(from, to)
		return -1
	})
	return err
}

// OnEach calls `do` for each of 0 to n-1, on all cores. Its errors are those of OnAll.
func OnEach(ctx context.Context, n int, do func(i int)) error {
	if do == nil {
		return OnAll(ctx, n, nil)
	}
	return OnAll(ctx, n, func(from, to int) {
		for i := from; i < to; i++ {
			do(i)
		}
	})
}

// Share returns the context for step i of n equal steps. Together the steps move the progress from
// the share `from` (0 to 1) to 1.
func Share(ctx context.Context, from float64, i, n int) context.Context {
	step := (1 - from) / float64(n)
	return progress.Part(ctx, from+float64(i)*step, from+float64(i+1)*step)
}

// Row is a row of measurements: one strategy in one part of an application. Its JSON names are stable: programs rely on them.
type Row = measure.ApplicationRow

// Run is the common state of all drivers: the strategies, the place to run them, and the rows so far.
type Run struct {
	Configs []reuse.Config
	Verify  bool         // compare each strategy's result with shading everything once
	On      plan.Backend // where to run: on the device of a *gpu.Backend; with any other backend on the CPU

	Subgroups renderer.Subgroups // on a GPU: which subgroups the lanes run on

	rows []Row
}

// PaperRun returns a Run of every strategy on a device. `sizes` holds the paper's batches and workgroups, by strategy.
func PaperRun(b *gpu.Backend, sizes map[string]reuse.Params) (r Run, err error) {
	defer must.Catch(&err)
	if b == nil {
		must.Fail("apps: no device")
	}
	r.On = b
	for _, s := range reuse.Strategies {
		size := sizes[s.Name]
		size.FitBatch = true
		r.Configs = append(r.Configs, must.Get(size.Resolve(s.Name)))
	}
	return r, nil
}

// Choose adds strategies to the run. A strategy that `sizes` lists gets the parameters given there and, if
// `paper` is set, a hash table of the paper's size. `auto` names the strategy that runs as reuse.Auto.
func (r *Run) Choose(configs []reuse.Config, auto string, sizes map[string]reuse.Params, paper bool) (err error) {
	defer must.Catch(&err)
	for _, c := range configs {
		must.OK(c.Check())
		strategy := c.Strategy
		if c.Auto {
			strategy = must.Get(reuse.Lookup(auto))
		}
		p, known := sizes[strategy.Name]
		switch {
		case known && paper:
			p.Room = min(1, strategy.Room)
		case c.Auto && !known:
			p = reuse.Params{Lanes: c.Lanes, FitBatch: true}
		}
		if known || c.Auto {
			made := must.Get(p.Resolve(strategy.Name))
			made.Auto = c.Auto
			c = made
		}
		r.Configs = append(r.Configs, c)
	}
	return nil
}

// GPU returns the device to run on; nil means the CPU.
func (r *Run) GPU() *gpu.Backend {
	b, _ := r.On.(*gpu.Backend)
	return b
}

// Rows returns the rows, each compared with the naive strategies on the same work.
func (r *Run) Rows() []Row {
	return r.CompareRows(func(row, naive *Row) bool {
		return row.File == naive.File && row.Order == naive.Order && row.Part == naive.Part
	})
}

// CompareRows sets each row's speedup over the naive strategies, and returns all rows. `picks`
// reports whether to compare a row with a given row of a naive strategy.
func (r *Run) CompareRows(picks func(row, naive *Row) bool) []Row {
	for i := range r.rows {
		row := &r.rows[i]
		for j := range r.rows {
			naive := &r.rows[j]
			switch {
			case row.Milliseconds == 0 || !picks(row, naive):
			case naive.Strategy == "naive":
				row.VsNaive = naive.Milliseconds / row.Milliseconds
			case naive.Strategy == "naive-index":
				row.VsNaiveIndex = naive.Milliseconds / row.Milliseconds
			}
		}
	}
	return r.rows
}

// AddRow adds a row with a strategy's work and its time. It adds none if Check refuses the configuration.
func (r *Run) AddRow(row Row, c reuse.Config, took time.Duration, stats ...reuse.Stats) {
	if c.Check() != nil {
		return
	}
	if r.On != nil {
		row.On = measure.OnBackend(r.On)
	}
	row.Milliseconds = measure.Milliseconds(took)
	row.Schema, row.Program, row.Strategy, row.Lanes = measure.Schema, buildinfo.By(), c.Name(), c.Lanes
	if c.Auto {
		row.Auto = measure.Auto{Picked: c.Strategy.Name, Reason: fmt.Sprintf("auto: %s: the fastest of those that stream, as measured on an H200", c.Strategy.Name)}
	}
	row.Batches = measure.BatchesOf(c)
	var all reuse.Stats
	for _, st := range stats {
		all.Add(st, 1)
	}
	row.IDs, row.Referenced, row.Indices, row.Invocations = all.Vertices, all.Referenced, all.Indices, all.Invocations
	row.Reuse, row.Ideal = all.Reuse(), all.Ideal()
	r.rows = append(r.rows, row)
}

// Fitted returns the configurations for a stream of the given number of corners. On a GPU it chooses
// the batch sizes that the user did not set.
func (r *Run) Fitted(corners int) []reuse.Config {
	b := r.GPU()
	if b == nil {
		return r.Configs
	}
	list, l := make([]reuse.Config, len(r.Configs)), b.Limits()
	for i, c := range r.Configs {
		list[i] = c.Fitted(corners/3, l.Multiprocessors)
	}
	return list
}

// Fits returns an error if `need` is more than `have`, both in bytes. If `have` is 0, the limit is
// the system's free memory. `what` describes the work.
func Fits(need, have int64, what string) error {
	if have == 0 {
		have = bytesize.FreeMemory()
	}
	if have > 0 && need > have {
		needs, has := bytesize.Texts(need, have)
		return fmt.Errorf("%s, which take about %s of memory: there is %s", what, needs, has)
	}
	return nil
}
