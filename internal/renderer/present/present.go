package present

import (
	"image"
	"time"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

const (
	// maxTries is how often Present recreates the swapchain for one picture, since the window may
	// change its size again meanwhile.
	maxTries = 8
	// acquireTimeout bounds the wait for a free image: the window server may keep all images while
	// the window is hidden.
	acquireTimeout = 250 * time.Millisecond
)

// Present shows a picture, stretched if its size differs from the window's, with overlays on top,
// the last one uppermost. window is the window's size in pixels. Present returns false if nothing
// could be shown now, since the window has no area, its server holds all images, or it changed
// too often meanwhile; try again after the next event or a little later. When Present returns,
// the device no longer uses the picture. Errors: *gpu.CallError, which may match
// gpu.ErrDeviceLost.
func (s *Swapchain) Present(picture *gpu.Image, window image.Point, overlays ...Overlay) (shown bool, err error) {
	if window != s.asked {
		s.asked, s.stale = window, true
	}
	for range maxTries {
		if s.stale {
			if made, err := s.remake(); !made || err != nil {
				return false, err
			}
		}
		shown, again, err := s.try(picture, overlays)
		if !again || err != nil {
			return shown, err
		}
	}
	return false, nil
}

// try shows the picture with the current swapchain; again asks for a new one.
func (s *Swapchain) try(picture *gpu.Image, overlays []Overlay) (shown, again bool, err error) {
	defer must.Catch(&err)
	var i uint32
	r := vk.AcquireNextImage(s.device.Handle(), s.handle, uint64(acquireTimeout.Nanoseconds()), s.acquired, vk.NullFence, &i)
	switch {
	case r == vk.ErrorOutOfDate:
		s.stale = true
		return false, true, nil
	case r == vk.Timeout || r == vk.NotReady:
		return false, false, nil
	}
	must.OK(s.device.Check("vkAcquireNextImageKHR", r))
	// From here on the semaphore is pending: only a submission clears it.
	suboptimal := r == vk.Suboptimal
	w := s.images[i]
	must.OK(s.draw(w, picture, overlays))
	r = s.device.Present(s.handle, i, w.drawn)
	if r == vk.ErrorOutOfDate {
		s.stale = true
		return false, true, s.commands.Wait(gpu.Timeout)
	}
	must.OK(s.device.Check("vkQueuePresentKHR", r))
	if suboptimal || r == vk.Suboptimal {
		must.OK(s.checkSize())
	}
	return true, false, s.commands.Wait(gpu.Timeout)
}

// checkSize marks the swapchain for recreation if the window's size has changed. It keeps
// suboptimal images of the right size, since new ones would be no better.
func (s *Swapchain) checkSize() error {
	caps, err := s.capabilities()
	if err != nil {
		return err
	}
	s.stale = caps.extent(s.asked) != image.Pt(s.width, s.height)
	return nil
}

// draw submits the copies to an acquired image.
func (s *Swapchain) draw(w windowImage, picture *gpu.Image, overlays []Overlay) error {
	list, err := s.upload(overlays)
	if err != nil {
		return err
	}
	c := s.commands
	c.Begin()
	c.BeginWindow(w.WindowImage)
	c.BlitWindow(w.WindowImage, picture)
	for _, p := range list {
		if !p.part.Empty() {
			c.FillWindow(w.WindowImage, p.part, s.panels, p.offset)
		}
	}
	c.EndWindow(w.WindowImage)
	if err := c.End(); err != nil {
		return err
	}
	return c.Submit(gpu.Semaphores{Wait: s.acquired, WaitStages: gpu.WindowStage, Signal: w.drawn})
}
