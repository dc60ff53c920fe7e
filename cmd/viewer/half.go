package main

import (
	"github.com/shadeonce/shadeonce/internal/inspect"
)

// name is the strategy with what its counts depend on, in short.
func (d *half) name() string { return inspect.StrategyName(d.plan.Frame.Reuse) }

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
