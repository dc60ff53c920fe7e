package plan

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// A strategy as a mesh shader: a workgroup finds a batch's vertices, shades each once, and outputs
// vertices and triangles to the hardware rasterizer. Nothing is queued, allocated or prepared, so
// the queue budget limits no chunk, and nothing overflows.
//
// Pixels are coloured while vertices are shaded. The counts view therefore first counts the whole
// scene with the same shader, which outputs nothing then. Culling holds positions until triangles
// are tested, with the tests that other frames use in front of the hardware rasterizer.

// meshSink outputs a batch's results from its workgroup.
type meshSink struct{ queueSink }

var toMesh = meshSink{queueSink{kept{name: "mesh", most: meshBatch}}}

// meshRaster draws the output of mesh shaders. The sink's pass does the drawing.
type meshRaster struct{ host }

var byMesh = meshRaster{host{name: "mesh", backend: "gpu", draws: true, ahead: true}}

func (meshRaster) passes(*planner, target) []step { return nil }

// meshShader returns the name of a strategy's mesh shader.
func meshShader(s *reuse.Strategy) string { return "mesh/" + s.Name }

// hasMeshShader reports whether a strategy has a mesh shader.
func hasMeshShader(s *reuse.Strategy) bool {
	_, err := shaders.Find(meshShader(s))
	return err == nil
}

// meshBatch returns how many indices a batch can have at most, so that a mesh shader can output its triangles and
// vertices. There are at most MeshVertices indices, since views that use barycentric weights output one vertex per index.
func meshBatch(c reuse.Config) int {
	batch := 3 * shaders.MeshTriangles
	for batch > 3 && max(batch, c.Strategy.WorstInvocations(c, batch)) > shaders.MeshVertices {
		batch -= 3
	}
	return batch
}

// meshLimits returns the limits for choosing a mesh shader's kernel. A workgroup has one batch, since it outputs
// everything at once. In shared memory, room is left for a count per corner, which the counts view needs.
func meshLimits(l *renderer.Limits) *renderer.Limits {
	m := *l
	if m.OneSubgroup = true; l.Mesh.Vertices == 0 { // no device, or none that runs mesh shaders
		return &m
	}
	m.MaxGroups, m.MaxWorkgroup, m.SharedBytes, m.NativeLanes = l.Mesh.MaxGroups, l.Mesh.MaxWorkgroup, l.Mesh.SharedBytes-4*shaders.MeshVertices, l.Mesh.NativeLanes
	return &m
}

// meshNeeds is what the output of a mesh shader requires of a device.
type meshNeeds struct{ reuse reuse.Config }

// Bytes of a vertex that a mesh shader holds until its triangles are tested, of a vertex that it
// outputs (16 per location), and of a triangle.
const (
	meshHeld          = positionBytes + attributeBytes
	meshVertexBytes   = 4 * 16
	meshTriangleBytes = 3 * 4
)

// check returns an error for batches that are too large for a mesh shader's output, or for a device
// whose limits are below the shaders' declarations.
func (m *meshNeeds) check(l *renderer.MeshLimits) error {
	bytes := shaders.MeshVertices*meshVertexBytes + shaders.MeshTriangles*meshTriangleBytes
	switch most := meshBatch(m.reuse); {
	case m.reuse.Batch > most:
		return fmt.Errorf("%s: a mesh shader takes batches of at most %d indices, whose vertices it can put out", m.reuse, most)
	case l.Vertices == 0: // no device, or none that runs mesh shaders
	case l.Vertices < shaders.MeshVertices || l.Triangles < shaders.MeshTriangles || l.OutputBytes < bytes:
		return fmt.Errorf("mesh shaders put out %d vertices and %d triangles in %d bytes, the device allows %d, %d and %d",
			shaders.MeshVertices, shaders.MeshTriangles, bytes, l.Vertices, l.Triangles, l.OutputBytes)
	}
	return nil
}

// sizedMesh makes a mesh shader declare no more output than the plan's batches can have.
func (p *Plan) sizedMesh(s *shaders.Shader) (*shaders.Shader, error) {
	c := p.Frame.Reuse
	vertices := c.Strategy.WorstInvocations(c, c.Batch)
	if p.Frame.Weighs() {
		vertices = max(vertices, c.Batch)
	}
	words, err := link.SizeOutputs(s.Words(), uint32(vertices), uint32(c.Batch/3))
	sized := *s
	sized.SPIRV = module.Bytes(words)
	return &sized, err
}

func (meshSink) needs(f *renderer.Frame, l *renderer.Limits, n *Needs) {
	held := 0
	if f.Weighs() {
		held = meshHeld
	}
	n.strategy(f, meshLimits(l), "mesh/", held, false)
	n.cullingMesh(f)
	n.Mesh = &meshNeeds{f.Reuse}
}

func (meshSink) share(*planner) float64    { return 1 }
func (s meshSink) cutAll(p *planner) error { return s.cut(p) }

// cut makes one chunk, or as many as the device's limit on the workgroups of a draw requires.
func (meshSink) cut(p *planner) error {
	most := len(p.Batches)
	if l := &p.limits.Mesh; l.MaxTotal > 0 {
		most = max(1, l.MaxTotal-l.MaxGroups) // since all rows of workgroups are full, some of the last row's may be surplus
	}
	for first := 0; first < len(p.Batches); first += most {
		p.Chunks = append(p.Chunks, p.span(first, min(most, len(p.Batches)-first)))
	}
	return nil
}

func (meshSink) buffers(*planner) {}

// passes returns the steps that shade a chunk's batches and draw them. The output is discarded when counting
// ahead, and in frames without a picture.
func (meshSink) passes(p *planner, t target) (steps []step) {
	f := &p.Frame
	draws := p.plugs.raster.about().draws && !t.ahead
	spec := p.geometrySpec(t, 1)
	spec["VIEW"], spec["QUEUE"] = uint32(f.View), uint32(renderer.Indexed)
	name, shader, fragments, read := t.stage("geometry", f.Reuse.Strategy.Name), meshShader(f.Reuse.Strategy), []string(nil), p.strategyBlocks()
	var x touched
	if p.counting(t) {
		x.writes = []Block{Counts}
	}
	spec["SLACK"] = hardwareSlack
	p.cullDrawn(t, &x, spec)
	if draws {
		name, fragments, spec = "mesh:"+f.Reuse.Strategy.Name, []string{"raster/view"}, p.lookSpec(spec)
	}
	if draws && f.View.Interpolates() {
		shader, fragments = shader+"-varying", []string{"raster/view-varying"}
	}
	if draws && f.Weighs() {
		spec["QUEUE"] = uint32(renderer.Expanded)
	}
	if draws && !p.counting(t) {
		read = p.shown(read...)
	}
	shader, x.reads = p.plugs.source.variant(p, shader, read)
	pipeline := Pipeline{append([]string{shader}, fragments...), spec}
	for i, push := range p.slices(t.chunk) {
		steps = append(steps, step{{
			Name: name, Chunk: t.chunk, Once: t.once,
			Uses: p.uses(t, pipeline.Shaders, x),
			Op:   &Mesh{Pipeline: pipeline, Push: push, Groups: Groups(int(push.BatchCount), meshLimits(&p.limits)), First: draws && t.chunk+i == 0},
		}})
	}
	return steps
}

// written is 0: a mesh shader outputs vertices, but no pass writes them to memory.
func (meshSink) written(*Plan, int64, int64) int64 { return 0 }
