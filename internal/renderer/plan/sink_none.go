package plan

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// noSink keeps nothing: there is no compute stage and no strategy (renderer.Frame.Raw,
// NewDirect).
type noSink struct{ queueSink }

var toNone = noSink{queueSink{kept{name: "none", turns: true}}}

func (noSink) needs(_ *renderer.Frame, _ *renderer.Limits, n *Needs) {
	n.Shaders = []string{"raster/raw"}
}

// rawPlan returns a plan in which the graphics pipeline draws the scene's vertex and index pools. Index
// fetch, vertex reuse and rasterization are then the device's own. A user's vertex shaders fetch
// their inputs from buffers, as in compute shaders. All views are possible except batches, since
// there are none. The counts view shows the counts in Frame.Shown, since the plan keeps no counts.
//
// The host multiplies the camera matrix with the draws' transforms, as camera:clips does in other
// frames, so that vertices are the same to the bit.
func rawPlan(f renderer.Frame, l renderer.Limits) (_ *Plan, err error) {
	defer must.Catch(&err)
	f.Subgroups = renderer.AutoSubgroups
	if f.Raster == renderer.AutoRaster {
		f.Raster = renderer.HardwareRaster
	}
	must.OK(cmp.Or(checkScene(&f), check(&f, &l)))
	f.NoCounts = true
	p := newPlanner(f, l)
	must.OK(p.plugs.needs(&f, &l).Check(&l))
	must.OK(p.plugs.layOutShade())
	if m, ok := p.plugs.shade.(*moduleShade); ok && m.layout.LoopEnds != 0 && !l.VertexCounters {
		must.Fail("vertex shader %s: the device's vertex stage cannot write whether its loops had to end; --loop-limit 0 lets them run", f.Shading.Name)
	}
	p.sceneBuffers()
	p.Buffers[p.ids[Draws][0]].Usage = Commands
	p.cameraBuffer()
	p.add(Clips, ByCamera, "frame", "mat4", len(f.Scene.Draws), 64)
	p.add(Counts, ByPlan, "frame", "uint", len(f.Shown), 4)
	p.plugs.shade.buffers(p)
	must.OK(p.checkSizes(l))
	vertex, fragment, spec := "raster/raw", "raster/view", map[string]uint32{}
	if f.Pulled() {
		vertex = "raster/raw-pulled"
	}
	if f.View.Interpolates() {
		fragment = "raster/view-varying"
	}
	vertex = p.plugs.shade.raw(vertex)
	if f.Textured() {
		vertex, fragment = vertex+texturedSuffix, "raster/view"+texturedSuffix
	}
	reads := p.shadeReads(vertex, p.shown(Positions, Normals, Indices, Draws, Cameras, Clips))
	if f.Textured() {
		reads = append(reads, TexCoords, Materials, Texels)
	}
	p.plugs.shade.spec(spec)
	p.then(p.direct("raster:raw", Pipeline{[]string{vertex, fragment}, p.lookSpec(p.textureSpec(spec))}, touched{reads: reads}))
	return p.finish(), nil
}

// NewDirect makes a plan without compute geometry: the graphics pipeline draws the scene's index
// stream, with one indexed draw per draw, so the vertex reuse is the device's own. Its counts are
// laid out as reuse.Analyze returns them.
//
// If the device's vertex shaders cannot count, the plan keeps no counts (Frame.NoCounts), and only
// Output.VertexInvocations shows the reuse.
func NewDirect(s *geometry.Scene, l renderer.Limits) (_ *Plan, err error) {
	defer must.Catch(&err)
	// The picture is discarded, so one pixel is enough.
	f := renderer.Frame{Scene: s, View: renderer.NoView, Width: 1, Height: 1, NoCounts: !l.VertexCounters, Raw: true}
	switch {
	case s == nil:
		return nil, errors.New("direct plan without a scene")
	case len(s.Normals) != len(s.Positions): // the pools on the device may serve other plans later
		return nil, fmt.Errorf("scene with %d normals for %d vertices", len(s.Normals), len(s.Positions))
	case !l.VertexCounters && !l.PipelineStatistics:
		return nil, errors.New("the vertex reuse of a graphics pipeline cannot be counted here: " +
			"there is neither a query of pipeline statistics nor a vertex shader that may write")
	}
	must.OK(excluded(&f))
	f.Raw = false
	p := newPlanner(f, l)
	p.sceneBuffers()
	p.cameraBuffer()
	shader, x := "raster/direct", touched{reads: []Block{Positions, Indices, Draws, Cameras}}
	if !p.Frame.NoCounts {
		p.add(Counts, ByPasses, directName, "uint", s.DrawVertices(), 4)
		p.then(p.clear(target{}, Counts))
		shader, x.writes = "raster/direct-count", []Block{Counts}
	}
	p.then(p.direct(directName, Pipeline{Shaders: []string{shader}}, x))
	must.OK(p.checkSizes(l))
	return p.finish(), nil
}

const directName = "raster:direct"

// direct returns a step with one pass, in which the graphics pipeline draws the scene's own index
// stream.
func (p *planner) direct(name string, pipeline Pipeline, x touched) step {
	return step{{Name: name, Uses: p.uses(target{}, pipeline.Shaders, x), Op: &Direct{pipeline}}}
}

// reuseText returns the strategy with its parameters, or what replaces it.
func (p *Plan) reuseText() string {
	if p.Frame.Reuse.Strategy == nil {
		return p.Frame.StrategyName()
	}
	return p.Frame.Reuse.String()
}

// ClipData fills the buffer Clips as camera:clips does: for each draw the map from model space to
// clip space. out is as long as draws. Marks are by draw; nil for none.
func ClipData(out [][16]float32, c shaders.Camera, draws []geometry.Draw, marks []renderer.Mark) {
	for i := range draws {
		if marks != nil && marks[i] == renderer.Hidden {
			out[i] = HiddenClip
			continue
		}
		out[i] = JoinCamera((*mgl32.Mat4)(&c.ViewProj), &draws[i].Transform)
	}
}

// HiddenClip puts all vertices of a hidden draw in front of the near plane, so that none of it is
// drawn.
var HiddenClip = mgl32.Mat4{14: -1, 15: 1}

// JoinCamera returns the product of a camera's matrix and a draw's, rounded as in
// shaders/camera/clips.comp.
func JoinCamera(viewProj, transform *mgl32.Mat4) (clip mgl32.Mat4) {
	for column := range 4 {
		joined := ExactTransform(viewProj, (*[4]float32)(transform[4*column:]))
		copy(clip[4*column:], joined[:])
	}
	return clip
}

// ExactTransform returns m*p, summed from the first column to the last, like exact_transform in
// the shaders. Go may fuse a product and a sum into one rounding unless the product is converted.
func ExactTransform(m *mgl32.Mat4, p *[4]float32) (q [4]float32) {
	for r := range q {
		sum := float32(m[r]*p[0]) + float32(m[4+r]*p[1])
		sum += float32(m[8+r] * p[2])
		sum += float32(m[12+r] * p[3])
		q[r] = sum
	}
	return q
}

// runs sets InstanceCount: consecutive draws of the same triangles and vertices are instances of
// the first. The InstanceCount of the others stays 0.
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
