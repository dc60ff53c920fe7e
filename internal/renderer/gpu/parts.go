//go:build cgo

package gpu

import (
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// part is a command buffer with passes of a frame: all of them, those from one cut to the next (see
// cuts), or those of Plan.Short or Plan.Rest.
type part struct {
	commands *Commands
	upload   *plan.Upload // what must be uploaded before it runs; nil if nothing
	uploads  *plan.Pass   // the pass of upload
	fetch    *plan.Fetch  // what the host reads afterwards
	once     bool         // whether it runs once for all cameras: none of its passes depends on the camera (KeepOnce)
	done     bool         // whether it has run
	kept     bool         // whether it did not run last time, since its result was kept
}

// recordParts records the passes, in parts that begin where cuts says.
func (r *recording) recordParts() {
	passes := r.plan.Passes
	r.backend.compile(passesOf{r.plan, passes})
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

// cuts returns the indices of the passes at which parts begin. In a plan with windows, a part begins at each
// upload. Otherwise a part begins after Backend.partTriangles triangles, at each step if Stepwise is set, and,
// if KeepOnce is set, where run-once passes begin or end.
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

// A part ends after this many triangles. Drivers abort a submission that takes seconds, as one with
// more triangles may on a slow GPU. A CPU has no such limit, but its users want to see progress.
const (
	partTriangles         = 1 << 26
	partTrianglesSoftware = 1 << 20
)

func (r *recording) recordPart(p *part, passes []plan.Pass, first, last bool) {
	r.commands = p.commands
	c := p.commands
	c.whole = r.plan.Frame.TimeWhole
	c.Begin()
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

// recordCamera copies the data of setCamera to the device, unless setCamera writes to device memory directly.
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

// copiesStates reports whether the host reads the queue states from a copy.
func (r *recording) copiesStates() bool {
	return r.states != nil && r.states != r.buffer(plan.QueueStates)
}

// recordStates records the copy of the queue states after the chunks. From it the host learns of overflows.
func (r *recording) recordStates() {
	c := r.commands
	c.Pass("state", func() {
		for half := range r.plan.Halves {
			states := r.copyOf(plan.QueueStates, half)
			c.Copy(r.states, int64(half)*states.Size, states, 0, states.Size)
		}
	})
}

// recordPasses records passes step by step. If `states` is set it also copies the queue states: at
// the same time as the last step, or after it if that step writes them.
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

// unfinished reports whether a run-once part has not run, because its plan was cancelled.
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

// timings returns the pass times of the parts that ran last, without parts whose results were kept.
func (r *recording) timings() []renderer.Timing {
	var timings []renderer.Timing
	for _, p := range r.executed() {
		timings = append(timings, must.Get(p.commands.Timings())...)
	}
	return timings
}
