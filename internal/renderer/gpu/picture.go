//go:build cgo

package gpu

import (
	"image"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// A picture stays where its rasterizer leaves it: in the images that the graphics pipeline draws
// to, or in the buffer that raster:resolve writes, and the visibility buffer. These are read back directly,
// and colours become an image only if a window asks for one.

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

// Show copies the picture of the last Exec into an image that Color returns from then on,
// whatever is executed later. If the plan draws no picture, the previous image stays.
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

// Reshow uploads Frame.Shown again for a recorded plan: 4 bytes per (draw, vertex) pair. It does
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
// Show, and after one that ran out of memory.
func (b *Backend) Color() *Image { return b.front }

// Seen returns what the image of the last Show shows.
func (b *Backend) Seen() (picture.Seen, error) {
	if b.front == nil {
		return picture.Seen{}, nil
	}
	pixels, err := b.device.ReadImage(b.front)
	if err != nil {
		return picture.Seen{}, err
	}
	return picture.TakeSeen(pixels), nil
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
