package gpu

import (
	"time"

	vk "github.com/vulkan-go/vulkan"
)

// idleEvery is the time between two calls of Device.Idle.
const idleEvery = 4 * time.Millisecond

// idle calls Idle, where there is one and it has not been called for a while.
func (d *Device) idle(submitted bool) {
	f := d.Idle
	if f == nil || time.Since(d.idleAt) < idleEvery {
		return
	}
	d.Idle = nil
	f(submitted)
	d.Idle, d.idleAt = f, time.Now()
}

// await waits for the submission's fence, and gives the time to Device.Idle.
func (c *Commands) await(timeout time.Duration) vk.Result {
	d, begin := c.device, time.Now()
	for {
		left := timeout - time.Since(begin)
		if d.Idle != nil {
			left = min(left, idleEvery)
		}
		r := vk.WaitForFences(d.handle, 1, []vk.Fence{c.fence}, vk.True, uint64(max(0, left).Nanoseconds()))
		over := d.Idle == nil || time.Since(begin) >= timeout
		d.idle(r == vk.Timeout)
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

// Aside is the device's.
func (b *Backend) Aside(work func()) { b.device.Aside(work) }
