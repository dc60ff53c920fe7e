package main

import (
	"fmt"

	"github.com/shadeonce/shadeonce/internal/inspect"
)

// batchFill is the share of its batches' room that indices take, 0 without batches.
func (d *half) batchFill() float64 {
	if d.plan == nil || len(d.plan.Batches) == 0 {
		return 0
	}
	used := 0
	for _, b := range d.plan.Batches {
		used += int(b.IndexCount)
	}
	return float64(used) / (float64(len(d.plan.Batches)) * float64(d.plan.Frame.Reuse.Batch))
}

// name is the strategy with what its counts depend on, in short.
func (d *half) name() string {
	c := d.plan.Frame.Reuse
	if c.Strategy.UsesLanes {
		return fmt.Sprintf("%s %d", c.Strategy.Name, c.Lanes)
	}
	return c.Strategy.Name
}

// timesShaded is how often the side's geometry stage shaded a vertex of a draw.
func (d *half) timesShaded(draw int, vertex uint32) int {
	return inspect.TimesShaded(d.plan.Frame.Scene, d.counts, draw, vertex)
}

// drawNumber is the number in the file's scene of a draw of what is shown.
func (d *half) drawNumber(draw int) int {
	if d.alone > 0 {
		return d.alone - 1
	}
	return draw
}
