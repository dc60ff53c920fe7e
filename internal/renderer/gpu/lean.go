//go:build cgo

package gpu

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// leanFrame is the additional state of a lean plan's recording. The recording's own part runs all passes.
type leanFrame struct {
	dirty  bool    // whether the visibility buffer may hold values other than zero
	parts  [2]part // the passes of Plan.Short, and of Plan.Rest
	listed int     // number of coming frames that run all passes in one submission
	few    int     // number of frames since one that tried to list fewer triangles
	ran    []*part // parts that the last frame ran
}

// listedFrames is how many frames run all passes in one submission, after a frame whose lists had triangles.
const listedFrames = 8

// triedFrames is the interval, in frames, at which a frame tries to list fewer triangles while lists have triangles.
const triedFrames = 64

// tries reports whether the next frame tries to list fewer triangles (plan.AtOnce).
func (x *leanFrame) tries() bool { return x.listed == 0 || x.few == triedFrames-1 }

func (r *recording) recordLean() {
	for i, passes := range [][]plan.Pass{r.plan.Short(), r.plan.Rest()} {
		r.lean.parts[i].commands = must.Get(r.backend.device.NewCommands("frame"))
		r.recordPart(&r.lean.parts[i], passes, i == 0, true)
	}
}

// tidy zeroes the blocks that a lean frame expects to be zero. It always zeroes the small blocks
// (HostCleared). It zeroes the large ones (LeftZero) only if the last frame did not leave them zero: before
// the first frame, and after a frame that kept its visibility buffer or was not finished.
func (r *recording) tidy() {
	if !r.plan.Lean {
		return
	}
	for _, b := range plan.HostCleared {
		clear(r.buffer(b).mapped)
		if b == plan.RasterLists {
			plan.ListState(r.buffer(b).mapped).GroupsY = 1
		}
		must.OK(r.buffer(b).Flush())
	}
	if r.lean.dirty {
		must.OK(r.backend.device.runOnce("visibility buffer", func(c *Commands) { r.fillZero(c, plan.LeftZero) }))
	}
	r.lean.dirty = true
}

// fillZero fills the buffers of the blocks with zeros. It skips blocks that the plan lacks.
func (r *recording) fillZero(c *Commands, blocks []plan.Block) {
	for _, b := range blocks {
		if x := r.buffer(b); x != nil {
			c.Fill(x, 0)
		}
	}
}

// runLean executes a lean plan. The passes that draw the lists run in a second submission, and only if a list
// has triangles. For listedFrames frames after such a frame, all passes run in one submission.
func (r *recording) runLean() {
	x, lists := &r.lean, r.buffer(plan.RasterLists)
	state := plan.ListState(lists.mapped)
	run := func(p *part, draws uint32) {
		state.GroupsY = draws
		must.OK(lists.Flush())
		must.OK(p.commands.Run())
		must.OK(lists.Invalidate())
		x.ran = append(x.ran, p)
	}
	x.ran = x.ran[:0]
	tried := x.tries()
	if x.listed > 0 {
		x.listed--
		run(&r.parts[0], 1)
	} else {
		run(&x.parts[0], 0)
	}
	x.few++
	if tried {
		x.few, x.listed = 0, 0
	}
	if state.GroupsX != 0 {
		x.listed = listedFrames
		if x.ran[0] == &x.parts[0] {
			must.OK(r.backend.options.Tell(1, 2))
			run(&x.parts[1], 1)
		}
	}
	must.OK(r.backend.options.Tell(1, 1))
}

// executed returns the parts that the last frame ran.
func (r *recording) executed() (list []*part) {
	if len(r.lean.ran) > 0 {
		return r.lean.ran
	}
	for i := range r.parts {
		if !r.parts[i].kept {
			list = append(list, &r.parts[i])
		}
	}
	return list
}
