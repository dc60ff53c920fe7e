package gpu

import (
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// part is a command buffer of the frame: all of it, or the passes of one window.
type part struct {
	commands *Commands
	upload   *plan.Upload // what must be there first; nil where nothing
	uploads  *plan.Pass   // the pass of upload
	fetch    *plan.Fetch  // what the host takes afterwards
	once     bool         // all of its passes leave the same for every camera
	done     bool         // has run
	kept     bool         // did not run last, since what it left was kept
}

// recordParts records the passes, and begins a part where a window is uploaded or the
// backend wants one.
func (r *recording) recordParts() error {
	passes := r.plan.Passes
	cuts := r.cuts()
	for i, from := range cuts {
		end := len(passes)
		if i+1 < len(cuts) {
			end = cuts[i+1]
		}
		commands, err := r.backend.device.NewCommands("frame")
		if err != nil {
			return err
		}
		r.parts = append(r.parts, part{commands: commands})
		r.backend.device.idle(false)
		if err := r.recordPart(&r.parts[i], passes[from:end], i == 0, i+1 == len(cuts)); err != nil {
			return err
		}
	}
	return nil
}

// cuts are the passes that parts begin with.
func (r *recording) cuts() []int {
	passes, b := r.plan.Passes, r.backend
	cuts := []int{0}
	for i := range passes {
		if _, uploads := passes[i].Op.(*plan.Upload); uploads {
			cuts = append(cuts, i)
		}
	}
	if len(cuts) > 1 {
		return slices.Delete(cuts, 1, 2) // what stands before the first window belongs to it
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

// After how many triangles a part ends. Drivers give up on a submission that takes seconds, as
// one of more triangles may take a slow GPU. A CPU has no such limit, but whoever waits for it
// wants to see how far it is.
const (
	partTriangles         = 1 << 26
	partTrianglesSoftware = 1 << 20
)

func (r *recording) recordPart(p *part, passes []plan.Pass, first, last bool) error {
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
	if err := r.recordPasses(passes, last && r.states != nil); err != nil {
		return err
	}
	return c.End()
}

// recordCamera copies what setCamera has set, where it has not set that on the device.
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

// recordStates copies what the chunks left in the queues, for overflow.
func (r *recording) recordStates() {
	c := r.commands
	c.Pass("state", func() {
		for half := range r.plan.Halves {
			states := r.copyOf(plan.QueueStates, half)
			c.Copy(r.states, int64(half)*states.Size, states, 0, states.Size)
		}
	})
}

// recordPasses records passes step by step, and the copy of the queues' states where that
// is wanted: beside the last step unless this one still writes them.
func (r *recording) recordPasses(passes []plan.Pass, states bool) error {
	steps := plan.Steps(passes)
	for i, step := range steps {
		var records []func()
		if states && i+1 == len(steps) && !slices.ContainsFunc(step, writesStates) {
			records, states = append(records, r.recordStates), false
		}
		for _, pass := range step {
			record, err := r.prepare(pass)
			if err != nil {
				return err
			}
			records = append(records, record)
		}
		r.commands.Together(records...)
	}
	if states {
		r.recordStates()
	}
	return nil
}

func writesStates(pass *plan.Pass) bool {
	return slices.ContainsFunc(pass.Uses, func(u plan.Use) bool { return u.Block == plan.QueueStates && u.Access > plan.Read })
}

// runParts executes the parts of a plan that has no windows.
func (r *recording) runParts() error {
	for i := range r.parts {
		p := &r.parts[i]
		if p.kept = p.once && p.done; p.kept {
			continue
		}
		if err := p.commands.Run(); err != nil {
			return err
		}
		p.done = true
		r.backend.options.Tell(i+1, len(r.parts))
	}
	return nil
}

// timings are those of the parts' passes, as far as they ran last.
func (r *recording) timings() ([]renderer.Timing, error) {
	var timings []renderer.Timing
	for i := range r.parts {
		p := &r.parts[i]
		if p.kept {
			continue
		}
		list, err := p.commands.Timings()
		if err != nil {
			return nil, err
		}
		timings = append(timings, list...)
	}
	return timings, nil
}
