//go:build cgo

package gpu

import (
	"fmt"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Format is the format of an image's pixels.
type Format vk.Format

// The formats of a picture.
const (
	FormatColor Format = Format(vk.FormatR8g8b8a8Unorm) // 4 bytes, stored linearly
	FormatDepth Format = Format(vk.FormatD32Sfloat)     // 4 bytes, 0 to 1
)

// pixelBytes is the size of a pixel of either format.
const pixelBytes = 4

// Image is a device-local picture. Between recordings it is in layout TRANSFER_SRC_OPTIMAL
// (homeLayout), ready to be copied or blitted; a recording changes the layout and changes it
// back.
type Image struct {
	Name          string
	Width, Height int // pixels
	Format        Format

	device *Device
	handle vk.Image
	view   vk.ImageView
	memory allocation
	aspect vk.ImageAspectFlagBits
}

const homeLayout = vk.ImageLayoutTransferSrcOptimal

// NewImage makes an image whose contents are undefined. Errors: *SizeError,
// *MemoryError, *CallError.
func (d *Device) NewImage(name string, width, height int, format Format) (*Image, error) {
	if width < 1 || height < 1 {
		return nil, fmt.Errorf("gpu: image %s of %dx%d pixels: each side must be at least 1", name, width, height)
	}
	if side := max(width, height); side > d.Info.Limits.Image2D {
		return nil, &SizeError{What: "image " + name, Need: int64(side), Have: int64(d.Info.Limits.Image2D), Limit: "maxImageDimension2D"}
	}
	m := &Image{Name: name, Width: width, Height: height, Format: format, device: d, aspect: vk.ImageAspectColorBit}
	usage := vk.ImageUsageTransferSrcBit | vk.ImageUsageTransferDstBit
	if format == FormatDepth {
		m.aspect = vk.ImageAspectDepthBit
		usage |= vk.ImageUsageDepthStencilAttachmentBit
	} else {
		usage |= vk.ImageUsageColorAttachmentBit
	}
	return made(m, m.create(usage))
}

func (m *Image) create(usage vk.ImageUsageFlagBits) (err error) {
	defer must.Catch(&err)
	d := m.device
	info := vk.ImageCreateInfo{
		SType:       vk.StructureTypeImageCreateInfo,
		ImageType:   vk.ImageType2d,
		Format:      vk.Format(m.Format),
		Extent:      vk.Extent3D{Width: uint32(m.Width), Height: uint32(m.Height), Depth: 1},
		MipLevels:   1,
		ArrayLayers: 1,
		Samples:     vk.SampleCount1Bit,
		Tiling:      vk.ImageTilingOptimal,
		Usage:       vk.ImageUsageFlags(usage),
	}
	defer info.Free()
	err = Create(d, &m.handle, vk.ObjectTypeImage, m.Name, "vkCreateImage", func(h *vk.Image) vk.Result {
		return vk.CreateImage(d.handle, &info, nil, h)
	})
	must.OK(d.memoryError(err, int64(m.Width)*int64(m.Height)*pixelBytes))
	var need vk.MemoryRequirements
	vk.GetImageMemoryRequirements(d.handle, m.handle, &need)
	m.memory = must.Get(d.allocate(m.Name, &need, []vk.MemoryPropertyFlagBits{vk.MemoryPropertyDeviceLocalBit}))
	must.OK(d.check("vkBindImageMemory", vk.BindImageMemory(d.handle, m.handle, m.memory.handle, 0)))
	must.OK(m.createView())
	// Give the new image its layout.
	return d.runOnce("layout of "+m.Name, func(c *Commands) { c.images[m] = imageState{layout: vk.ImageLayoutUndefined} })
}

func (m *Image) createView() error {
	d := m.device
	info := vk.ImageViewCreateInfo{
		SType:    vk.StructureTypeImageViewCreateInfo,
		Image:    m.handle,
		ViewType: vk.ImageViewType2d,
		Format:   vk.Format(m.Format),
		SubresourceRange: vk.ImageSubresourceRange{
			AspectMask: vk.ImageAspectFlags(m.aspect), LevelCount: 1, LayerCount: 1,
		},
	}
	defer info.Free()
	return Create(d, &m.view, vk.ObjectTypeImageView, m.Name, "vkCreateImageView", func(h *vk.ImageView) vk.Result {
		return vk.CreateImageView(d.handle, &info, nil, h)
	})
}

// Close frees the image, which no submission may be using. Nil is allowed.
func (m *Image) Close() {
	if m == nil || m.device.lost {
		return
	}
	d := m.device
	vk.DestroyImageView(d.handle, m.view, nil)
	vk.DestroyImage(d.handle, m.handle, nil)
	d.release(m.memory)
	m.view, m.handle, m.memory = vk.NullImageView, vk.NullImage, allocation{}
}

// Target is a colour and a depth image that are drawn to together.
type Target struct {
	Color, Depth *Image

	framebuffer vk.Framebuffer
}

// NewTarget makes both images of a target.
func (d *Device) NewTarget(name string, width, height int) (*Target, error) {
	color, err := d.NewImage(name+" color", width, height, FormatColor)
	if err != nil {
		return nil, err
	}
	t := &Target{Color: color}
	return made(t, t.create(name))
}

func (t *Target) create(name string) (err error) {
	defer must.Catch(&err)
	d, m := t.Color.device, t.Color
	t.Depth = must.Get(d.NewImage(name+" depth", m.Width, m.Height, FormatDepth))
	return Create(d, &t.framebuffer, vk.ObjectTypeFramebuffer, name, "vkCreateFramebuffer", func(h *vk.Framebuffer) vk.Result {
		return d.ext.createFramebuffer(d.passes[0], m.view, t.Depth.view, m.Width, m.Height, h)
	})
}

// Close frees the target, which no submission may be using. Nil is allowed.
func (t *Target) Close() {
	if t == nil {
		return
	}
	if d := t.Color.device; t.framebuffer != vk.NullFramebuffer && !d.lost {
		vk.DestroyFramebuffer(d.handle, t.framebuffer, nil)
		t.framebuffer = vk.NullFramebuffer
	}
	t.Depth.Close()
	t.Color.Close()
}
