package views

import (
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/renderer"
)

// Name is the strategy with what its counts depend on, in short.
func (d *Half) Name() string { return inspect.StrategyName(d.Plan.Frame.Reuse) }

// TimesShaded is how often the side's geometry stage shaded a vertex of a draw.
func (d *Half) TimesShaded(draw int, vertex uint32) int {
	return inspect.TimesShaded(d.Plan.Frame.Scene, d.Counts, draw, vertex)
}

// DrawNumber is the number in the file's scene of a draw of what is shown.
func (d *Half) DrawNumber(draw int) int {
	if d.Alone > 0 {
		return d.Alone - 1
	}
	return draw
}

// ShowsCounts reports whether a side shows how often everything was shaded.
func (d *Half) ShowsCounts() bool { return d.Plan.Frame.View == renderer.Counts }
