//go:build cgo

package gpu

import (
	"fmt"
	"slices"
	"time"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// idleEvery is the time between two calls of Device.Idle.
const idleEvery = 4 * time.Millisecond

// idle calls Device.Idle if it is set and was not called for idleEvery.
func (d *Device) idle(submitted bool) {
	if time.Since(d.idleAt) >= idleEvery {
		d.idleNow(submitted)
	}
}

// idleNow calls Device.Idle if it is set.
func (d *Device) idleNow(submitted bool) {
	f := d.Idle
	if f == nil {
		return
	}
	d.Idle = nil
	f(submitted)
	d.Idle, d.idleAt = f, time.Now()
}

// pollFor is how long a wait polls before it sleeps: on an H200, waking a sleeping thread takes
// the driver longer than a submission takes.
const pollFor = 2 * time.Millisecond

// await waits for the submission's fence, and calls Device.Idle meanwhile. On a CPU device it
// does not poll, since that would slow the work itself.
func (c *Commands) await(timeout time.Duration) vk.Result {
	d, begin := c.device, time.Now()
	for d.Info.Type != TypeCPU && time.Since(begin) < min(pollFor, timeout) {
		if r := vk.GetFenceStatus(d.handle, c.fence); r != vk.NotReady {
			return r
		}
	}
	for {
		left := timeout - time.Since(begin)
		if d.Idle != nil {
			left = min(left, idleEvery)
		}
		r := vk.WaitForFences(d.handle, 1, []vk.Fence{c.fence}, vk.True, uint64(max(0, left).Nanoseconds()))
		over := d.Idle == nil || time.Since(begin) >= timeout
		if r == vk.Timeout { // the wait itself took idleEvery
			d.idleNow(true)
		} else {
			d.idle(false)
		}
		if r != vk.Timeout || over {
			return r
		}
	}
}

// Aside runs work that uses the device only to make pipelines: directly, or in parallel with
// Device.Idle if that is set. It returns when the work is done.
func (d *Device) Aside(work func()) {
	if d.Idle == nil {
		work()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	tick := time.NewTicker(idleEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			d.idle(false)
		}
	}
}

// step collects the uses of the commands that Together records.
type step struct {
	record  int // index of the record that is running
	buffers []stepUse
	images  []imageUse
}

type stepUse struct {
	bufferUse
	record int
}

// Together records commands that may run at the same time. One barrier for all resources that they use
// comes before the first. If there are several records, Together calls each twice, and it must record
// the same commands each time. It is an error if one record writes a buffer that another uses, unless both only
// update it by atomics.
func (c *Commands) Together(records ...func()) {
	if len(records) == 1 {
		records[0]()
		return
	}
	s := &step{}
	c.noting = s
	for i, record := range records {
		s.record = i
		record()
	}
	c.noting = nil
	for _, x := range s.buffers {
		c.useBuffer(x.buffer, x.use)
	}
	c.imageUses = append(c.imageUses, s.images...)
	c.settle()
	c.settled = true
	for _, record := range records {
		record()
	}
	c.settled = false
}

// noteStep adds the collected uses of a command to the step.
func (c *Commands) noteStep() {
	s := c.noting
	for _, x := range c.bufferUses {
		for _, y := range s.buffers {
			if y.buffer == x.buffer && y.record != s.record && (x.use.writes || y.use.writes) && !(x.use.atomic && y.use.atomic) && c.err == nil {
				c.err = fmt.Errorf("gpu: %s: records that may run at the same time use buffer %s, and one writes it", c.Name, x.buffer.Name)
			}
		}
		s.buffers = append(s.buffers, stepUse{x, s.record})
	}
	s.images = append(s.images, c.imageUses...)
	c.bufferUses, c.imageUses = c.bufferUses[:0], c.imageUses[:0]
}

// records reports whether commands go to the command buffer: not after an error, nor while Together
// only collects uses.
func (c *Commands) records() bool { return c.err == nil && c.noting == nil }

// following is a buffer that depends on the camera (device), and the buffer that the host writes for it
// (host). Both are one buffer if the host reaches it. Otherwise each frame first copies host to device.
type following struct {
	block        plan.Block
	host, device *Buffer
}

func (r *recording) makeFollowing() {
	for i := range r.plan.Buffers {
		b := &r.plan.Buffers[i]
		if b.Filled != plan.ByCamera || slices.Contains(plan.HostCleared, b.Block) {
			continue
		}
		if device := r.buffers[i]; device.mapped != nil {
			r.following = append(r.following, following{b.Block, device, device})
			continue
		}
		host := must.Get(r.backend.device.NewHostBuffer(b.Name+" of the host", b.Followed, HostWrites))
		r.following = append(r.following, following{b.Block, host, r.buffers[i]})
	}
}

// setCamera writes the camera's data for the next submission. `keeps` says that a lean frame keeps
// its visibility buffer.
func (r *recording) setCamera(c renderer.Camera, keeps bool) error {
	p := r.plan
	data := plan.CameraData(c, max(p.Frame.Width, 1), max(p.Frame.Height, 1))
	if keeps {
		data.LightDirection[3] = 1
	}
	if p.Sole {
		p.FillSole(&data)
		if r.lean.parts[0].commands != nil { // not for a Recorder, which does not know whether frames list triangles
			data.AtOnce = p.AtOnce(r.lean.tries())
		}
	}
	for _, x := range r.following {
		bytes := x.host.mapped
		switch x.block {
		case plan.Cameras:
			copy(bytes, asBytes([]shaders.Camera{data}))
		case plan.Clips:
			draws := p.Frame.Scene.Draws
			plan.ClipData(unsafe.Slice((*[16]float32)(unsafe.Pointer(&bytes[0])), len(draws)), data, draws, p.Frame.Marks)
		default:
			p.FollowShade(x.block, c, bytes)
		}
		if err := x.host.Flush(); err != nil {
			return err
		}
	}
	return nil
}
