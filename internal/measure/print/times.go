// Package print prints the rows of package measure for people and for benchstat: a table per
// command, with units in its columns. JSON and CSV need no code here (cli.PrintRows).
package print

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer"
)

// WriteBench prints rows for people, with their times relative to the fastest strategy without reuse
// that ran. Means, which come last in rows, have their own table.
func WriteBench(w io.Writer, rows []measure.GeometryRow) error {
	var means []measure.GeometryRow
	if i := slices.IndexFunc(rows, func(r measure.GeometryRow) bool { return r.Kind == measure.KindMean }); i >= 0 {
		rows, means = rows[:i], rows[i:]
	}
	table := cli.NewTable("lllrrrrrrrrrrr", "file", "order", "strategy", "batch", "load", "invocations", "reuse", "ms", "min", "max", "vs no reuse", "Mtri/s", "of copy", "batching")
	for _, r := range rows {
		relative := "-"
		if fastest := measure.FastestNaive(rows, &r); fastest > 0 {
			relative = fmt.Sprintf("%.2f", r.MsMedian/fastest)
		}
		share := "-"
		if r.BandwidthShare > 0 {
			share = fmt.Sprintf("%.0f%%", 100*r.BandwidthShare)
		}
		table.Row(names.Printable(r.File), r.Order, ranBy(r.Strategy, r.Auto), r.Bounds(), r.Load, r.Invocations,
			fmt.Sprintf("%.4f", r.Reuse), fmt.Sprintf("%.3f", r.MsMedian), fmt.Sprintf("%.3f", r.MsMin), fmt.Sprintf("%.3f", r.MsMax), relative,
			fmt.Sprintf("%.0f", r.TrianglesMsS), share, fmt.Sprintf("%.2f", r.BatchingMs))
	}
	first, copied, counts := &rows[0], "", "counts verified before timing"
	if first.BandwidthShare > 0 {
		copied = fmt.Sprintf("of copy: the bytes that the pass must move at least per second, against the %.4g GB/s that a copy moves here\n", first.GBs/first.BandwidthShare)
	}
	if first.Backend == cli.CPU {
		counts = "counts are the CPU reference's" // there is nothing to compare them with
	}
	err := table.Render(w, "\n%s milliseconds of the geometry pass, median of %d\n"+
		"vs no reuse: relative to the fastest form without reuse here, naive or naive-index; below 1 is faster than it\n"+
		"batching: milliseconds of cutting the batches, and of listing them for meshlet, on the host, once per scene; not in the others\n%s%s%s%s%s",
		first.Clock(), first.Runs, wideNote(rows, func(r *measure.GeometryRow) float64 { return r.MsMax / r.MsMin }), copied, cullNote(rows), autoNotes(rows, func(r *measure.GeometryRow) (string, string, []string) { return r.File, r.Order, []string{r.Reason} }), timedOn(&first.On, "; "+counts))
	if err != nil || len(means) == 0 {
		return err
	}
	return writeMeans(w, means)
}

func writeMeans(w io.Writer, means []measure.GeometryRow) error {
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	table := cli.NewTable("lllrrrl", "order", "load", "strategy", "files", "speed", "worst", "worst file")
	for _, m := range means {
		table.Row(m.Order, m.Load, m.Strategy, m.Files, fmt.Sprintf("%.2f", m.Speed), fmt.Sprintf("%.2f", m.WorstSpeed), names.Printable(m.WorstFile))
	}
	return table.Render(w, "\nspeed: geometric mean over the files, against the fastest form without reuse on each; above 1 is faster than it\n")
}

// wideNote says in how many rows the greatest time exceeds twice the least; "" if in none.
func wideNote[T any](rows []T, width func(*T) float64) string {
	wide := 0
	for i := range rows {
		if width(&rows[i]) > 2 {
			wide++
		}
	}
	if wide == 0 {
		return ""
	}
	return fmt.Sprintf("in %s max is more than twice min: the device was busy with something else, or changed its clock\n", names.Count(wide, "row"))
}

// cullNote says how many triangles of each file were culled and how many were left. It uses the row of the
// file's first strategy, since strategies differ only in the numbers of vertices. It is "" without
// culling.
func cullNote(rows []measure.GeometryRow) string {
	var text strings.Builder
	last := ""
	for _, r := range rows {
		if r.Culled != (measure.Culled{}) && r.File != last {
			fmt.Fprintf(&text, "%s, %s, milliseconds with culling; %s\n", names.Printable(r.File), r.Strategy, r.Culled)
		}
		last = r.File
	}
	return text.String()
}

// timedOn returns the line that names the device and ends with `checked`. For a CPU it adds a line
// saying that its times tell nothing about a GPU.
func timedOn(on *measure.On, checked string) string {
	line := fmt.Sprintf("%s, driver %s%s\n", on.Device, on.Driver, checked)
	if on.Software {
		line += "this device is a CPU: its times say nothing about a GPU\n"
	}
	return line
}

// frameSums are the columns that add up the times of passes, with the prefixes of the passes' names.
var frameSums = []struct {
	title    string
	prefixes []string
}{
	{"geometry", []string{"geometry:", "fused:", "mesh:"}}, {"raster", []string{"raster:"}},
}

// WriteFrameRows prints a line per frame, with its time relative to that of the graphics pipeline
// alone if that ran.
func WriteFrameRows(w io.Writer, rows []measure.FrameRow) error {
	header, compared := []string{"file", "order", "size", "camera", "strategy", "raster", "frame ms", "min", "max", "geometry", "raster", "host"}, ""
	alone := slices.ContainsFunc(rows, func(r measure.FrameRow) bool { return r.Strategy == renderer.HardwareStrategy })
	if alone {
		header, compared = append(header, "vs hardware"), "vs hardware: relative to the graphics pipeline alone; "
	}
	header = append(header, "equal", "batching")
	table := cli.NewTable("lllll"+strings.Repeat("r", len(header)-5), header...)
	for first := 0; first < len(rows); {
		last := first
		for rows[last].Pass != measure.HostTime {
			last++
		}
		table.Row(frameCells(rows, rows[first:last+1], alone))
		first = last + 1
	}
	r := rows[0]
	return table.Render(w, "\n%s milliseconds of whole frames, median of %d; geometry, raster: of these passes; host: what the program waits for\n"+
		"passes are timed in frames of their own, where each waits for the one before: together they may take longer than the frame, where they overlap\n"+
		"%sequal: share of the pixels that equal the first's\n"+
		"batching: milliseconds of cutting the batches, and of listing them for meshlet, on the host, once per scene; not in the others\n"+
		"%s%s%s", r.Clock(), r.Runs, compared, wideNote(rows, frameWidth), autoNotes(rows, frameNote), timedOn(&r.On, "; pictures compared before timing"))
}

// frameCells returns the line of one frame. The last two of its rows are WholeFrame and HostTime.
func frameCells(all, rows []measure.FrameRow, alone bool) []string {
	frame, host := rows[len(rows)-2], rows[len(rows)-1]
	cells := []string{
		names.Printable(frame.File), frame.Order, fmt.Sprintf("%dx%d", frame.Width, frame.Height), frame.Camera, ranBy(frame.Strategy, frame.Auto), frame.Raster,
	}
	times := []float64{frame.MsMedian, frame.MsMin, frame.MsMax}
	for _, column := range frameSums {
		sum := 0.0
		for _, r := range rows[:len(rows)-2] {
			if slices.ContainsFunc(column.prefixes, func(prefix string) bool { return strings.HasPrefix(r.Pass, prefix) }) {
				sum += r.MsMedian
			}
		}
		times = append(times, sum)
	}
	for _, ms := range append(times, host.MsMedian) {
		cells = append(cells, fmt.Sprintf("%.3f", ms))
	}
	if alone {
		relative := "-"
		if pipeline := measure.PipelineTime(all, &frame); pipeline > 0 {
			relative = fmt.Sprintf("%.2f", frame.MsMedian/pipeline)
		}
		cells = append(cells, relative)
	}
	return append(cells, fmt.Sprintf("%.4f", frame.Equal), fmt.Sprintf("%.2f", frame.BatchingMs))
}

// timingConfig returns the strategy with its parameters.
func timingConfig(t *measure.Timing) string {
	if t.Strategy == renderer.HardwareStrategy {
		return "the graphics pipeline alone"
	}
	text := fmt.Sprintf("%s, %s batches of %d", ranBy(t.Strategy, t.Auto), t.Batching, t.Batch)
	if t.Lanes > 0 {
		text += fmt.Sprintf(", %d lanes", t.Lanes)
	}
	return text
}

// WriteTimings prints rows for people.
func WriteTimings(w io.Writer, rows []measure.Timing) error {
	first, last := &rows[0], &rows[len(rows)-1]
	text := fmt.Sprintf("%s: %s of %dx%d after one to warm up, %s view, %s, %s queue\n%s\n",
		names.Printable(first.File), names.Count(last.Runs, "frame"), first.Width, first.Height, first.View, timingConfig(first), first.Queue, timedOn(&first.On, ""))
	culled := ""
	if first.Culled != (measure.Culled{}) {
		culled = first.Culled.String()
	}
	for _, part := range []string{culled, first.Reason, first.RasterReason} {
		if part != "" {
			text += part + "\n\n"
		}
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	table := cli.NewTable("lrrr", "pass", "ms min", "median", "max")
	for _, r := range rows {
		table.Row(r.Pass, fmt.Sprintf("%.3f", r.MsMin), fmt.Sprintf("%.3f", r.MsMedian), fmt.Sprintf("%.3f", r.MsMax))
	}
	return table.Render(w, "\n%.1f frames per second at the median\n"+
		"frame: what the program waits for. Each row has a median of its own, so that those of the passes may add up to more than the frame's\n", 1e3/last.MsMedian)
}

// ranBy returns the requested strategy and, if that is auto, the strategy that ran.
func ranBy(strategy string, a measure.Auto) string {
	if a.Picked != "" {
		strategy += ": " + a.Picked
	}
	return strategy
}

// autoNotes returns lines that explain auto's choices, each reason of a file and order once.
func autoNotes[T any](rows []T, note func(*T) (file, order string, why []string)) string {
	var lines []string
	for i := range rows {
		file, order, why := note(&rows[i])
		for _, reason := range why {
			line := fmt.Sprintf("%s, %s: %s\n", names.Printable(file), order, reason)
			if reason != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "")
}

func frameWidth(r *measure.FrameRow) float64 {
	if r.Pass != measure.WholeFrame {
		return 1
	}
	return r.MsMax / r.MsMin
}

func frameNote(r *measure.FrameRow) (file, order string, why []string) {
	if r.Pass != measure.WholeFrame {
		return "", "", nil
	}
	return r.File, r.Order, []string{r.Reason, r.RasterReason}
}

// WriteBenchstat prints the rows in the format of Go's benchmarks
// (golang.org/design/14313-benchmark-format), one line per run, so that benchstat has samples.
// Counts are on every line and declared exact: benchstat then warns if they differ between runs.
// Device, driver, file and order are configuration lines, which hold for all lines that follow.
// Everything else that identifies a row is in the name, which has the same parts for every row.
func WriteBenchstat(w io.Writer, rows []measure.GeometryRow) error {
	var text strings.Builder
	text.WriteString("Unit triangles/s better=higher\nUnit reuse better=higher assume=exact\nUnit invocations better=lower assume=exact\n")
	now := map[string]string{}
	for _, r := range rows {
		for _, c := range [][2]string{{"device", r.Device}, {"driver", r.Driver}, {"file", r.File}, {"order", r.Order}} {
			key, value := c[0], names.Printable(c[1])
			if before, set := now[key]; !set || before != value {
				fmt.Fprintf(&text, "%s: %s\n", key, value)
				now[key] = value
			}
		}
		name := benchmarkName(&r)
		for _, d := range r.Times {
			fmt.Fprintf(&text, "%s 1 %d ns/op %.0f triangles/s %g reuse %d invocations\n", name, d.Nanoseconds(), float64(r.Triangles)/d.Seconds(), r.Reuse, r.Invocations)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// benchmarkName names a timed row. The suffix -1 stands for the number of threads, which the names of
// Go's benchmarks end with.
func benchmarkName(r *measure.GeometryRow) string {
	name := "BenchmarkGeometry"
	for _, part := range []struct {
		key   string
		value any
	}{
		{"strategy", r.Strategy}, {"load", r.Load}, {"queue", r.Queue}, {"batching", r.Batching}, {"batch", r.Batch}, {"unique", r.Unique},
		{"lanes", r.Lanes}, {"native", r.Native}, {"workgroup", r.Workgroup},
	} {
		name += fmt.Sprintf("/%s=%s", part.key, benchmarkWord(fmt.Sprint(part.value)))
	}
	return name + "-1"
}

// benchmarkWord replaces characters that would end the name, or a part of it.
func benchmarkWord(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '/' || r == 0x7f {
			return '_'
		}
		return r
	}, text)
}
