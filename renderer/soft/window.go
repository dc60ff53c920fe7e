package soft

import (
	"slices"

	"github.com/shadeonce/shadeonce/renderer/plan"
)

// upload makes a window what the passes after it work on.
func (f *frame) upload(op *plan.Upload) {
	f.window.Fill(f.plan, op.Window)
	f.scene, f.batches = f.window.Scene, f.window.Batches
	f.draws = newDraws(&f.plan.Frame, f.scene, f.window.Marks)
	if op.Counted {
		f.counts = f.window.Counts(f.total, f.counts[:0])
		return
	}
	pairs := f.scene.DrawVertices()
	f.counts = slices.Grow(f.counts[:0], pairs)[:pairs]
	clear(f.counts)
}
