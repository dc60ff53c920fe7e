// Package present shows pictures of internal/renderer/gpu in a window. It holds the window's surface, and
// a swapchain, which it recreates whenever the window changes.
//
// It does not depend on the library that made the window, nor on what a picture shows. Nothing in
// it is safe for concurrent use.
package present

import (
	"image"
	"math"
	"slices"
	"time"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

const (
	// maxTries bounds how often Present tries to show one picture. One try may not suffice: the window can
	// change its size again after the swapchain was recreated.
	maxTries = 8
	// acquireTimeout bounds the wait for a free image: the window server may keep all images while
	// the window is hidden.
	acquireTimeout = 250 * time.Millisecond
)

// Present shows a picture, stretched if its size differs from the window's. window is the window's
// size in pixels. Present returns false if it cannot show the picture now: the window has no area, its
// server holds all images, or its size changed too often meanwhile. Then try again after the next event
// or a little later. When Present returns, the device no longer uses the picture. Errors are
// *gpu.CallError, which may match gpu.ErrDeviceLost.
func (s *Swapchain) Present(picture *gpu.Image, window image.Point) (shown bool, err error) {
	if window != s.asked {
		s.asked, s.stale = window, true
	}
	for range maxTries {
		if s.stale {
			if made, err := s.remake(); !made || err != nil {
				return false, err
			}
		}
		shown, again, err := s.try(picture)
		if !again || err != nil {
			return shown, err
		}
	}
	return false, nil
}

// try shows the picture with the current swapchain. If `again` is true, the swapchain is out of date: the
// caller should recreate it and try again. Both results are false if the window server holds all images.
func (s *Swapchain) try(picture *gpu.Image) (shown, again bool, err error) {
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
	must.OK(s.draw(w, picture))
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

// draw submits the commands that copy the picture to an acquired image.
func (s *Swapchain) draw(w windowImage, picture *gpu.Image) error {
	c := s.commands
	c.Begin()
	c.BeginWindow(w.WindowImage)
	c.BlitWindow(w.WindowImage, picture)
	c.EndWindow(w.WindowImage)
	if err := c.End(); err != nil {
		return err
	}
	return c.Submit(gpu.Semaphores{Wait: s.acquired, WaitStages: gpu.WindowStage, Signal: w.drawn})
}

// Surface is Vulkan's handle of a window.
type Surface struct {
	instance *gpu.Instance
	handle   vk.Surface
}

// AdoptSurface takes over a VkSurfaceKHR that a window library made for the instance. handle is its
// 64-bit value.
func AdoptSurface(in *gpu.Instance, handle uint64) *Surface {
	return &Surface{instance: in, handle: *(*vk.Surface)(unsafe.Pointer(&handle))}
}

// Handle returns the VkSurfaceKHR, for gpu.OpenOptions.
func (s *Surface) Handle() vk.Surface { return s.handle }

// Close frees the surface. Close its swapchain before, and its window and instance after it. Nil
// is allowed.
func (s *Surface) Close() {
	if s == nil || s.handle == vk.NullSurface {
		return
	}
	vk.DestroySurface(s.instance.Handle(), s.handle, nil)
	s.handle = vk.NullSurface
}

// capabilities say which swapchains the window currently allows. Sizes are in pixels.
type capabilities struct {
	current            image.Point // (-1, -1) if the swapchain decides
	smallest, largest  image.Point
	minCount, maxCount uint32 // numbers of images; maxCount 0 means no limit
	transform          vk.SurfaceTransformFlagBits
	alphas             vk.CompositeAlphaFlags
	usage              vk.ImageUsageFlags
}

func (s *Swapchain) capabilities() (capabilities, error) {
	var c vk.SurfaceCapabilities
	r := vk.GetPhysicalDeviceSurfaceCapabilities(s.device.Physical(), s.surface.handle, &c)
	if err := s.device.Check("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", r); err != nil {
		return capabilities{}, err
	}
	c.Deref()
	defer c.Free()
	return capabilities{
		current:  current(point(&c.CurrentExtent)),
		smallest: point(&c.MinImageExtent),
		largest:  point(&c.MaxImageExtent),
		minCount: c.MinImageCount, maxCount: c.MaxImageCount,
		transform: c.CurrentTransform,
		alphas:    c.SupportedCompositeAlpha,
		usage:     c.SupportedUsageFlags,
	}, nil
}

func point(e *vk.Extent2D) image.Point {
	e.Deref()
	return image.Pt(int(e.Width), int(e.Height))
}

// current converts Vulkan's special value for "the swapchain decides" to (-1, -1).
func current(p image.Point) image.Point {
	if p.X == math.MaxUint32 && p.Y == math.MaxUint32 {
		return image.Pt(-1, -1)
	}
	return p
}

// extent returns the size that images must have. window is the window's size in pixels as the window
// library reports it. The width or height returned is 0 if the window is minimised.
func (c *capabilities) extent(window image.Point) image.Point {
	if c.current.X >= 0 {
		return c.current
	}
	if window.X == 0 || window.Y == 0 {
		return image.Point{}
	}
	return image.Pt(min(max(window.X, c.smallest.X), c.largest.X), min(max(window.Y, c.smallest.Y), c.largest.Y))
}

// imageCount returns one image more than the minimum, if the window allows it. With the minimum, acquiring
// an image might wait for the window server.
func (c *capabilities) imageCount() uint32 {
	if c.maxCount != 0 {
		return min(c.minCount+1, c.maxCount)
	}
	return c.minCount + 1
}

// alpha returns how the window server shall treat alpha: as opaque if the window supports that, else in one of
// the ways that it supports. The choice does not show, since pictures are opaque.
func (c *capabilities) alpha() vk.CompositeAlphaFlagBits {
	if c.alphas&vk.CompositeAlphaFlags(vk.CompositeAlphaOpaqueBit) != 0 || c.alphas == 0 {
		return vk.CompositeAlphaOpaqueBit
	}
	return vk.CompositeAlphaFlagBits(c.alphas & -c.alphas)
}

// presentMode returns FIFO, which every window supports. With Options.Unlimited it returns a mode that does
// not wait for the display, if the window supports one.
func (s *Swapchain) presentMode() (vk.PresentMode, error) {
	if !s.options.Unlimited {
		return vk.PresentModeFifo, nil
	}
	modes, err := gpu.List("vkGetPhysicalDeviceSurfacePresentModesKHR", func(n *uint32, list []vk.PresentMode) vk.Result {
		return vk.GetPhysicalDeviceSurfacePresentModes(s.device.Physical(), s.surface.handle, n, list)
	})
	return unlimited(modes), err
}

func unlimited(modes []vk.PresentMode) vk.PresentMode {
	for _, m := range []vk.PresentMode{vk.PresentModeMailbox, vk.PresentModeImmediate} {
		if slices.Contains(modes, m) {
			return m
		}
	}
	return vk.PresentModeFifo
}
