//go:build cgo

package gpu

import (
	"fmt"
	"image"
	"slices"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
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
	err = CreateBy(d, &m.handle, vk.ObjectTypeImage, m.Name, "vkCreateImage", vk.CreateImage, vk.ImageCreateInfo{
		SType: vk.StructureTypeImageCreateInfo, ImageType: vk.ImageType2d, Format: vk.Format(m.Format),
		Extent:    vk.Extent3D{Width: uint32(m.Width), Height: uint32(m.Height), Depth: 1},
		MipLevels: 1, ArrayLayers: 1, Samples: vk.SampleCount1Bit, Tiling: vk.ImageTilingOptimal, Usage: vk.ImageUsageFlags(usage),
	})
	must.OK(d.memoryError(err, int64(m.Width)*int64(m.Height)*pixelBytes))
	var need vk.MemoryRequirements
	vk.GetImageMemoryRequirements(d.handle, m.handle, &need)
	m.memory = must.Get(d.allocate(m.Name, &need, []vk.MemoryPropertyFlagBits{vk.MemoryPropertyDeviceLocalBit}))
	must.OK(d.check("vkBindImageMemory", vk.BindImageMemory(d.handle, m.handle, m.memory.handle, 0)))
	must.OK(CreateBy(d, &m.view, vk.ObjectTypeImageView, m.Name, "vkCreateImageView", vk.CreateImageView, vk.ImageViewCreateInfo{
		SType: vk.StructureTypeImageViewCreateInfo, Image: m.handle, ViewType: vk.ImageViewType2d, Format: vk.Format(m.Format),
		SubresourceRange: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectFlags(m.aspect), LevelCount: 1, LayerCount: 1},
	}))
	// Give the new image its layout.
	return d.runOnce("layout of "+m.Name, func(c *Commands) { c.images[m] = imageState{layout: vk.ImageLayoutUndefined} })
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

// A picture stays where its rasterizer leaves it: either in the images that the graphics pipeline draws
// to, or in the visibility buffer and the colour buffer that raster:resolve writes. The host reads these back
// directly. The colour buffer is copied to an image only if a window asks for one.

// computed reports whether the picture is in buffers.
func (r *recording) computed() bool { return r.plan.Buffer(plan.PictureColor) != nil }

// readPicture reads the requested parts of a picture.
func (r *recording) readPicture(out *renderer.Output, want renderer.Want) {
	f := &r.plan.Frame
	if !r.computed() && (r.target == nil || r.discards) {
		return
	}
	if want&renderer.WantVisible != 0 {
		out.Visible = r.readVisible()
	}
	if want&renderer.WantColor != 0 {
		out.Color = image.NewRGBA(image.Rect(0, 0, f.Width, f.Height))
		if r.computed() {
			must.OK(r.backend.device.DownloadBytes(out.Color.Pix, r.buffer(plan.PictureColor), 0))
		} else {
			copy(out.Color.Pix, must.Get(r.backend.device.ReadImage(r.target.Color)).Pix)
		}
		out.Seen = picture.TakeSeen(out.Color)
	}
	switch {
	case want&renderer.WantDepth == 0:
	case r.computed():
		out.Depth = r.readDepths()
	default:
		out.Depth = make([]float32, f.Width*f.Height)
		copy(asBytes(out.Depth), must.Get(r.backend.device.ReadImage(r.target.Depth)).Pix)
	}
}

// Show copies the picture of the last Exec into the image that Color returns. Later executions do
// not change this image. If the plan draws no picture, Show keeps the previous one.
func (b *Backend) Show() (err error) {
	defer must.Catch(&err)
	if len(b.recordings) == 0 {
		return nil
	}
	last := b.recordings[len(b.recordings)-1]
	f := &last.plan.Frame
	if (last.target == nil || last.discards) && !last.computed() {
		return nil
	}
	b.fitFront(f.Width, f.Height)
	c := b.frontCommands
	return c.RunOnce(func() {
		c.Pass("picture", func() {
			if last.computed() {
				c.FillImage(b.front, last.buffer(plan.PictureColor), 0)
				return
			}
			whole := image.Rect(0, 0, f.Width, f.Height)
			c.BlitPart(b.front, whole, last.target.Color, whole)
		})
	})
}

// Reshow uploads Frame.Shown again for a recorded plan: 4 bytes per count. It does
// nothing if the plan is not kept or has windows, since Exec then reads Frame.Shown itself. Its
// errors are those of Exec.
func (b *Backend) Reshow(p *plan.Plan) error {
	i := slices.IndexFunc(b.recordings, func(r *recording) bool { return r.plan == p })
	if i < 0 || p.Windowed() || p.Frame.Shown == nil {
		return nil
	}
	err := Upload(b.device, b.recordings[i].buffer(plan.Counts), p.Frame.Shown)
	b.freeIfFull(err)
	return err
}

// Color returns the image of the last Show, ready to be copied or blitted; nil before the first
// Show, and after Reset or running out of memory.
func (b *Backend) Color() *Image { return b.front }

// Seen counts what the pixels of the last Show's image show. It returns zeros if Color is nil.
func (b *Backend) Seen() (seen picture.Seen, err error) {
	if b.front == nil {
		return seen, nil
	}
	pixels, err := b.device.ReadImage(b.front)
	if err == nil {
		b.device.Aside(func() { seen = picture.TakeSeen(pixels) })
	}
	return seen, err
}

func (b *Backend) fitFront(width, height int) {
	if b.frontCommands == nil {
		b.frontCommands = must.Get(b.device.NewCommands("picture"))
	}
	if b.front != nil && b.front.Width == width && b.front.Height == height {
		return
	}
	b.closeFront()
	b.front = must.Get(b.device.NewImage("picture color", width, height, FormatColor))
}

func (b *Backend) closeFront() {
	b.front.Close()
	b.front = nil
}
