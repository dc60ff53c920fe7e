//go:build cgo

package gpu

import (
	"time"

	vk "github.com/vulkan-go/vulkan"
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
