package oracle

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// filled writes values to a block by its type: floats in -1 to 1, integers in 0 to 3.
func filled(r *rand.Rand, data []byte, t *module.Type, m module.Member) {
	switch t.Kind {
	case module.Struct:
		for _, m := range t.Members {
			filled(r, data[m.Offset:], m.Type, m)
		}
	case module.Array, module.RuntimeArray:
		for at := 0; at+t.Stride <= len(data) && (t.Kind == module.RuntimeArray || at < t.Count*t.Stride); at += t.Stride {
			filled(r, data[at:], t.Elem, m)
		}
	case module.Matrix:
		for c := range t.Count {
			for k := range t.Elem.Count {
				at := c*m.MatrixStride + k*t.Elem.Elem.Width/8
				if m.RowMajor {
					at = k*m.MatrixStride + c*t.Elem.Elem.Width/8
				}
				filled(r, data[at:], t.Elem.Elem, m)
			}
		}
	case module.Vector:
		for k := range t.Count {
			filled(r, data[k*t.Elem.Width/8:], t.Elem, m)
		}
	case module.Float:
		x := r.Float64()*2 - 1
		switch t.Width {
		case 16:
			binary.LittleEndian.PutUint16(data, uint16(0x3000|r.IntN(0xc00)))
		case 32:
			binary.LittleEndian.PutUint32(data, math.Float32bits(float32(x)))
		case 64:
			binary.LittleEndian.PutUint64(data, math.Float64bits(x))
		}
	default:
		data[0] = byte(r.IntN(4))
	}
}

// sizeImage writes the header of an image's contents, so that the image covers all texels there. Its binding's bits say
// whether it takes the nearest texel, and whether it is clamped.
func sizeImage(b *module.Block, contents []byte) {
	if b.Kind != module.FetchedImage {
		return
	}
	width, height := uint32(len(contents)-module.ImageHead)/module.TexelBytes, uint32(1)
	if b.Type.Members[0].Name == "width" {
		width, height = 8, width/8
	}
	binary.LittleEndian.PutUint32(contents, width)
	binary.LittleEndian.PutUint32(contents[4:], height)
	binary.LittleEndian.PutUint32(contents[8:], b.Binding&1)
	binary.LittleEndian.PutUint32(contents[12:], b.Binding>>1&1)
}

// fixtureFrame returns a frame whose draws use a shader of internal/spirv/link's tests, with random
// values and attributes.
func fixtureFrame(t testing.TB, file string, like renderer.Frame) renderer.Frame {
	data := must.Get(os.ReadFile(file))
	words := must.Get(module.Words(data))
	v := must.Get(module.ReadVertex(words, "", nil))
	r := rand.New(rand.NewPCG(7, 1))
	scene := *like.Scene
	p := link.Program{Name: filepath.Base(file), Vertex: v}
	for _, in := range v.Inputs {
		for n := range in.Type.Locations() {
			a := geometry.Attribute{Name: in.Name, Format: vertexformat.R32G32B32A32_SFLOAT}
			if in.Type.Scalar().Kind != module.Float {
				a.Format, _ = vertexformat.ByName(map[module.Kind]string{module.Int: "R16G16B16A16_SINT", module.Uint: "R8G8B8A8_UINT"}[in.Type.Scalar().Kind])
			}
			for range 4 * len(scene.Positions) {
				switch a.Format.Size() {
				case 16:
					a.Data = binary.LittleEndian.AppendUint32(a.Data, math.Float32bits(r.Float32()*2-1))
				case 8:
					a.Data = binary.LittleEndian.AppendUint16(a.Data, uint16(r.IntN(40)-20))
				default:
					a.Data = append(a.Data, byte(r.IntN(4)))
				}
			}
			p.Inputs = append(p.Inputs, link.Input{Location: in.Location + uint32(n), Attribute: len(scene.Attributes)})
			scene.Attributes = append(scene.Attributes[:len(scene.Attributes):len(scene.Attributes)], a)
		}
	}
	var values [][]byte
	for _, b := range v.Blocks {
		contents := make([]byte, b.Size)
		if b.Open {
			contents = make([]byte, b.Size+4096)
		}
		filled(r, contents, b.Type, module.Member{})
		sizeImage(&b, contents)
		values = append(values, contents)
	}
	like.Scene, like.Shading = &scene, shadedBy(&scene, p, values)
	return like
}

// TestCustomFixtures runs shaders of every kind on a GPU and in Go; with -short a quarter of them and three chosen ones.
// Positions are equal up to a tolerance: GPUs fuse products into sums, and compute sin only to 2^-11.
func TestCustomFixtures(t *testing.T) {
	files := must.Get(filepath.Glob("../internal/spirv/link/testdata/*.spv"))
	require.Greater(t, len(files), 25)
	b, cpu := backends(t)
	config := resolve(t, "naive-index", 8, 0)
	for i, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".spv")
		if name == "host" || testing.Short() && i%4 != 0 && name != "images" && name != "filtered" && name != "narrow" {
			continue
		}
		f := fixtureFrame(t, file, renderer.Frame{Scene: asset(t, "city2"), Reuse: config, View: renderer.NoView, NoRaster: true})
		camera := renderer.FitCamera(f.Scene.Bounds(), 1)
		want, _ := render(t, cpu, f, camera, renderer.WantQueues, name)
		got, _ := render(t, b, f, camera, renderer.WantQueues, name)
		most := 1e-5
		if name == "wave" || name == "wind" || name == "halves" { // wave and wind use sines; halves has 16-bit floats, whose products an H200 fuses into sums, too
			most = 1e-3
		}
		for triangle := range f.Scene.Triangles() {
			for corner := range 3 {
				g := got.Queues.Positions[got.Queues.Corner(f.Queue, triangle, corner)]
				w := want.Queues.Positions[want.Queues.Corner(f.Queue, triangle, corner)]
				if d := relativeDistance(g, w); !(d <= most) {
					require.Equal(t, w, g, "%s: triangle %d corner %d", name, triangle, corner)
				}
			}
		}
	}
}

// TestCustomInstanceNumbers: OpenGL's instance numbers start at 0, Vulkan's at the draw's first
// instance.
func TestCustomInstanceNumbers(t *testing.T) {
	const decorate, builtIn, instanceID, instanceIndex = 4<<16 | 71, 11, 6, 43
	b, cpu := backends(t)
	config := resolve(t, "naive-index", 8, 0)
	f := fixtureFrame(t, "../internal/spirv/link/testdata/billboard.spv", renderer.Frame{Scene: asset(t, "cube"), Reuse: config, View: renderer.NoView, NoRaster: true})
	f.Shading.Draws[0].Instance, f.Shading.Draws[0].BaseInstance = 9, 3
	code := slices.Clone(f.Shading.Programs[0].Vertex.Module.Code)
	var seen [][4]float32
	for range 2 {
		var first [4]float32
		for _, backend := range []plan.Backend{cpu, b} {
			out, _ := render(t, backend, f, renderer.FitCamera(f.Scene.Bounds(), 1), renderer.WantQueues)
			got := out.Queues.Positions[out.Queues.Corner(f.Queue, 0, 0)]
			if backend == plan.Backend(cpu) {
				first = got
			}
			require.LessOrEqual(t, relativeDistance(got, first), 1e-5, backend.Info().Name)
		}
		seen = append(seen, first)
		for i := range code[:len(code)-3] {
			if code[i] == decorate && code[i+2] == builtIn && code[i+3] == instanceIndex {
				code[i+3] = instanceID
			}
		}
		vertex := must.Get(module.ReadVertex(code, "", nil))
		f.Shading.Programs[0].Vertex = vertex
	}
	require.NotEqual(t, seen[0], seen[1])
}

// relativeDistance returns the largest difference in a component, relative to the largest component of w.
func relativeDistance(g, w [4]float32) float64 {
	if bits(g) == bits(w) {
		return 0
	}
	length, most := 0., 0.
	for k := range w {
		length = max(length, math.Abs(float64(w[k])))
		most = max(most, math.Abs(float64(g[k]-w[k])))
	}
	return most / length
}
