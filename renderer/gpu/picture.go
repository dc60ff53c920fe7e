package gpu

import (
	"image"

	"github.com/shadeonce/shadeonce/renderer"
)

// A picture is where its rasterizer leaves it: in the images that the graphics
// pipeline draws to, or in the buffers that raster:resolve writes. Those are read
// back as they are, and become an image only where a window asks for one.

// computed says whether the picture is in buffers.
func (r *recording) computed() bool { return r.plan.Buffer("PictureColor") != nil }

// readPicture reads back what is wanted of a picture.
func (r *recording) readPicture(out *renderer.Output, want renderer.Want) (err error) {
	f := &r.plan.Frame
	if f.NoRaster {
		return nil
	}
	if want&renderer.WantVisible != 0 {
		if out.Visible, err = r.readVisible(); err != nil {
			return err
		}
	}
	if want&renderer.WantColor != 0 {
		out.Color = image.NewRGBA(image.Rect(0, 0, f.Width, f.Height))
		if err := r.readPixels(out.Color.Pix, "PictureColor"); err != nil {
			return err
		}
	}
	if want&renderer.WantDepth != 0 {
		out.Depth = make([]float32, f.Width*f.Height)
		return r.readPixels(asBytes(out.Depth), "PictureDepth")
	}
	return nil
}

// readPixels reads the picture's colours or depths: a buffer of that name, or the
// image that stands for it.
func (r *recording) readPixels(into []byte, buffer string) error {
	if r.computed() {
		return r.backend.device.DownloadBytes(into, r.buffer(buffer), 0)
	}
	m := r.target.Color
	if buffer == "PictureDepth" {
		m = r.target.Depth
	}
	pixels, err := r.readImage(m)
	copy(into, pixels)
	return err
}

// shown is a picture in buffers as an image, for a window.
type shown struct {
	image    *Image
	commands *Commands
}

func (s *shown) close() {
	if s != nil {
		s.commands.Close()
		s.image.Close()
	}
}

// Color is the picture of the last Exec, ready to be copied or blitted; nil
// where the plan draws none. What compute shaders drew is copied into it here.
func (b *Backend) Color() (*Image, error) {
	if len(b.recordings) == 0 {
		return nil, nil
	}
	last := b.recordings[len(b.recordings)-1]
	if last.target != nil {
		return last.target.Color, nil
	}
	if !last.computed() {
		return nil, nil
	}
	if last.shown == nil {
		made, err := last.makeShown()
		if err != nil {
			made.close()
			return nil, err
		}
		last.shown = made
	}
	return last.shown.image, last.shown.commands.Run()
}

func (r *recording) makeShown() (s *shown, err error) {
	d, f := r.backend.device, &r.plan.Frame
	s = &shown{}
	if s.image, err = d.NewImage("picture color", f.Width, f.Height, FormatColor); err != nil {
		return s, err
	}
	if s.commands, err = d.NewCommands("picture"); err != nil {
		return s, err
	}
	c := s.commands
	c.Begin()
	c.Pass("picture", func() { c.FillImage(s.image, r.buffer("PictureColor"), 0) })
	return s, c.End()
}
