package gpu

import (
	"fmt"
	"slices"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Recorder records a plan into command buffers of a caller's, on buffers that may be the
// caller's, too. Passes that draw with a graphics pipeline are left to the caller.
type Recorder struct{ recording *recording }

// NewRecorder prepares a plan: it compiles the pipelines, makes the buffers that are not
// given, and uploads what the plan has for them. A given buffer takes the place of the
// plan's buffer of that block and must be as large; of blocks that the host fills the caller
// has done so. Plans in windows, and plans that the graphics pipeline draws in several
// chunks, are refused.
func (b *Backend) NewRecorder(p *plan.Plan, given map[plan.Block]*Buffer) (*Recorder, error) {
	if slices.ContainsFunc(p.Passes, unrecordable) {
		return nil, fmt.Errorf("gpu: a caller cannot record %d chunks in %d windows: give the frame a larger queue budget", len(p.Chunks), len(p.Windows))
	}
	b.closePipelines()
	r := &recording{backend: b, plan: p, given: given, sets: map[setKey]*Set{}}
	var err error
	if r.scene, err = b.uploadScene(p, given); err != nil {
		return nil, err
	}
	if err := r.makeBuffers(); err != nil {
		(&Recorder{r}).Close()
		return nil, err
	}
	b.lent = append(b.lent, r)
	return &Recorder{r}, nil
}

// unrecordable says whether a pass needs more than a caller's command buffer.
func unrecordable(pass plan.Pass) bool {
	switch op := pass.Op.(type) {
	case *plan.Upload, *plan.Direct:
		return true
	case *plan.Draw:
		return op.Push.Chunk > 0
	}
	return false
}

// SetCamera sets the camera of later submissions, of which none may be under way.
func (r *Recorder) SetCamera(c renderer.Camera) error { return r.recording.setCamera(c) }

// Record records the plan's passes, which may be submitted as often as wanted, one
// submission at a time. The command buffer is begun and is not in a render pass. Whatever
// stands before sees its writes done, and whatever follows sees those of the passes.
func (r *Recorder) Record(buffer vk.CommandBuffer) error {
	x := r.recording
	c := &Commands{Name: "plan", device: x.backend.device, buf: buffer, adopted: true, images: map[*Image]imageState{}, buffers: map[*Buffer]history{}}
	x.commands = c
	c.barrierAll()
	x.recordCamera()
	var passes []plan.Pass
	for _, pass := range x.plan.Passes {
		if _, draws := pass.Op.(*plan.Draw); !draws {
			passes = append(passes, pass)
		}
	}
	if err := x.recordPasses(passes, x.states != nil); err != nil {
		return err
	}
	c.barrierAll()
	c.finish()
	return c.err
}

// RecordPasses records some of the plan's passes, one after the other, into commands that are
// begun. Consecutive passes of one name are timed as one.
func (r *Recorder) RecordPasses(c *Commands, passes []plan.Pass) error {
	r.recording.commands = c
	for len(passes) > 0 {
		name := passes[0].Name
		var records []func()
		for ; len(passes) > 0 && passes[0].Name == name; passes = passes[1:] {
			record, err := r.recording.recorder(&passes[0])
			if err != nil {
				return err
			}
			records = append(records, record)
		}
		c.Pass(name, func() {
			for _, record := range records {
				record()
			}
		})
	}
	return nil
}

// Buffer is the first copy of a block's buffer, given or not; nil where the plan has none.
func (r *Recorder) Buffer(b plan.Block) *Buffer { return r.recording.buffer(b) }

// Overflow is a *renderer.OverflowError where a queue was too small in the last
// submission, which is done. A plan of a larger Frame.VertexShare is then needed; 1 always
// fits.
func (r *Recorder) Overflow() error { return r.recording.overflow() }

// Close frees what NewRecorder made. No submission may be under way.
func (r *Recorder) Close() {
	x := r.recording
	x.backend.lent = slices.DeleteFunc(x.backend.lent, func(other *recording) bool { return other == x })
	x.close()
	x.scene.close()
}
