//go:build cgo

package gpu

import (
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// leanFrame is what a recording of a lean plan has beside its one part, which runs all passes.
type leanFrame struct {
	dirty  bool    // whether the visibility buffer may not be zero
	parts  [2]part // without the passes that draw lists; and these
	listed int     // number of frames from now on that run all passes at once
	few    int     // number of frames since one that tried to list few triangles
	ran    []*part // in the last frame
}

// listedFrames is the number of frames after one with lists that run all passes at once.
const listedFrames = 8

// triedFrames is the number of frames with lists, of which the last tries to list fewer triangles.
const triedFrames = 64

// tries reports whether the next frame tries to list few triangles (plan.AtOnce).
func (x *leanFrame) tries() bool { return x.listed == 0 || x.few == triedFrames-1 }

func (r *recording) recordLean() {
	for i, passes := range [][]plan.Pass{r.plan.Short(), r.plan.Rest()} {
		r.lean.parts[i].commands = must.Get(r.backend.device.NewCommands("frame"))
		r.recordPart(&r.lean.parts[i], passes, i == 0, true)
	}
}

// tidy makes zero what a lean frame takes so: the small blocks, and the others before the first frame
// and after one that kept its visibility buffer or was not finished.
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

// fillZero clears those of the buffers that the plan has.
func (r *recording) fillZero(c *Commands, blocks []plan.Block) {
	for _, b := range blocks {
		if x := r.buffer(b); x != nil {
			c.Fill(x, 0)
		}
	}
}

// runLean executes a lean plan. Lists are drawn only if they have triangles; if a recent frame's had
// some, in the same submission.
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

// part is a command buffer of the frame: the whole frame, or the passes of one window.
type part struct {
	commands *Commands
	upload   *plan.Upload // what must be uploaded before it runs; nil if nothing
	uploads  *plan.Pass   // the pass of upload
	fetch    *plan.Fetch  // what the host reads afterwards
	once     bool         // whether all its passes give the same result for every camera
	done     bool         // whether it has run
	kept     bool         // whether it did not run last time, since its result was kept
}

// recordParts records the passes. It begins a new part where a window is uploaded or where the
// backend wants one.
func (r *recording) recordParts() {
	passes := r.plan.Passes
	cuts := r.cuts()
	for i, from := range cuts {
		end := len(passes)
		if i+1 < len(cuts) {
			end = cuts[i+1]
		}
		commands := must.Get(r.backend.device.NewCommands("frame"))
		r.parts = append(r.parts, part{commands: commands})
		r.backend.device.idle(false)
		r.recordPart(&r.parts[i], passes[from:end], i == 0, i+1 == len(cuts))
	}
	if len(r.parts) == 1 && slices.ContainsFunc(passes, func(pass plan.Pass) bool { return pass.Rare }) {
		r.recordLean()
	}
}

// cuts returns the passes with which parts begin.
func (r *recording) cuts() []int {
	passes, b := r.plan.Passes, r.backend
	cuts := []int{0}
	for i := range passes {
		if _, uploads := passes[i].Op.(*plan.Upload); uploads {
			cuts = append(cuts, i)
		}
	}
	if len(cuts) > 1 {
		return slices.Delete(cuts, 1, 2) // passes before the first window belong to its part
	}
	triangles := 0
	for i := 1; i < len(passes); i++ {
		if long := triangles >= b.partTriangles && !passes[i].Beside; long || b.options.Stepwise && !passes[i].Beside || b.options.KeepOnce && passes[i].Once != passes[i-1].Once {
			cuts, triangles = append(cuts, i), 0
		}
		if name := passes[i].Name; strings.HasPrefix(name, "geometry:") || strings.HasPrefix(name, "count:") {
			triangles += r.plan.Chunks[passes[i].Chunk].TriangleCount
		}
	}
	return cuts
}

// A part ends after this many triangles. Drivers abort a submission that takes seconds, as one
// with more triangles may on a slow GPU. A CPU has no such limit, but its users want to see
// progress.
const (
	partTriangles         = 1 << 26
	partTrianglesSoftware = 1 << 20
)

func (r *recording) recordPart(p *part, passes []plan.Pass, first, last bool) {
	r.commands = p.commands
	c := p.commands
	c.whole = r.plan.Frame.TimeWhole
	c.Begin()
	if r.backend.options.Stepwise {
		c.beginTimer()
	}
	if first {
		r.recordCamera()
	}
	p.once = r.backend.options.KeepOnce && !first && !last
	for i := range passes {
		p.once = p.once && passes[i].Once
		switch op := passes[i].Op.(type) {
		case *plan.Upload:
			p.upload, p.uploads = op, &passes[i]
		case *plan.Fetch:
			p.fetch = op
		}
	}
	r.recordPasses(passes, last && r.copiesStates())
	must.OK(c.End())
}

// recordCamera copies what setCamera has set, unless setCamera writes to device memory directly.
func (r *recording) recordCamera() {
	copied := slices.DeleteFunc(slices.Clone(r.following), func(x following) bool { return x.host == x.device })
	if len(copied) == 0 {
		return
	}
	r.commands.Pass("camera", func() {
		for _, x := range copied {
			r.commands.Copy(x.device, 0, x.host, 0, x.host.Size)
		}
	})
}

// copiesStates reports whether the host reads a copy of the queues' states.
func (r *recording) copiesStates() bool {
	return r.states != nil && r.states != r.buffer(plan.QueueStates)
}

// recordStates copies the queues' states after the chunks, which tell of overflow.
func (r *recording) recordStates() {
	c := r.commands
	c.Pass("state", func() {
		for half := range r.plan.Halves {
			states := r.copyOf(plan.QueueStates, half)
			c.Copy(r.states, int64(half)*states.Size, states, 0, states.Size)
		}
	})
}

// recordPasses records passes step by step, and the copy of the queues' states if states is set:
// at the same time as the last step, unless that still writes them.
func (r *recording) recordPasses(passes []plan.Pass, states bool) {
	steps := plan.Steps(passes)
	for i, step := range steps {
		var records []func()
		if states && i+1 == len(steps) && !slices.ContainsFunc(step, writesStates) {
			records, states = append(records, r.recordStates), false
		}
		for _, pass := range step {
			record := r.recorder(pass)
			records = append(records, func() { r.commands.Pass(pass.Name, record) })
		}
		r.commands.Together(records...)
	}
	if states {
		r.recordStates()
	}
}

func writesStates(pass *plan.Pass) bool {
	return slices.ContainsFunc(pass.Uses, func(u plan.Use) bool { return u.Block == plan.QueueStates && u.Access > plan.Read })
}

// unfinished reports whether a part that runs only once has not run: its plan was cancelled.
func (r *recording) unfinished() bool {
	return slices.ContainsFunc(r.parts, func(p part) bool { return p.once && !p.done })
}

// runParts executes the parts of a plan without windows.
func (r *recording) runParts() {
	for i := range r.parts {
		p := &r.parts[i]
		if p.kept = p.once && p.done; p.kept {
			continue
		}
		must.OK(p.commands.Run())
		p.done = true
		must.OK(r.backend.options.Tell(i+1, len(r.parts)))
	}
}

// timings returns the pass times of the parts that were run last, not kept.
func (r *recording) timings() []renderer.Timing {
	var timings []renderer.Timing
	for _, p := range r.executed() {
		list := must.Get(p.commands.Timings())
		timings = append(timings, list...)
	}
	return timings
}
