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
	"os"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// Row is what one strategy shaded in one part of an application's work.
type Row struct {
	Schema       int     `json:"schema"`
	App          string  `json:"app"`
	File         string  `json:"file"`
	Order        string  `json:"order"`
	Part         string  `json:"part"` // such as: level 1, outer, 10 steps
	Strategy     string  `json:"strategy"`
	Lanes        int     `json:"lanes"`
	Batching     string  `json:"batching"`
	Batch        int     `json:"batch"`
	Unique       int     `json:"unique"` // most unique ids per iteration
	Backend      string  `json:"backend"`
	Device       string  `json:"device"`
	IDs          int     `json:"ids"`
	Referenced   int     `json:"referenced"`
	Indices      int     `json:"indices"`
	Invocations  int     `json:"invocations"`
	Edges        int     `json:"edge_invocations"` // the part of Invocations that shaded edges; subdivide only
	Reuse        float64 `json:"reuse"`
	Ideal        float64 `json:"ideal"`
	Milliseconds float64 `json:"ms"`
	Tables       float64 `json:"tables_ms"`      // time to build the tables that the shade function reads; not part of ms
	Cutting      float64 `json:"cut_ms"`         // time to cut the batches on the host, for a GPU; not part of ms
	VsNaive      float64 `json:"vs_naive"`       // naive's time divided by this one's; 0 where naive was not run
	VsNaiveIndex float64 `json:"vs_naive_index"` // the same for naive-index
	Hash         string  `json:"hash"`           // of the result
}

// Run is what all applications have in common: the strategies to run, and the rows
// made so far.
type Run struct {
	Configs []reuse.Config
	Verify  bool         // compare each strategy's result with shading everything once
	GPU     *gpu.Backend // where the work runs; nil stands for the CPU

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
	row.Schema, row.Strategy, row.Lanes = measure.Schema, c.Strategy.Name, c.Lanes
	row.Batching, row.Batch, row.Unique = c.Batching.String(), c.Batch, c.Strategy.MaxUnique(c)
	var all reuse.Stats
	for _, st := range stats {
		all.Add(st, 1)
	}
	row.IDs, row.Referenced, row.Indices, row.Invocations = all.Vertices, all.Referenced, all.Indices, all.Invocations
	row.Reuse, row.Ideal = all.Reuse(), all.Ideal()
	r.rows = append(r.rows, row)
}

// fits refuses work that needs more bytes than have; 0 stands for what the system
// has free. what says what the work is.
func fits(need, have int64, what string) error {
	if have == 0 {
		have = freeMemory()
	}
	if have > 0 && need > have {
		return fmt.Errorf("%s, which take about %s of memory: there is %s", what, bytesize.Text(need), bytesize.Text(have))
	}
	return nil
}

// freeMemory is how many bytes the system has free; 0 where it does not say, as
// anywhere but on Linux.
func freeMemory() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
