package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/internal/cli"
)

// benchRow is one row of bench: a strategy at one load. The JSON names are a
// contract.
type benchRow struct {
	Schema    int    `json:"schema"`
	File      string `json:"file"`
	Order     string `json:"order"`
	Strategy  string `json:"strategy"`
	Lanes     int    `json:"lanes"`
	Native    bool   `json:"native"`
	Workgroup int    `json:"workgroup"`
	Batching  string `json:"batching"`
	Batch     int    `json:"batch"`
	Unique    int    `json:"unique"`
	Queue     string `json:"queue"`
	Chunks    int    `json:"chunks"`
	Load      string `json:"load"`
	deviceRow
	Triangles    int     `json:"triangles"`
	Invocations  int     `json:"invocations"`
	Reuse        float64 `json:"reuse"`
	BatchingMs   float64 `json:"batching_ms"` // CPU time of cutting the batches, once a scene
	MsMedian     float64 `json:"ms_median"`   // GPU time of the geometry pass
	MsMin        float64 `json:"ms_min"`
	MsMax        float64 `json:"ms_max"`
	Runs         int     `json:"runs"`
	TrianglesMsS float64 `json:"mtriangles_s"` // million triangles a second at the median

	Bytes          int64   `json:"bytes"`           // that the pass must move at least
	GBs            float64 `json:"gb_s"`            // the same a second at the median, 1e9 bytes
	BandwidthShare float64 `json:"bandwidth_share"` // of what a copy moves a second here; 0 where none was measured

	culledRow

	Times []time.Duration `json:"-"` // of every run, in order
}

// fastestNaive is the best median without reuse for the same file, order and
// load as a row; 0 where none ran.
func fastestNaive(rows []benchRow, of *benchRow) (ms float64) {
	for _, r := range rows {
		same := r.File == of.File && r.Order == of.Order && r.Load == of.Load
		if same && strings.HasPrefix(r.Strategy, "naive") && (ms == 0 || r.MsMedian < ms) {
			ms = r.MsMedian
		}
	}
	return ms
}

// writeBench prints rows for people, each load relative to the fastest form
// without reuse that ran.
func writeBench(w io.Writer, rows []benchRow) error {
	table := cli.NewTable(w, "lllrrrrrrrrrrr", "file", "order", "strategy", "batch", "load", "invocations", "reuse", "ms", "min", "max", "vs naive", "Mtri/s", "of copy", "batching")
	for _, r := range rows {
		relative := "-"
		if fastest := fastestNaive(rows, &r); fastest > 0 {
			relative = fmt.Sprintf("%.2f", r.MsMedian/fastest)
		}
		share := "-"
		if r.BandwidthShare > 0 {
			share = fmt.Sprintf("%.0f%%", 100*r.BandwidthShare)
		}
		err := table.Append(cli.Printable(r.File), r.Order, r.Strategy, fmt.Sprintf("%d/%d", r.Batch, r.Unique), r.Load, r.Invocations,
			fmt.Sprintf("%.4f", r.Reuse), fmt.Sprintf("%.3f", r.MsMedian), fmt.Sprintf("%.3f", r.MsMin), fmt.Sprintf("%.3f", r.MsMax), relative,
			fmt.Sprintf("%.0f", r.TrianglesMsS), share, fmt.Sprintf("%.2f", r.BatchingMs))
		if err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s milliseconds of the geometry pass, median of %d; vs naive: relative to the fastest form without reuse here\n"+
		"batching: milliseconds of cutting the batches, on the host, once a scene; not in the others\n%s%s%s, driver %s; %s\n",
		rows[0].clock(), rows[0].Runs, copyNote(rows[0]), cullNote(rows), rows[0].Device, rows[0].Driver, verifiedNote(rows[0]))
	return err
}

// verifiedNote says what the counts were held to: on the CPU there is nothing
// beside the reference.
func verifiedNote(r benchRow) string {
	if r.Backend == cli.CPU {
		return "counts are the CPU reference's"
	}
	return "counts verified before timing"
}

// copyNote explains the column "of copy"; empty where no copy was measured.
func copyNote(r benchRow) string {
	if r.BandwidthShare == 0 {
		return ""
	}
	return fmt.Sprintf("of copy: the bytes that the pass must move at least, a second, against the %.4g GB/s that a copy moves here\n", r.GBs/r.BandwidthShare)
}
