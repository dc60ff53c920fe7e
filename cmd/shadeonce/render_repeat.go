package main

import (
	"fmt"
	"io"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer"
)

// timingConfig is the strategy with its parameters.
func timingConfig(t *measure.Timing) string {
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
func writeTimings(w io.Writer, rows []measure.Timing) error {
	first, last := &rows[0], &rows[len(rows)-1]
	_, err := fmt.Fprintf(w, "%s: %d frames of %dx%d after one to warm up, %s view, %s, %s queue\n%s, driver %s\n\n",
		names.Printable(first.File), last.Runs, first.Width, first.Height, first.View, timingConfig(first), first.Queue,
		first.Device, first.Driver)
	if err != nil {
		return err
	}
	if first.Cull {
		if _, err := fmt.Fprintf(w, "%s\n\n", first.Culled); err != nil {
			return err
		}
	}
	table := cli.NewTable(w, "lrrr", "pass", "ms min", "median", "max")
	for _, r := range rows {
		table.Row(r.Pass, fmt.Sprintf("%.3f", r.MsMin), fmt.Sprintf("%.3f", r.MsMedian), fmt.Sprintf("%.3f", r.MsMax))
	}
	return table.Render(w, "\n%.1f frames a second at the median\n", 1e3/last.MsMedian)
}
