package gpu

import (
	"slices"

	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Reshow uploads Frame.Shown again for a recorded plan: 4 bytes per (draw, vertex)
// pair. It does nothing for a plan that is not kept or is in windows, since Exec reads
// Frame.Shown then. Its errors are those of Exec.
func (b *Backend) Reshow(p *plan.Plan) error {
	i := slices.IndexFunc(b.recordings, func(r *recording) bool { return r.plan == p })
	if i < 0 || p.Windowed() || p.Frame.Shown == nil {
		return nil
	}
	err := Upload(b.device, b.recordings[i].buffer(plan.Counts), p.Frame.Shown)
	b.freeIfFull(err)
	return err
}
