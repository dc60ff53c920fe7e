//go:build cgo

package gpu

import (
	"fmt"
	"slices"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// Recorder records a plan into a caller's command buffers; some of the plan's buffers may be the
// caller's too. The caller itself must record the passes that draw with a graphics pipeline.
type Recorder struct{ recording *recording }

// NewRecorder prepares a plan: it compiles the pipelines, makes the buffers that are not given,
// and uploads the plan's data to them. A given buffer replaces the plan's buffer of that block,
// and must be as large; if it is one that the host fills, the caller must have filled it.
// NewRecorder refuses plans in windows, plans that the graphics pipeline draws in several chunks,
// and plans that draw with a mesh shader or directly from the scene's indices.
func (b *Backend) NewRecorder(p *plan.Plan, given map[plan.Block]*Buffer) (_ *Recorder, err error) {
	defer must.Catch(&err)
	must.OK(checkHost(p))
	if slices.ContainsFunc(p.Passes, unrecordable) {
		return nil, fmt.Errorf("gpu: a caller cannot record %d chunks in %d windows: give the frame a larger queue budget", len(p.Chunks), len(p.Windows))
	}
	b.device.pipelines.evict()
	r := &recording{backend: b, plan: p, given: given, sets: map[setKey]*Set{}}
	r.scene = must.Get(b.uploadScene(p, given))
	if err := r.makeBuffers(); err != nil {
		(&Recorder{r}).Close()
		return nil, err
	}
	b.lent = append(b.lent, r)
	return &Recorder{r}, nil
}

// unrecordable reports whether a pass cannot run in a caller's command buffer alone.
func unrecordable(pass plan.Pass) bool {
	switch op := pass.Op.(type) {
	case *plan.Upload, *plan.Direct, *plan.Mesh:
		return true
	case *plan.Draw:
		return op.Push.Chunk > 0
	}
	return false
}

// SetCamera sets the camera of later submissions. No submission may be in flight.
func (r *Recorder) SetCamera(c renderer.Camera) error {
	if err := r.recording.plan.CheckExec(c, 0); err != nil {
		return err
	}
	return r.recording.setCamera(c, false)
}

// Record records the plan's passes into a VkCommandBuffer. They may be submitted many times, one submission at a time.
// The command buffer must have begun, and not be in a render pass. The passes see earlier writes,
// and later commands see the passes' writes.
func (r *Recorder) Record(buffer unsafe.Pointer) (err error) {
	defer must.Catch(&err)
	if buffer == nil {
		must.Fail("gpu: no command buffer to record into")
	}
	x := r.recording
	c := &Commands{Name: "plan", device: x.backend.device, buf: vk.CommandBuffer(buffer), adopted: true, images: map[*Image]imageState{}, buffers: map[*Buffer]history{}}
	x.commands = c
	c.barrierAll()
	x.recordCamera()
	if x.plan.Lean { // since a caller may submit again without setting a camera, or abandon a submission
		x.fillZero(c, slices.Concat(plan.HostCleared, plan.LeftZero))
	}
	var passes []plan.Pass
	for _, pass := range x.plan.Passes {
		if _, draws := pass.Op.(*plan.Draw); !draws {
			passes = append(passes, pass)
		}
	}
	x.backend.compile(passesOf{x.plan, passes})
	x.recordPasses(passes, x.copiesStates())
	c.barrierAll()
	c.finish()
	return c.err
}

// RecordPasses records some of the plan's passes, one after another, into commands that have
// begun. Consecutive passes with the same name are timed as one.
func (r *Recorder) RecordPasses(c *Commands, passes []plan.Pass) (err error) {
	defer must.Catch(&err)
	r.recording.commands = c
	r.recording.backend.compile(passesOf{r.recording.plan, passes})
	for len(passes) > 0 {
		name := passes[0].Name
		var records []func()
		for ; len(passes) > 0 && passes[0].Name == name; passes = passes[1:] {
			records = append(records, r.recording.recorder(&passes[0]))
		}
		c.Pass(name, func() {
			for _, record := range records {
				record()
			}
		})
	}
	return nil
}

// Buffer returns the first copy of a block's buffer, given or not; nil if the plan has none.
func (r *Recorder) Buffer(b plan.Block) *Buffer { return r.recording.buffer(b) }

// Overflow returns a *renderer.OverflowError if a queue was too small in the last submission,
// which must have finished. A plan with a larger Frame.VertexShare is then needed; 1 always fits.
func (r *Recorder) Overflow() error { return r.recording.overflow() }

// Close frees what NewRecorder made. No submission may be in flight.
func (r *Recorder) Close() {
	x := r.recording
	x.backend.lent = slices.DeleteFunc(x.backend.lent, func(other *recording) bool { return other == x })
	x.close()
	x.scene.close()
}
