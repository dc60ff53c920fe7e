package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// frameRow is one row of bench --frame: a pass of a finalist, or one of the
// times of the whole. The JSON names are a contract.
type frameRow struct {
	Schema      int     `json:"schema"`
	File        string  `json:"file"`
	Order       string  `json:"order"`
	Draws       int     `json:"draws"`
	Triangles   int     `json:"triangles"`
	Width       int     `json:"width"`
	Height      int     `json:"height"`
	Camera      string  `json:"camera"`
	Strategy    string  `json:"strategy"` // or hardware: the graphics pipeline alone
	Raster      string  `json:"raster"`
	Pass        string  `json:"pass"` // or frame: the device's first to last, with no times taken between; host: what the program waits for
	MsMin       float64 `json:"ms_min"`
	MsMedian    float64 `json:"ms_median"`
	MsMax       float64 `json:"ms_max"`
	Runs        int     `json:"runs"`
	Equal       float64 `json:"equal"` // share of the pixels that equal the first finalist's
	Lanes       int     `json:"lanes"`
	Native      bool    `json:"native"`
	Workgroup   int     `json:"workgroup"`
	Batching    string  `json:"batching"`
	Batch       int     `json:"batch"`
	Unique      int     `json:"unique"`
	Queue       string  `json:"queue"`
	QueueBudget int64   `json:"queue_budget"` // bytes
	Chunks      int     `json:"chunks"`
	Load        string  `json:"load"`
	deviceRow
	Commit string `json:"commit"`
}

// hostTime is the row of what the program waits for: the camera, submission and
// waiting, read-back of the picture left out.
const hostTime = "host"

// newFrameRows are the passes of a finalist, then the frame and the host.
func newFrameRows(path, order string, b plan.Backend, shot frameShot, budget int64, one *finalist) []frameRow {
	f := &one.plan.Frame
	row := frameRow{
		Schema: schemaVersion, File: path, Order: order, Draws: len(f.Scene.Draws), Triangles: f.Scene.Triangles(),
		Width: shot.width, Height: shot.height, Camera: shot.camera, Strategy: f.StrategyName(), Raster: f.Raster.String(),
		Runs: len(one.runs), Equal: one.equal, Chunks: len(one.plan.Chunks), Load: f.LoadName(),
		deviceRow: newDeviceRow(b), Commit: cli.Version(),
	}
	if c := f.Reuse; c.Strategy != nil {
		row.Lanes, row.Native, row.Workgroup, row.Batching = c.Lanes, one.plan.Native, c.Workgroup, c.Batching.String()
		row.Batch, row.Unique = c.Batch, maxUnique(f)
		row.Queue, row.QueueBudget = f.Queue.String(), budget
	}
	var rows []frameRow
	add := func(pass string, of func(i int) time.Duration) {
		times := make([]time.Duration, len(one.runs))
		for i := range times {
			times[i] = of(i)
		}
		row.Pass = pass
		row.MsMin, row.MsMedian, row.MsMax = spread(times)
		rows = append(rows, row)
	}
	for k, t := range one.runs[0].Timings {
		add(t.Pass, func(i int) time.Duration { return one.runs[i].Timings[k].Duration })
	}
	add(wholeFrame, func(i int) time.Duration { return one.frame[i] })
	add(hostTime, func(i int) time.Duration { return one.host[i] })
	return rows
}

// frameSums are the columns of passes in the table for people.
var frameSums = []struct{ title, prefix string }{
	{"geometry", "geometry:"}, {"raster", "raster:"},
}

// writeFrameRows prints a line a finalist, each shot relative to the graphics
// pipeline alone where that ran.
func writeFrameRows(w io.Writer, rows []frameRow) error {
	table := cli.NewTable(w, "lllllrrrrrrrrr", "file", "order", "size", "camera", "strategy", "raster", "frame ms", "min", "max", "geometry", "raster", "host", "vs hardware", "equal")
	for first := 0; first < len(rows); {
		last := first
		for rows[last].Pass != hostTime {
			last++
		}
		if err := table.Append(frameCells(rows, rows[first:last+1])); err != nil {
			return err
		}
		first = last + 1
	}
	if err := table.Render(); err != nil {
		return err
	}
	r := rows[0]
	_, err := fmt.Fprintf(w, "\n%s milliseconds of whole frames, median of %d; geometry, raster: of these passes; host: what the program waits for\n"+
		"vs hardware: relative to the graphics pipeline alone; equal: share of the pixels that equal the first's\n"+
		"%s, driver %s; pictures compared before timing\n", r.clock(), r.Runs, r.Device, r.Driver)
	return err
}

// frameCells is the line of a finalist, whose rows end with the frame and the host.
func frameCells(all, rows []frameRow) []string {
	frame, host := rows[len(rows)-2], rows[len(rows)-1]
	cells := []string{
		cli.Printable(frame.File), frame.Order, fmt.Sprintf("%dx%d", frame.Width, frame.Height), frame.Camera, frame.Strategy, frame.Raster,
	}
	ms := func(x float64) { cells = append(cells, fmt.Sprintf("%.3f", x)) }
	ms(frame.MsMedian)
	ms(frame.MsMin)
	ms(frame.MsMax)
	for _, column := range frameSums {
		sum := 0.0
		for _, r := range rows[:len(rows)-2] {
			if strings.HasPrefix(r.Pass, column.prefix) {
				sum += r.MsMedian
			}
		}
		ms(sum)
	}
	ms(host.MsMedian)
	relative := "-"
	if alone := aloneTime(all, &frame); alone > 0 {
		relative = fmt.Sprintf("%.2f", frame.MsMedian/alone)
	}
	return append(cells, relative, fmt.Sprintf("%.4f", frame.Equal))
}

// aloneTime is the median frame of the graphics pipeline alone for the same
// picture; 0 where it did not run.
func aloneTime(rows []frameRow, of *frameRow) float64 {
	for _, r := range rows {
		if r.Strategy == renderer.HardwareStrategy && r.Pass == wholeFrame && r.File == of.File && r.Order == of.Order &&
			r.Camera == of.Camera && r.Width == of.Width && r.Height == of.Height {
			return r.MsMedian
		}
	}
	return 0
}
