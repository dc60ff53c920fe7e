package plan

import (
	"errors"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// rawPlan is a plan without any compute stage: the graphics pipeline draws
// the scene's vertex and index pools, so that index fetch, vertex reuse and
// rasterization are the device's own. Vertex shaders that are not ours fetch what they
// read from buffers, as in compute. It draws the views of other frames; the
// counts view only of counts that it is given (Frame.Shown), since it keeps
// none, and no batches, since it has none.
//
// The host joins the camera with the draws' transforms, as camera:clips does
// elsewhere, so that vertices are the same to the bit.
func rawPlan(f renderer.Frame, l renderer.Limits) (*Plan, error) {
	f.Subgroups = renderer.AutoSubgroups
	if err := checkRaw(&f, l); err != nil {
		return nil, err
	}
	f.NoCounts = true
	p := newPlanner(f, l)
	if err := p.makeCustom(); err != nil {
		return nil, err
	}
	p.sceneBuffers()
	p.Buffers[p.ids[Draws][0]].Usage = Commands
	p.cameraBuffer()
	p.add(Clips, ByCamera, "frame", "mat4", len(f.Scene.Draws), 64)
	p.add(Counts, ByPlan, "frame", "uint", len(f.Shown), 4)
	p.customBuffers()
	if err := p.checkSizes(l); err != nil {
		return nil, err
	}
	vertex, fragment, spec := "raster/raw", "raster/view", map[string]uint32{}
	if f.Weighs() {
		vertex = "raster/raw-pulled"
	}
	if f.View == renderer.Varying {
		fragment = "raster/view-varying"
	}
	vertex, reads := p.customOf(vertex, p.shown(Positions, Normals, Indices, Draws, Cameras, Clips))
	if p.Custom != nil {
		spec["UNSHADED"] = flag(p.someUnshaded())
	}
	p.then(p.direct("raster:raw", Program{[]string{vertex, fragment}, p.lookSpec(spec)}, touched{reads: reads}))
	return p.finish()
}

// checkRaw refuses what the graphics pipeline alone cannot draw.
func checkRaw(f *renderer.Frame, l renderer.Limits) error {
	if err := f.Check(l); err != nil {
		return err
	}
	switch {
	case f.Scene.Computed != nil:
		return needsStored(f.Scene, "the graphics pipeline alone")
	case f.Reuse.Strategy != nil:
		return fmt.Errorf("the graphics pipeline draws without strategy %s", f.Reuse.Strategy.Name)
	case f.NoRaster:
		return errors.New("the graphics pipeline alone always draws a picture")
	case f.Raster != renderer.HardwareRaster:
		return fmt.Errorf("the graphics pipeline alone draws by the hardware rasterizer, not by %s", f.Raster)
	case f.View == renderer.Batches:
		return errors.New("the graphics pipeline alone has no batches to show")
	case f.View == renderer.Counts && f.Shown == nil:
		return errors.New("the graphics pipeline alone keeps no counts to show: the shaded view needs none")
	case f.VertexShader != renderer.Transform || f.Load != 0:
		return errors.New("the graphics pipeline alone has no vertex shader of ours but the one that only transforms")
	}
	return nil
}

// reuseText is the strategy with its parameters, or what stands in its place.
func (p *Plan) reuseText() string {
	if p.Frame.Reuse.Strategy == nil {
		return p.Frame.StrategyName()
	}
	return p.Frame.Reuse.String()
}

// ClipData is the buffer Clips as camera:clips leaves it: for each draw what
// takes model space to clip space. It fills out, which is as long as draws. Marks are by
// draw; nil for none.
func ClipData(out [][16]float32, c shaders.Camera, draws []geometry.Draw, marks []renderer.Mark) {
	for i := range draws {
		if marks != nil && marks[i] == renderer.Hidden {
			out[i] = HiddenClip
			continue
		}
		out[i] = JoinCamera((*mgl32.Mat4)(&c.ViewProj), &draws[i].Transform)
	}
}

// HiddenClip takes all vertices of a hidden draw before the near plane.
var HiddenClip = mgl32.Mat4{14: -1, 15: 1}

// JoinCamera is the product of a camera's matrix and a draw's, rounded as
// shaders/camera/clips.comp does it.
func JoinCamera(viewProj, transform *mgl32.Mat4) (clip mgl32.Mat4) {
	for column := range 4 {
		joined := ExactTransform(viewProj, (*[4]float32)(transform[4*column:]))
		copy(clip[4*column:], joined[:])
	}
	return clip
}

// ExactTransform is m*p, summed from the first column to the last, as
// exact_transform of the shaders. Go may fuse a product and a sum into one
// rounding unless the product is converted.
func ExactTransform(m *mgl32.Mat4, p *[4]float32) (q [4]float32) {
	for r := range q {
		sum := float32(m[r]*p[0]) + float32(m[4+r]*p[1])
		sum += float32(m[8+r] * p[2])
		sum += float32(m[12+r] * p[3])
		q[r] = sum
	}
	return q
}

// runs sets InstanceCount: neighbours that draw the same triangles of the same
// vertices are instances of the first.
func runs(data []shaders.Draw) {
	first := 0
	for i := range data {
		d := &data[i]
		if d.IndexCount == 0 {
			continue
		}
		f := &data[first]
		if f.InstanceCount == 0 || first+int(f.InstanceCount) != i ||
			d.FirstIndex != f.FirstIndex || d.IndexCount != f.IndexCount || d.VertexOffset != f.VertexOffset {
			first, f = i, d
		}
		f.InstanceCount++
	}
}
