//go:build cgo

package gpu

import (
	"slices"
	"unsafe"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// following is the host's side of a buffer that depends on the camera: the buffer itself, or one
// that each frame first copies to it.
type following struct {
	block        plan.Block
	host, device *Buffer
}

func (r *recording) makeFollowing() {
	for i := range r.plan.Buffers {
		b := &r.plan.Buffers[i]
		if b.Filled != plan.ByCamera || slices.Contains(plan.HostCleared, b.Block) {
			continue
		}
		if device := r.buffers[i]; device.mapped != nil {
			r.following = append(r.following, following{b.Block, device, device})
			continue
		}
		host := must.Get(r.backend.device.NewHostBuffer(b.Name+" of the host", b.Followed, HostWrites))
		r.following = append(r.following, following{b.Block, host, r.buffers[i]})
	}
}

// setCamera writes what the next submission reads. keeps is whether a lean frame keeps its
// visibility buffer.
func (r *recording) setCamera(c renderer.Camera, keeps bool) error {
	p := r.plan
	data := plan.CameraData(c, max(p.Frame.Width, 1), max(p.Frame.Height, 1))
	if keeps {
		data.LightDirection[3] = 1
	}
	if p.Sole {
		p.FillSole(&data)
		if r.lean.parts[0].commands != nil { // no Recorder's, which does not know what frames list
			data.AtOnce = p.AtOnce(r.lean.tries())
		}
	}
	for _, x := range r.following {
		bytes := x.host.Bytes()
		switch x.block {
		case plan.Cameras:
			copy(bytes, asBytes([]shaders.Camera{data}))
		case plan.Clips:
			draws := p.Frame.Scene.Draws
			plan.ClipData(unsafe.Slice((*[16]float32)(unsafe.Pointer(&bytes[0])), len(draws)), data, draws, p.Frame.Marks)
		default:
			p.FollowShade(x.block, c, bytes)
		}
		if err := x.host.Flush(); err != nil {
			return err
		}
	}
	return nil
}
