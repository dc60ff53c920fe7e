// Package applications runs the paper's applications (geometry/apps) by several
// strategies, and writes what they make: refined meshes, envelopes with their
// levels, and the pictures of a random walk.
//
// Each strategy's work becomes a Row. The JSON names of rows are a contract.
// Files and folders are written whole or not at all. The package knows no flags
// and prints nothing.
package applications

import (
	"fmt"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/built"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// Row is what one strategy shaded in one part of an application's work.
type Row = measure.ApplicationRow

// Run is what all applications have in common: the strategies to run, and the rows
// made so far.
type Run struct {
	Configs []reuse.Config
	Verify  bool         // compare each strategy's result with shading everything once
	GPU     *gpu.Backend // where the work runs; nil stands for the CPU

	Subgroups renderer.Subgroups // what lanes run on, on a GPU

	rows []Row
}

// Rows returns the rows, each compared with the naive strategies on the same work.
func (r *Run) Rows() []Row {
	for i := range r.rows {
		row := &r.rows[i]
		for _, other := range r.rows {
			same := other.File == row.File && other.Order == row.Order && other.Part == row.Part
			switch {
			case !same || row.Milliseconds == 0:
			case other.Strategy == "naive":
				row.VsNaive = other.Milliseconds / row.Milliseconds
			case other.Strategy == "naive-index":
				row.VsNaiveIndex = other.Milliseconds / row.Milliseconds
			}
		}
	}
	return r.rows
}

// add completes a row with what a strategy did, and how long it took, and keeps it.
func (r *Run) add(row Row, c reuse.Config, took time.Duration, stats ...reuse.Stats) {
	row.Backend, row.Device = soft.New().Name(), soft.New().Device()
	if r.GPU != nil {
		row.Backend, row.Device = r.GPU.Name(), r.GPU.Device()
	}
	row.Milliseconds = measure.Milliseconds(took)
	row.Schema, row.Program, row.Strategy, row.Lanes = measure.Schema, built.By(), c.Name(), c.Lanes
	if c.Auto {
		row.Auto = measure.Auto{Picked: c.Strategy.Name, Reason: fmt.Sprintf("auto: %s: the fastest of those that stream, as measured on an H200", c.Strategy.Name)}
	}
	row.Batching, row.Batch, row.Unique = c.Batching.String(), c.Batch, c.Strategy.MaxUnique(c)
	var all reuse.Stats
	for _, st := range stats {
		all.Add(st, 1)
	}
	row.IDs, row.Referenced, row.Indices, row.Invocations = all.Vertices, all.Referenced, all.Indices, all.Invocations
	row.Reuse, row.Ideal = all.Reuse(), all.Ideal()
	r.rows = append(r.rows, row)
}

// fitted are the configurations for a stream of so many corners: on a GPU with the
// batches that fit it, where nobody asked for others.
func (r *Run) fitted(corners int) []reuse.Config {
	if r.GPU == nil {
		return r.Configs
	}
	list, l := make([]reuse.Config, len(r.Configs)), r.GPU.Limits()
	for i, c := range r.Configs {
		list[i] = c.Fitted(corners/3, l.Multiprocessors)
	}
	return list
}

// fits refuses work that needs more bytes than have; 0 stands for what the system
// has free. what says what the work is.
func fits(need, have int64, what string) error {
	if have == 0 {
		have = bytesize.FreeMemory()
	}
	if have > 0 && need > have {
		needs, has := bytesize.Texts(need, have)
		return fmt.Errorf("%s, which take about %s of memory: there is %s", what, needs, has)
	}
	return nil
}
