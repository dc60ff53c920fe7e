package oracle

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// customFile returns a vertex shader of testdata/vertex; some are ours, as a user would write them. glslangValidator has
// compiled it: -V --target-env vulkan1.1 -I../../../shaders.
func customFile(t testing.TB, name string, specialization map[uint32]uint32) *module.Vertex {
	return readVertex(t, filepath.Join("testdata", "vertex", name+".spv"), specialization)
}

func readWords(t testing.TB, file string) []uint32 {
	data := must.Get(os.ReadFile(file))
	return must.Get(module.Words(data))
}

// readVertex returns the vertex shader in a SPIR-V file.
func readVertex(t testing.TB, file string, specialization map[uint32]uint32) *module.Vertex {
	return must.Get(module.ReadVertex(readWords(t, file), "", specialization))
}

// shadedBy returns a shading with one program for all draws of a scene.
func shadedBy(s *geometry.Scene, p link.Program, values [][]byte, filled ...geometry.Filled) *geometry.Shading {
	out := &geometry.Shading{Name: p.Name, Programs: []link.Program{p}, Values: values, Filled: filled}
	for i := range s.Draws {
		d := geometry.DrawShading{Clip: mgl32.Ident4()}
		d.DrawIndex = int32(i)
		for k := range p.Vertex.Blocks {
			d.Values = append(d.Values, k)
		}
		out.Draws = append(out.Draws, d)
	}
	return out
}

func matrix4(block, offset int, what geometry.WellKnown) geometry.Filled {
	return geometry.Filled{Block: block, Offset: offset, What: what, Columns: 4, Rows: 4, MatrixStride: 16}
}

var positionAndNormal = []link.Input{{Location: 0, Attribute: link.FromPositions}, {Location: 1, Attribute: link.FromNormals}}

// customTransform returns renderer.Transform, loaded as a user's shader.
func customTransform(t testing.TB, s *geometry.Scene) *geometry.Shading {
	return shadedBy(s, link.Program{
		Name: "transform.vert", Vertex: customFile(t, "transform", nil), Inputs: positionAndNormal,
	}, [][]byte{nil}, matrix4(0, 0, geometry.ModelViewProjectionMatrix))
}

// customDisplace returns renderer.Displace, loaded as a user's shader with the sizes of a plan.
func customDisplace(t testing.TB, s *geometry.Scene, sizes map[uint32]uint32) *geometry.Shading {
	return shadedBy(s, link.Program{
		Name: "displace.vert", Vertex: customFile(t, "displace", sizes), Inputs: positionAndNormal,
	}, [][]byte{nil}, matrix4(0, 0, geometry.ModelViewProjectionMatrix))
}

// customSkin returns renderer.Skin, loaded as a user's shader, and the scene with the attributes that it reads.
func customSkin(t testing.TB, s *geometry.Scene) (*geometry.Scene, *geometry.Shading) {
	with := *s
	joints := geometry.Attribute{Name: "JOINTS_0", Format: vertexformat.R8G8B8A8_UNORM + 4}
	weights := geometry.Attribute{Name: "WEIGHTS_0", Format: vertexformat.R8G8B8A8_UNORM + 4}
	for _, v := range plan.SkinData(s) {
		joints.Data = binary.LittleEndian.AppendUint32(joints.Data, v[0])
		weights.Data = binary.LittleEndian.AppendUint32(weights.Data, v[1])
	}
	with.Attributes = []geometry.Attribute{joints, weights}
	var bones []byte
	for _, row := range plan.BoneData(s) {
		bones = appendFloats(bones, row[:])
	}
	return &with, shadedBy(&with, link.Program{
		Name: "skin.vert", Vertex: customFile(t, "skin", nil),
		Inputs: append(positionAndNormal[:2:2], link.Input{Location: 2, Attribute: 0}, link.Input{Location: 3, Attribute: 1}),
	}, [][]byte{nil, bones}, matrix4(0, 0, geometry.ModelViewProjectionMatrix),
		geometry.Filled{Block: 0, Offset: 64, What: geometry.ModelNormalMatrix, Columns: 3, Rows: 3, MatrixStride: 16})
}

func appendFloats(data []byte, list []float32) []byte {
	for _, x := range list {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

// customLike returns the frame with its built-in vertex shader replaced by the same shader, loaded as a user's.
func customLike(t testing.TB, f renderer.Frame) renderer.Frame {
	switch f.VertexShader {
	case renderer.Transform:
		f.Shading = customTransform(t, f.Scene)
	case renderer.Skin:
		f.Scene, f.Shading = customSkin(t, f.Scene)
	case renderer.Displace:
		own := f
		own.Subgroups = renderer.AutoSubgroups
		p := must.Get(plan.New(own, soft.New().Limits()))
		f.Shading = customDisplace(t, f.Scene, map[uint32]uint32{13: spec(p, "DISPLACE_CELLS"), 14: spec(p, "DISPLACE_HEIGHT")})
	}
	f.VertexShader = renderer.Transform
	return f
}

func spec(p *plan.Plan, name string) uint32 {
	for i := range p.Passes {
		if pipeline := p.Passes[i].Pipeline(); pipeline != nil && pipeline.Spec[name] != 0 {
			return pipeline.Spec[name]
		}
	}
	return 0
}

// TestCustomQueues runs our vertex shaders, loaded as a user's, with every strategy. Clip positions and counts equal
// those of the CPU, which runs the built-in shaders, bit for bit. With -short each strategy has one form of queue.
func TestCustomQueues(t *testing.T) {
	b, cpu := backends(t)
	s := shuffled(asset(t, "city6"))
	camera := renderer.FitCamera(s.Bounds(), 1)
	list := pairwise(allModes(b.Limits()), func(m mode) []any { return []any{m.frame.Reuse.Strategy.Name, m.frame.Queue} })
	for i, m := range coverEach(list, func(m mode) []any { return []any{m.frame.Reuse.Strategy.Name, m.frame.Queue} }) {
		f := m.frame
		f.Scene, f.VertexShader, f.View, f.NoRaster = s, renderer.VertexShader(i%len(renderer.VertexShaderNames)), renderer.NoView, true
		what := m.name + ", " + f.VertexShader.String()
		got, _ := render(t, b, customLike(t, f), camera, renderer.WantQueues|renderer.WantCounts, what)
		f.Subgroups = renderer.AutoSubgroups
		want, _ := render(t, cpu, f, camera, renderer.WantQueues, what)
		for triangle := range s.Triangles() {
			for corner := range 3 {
				g, w := got.Queues.Corner(f.Queue, triangle, corner), want.Queues.Corner(f.Queue, triangle, corner)
				if bits(got.Queues.Positions[g]) != bits(want.Queues.Positions[w]) {
					require.Equal(t, want.Queues.Positions[w], got.Queues.Positions[g], "%s: triangle %d corner %d", what, triangle, corner)
				}
			}
		}
		_, counts := must.Get2(reuse.Analyze(s, f.Reuse))
		require.Equal(t, counts, got.Counts, what)
	}
}
