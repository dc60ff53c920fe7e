package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// maxRepeat bounds the frames that are measured, since every time is kept.
const maxRepeat = 100000

// wholeFrame is the row of the frame: what the program waits for, recording
// and read-back of the picture left out.
const wholeFrame = "frame"

// timing is one row of render --repeat: a pass, or the frame. The JSON names
// are a contract.
type timing struct {
	Schema    int    `json:"schema"`
	File      string `json:"file"`
	Order     string `json:"order"`
	Strategy  string `json:"strategy"`
	Lanes     int    `json:"lanes"`
	Native    bool   `json:"native"` // lanes ran on the device's own subgroups
	Batching  string `json:"batching"`
	Batch     int    `json:"batch"`
	Unique    int    `json:"unique"` // most unique vertices an iteration
	Queue     string `json:"queue"`
	Chunks    int    `json:"chunks"`
	View      string `json:"view"`
	Raster    string `json:"raster"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Triangles int    `json:"triangles"`
	deviceRow
	Pass     string  `json:"pass"`
	MsMin    float64 `json:"ms_min"`
	MsMedian float64 `json:"ms_median"`
	MsMax    float64 `json:"ms_max"`
	Runs     int     `json:"runs"`
	Load     string  `json:"load"` // as --load names it
	culledRow
}

// series is the times of all runs of one pass.
type series struct {
	pass  string
	times []time.Duration
}

// measure executes a plan that has been executed once, which warmed it up, n
// times over. The last series is the frame's.
func measure(b plan.Backend, p *plan.Plan, camera renderer.Camera, n int) ([]series, error) {
	var passes []series
	frame := series{pass: wholeFrame}
	for range n {
		start := time.Now()
		out, err := b.Exec(p, camera, 0)
		if err != nil {
			return nil, err
		}
		frame.times = append(frame.times, time.Since(start))
		for _, t := range out.Timings {
			at := slices.IndexFunc(passes, func(s series) bool { return s.pass == t.Pass })
			if at < 0 {
				at = len(passes)
				passes = append(passes, series{pass: t.Pass})
			}
			passes[at].times = append(passes[at].times, t.Duration)
		}
	}
	return append(passes, frame), nil
}

// spread is the least, the middle and the greatest of some times, at least one,
// in milliseconds. The middle of an even number is the mean of two.
func spread(times []time.Duration) (least, median, greatest float64) {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	middle := (sorted[(n-1)/2] + sorted[n/2]) / 2
	return milliseconds(sorted[0]), milliseconds(middle), milliseconds(sorted[n-1])
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

func newTimings(path, order string, b plan.Backend, p *plan.Plan, culled renderer.Culling, measured []series) []timing {
	f := &p.Frame
	on := newDeviceRow(b)
	rows := make([]timing, len(measured))
	for i, s := range measured {
		rows[i] = timing{
			Schema: schemaVersion, File: path, Order: order, Strategy: f.StrategyName(), Lanes: f.Reuse.Lanes,
			Native: p.Native, Batching: f.Reuse.Batching.String(), Batch: f.Reuse.Batch, Unique: maxUnique(f), Queue: f.Queue.String(), Chunks: len(p.Chunks), View: f.View.String(), Load: f.LoadName(),
			Raster: f.Raster.String(), Width: f.Width, Height: f.Height, Triangles: f.Scene.Triangles(),
			deviceRow: on, Pass: s.pass, Runs: len(s.times),
		}
		rows[i].culledRow = newCulledRow(f, culled)
		rows[i].MsMin, rows[i].MsMedian, rows[i].MsMax = spread(s.times)
	}
	return rows
}

// maxUnique is the most unique vertices an iteration; 0 without a strategy.
func maxUnique(f *renderer.Frame) int {
	if f.Reuse.Strategy == nil {
		return 0
	}
	return f.Reuse.Strategy.MaxUnique(f.Reuse)
}

// configText is the strategy with its parameters.
func (t *timing) configText() string {
	if t.Strategy == renderer.HardwareStrategy {
		return "the graphics pipeline alone"
	}
	text := fmt.Sprintf("%s, %s batches of %d", t.Strategy, t.Batching, t.Batch)
	if t.Lanes > 0 {
		text += fmt.Sprintf(", %d lanes", t.Lanes)
	}
	return text
}

// writeTimings prints rows for people.
func writeTimings(w io.Writer, rows []timing) error {
	first, last := &rows[0], &rows[len(rows)-1]
	_, err := fmt.Fprintf(w, "%s: %d frames of %dx%d after one to warm up, %s view, %s, %s queue\n%s, driver %s\n\n",
		cli.Printable(first.File), last.Runs, first.Width, first.Height, first.View, first.configText(), first.Queue,
		first.Device, first.Driver)
	if err != nil {
		return err
	}
	if first.Cull {
		if _, err := fmt.Fprintf(w, "%s\n\n", first.culledRow); err != nil {
			return err
		}
	}
	table := cli.NewTable(w, "lrrr", "pass", "ms min", "median", "max")
	for _, r := range rows {
		cells := []string{r.Pass}
		for _, ms := range []float64{r.MsMin, r.MsMedian, r.MsMax} {
			cells = append(cells, fmt.Sprintf("%.3f", ms))
		}
		if err := table.Append(cells); err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%.1f frames a second at the median\n", 1e3/last.MsMedian)
	return err
}
