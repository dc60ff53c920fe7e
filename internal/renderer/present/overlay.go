package present

import (
	"image"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// Overlay is a panel that covers a part of the window.
type Overlay struct {
	// Panel is opaque: its alpha is ignored. It must not change once it was shown; new contents
	// need a new image.
	Panel *image.RGBA
	At    image.Point // position of its upper left corner in the window, in pixels; parts outside are cut off
}

// placed is an overlay clipped to the window, with its place in the buffer.
type placed struct {
	part   image.Rectangle // of the window
	from   image.Point     // of the panel
	offset int64           // bytes
}

const pixelBytes = 4

// place clips overlays to a window and assigns each a range of the buffer. It returns the size of
// all ranges, and leaves out overlays outside the window.
func place(overlays []Overlay, window image.Rectangle) (list []placed, size int64) {
	for _, o := range overlays {
		bounds := o.Panel.Bounds()
		whole := bounds.Sub(bounds.Min).Add(o.At)
		part := whole.Intersect(window)
		if part.Empty() {
			list = append(list, placed{})
			continue
		}
		list = append(list, placed{part, bounds.Min.Add(part.Min.Sub(whole.Min)), size})
		size += int64(part.Dx()) * int64(part.Dy()) * pixelBytes
	}
	return list, size
}

// pack writes a panel's visible part, row by row without padding, in the window's order of
// channels.
func (p placed) pack(to []byte, panel *image.RGBA, blueFirst bool) {
	row := p.part.Dx() * pixelBytes
	for y := range p.part.Dy() {
		from := panel.PixOffset(p.from.X, p.from.Y+y)
		line := to[y*row : (y+1)*row]
		copy(line, panel.Pix[from:from+row])
		if !blueFirst {
			continue
		}
		for x := 0; x < row; x += pixelBytes {
			line[x], line[x+2] = line[x+2], line[x]
		}
	}
}

// blueFirst reports whether pixels of a format begin with blue.
func blueFirst(f vk.Format) bool { return f == vk.FormatB8g8r8a8Unorm }

// packed is the contents of the buffer, which is written only when they change.
type packed struct {
	overlay Overlay
	placed  placed
}

// upload writes the overlays to the panels' buffer. The device must not be reading it.
func (s *Swapchain) upload(overlays []Overlay) ([]placed, error) {
	list, size := place(overlays, image.Rect(0, 0, s.width, s.height))
	now := make([]packed, len(list))
	same := len(list) == len(s.packed)
	for i := range list {
		now[i] = packed{overlays[i], list[i]}
		same = same && s.packed[i] == now[i]
	}
	if same || size == 0 {
		return list, nil
	}
	if s.panels == nil || s.panels.Size < size {
		s.panels.Close()
		s.panels, s.packed = nil, nil
		buffer, err := s.device.NewHostBuffer("panels", size, gpu.HostWrites)
		if err != nil {
			return nil, err
		}
		s.panels = buffer
	}
	for i, p := range list {
		p.pack(s.panels.Bytes()[p.offset:], overlays[i].Panel, blueFirst(s.format.Format))
	}
	s.packed = now
	return list, s.panels.Flush()
}
