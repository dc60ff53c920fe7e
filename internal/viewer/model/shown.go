package model

import (
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/renderer"
)

// Half is one side of the window: what it shows, and the results of drawing it.
type Half struct {
	Look
	Plan    *plan.Plan // nil if nothing is shown
	Camera  renderer.Camera
	Stats   reuse.Stats
	Counts  []uint32
	Depth   []float32 // of the picture, row by row; nil unless it was asked for
	Timings []renderer.Timing
	Seen    *picture.Seen // counts of the visible picture; nil until the camera rests
	Rerun   bool          // has to be drawn again: the times are of a plan's first run, or the picture is lost
}

// Name is the strategy with what its counts depend on, in short.
func (h *Half) Name() string { return inspect.StrategyName(h.Plan.Frame.Reuse) }

// TimesShaded is how often the side's geometry stage shaded a vertex of a draw.
func (h *Half) TimesShaded(draw int, vertex uint32) int {
	return inspect.TimesShaded(h.Plan.Frame.Scene, h.Counts, draw, vertex)
}

// DrawIndex returns the index in the file's scene of a draw of the shown scene.
func (h *Half) DrawIndex(draw int) int {
	if h.Alone > 0 {
		if draws, err := h.Whole.Numbered(h.Alone-1, h.Alone-1); err == nil {
			return draws[draw]
		}
	}
	return draw
}

// DrawNumber returns the number of a draw of the shown scene: see geometry.Scene.Number.
func (h *Half) DrawNumber(draw int) int { return h.Whole.Number(h.DrawIndex(draw)) }

// ShowsCounts reports whether a side shows how often everything was shaded.
func (h *Half) ShowsCounts() bool { return h.Plan.Frame.View == renderer.Counts }

// Shown is the window's contents. Without a comparison, the left side fills it.
type Shown struct {
	Left, Right Half
	Compare     CompareMode // CompareOff if there is no right side
	Difference  Difference
	Took        time.Duration // to draw it for another camera
}

// Difference is the picture of which vertices the right side shades more often.
type Difference struct {
	inspect.Difference
	Plan        *plan.Plan     // its Frame.Shown are the differences, by the left's vertices
	Left, Right *plan.Plan     // the plans compared
	Match       geometry.Match // between their vertices
}

// plans returns how many plans the left side's canvas keeps: its own, and the difference's.
func (s *Shown) plans() int {
	if s.Difference.Plan != nil {
		return 2
	}
	return 1
}

// Halves returns the sides that are shown.
func (s *Shown) Halves() []*Half {
	if s.Right.Plan != nil {
		return []*Half{&s.Left, &s.Right}
	}
	return []*Half{&s.Left}
}
