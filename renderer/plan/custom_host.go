package plan

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
	"github.com/shadeonce/shadeonce/shaders/link"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// Host is what draws read of Shadings and Values for one camera, for backends that run vertex
// shaders without a device.
type Host struct {
	custom   *Custom
	records  []uint32
	values   []byte
	uniforms []byte
}

// Host fills in what depends on the camera.
func (c *Custom) Host(f *renderer.Frame, camera renderer.Camera) Host {
	h := Host{c, c.Records, c.Values.follow(f, camera), c.Uniforms.follow(f, camera)}
	if f.Shading.Captured != nil {
		h.records = make([]uint32, len(c.Records))
		c.FollowRecords(f, camera, h.records)
	}
	return h
}

// follow returns the content for one camera.
func (c *content) follow(f *renderer.Frame, camera renderer.Camera) []byte {
	if c.Followed == 0 {
		return c.Bytes
	}
	bytes := slices.Clone(c.Bytes)
	c.Follow(f, camera, bytes)
	return bytes
}

func (h *Host) record(draw int) []uint32 { return h.records[draw*h.custom.layout.Words:] }

// Blocks returns the contents of the blocks that a draw's vertex shader reads, by
// module.Vertex.Blocks.
func (h *Host) Blocks(draw int) [][]byte {
	record := h.record(draw)
	program := &h.custom.programs[record[link.RecordProgram]]
	list := make([][]byte, len(program.Blocks))
	for i, at := range program.Blocks {
		block := &program.Vertex.Blocks[i]
		if block.Kind == module.FetchedImage {
			head := at.Base / module.TexelBytes
			if at.Slot > 0 {
				head = record[at.Slot]
			}
			list[i] = imageAt(h.values[head*module.TexelBytes:])
			continue
		}
		if block.Open {
			list[i] = h.custom.open[at.Binding-shaders.OpenBinding]
			continue
		}
		from := int(at.Base)
		if at.Slot > 0 {
			from += int(record[at.Slot]) * block.Stride()
		}
		content := h.values
		if at.Copies > 0 {
			content = h.uniforms
		}
		list[i] = content[from:][:block.Size:block.Size]
	}
	return list
}

// Clip returns the matrix by which the positions of a draw's vertex shader are multiplied; false
// if they stay unchanged.
func (h *Host) Clip(draw int) (m mgl32.Mat4, ok bool) {
	for i, bits := range h.record(draw)[link.RecordClip:][:len(m)] {
		m[i] = math.Float32frombits(bits)
	}
	return m, h.custom.layout.Clip
}
