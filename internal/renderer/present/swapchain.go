package present

import (
	"errors"
	"fmt"
	"image"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// Options say how a swapchain shows pictures. The zero value waits for the display.
type Options struct {
	// Unlimited shows pictures as fast as they come, instead of once per refresh of the display: in mailbox
	// mode, else in immediate mode, if the window supports either.
	Unlimited bool
}

// Swapchain is the ring of images through which a window shows pictures. It adapts to the
// window's size.
type Swapchain struct {
	device  *gpu.Device
	surface *Surface
	options Options
	format  gpu.SurfaceFormat

	handle        vk.Swapchain
	width, height int
	images        []windowImage
	acquired      vk.Semaphore // signalled when an image is acquired; the submission that draws the image waits for it, which resets it
	commands      *gpu.Commands

	asked image.Point // size of the window at the last Present
	stale bool        // recreate before the next image is acquired
}

// windowImage is one image of the ring. The semaphore is signalled when the image has been drawn, and can
// be used again once the image is next acquired.
type windowImage struct {
	gpu.WindowImage
	drawn vk.Semaphore
}

// New makes a swapchain on a device that was opened with the surface. The first Present makes
// the images. Close the swapchain before the device and the surface.
func New(d *gpu.Device, surface *Surface, o Options) (_ *Swapchain, err error) {
	s := &Swapchain{device: d, surface: surface, options: o, stale: true}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	defer must.Catch(&err)
	s.format = must.Get(chooseFormat(must.Get(d.SurfaceFormats(surface.handle)), s.canBlit))
	s.commands = must.Get(d.NewCommands("present"))
	s.acquired = must.Get(s.newSemaphore("acquired"))
	return s, nil
}

// chooseFormat chooses 8 bits per channel without sRGB conversion, since pictures already hold
// the values to show.
func chooseFormat(formats []gpu.SurfaceFormat, usable func(vk.Format) bool) (gpu.SurfaceFormat, error) {
	want := []vk.Format{vk.FormatB8g8r8a8Unorm, vk.FormatR8g8b8a8Unorm}
	for _, f := range formats {
		if f.Format == vk.FormatUndefined { // any format will do
			return gpu.SurfaceFormat{Format: want[0], Space: f.Space}, nil
		}
		for _, w := range want {
			if f.Format == w && f.Space == vk.ColorspaceSrgbNonlinear && usable(w) {
				return f, nil
			}
		}
	}
	return gpu.SurfaceFormat{}, fmt.Errorf("the window takes no format of 8 bits a channel that pictures can be copied to (it takes %v)", formats)
}

// canBlit reports whether pictures can be blitted to images of a format.
func (s *Swapchain) canBlit(f vk.Format) bool {
	var p vk.FormatProperties
	vk.GetPhysicalDeviceFormatProperties(s.device.Physical(), f, &p)
	p.Deref()
	defer p.Free()
	return p.OptimalTilingFeatures&vk.FormatFeatureFlags(vk.FormatFeatureBlitDstBit) != 0
}

func (s *Swapchain) newSemaphore(name string) (semaphore vk.Semaphore, err error) {
	err = gpu.CreateBy(s.device, &semaphore, vk.ObjectTypeSemaphore, name, "vkCreateSemaphore", vk.CreateSemaphore,
		vk.SemaphoreCreateInfo{SType: vk.StructureTypeSemaphoreCreateInfo})
	return semaphore, err
}

// remake makes the images for the current window. It returns false if the window has no area.
func (s *Swapchain) remake() (_ bool, err error) {
	defer must.Catch(&err)
	caps := must.Get(s.capabilities())
	size := caps.extent(s.asked)
	if size.X == 0 || size.Y == 0 {
		return false, nil
	}
	if caps.usage&vk.ImageUsageFlags(vk.ImageUsageTransferDstBit) == 0 {
		return false, errors.New("the window's images cannot be copied to")
	}
	mode := must.Get(s.presentMode())
	must.OK(s.device.WaitIdle())
	made, err := s.create(caps, size, mode)
	s.freeImages()
	must.OK(err)
	s.handle, s.width, s.height, s.stale = made, size.X, size.Y, false
	return true, s.fetchImages()
}

func (s *Swapchain) create(c capabilities, size image.Point, mode vk.PresentMode) (made vk.Swapchain, err error) {
	err = gpu.CreateBy(s.device, &made, vk.ObjectTypeSwapchain, "swapchain", "vkCreateSwapchainKHR", vk.CreateSwapchain, vk.SwapchainCreateInfo{
		SType: vk.StructureTypeSwapchainCreateInfo, Surface: s.surface.handle, OldSwapchain: s.handle,
		ImageFormat: s.format.Format, ImageColorSpace: s.format.Space, ImageExtent: vk.Extent2D{Width: uint32(size.X), Height: uint32(size.Y)},
		ImageArrayLayers: 1, ImageUsage: vk.ImageUsageFlags(vk.ImageUsageTransferDstBit), ImageSharingMode: vk.SharingModeExclusive,
		MinImageCount: c.imageCount(), PreTransform: c.transform, CompositeAlpha: c.alpha(), PresentMode: mode, Clipped: vk.True,
	})
	return made, err
}

func (s *Swapchain) fetchImages() (err error) {
	defer must.Catch(&err)
	handles := must.Get(gpu.List("vkGetSwapchainImagesKHR", func(n *uint32, list []vk.Image) vk.Result {
		return vk.GetSwapchainImages(s.device.Handle(), s.handle, n, list)
	}))
	for i, h := range handles {
		gpu.SetName(s.device, vk.ObjectTypeImage, h, fmt.Sprintf("window %d", i))
		drawn := must.Get(s.newSemaphore(fmt.Sprintf("window %d drawn", i)))
		s.images = append(s.images, windowImage{gpu.WindowImage{Handle: h, Width: s.width, Height: s.height}, drawn})
	}
	return nil
}

// freeImages destroys the swapchain and its images' semaphores. The queue must be idle: there
// is no other way to know that presentation no longer uses the semaphores.
func (s *Swapchain) freeImages() {
	for _, w := range s.images {
		vk.DestroySemaphore(s.device.Handle(), w.drawn, nil)
	}
	if s.handle != vk.NullSwapchain {
		vk.DestroySwapchain(s.device.Handle(), s.handle, nil)
	}
	s.images, s.handle = nil, vk.NullSwapchain
}

// Close waits for the device and frees everything; on a lost device it frees nothing. Nil is
// allowed.
func (s *Swapchain) Close() {
	if s == nil || s.device.Lost() || s.device.WaitIdle() != nil {
		return
	}
	s.freeImages()
	if s.acquired != vk.NullSemaphore {
		vk.DestroySemaphore(s.device.Handle(), s.acquired, nil)
		s.acquired = vk.NullSemaphore
	}
	s.commands.Close()
	s.commands = nil
}
