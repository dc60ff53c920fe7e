package print

import (
	"fmt"
	"io"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// WriteBenchstat prints the rows in the format of Go's benchmarks
// (golang.org/design/14313-benchmark-format), one line per run, so that benchstat has samples.
// Counts are on every line and declared exact: benchstat then warns if they differ between runs.
// What all following lines share is a configuration line: device, driver, file and order.
// Everything else that identifies a row is in the name, which has the same parts for every row.
func WriteBenchstat(w io.Writer, rows []measure.GeometryRow) error {
	var text strings.Builder
	text.WriteString("Unit triangles/s better=higher\nUnit reuse better=higher assume=exact\nUnit invocations better=lower assume=exact\n")
	now := map[string]string{}
	for i := range rows {
		r := &rows[i]
		for _, c := range [][2]string{{"device", r.Device}, {"driver", r.Driver}, {"file", r.File}, {"order", r.Order}} {
			key, value := c[0], names.Printable(c[1])
			if before, set := now[key]; !set || before != value {
				fmt.Fprintf(&text, "%s: %s\n", key, value)
				now[key] = value
			}
		}
		name := benchmarkName(r)
		for _, d := range r.Times {
			fmt.Fprintf(&text, "%s 1 %d ns/op %.0f triangles/s %g reuse %d invocations\n", name, d.Nanoseconds(), float64(r.Triangles)/d.Seconds(), r.Reuse, r.Invocations)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// benchmarkName names what was timed. The last part is Go's number of threads.
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
