//go:build cgo

package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"image"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// OverlayVertex is a corner of a flat triangle, in pixels from the upper left.
type OverlayVertex = shaders.OverlayVertex

// OverlayCommand draws a run of indices, clipped to a rectangle.
type OverlayCommand struct {
	Clip         image.Rectangle // pixels; nothing is drawn if it is empty
	FirstIndex   int
	IndexCount   int // a multiple of 3
	VertexOffset int // added to each index
}

// OverlayMesh is drawn over the pictures: triangles in the order of commands, the last one on
// top, blended by alpha.
type OverlayMesh struct {
	Vertices []OverlayVertex
	Indices  []uint32
	Commands []OverlayCommand
	Under    int // the number of commands that are drawn before the panels
}

// OverlayPanel is an opaque picture in the composed image.
type OverlayPanel struct {
	Panel *image.RGBA // rows without gaps; it must not change: new contents need a new image
	At    image.Point // of its upper left corner, in pixels; parts outside are cut off
}

// Place returns the rectangle of the composed image that a panel covers.
func (p OverlayPanel) Place() image.Rectangle { return p.Panel.Rect.Sub(p.Panel.Rect.Min).Add(p.At) }

// OverlayPart shows a part of a picture (From) in a part of the composed image (To), stretched if
// their sizes differ. Both are in pixels.
type OverlayPart struct {
	Picture  *Image
	From, To image.Rectangle
}

// Overlay composes pictures, panels and triangles into one image.
type Overlay struct {
	device       *Device
	pipeline     *Pipeline
	font         *Buffer
	fontSize     image.Point
	commands     *Commands
	target       *Target
	set          *Set
	mesh, onCard [2]*Buffer // each has vertices and indices; mesh is on the host, onCard on the device
	panels       map[*image.RGBA]*Image
}

// NewOverlay makes an overlay. font is a texture of coverage, which U and V of the vertices address.
// For triangles of plain colour it must have a fully covered texel.
func (d *Device) NewOverlay(font *image.Alpha) (*Overlay, error) {
	size := font.Rect.Size()
	if size.X < 1 || size.Y < 1 || font.Stride != size.X {
		return nil, fmt.Errorf("gpu: overlay: font of %dx%d texels, %d a row", size.X, size.Y, font.Stride)
	}
	o := &Overlay{device: d, fontSize: size}
	return made(o, o.create(font))
}

func (o *Overlay) create(font *image.Alpha) (err error) {
	defer must.Catch(&err)
	d := o.device
	o.pipeline = must.Get(d.NewGraphicsPipeline(shaders.Must("overlay/mesh"), shaders.Must("overlay/panel"), RasterOptions{NoDepth: true, Blend: true}))
	texels := make([]byte, (len(font.Pix)+3)&^3)
	copy(texels, font.Pix)
	o.font = must.Get(d.NewBuffer("Font", int64(len(texels)), UsageStorage))
	must.OK(Upload(d, o.font, texels))
	o.commands, err = d.NewCommands("overlay")
	return err
}

// Compose draws the parts, or the background if there are none, and over them the mesh. The panels
// cover the mesh's first commands (Under); the other commands are drawn over the panels. It returns
// the image, which belongs to the overlay and changes with the next Compose.
func (o *Overlay) Compose(size image.Point, parts []OverlayPart, panels []OverlayPanel, mesh OverlayMesh) (_ *Image, err error) {
	defer must.Catch(&err)
	must.OK(mesh.check())
	o.fit(size)
	o.fill(mesh)
	o.keep(panels)
	if len(panels) == 0 {
		mesh.Under = len(mesh.Commands)
	}
	c := o.commands
	return o.target.Color, c.RunOnce(func() {
		for _, p := range parts {
			c.BlitPart(o.target.Color, p.To, p.Picture, p.From)
		}
		var clear *Clear
		if len(parts) == 0 {
			clear = emptyPicture(picture.Background)
		}
		c.Copy(o.onCard[0], 0, o.mesh[0], 0, int64(len(mesh.Vertices))*shaders.OverlayVertexSize)
		c.Copy(o.onCard[1], 0, o.mesh[1], 0, int64(len(mesh.Indices))*4)
		if draws := o.draws(mesh.Commands[:mesh.Under]); len(draws) > 0 || clear != nil {
			c.Render(o.target, clear, draws...)
		}
		for _, p := range panels {
			if to := p.Place().Intersect(image.Rectangle{Max: size}); !to.Empty() {
				c.BlitPart(o.target.Color, to, o.panels[p.Panel], to.Sub(p.At))
			}
		}
		if draws := o.draws(mesh.Commands[mesh.Under:]); len(draws) > 0 {
			c.Render(o.target, nil, draws...)
		}
	})
}

// keep uploads panels that are new, and frees those that are no longer shown.
func (o *Overlay) keep(panels []OverlayPanel) {
	before := o.panels
	o.panels = map[*image.RGBA]*Image{}
	for _, p := range panels {
		if m := cmp.Or(o.panels[p.Panel], before[p.Panel]); m != nil {
			o.panels[p.Panel] = m
			delete(before, p.Panel)
			continue
		}
		size := p.Panel.Rect.Size()
		m := must.Get(o.device.NewImage("panel", size.X, size.Y, FormatColor))
		o.panels[p.Panel] = m
		pixels := must.Get(o.device.NewBuffer("panel", int64(len(p.Panel.Pix)), 0))
		defer pixels.Close()
		must.OK(o.device.UploadBytes(pixels, 0, p.Panel.Pix))
		must.OK(o.device.runOnce("panel", func(c *Commands) { c.FillImage(m, pixels, 0) }))
	}
	for _, m := range before {
		m.Close()
	}
}

// check returns an error for commands beyond the indices, and indices beyond the vertices: the device would read
// beyond its buffers.
func (m *OverlayMesh) check() error {
	if m.Under < 0 || m.Under > len(m.Commands) {
		return fmt.Errorf("gpu: overlay: panels above %d of %d commands", m.Under, len(m.Commands))
	}
	for i, c := range m.Commands {
		if c.FirstIndex < 0 || c.IndexCount < 0 || c.VertexOffset < 0 || c.IndexCount > len(m.Indices)-c.FirstIndex {
			return fmt.Errorf("gpu: overlay: command %d takes %d indices from %d of %d", i, c.IndexCount, c.FirstIndex, len(m.Indices))
		}
		for _, k := range m.Indices[c.FirstIndex:][:c.IndexCount] {
			if int(k) >= len(m.Vertices)-c.VertexOffset {
				return fmt.Errorf("gpu: overlay: command %d names vertex %d+%d of %d", i, c.VertexOffset, k, len(m.Vertices))
			}
		}
	}
	return nil
}

// fit makes a target of the given size, unless the overlay's target has it already.
func (o *Overlay) fit(size image.Point) {
	if o.target != nil && o.target.Color.Width == size.X && o.target.Color.Height == size.Y {
		return
	}
	o.target.Close()
	o.target = nil
	o.target = must.Get(o.device.NewTarget("overlay", size.X, size.Y))
}

// fill writes the mesh to host memory, which grows if necessary.
func (o *Overlay) fill(mesh OverlayMesh) {
	vertices, indices := asBytes(mesh.Vertices), asBytes(mesh.Indices)
	o.grow(int64(len(vertices)), int64(len(indices)))
	copy(o.mesh[0].mapped, vertices)
	copy(o.mesh[1].mapped, indices)
	must.OK(errors.Join(o.mesh[0].Flush(), o.mesh[1].Flush()))
}

// grow replaces the mesh buffers if one is smaller than the given bytes. The new ones are larger by half and 64 KiB.
func (o *Overlay) grow(bytes ...int64) {
	if o.set != nil && o.mesh[0].Size >= bytes[0] && o.mesh[1].Size >= bytes[1] {
		return
	}
	o.freeMesh()
	for i, name := range []string{"OverlayVertices", "OverlayIndices"} {
		size := bytes[i] + bytes[i]/2 + 1<<16
		usage := UsageStorage
		if i == 1 {
			usage = UsageIndex
		}
		o.mesh[i] = must.Get(o.device.NewHostBuffer(name+" of the host", size, HostWrites))
		o.onCard[i] = must.Get(o.device.NewBuffer(name, size, usage))
	}
	o.set = must.Get(o.pipeline.NewSet(Resources{"OverlayVertices": o.onCard[0], "Font": o.font}))
}

func (o *Overlay) draws(commands []OverlayCommand) []Draw {
	whole := image.Rect(0, 0, o.target.Color.Width, o.target.Color.Height)
	push := asBytes([]shaders.OverlayPush{{
		WidthPx: float32(whole.Dx()), HeightPx: float32(whole.Dy()), FontWidth: uint32(o.fontSize.X), FontHeight: uint32(o.fontSize.Y),
	}})
	var draws []Draw
	for _, c := range commands {
		clip := c.Clip.Intersect(whole)
		if clip.Empty() || c.IndexCount == 0 {
			continue
		}
		draws = append(draws, Draw{
			Pipeline: o.pipeline, Set: o.set, Push: push, Clip: clip,
			Indices: o.onCard[1], Vertices: uint32(c.IndexCount), FirstIndex: uint32(c.FirstIndex), VertexOffset: int32(c.VertexOffset),
		})
	}
	return draws
}

// Read copies the last composed image to the host.
func (o *Overlay) Read() (*image.RGBA, error) {
	if o.target == nil {
		return nil, errors.New("gpu: overlay: nothing was composed")
	}
	img, err := o.device.ReadImage(o.target.Color)
	if err != nil {
		return nil, err
	}
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255 // alpha of the parts encodes what they show (picture.TakeSeen)
	}
	return img, nil
}

func (o *Overlay) freeMesh() {
	o.set.Close()
	for i := range o.mesh {
		o.mesh[i].Close()
		o.onCard[i].Close()
	}
	o.set, o.mesh, o.onCard = nil, [2]*Buffer{}, [2]*Buffer{}
}

// Close frees what the overlay made. Nil is allowed.
func (o *Overlay) Close() {
	if o == nil || o.device.lost {
		return
	}
	o.commands.Close()
	o.freeMesh()
	for _, m := range o.panels {
		m.Close()
	}
	o.font.Close()
	o.target.Close()
	o.pipeline.Close()
}

// BlitPart copies a part of a picture to a part of another, and scales it if the sizes differ.
func (c *Commands) BlitPart(dst *Image, to image.Rectangle, src *Image, from image.Rectangle) {
	inside := func(r image.Rectangle, m *Image) bool { return !r.Empty() && r.In(image.Rect(0, 0, m.Width, m.Height)) }
	if c.err == nil && (!inside(from, src) || !inside(to, dst)) {
		c.err = fmt.Errorf("gpu: %s: %v of %s (%dx%d) to %v of %s (%dx%d)", c.Name, from, src.Name, src.Width, src.Height, to, dst.Name, dst.Width, dst.Height)
		return
	}
	c.useImage(src, homeLayout, copyFrom, false)
	c.useImage(dst, vk.ImageLayoutTransferDstOptimal, copyTo, false)
	c.blit(dst.handle, to, src, from)
}

// blit records the barriers of the collected uses, and then the copy, which scales if the parts'
// sizes differ.
func (c *Commands) blit(dst vk.Image, to image.Rectangle, src *Image, from image.Rectangle) {
	filter := vk.FilterNearest
	if from.Size() != to.Size() {
		filter = vk.FilterLinear
	}
	c.settle()
	if c.err == nil {
		c.device.ext.blitPart(c.buf, src, from, dst, to, filter)
	}
}

// WindowImage is an image of a swapchain, which owns it: 4 bytes per pixel, made with usage
// TRANSFER_DST. A recording may use it only between BeginWindow and EndWindow, to write it.
type WindowImage struct {
	Handle        vk.Image
	Width, Height int // pixels
}

// WindowStage is the stage at which a submission that writes a WindowImage must wait until the image
// is acquired.
const WindowStage = vk.PipelineStageTransferBit

// BeginWindow prepares a window's image for writing and discards its contents.
func (c *Commands) BeginWindow(w WindowImage) {
	c.moveWindow(w, barrierStages{src: WindowStage, dst: transferStage, dstAccess: vk.AccessTransferWriteBit},
		vk.ImageLayoutUndefined, vk.ImageLayoutTransferDstOptimal)
}

// BlitWindow fills the whole window with a picture: pixel by pixel if the sizes are equal,
// otherwise stretched. It converts to the window's format.
func (c *Commands) BlitWindow(w WindowImage, picture *Image) {
	c.useImage(picture, homeLayout, copyFrom, false)
	c.blit(w.Handle, image.Rect(0, 0, w.Width, w.Height), picture, image.Rect(0, 0, picture.Width, picture.Height))
}

// EndWindow prepares the image for Present.
func (c *Commands) EndWindow(w WindowImage) {
	c.moveWindow(w, barrierStages{src: transferStage, dst: vk.PipelineStageBottomOfPipeBit, srcAccess: vk.AccessTransferWriteBit},
		vk.ImageLayoutTransferDstOptimal, vk.ImageLayoutPresentSrc)
}

func (c *Commands) moveWindow(w WindowImage, s barrierStages, from, to vk.ImageLayout) {
	if c.err != nil {
		return
	}
	c.fail("vkCmdPipelineBarrier", c.device.ext.barrier(c.buf, barrierStages{src: s.src, dst: s.dst}, nil, []imageBarrier{
		{w.Handle, vk.ImageAspectColorBit, from, to, s.srcAccess, s.dstAccess},
	}))
}

// Check turns the result of a call in internal/renderer/present into an error that names the call, and
// remembers that the device was lost. Positive results (suboptimal, timeout) are not errors.
func (d *Device) Check(call string, r vk.Result) error { return d.check(call, r) }

// Lost reports whether the device was lost or has hung. Nothing made from such a device may be waited
// for or freed.
func (d *Device) Lost() bool { return d.lost }

// SetName names an object that internal/renderer/present made, for validation messages.
func SetName[T any](d *Device, kind vk.ObjectType, handle T, name string) {
	d.name(kind, bits(handle), name)
}
