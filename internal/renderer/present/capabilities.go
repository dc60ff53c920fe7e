package present

import (
	"image"
	"math"
	"slices"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// capabilities are what the window currently allows.
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

// extent returns the size that images must have; window is the window's size in pixels as the
// window library reports it. A minimised window has no width or no height.
func (c *capabilities) extent(window image.Point) image.Point {
	if c.current.X >= 0 {
		return c.current
	}
	if window.X == 0 || window.Y == 0 {
		return image.Point{}
	}
	return image.Pt(min(max(window.X, c.smallest.X), c.largest.X), min(max(window.Y, c.smallest.Y), c.largest.Y))
}

// imageCount returns one more than the minimum, so that acquiring does not wait for the window
// server.
func (c *capabilities) imageCount() uint32 {
	if c.maxCount != 0 {
		return min(c.minCount+1, c.maxCount)
	}
	return c.minCount + 1
}

// alpha returns opaque if the window supports it; pictures are opaque in any case.
func (c *capabilities) alpha() vk.CompositeAlphaFlagBits {
	if c.alphas&vk.CompositeAlphaFlags(vk.CompositeAlphaOpaqueBit) != 0 || c.alphas == 0 {
		return vk.CompositeAlphaOpaqueBit
	}
	return vk.CompositeAlphaFlagBits(c.alphas & -c.alphas)
}

// presentMode returns FIFO, which every window supports, or with Options.Unlimited a mode that
// does not wait.
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
