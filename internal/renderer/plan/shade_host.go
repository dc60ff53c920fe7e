package plan

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// content is the contents of a buffer: copies of blocks, or draws' records, one after another.
// Copies and records that depend on the camera come first.
type content struct {
	bytes    []byte
	followed int // bytes that depend on the camera
	places   []place
}

// place says where a camera-dependent value is stored.
type place struct {
	filled *geometry.Filled
	at     int // byte at which the copy of its block begins
	draw   int
}

// recordClip locates, in a draw's record, the matrix that is multiplied with the positions that vertex shaders output.
// If the shaders' values are those of a captured camera, the matrix maps its clip space to that of the
// frame's camera.
var recordClip = &geometry.Filled{Offset: 4 * link.RecordClip, Columns: 4, Rows: 4, MatrixStride: 16}

// content returns the contents of a buffer of records, values or uniforms; nil for other buffers.
func (m *moduleShade) content(b Block) *content {
	switch b {
	case Shadings:
		return &m.records
	case Values:
		return &m.values
	case Uniforms:
		return &m.uniforms
	}
	return nil
}

// ShadeData returns what the host uploads once to a buffer that foreign vertex shaders read or
// write; nil for other buffers.
func (p *Plan) ShadeData(b Block) []byte {
	m, ok := p.shade().(*moduleShade)
	switch {
	case !ok:
		return nil
	case b == Distances && m.layout.Distances.Total() > 0:
		return make([]byte, p.Buffer(b).Bytes)
	case b == AttributeWords:
		return m.attributeData()
	case b == LoopEnds:
		return make([]byte, 4)
	case m.content(b) != nil:
		return m.content(b).bytes
	}
	for i := range m.open {
		if b == openBlock(i) {
			return m.open[i]
		}
	}
	return nil
}

// FollowShade writes the camera-dependent values to the first bytes of a buffer that has some.
func (p *Plan) FollowShade(b Block, camera renderer.Camera, to []byte) {
	m, ok := p.shade().(*moduleShade)
	if !ok || m.content(b) == nil {
		return
	}
	f, c := &p.Frame, m.content(b)
	copy(to, c.bytes[:c.followed])
	k := newKnown(camera, max(f.Width, 1), max(f.Height, 1))
	var moved mgl64.Mat4
	if f.Shading.Captured != nil {
		moved = captured(f, camera)
	}
	same := map[geometry.WellKnown]mgl32.Mat4{} // values that draws share
	for _, x := range c.places {
		if x.filled == recordClip {
			clip := geometry.Narrow(moved.Mul4(wide(&f.Shading.Draws[x.draw].Clip)))
			put(recordClip, to[x.at:], &clip)
			continue
		}
		what := x.filled.What
		value, ok := same[what]
		if !ok {
			value = k.value(what, &f.Scene.Draws[x.draw].Transform)
			if !what.PerDraw() {
				same[what] = value
			}
		}
		put(x.filled, to[x.at:], &value)
	}
}

// captured maps the captured camera's clip space to that of another camera. It is the identity if
// both are the same.
func captured(f *renderer.Frame, camera renderer.Camera) mgl64.Mat4 {
	aspect := float32(max(f.Width, 1)) / float32(max(f.Height, 1))
	if own := f.Scene.Capture; own != nil && own.View != nil {
		same := renderer.CapturedCamera(own.View, aspect)
		same.Time = camera.Time
		if camera == same && aspect == own.View.Aspect {
			return mgl64.Ident4()
		}
	}
	viewProjection := camera.ViewProj(aspect)
	return wide(&viewProjection).Mul4(wide(f.Shading.Captured).Inv())
}

// Host holds the draws' records and the blocks that foreign vertex shaders read for one camera, for backends that
// run them without a device.
type Host struct {
	module                    *moduleShade
	records, values, uniforms []byte
}

// Host returns what foreign vertex shaders read for a camera; nil for a plan without such shaders.
func (p *Plan) Host(camera renderer.Camera) *Host {
	m, ok := p.shade().(*moduleShade)
	if !ok {
		return nil
	}
	follow := func(b Block) []byte {
		c := m.content(b)
		if c.followed == 0 {
			return c.bytes
		}
		bytes := slices.Clone(c.bytes)
		p.FollowShade(b, camera, bytes)
		return bytes
	}
	return &Host{m, follow(Shadings), follow(Values), follow(Uniforms)}
}

// word returns a word of a draw's record.
func (h *Host) word(draw, n int) uint32 {
	return binary.LittleEndian.Uint32(h.records[4*(draw*h.module.layout.Words+n):])
}

// Blocks returns the contents of the blocks that a draw's vertex shader reads, in the order of
// module.Vertex.Blocks.
func (h *Host) Blocks(draw int) [][]byte {
	program := &h.module.programs[h.word(draw, link.RecordProgram)]
	list := make([][]byte, len(program.Blocks))
	for i, at := range program.Blocks {
		block := &program.Vertex.Blocks[i]
		from, slot := int(at.Base), 0
		if at.Slot > 0 {
			slot = int(h.word(draw, at.Slot))
		}
		switch from += slot * block.Stride(); {
		case block.Kind == module.FetchedImage && at.Slot > 0:
			list[i] = imageAt(h.values[slot*module.TexelBytes:])
		case block.Kind == module.FetchedImage:
			list[i] = imageAt(h.values[from:])
		case block.Open:
			list[i] = h.module.open[at.Binding-shaders.OpenBinding]
		case at.Copies > 0:
			list[i] = h.uniforms[from:][:block.Size:block.Size]
		default:
			list[i] = h.values[from:][:block.Size:block.Size]
		}
	}
	return list
}

// Clip returns the matrix that is multiplied with the positions that a draw's vertex shader outputs;
// false if they stay unchanged.
func (h *Host) Clip(draw int) (m mgl32.Mat4, ok bool) {
	for i := range m {
		m[i] = math.Float32frombits(h.word(draw, link.RecordClip+i))
	}
	return m, h.module.layout.Clip
}
