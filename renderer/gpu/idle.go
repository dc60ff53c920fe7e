package gpu

import (
	"time"

	vk "github.com/vulkan-go/vulkan"
)

// idleEvery is the time between two calls of Device.Idle.
const idleEvery = 4 * time.Millisecond

// idle calls Idle, where there is one and it has not been called for a while.
func (d *Device) idle(submitted bool) {
	if time.Since(d.idleAt) >= idleEvery {
		d.idleNow(submitted)
	}
}

// idleNow calls Idle, where there is one.
func (d *Device) idleNow(submitted bool) {
	f := d.Idle
	if f == nil {
		return
	}
	d.Idle = nil
	f(submitted)
	d.Idle, d.idleAt = f, time.Now()
}

// pollFor is how long a wait asks again and again before it sleeps: what wakes a
// sleeping thread takes an H200's driver longer than a submission does.
const pollFor = 2 * time.Millisecond

// await waits for the submission's fence, and gives the time to Device.Idle. Where the
// device is the CPU it does not poll, which would take the time of the work itself.
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
		if r == vk.Timeout { // it has waited for idleEvery
			d.idleNow(true)
		} else {
			d.idle(false)
		}
		if r != vk.Timeout || over {
			return r
		}
	}
}

// Aside runs work that calls nothing of the device but to make pipelines: at once, or
// beside Device.Idle where there is that. It returns when the work is done.
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
