package apps

import (
	"errors"
	"fmt"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// Row is what one strategy shaded in one part of an application's work. Its JSON names are
// stable: programs rely on them.
type Row = measure.ApplicationRow

// Run is what all drivers share: the strategies to run, the place to run them, and the rows so
// far.
type Run struct {
	Configs []reuse.Config
	Verify  bool         // compare each strategy's result with shading everything once
	On      plan.Backend // run on its device if it is a *gpu.Backend; with any other backend on the CPU

	Subgroups renderer.Subgroups // what lanes run on, for a GPU

	rows []Row
}

// PaperRun returns a Run of every strategy on a device, with the paper's batches.
func PaperRun(b *gpu.Backend, sizes map[string]reuse.Params) (Run, error) {
	if b == nil {
		return Run{}, errors.New("apps: no device")
	}
	r := Run{On: b}
	for _, s := range reuse.Strategies {
		size := sizes[s.Name]
		size.FitBatch = true
		c, err := size.Resolve(s.Name)
		if err != nil {
			return r, err
		}
		r.Configs = append(r.Configs, c)
	}
	return r, nil
}

// Choose sets the run's strategies. sizes has batches for some of them; paper also gives them the
// paper's tables. auto is the strategy that reuse.Auto stands for.
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

// CompareRows compares each row with the rows of the naive strategies that picks selects for it,
// and returns all rows.
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

// AddRow adds a row, with what a strategy did and how long it took.
func (r *Run) AddRow(row Row, c reuse.Config, took time.Duration, stats ...reuse.Stats) {
	info := r.On.Info()
	row.Backend, row.Device = info.Name, info.Device
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

// Fitted returns the configurations for a stream of that many corners. On a GPU it fits the
// batches that the user left open.
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

// Fits returns an error if work needs more bytes than have; have 0 means the system's free
// memory. what describes the work.
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
