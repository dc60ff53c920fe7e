package soft

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// begin prepares the passes to work on the whole scene. If the plan has windows, upload prepares each of them instead.
func (f *frame) begin() {
	p := f.plan
	if p.Windowed() {
		f.total = make([]uint32, countTotal(p))
		return
	}
	f.scene, f.batches = p.Frame.Scene, p.Batches
	f.draws, f.instances = newDraws(&p.Frame, f.scene, p.Frame.Marks), newInstances(f.scene)
	f.counts = make([]uint32, countTotal(p))
	f.textures = newTextures(f, 0)
}

// upload makes the following passes work on a window.
func (f *frame) upload(op *plan.Upload) {
	f.window.Fill(f.plan, op.Window)
	f.scene, f.batches = f.window.Scene, f.window.Batches
	f.draws = newDraws(&f.plan.Frame, f.scene, f.window.Marks)
	f.textures = newTextures(f, f.plan.Windows[op.Window].FirstTriangle)
	if op.Counted {
		f.counts = f.window.Counts(f.total, f.counts[:0])
		return
	}
	pairs := f.scene.DrawVertices()
	f.counts = slices.Grow(f.counts[:0], pairs)[:pairs]
	clear(f.counts)
}
