package gpu

import (
	"time"

	vk "github.com/vulkan-go/vulkan"
)

// idleEvery is the time between two calls of Device.Idle.
const idleEvery = 4 * time.Millisecond

// await waits for the submission's fence, and gives the time to Device.Idle.
func (c *Commands) await(timeout time.Duration) vk.Result {
	d, begin := c.device, time.Now()
	for {
		left := timeout - time.Since(begin)
		if d.Idle != nil {
			left = min(left, idleEvery)
		}
		r := vk.WaitForFences(d.handle, 1, []vk.Fence{c.fence}, vk.True, uint64(max(0, left).Nanoseconds()))
		if r != vk.Timeout || d.Idle == nil || time.Since(begin) >= timeout {
			return r
		}
		d.Idle()
	}
}

// Aside runs work that does not use the device in Go: at once, or beside Device.Idle
// where there is that. It returns when the work is done.
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
			d.Idle()
		}
	}
}

// Aside is the device's.
func (b *Backend) Aside(work func()) { b.device.Aside(work) }
