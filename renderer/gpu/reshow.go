package gpu

import (
	"slices"

	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Reshow has a plan show its Frame.Shown as they are by now, without recording it
// anew: one upload of 4 bytes a (draw, vertex) pair. Where the plan is not kept, or
// is taken in windows, nothing is to be done: Exec reads them then. Errors are
// those of Exec.
func (b *Backend) Reshow(p *plan.Plan) error {
	i := slices.IndexFunc(b.recordings, func(r *recording) bool { return r.plan == p })
	if i < 0 || p.Windowed() || p.Frame.Shown == nil {
		return nil
	}
	err := Upload(b.device, b.recordings[i].buffer(plan.Counts), p.Frame.Shown)
	b.freeIfFull(err)
	return err
}
