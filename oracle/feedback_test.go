package oracle

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/oracle/feedback"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// instance is gl_InstanceIndex of the draws in both pipelines.
const instance = 2

// TestFeedback runs the test shaders of internal/spirv/link in a graphics pipeline, unmodified except for transform
// feedback decorations, and with a strategy. Positions are equal up to feedbackTolerance, and the sum of all other outputs
// up to one step of the vertex queue's 16-bit numbers.
func TestFeedback(t *testing.T) {
	b := openGPU(t)
	files := must.Get(filepath.Glob("../internal/spirv/link/testdata/*.spv"))
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".spv")
		if name == "host" || name == "filtered" { // devices filter by weights of 8 bits or so
			continue
		}
		t.Run(name, func(t *testing.T) { feedbackAsQueue(t, b, file, exactFormats, feedbackTolerance(b)) })
	}
}

// TestFeedbackFormats reads shaders' inputs, in images.vert one of four components, from formats of
// normalized integers. Devices may round quotients differently; ours are the nearest floats.
func TestFeedbackFormats(t *testing.T) {
	b := openGPU(t)
	for _, format := range []string{"R8G8B8A8_UNORM", "R16G16B16A16_SNORM", "R8G8B8A8_SNORM", "A2B10G10R10_UNORM_PACK32", "B8G8R8A8_UNORM", "R16G16_UNORM", "R8G8_UNORM"} {
		for _, shader := range []string{"transform", "images"} {
			t.Run(format+"/"+shader, func(t *testing.T) {
				feedbackAsQueue(t, b, "../internal/spirv/link/testdata/"+shader+".spv", []string{format}, max(1e-6, feedbackTolerance(b)))
			})
		}
	}
}

func feedbackAsQueue(t *testing.T, b *gpu.Backend, file string, formats []string, tolerance float64) {
	m := must.Get(module.Decode(readWords(t, file)))
	v := must.Get(m.Vertex("", nil))
	if narrow := func(x module.Variable) bool { return x.Type.Scalar().Width == 16 }; slices.ContainsFunc(append(v.Inputs, v.Outputs...), narrow) {
		t.Skip("Mesa's driver offers inputs of 16 bits, and ends the process that has some")
	}
	s := *asset(t, "sphere2")
	random := rand.New(rand.NewPCG(1, 2))
	job := feedback.Job{Entry: v.Entry.Name, Indices: s.Indices, Instance: instance}
	program := link.Program{Name: "test", Vertex: v}
	job.SPIRV, job.Bytes = withFeedback(m, v)
	feedbackInputs(t, &s, v, formats, random, &job, &program)
	var values [][]byte
	for i := range v.Blocks {
		x := &v.Blocks[i]
		content := blockContent(x, random)
		values = append(values, content)
		if x.Kind == module.PushConstants {
			job.Push = content
			continue
		}
		if x.Kind == module.FetchedImage {
			job.Blocks = append(job.Blocks, imageOf(m, x, content))
			continue
		}
		first := uint32(0) // elements that the shader does not read must exist too
		if i > 0 && v.Blocks[i-1].ID == x.ID {
			first = v.Blocks[i-1].Element + 1
		}
		for element := first; element <= x.Element; element++ {
			job.Blocks = append(job.Blocks, feedback.Block{Set: x.Set, Binding: x.Binding, Element: element, Storage: x.Kind == module.StorageBlock, Data: content})
		}
	}
	if most := b.GPU().Info.Limits.PushConstantBytes; len(job.Push) > most {
		t.Skipf("%d bytes of push constants, of which a graphics pipeline has %d here", len(job.Push), most)
	}
	result := must.Get(job.Run(b.GPU()))

	f := pictureFrame(t, &s, renderer.NoView)
	f.Reuse = resolve(t, "naive-index", 0, 0)
	f.NoRaster, f.Shading = true, shadedBy(&s, program, values)
	f.Shading.Draws[0].Instance, f.Shading.Draws[0].BaseInstance = instance, instance
	out, _ := render(t, b, f, renderer.CountCamera(s.Bounds()), renderer.WantQueues)
	far, attributes := 0.0, uint32(0)
	for i := range s.Indices {
		at := out.Queues.Corner(f.Queue, i/3, i%3)
		want := result[i*job.Bytes : (i+1)*job.Bytes]
		for k, x := range out.Queues.Positions[at] {
			w := math.Float32frombits(binary.LittleEndian.Uint32(want[4*k:]))
			if math.Float32bits(x) != math.Float32bits(w) {
				far = max(far, math.Abs(float64(x-w))/max(math.Abs(float64(w)), 1))
			}
		}
		if len(v.Outputs) > 0 {
			attributes = max(attributes, apart(out.Queues.Attributes[at], packed(sumOf(v, want))))
		}
	}
	t.Logf("positions differ by %g, outputs by %d of 32767", far, attributes)
	require.LessOrEqual(t, far, tolerance)
	require.LessOrEqual(t, attributes, uint32(1))
}

// imageOf returns an image, or a texel buffer, with the same contents as for the strategies.
func imageOf(m *module.Module, b *module.Block, content []byte) feedback.Block {
	kind := map[module.Kind]string{module.Float: "SFLOAT", module.Int: "SINT", module.Uint: "UINT"}[b.Type.Members[len(b.Type.Members)-1].Type.Scalar().Kind]
	out := feedback.Block{Set: b.Set, Binding: b.Binding, Texels: vertexformat.Array(4, 32, kind), Data: content[module.ImageHead:]}
	t := m.Definition(m.Definition(m.Definition(b.ID).Type()).At(2))
	if t.Op == module.OpTypeSampledImage {
		t = m.Definition(t.At(1))
	}
	if dimension := t.At(2); dimension < 2 {
		out.Width, out.Height = binary.LittleEndian.Uint32(content), binary.LittleEndian.Uint32(content[4:])*dimension
	}
	return out
}

// feedbackTolerance is the largest allowed difference of a position's components, relative to the component, or to 1 if
// that is larger. Mesa's CPU driver compiles both pipelines alike; other compilers fuse products and sums as they like.
func feedbackTolerance(b *gpu.Backend) float64 {
	if b.Info().Software {
		return 0
	}
	return 1e-4
}

// encode encodes a module, with additional capabilities, execution modes and decorations.
func encode(m *module.Module, capabilities, modes, decorations [][]uint32) (words []uint32) {
	words = []uint32{module.Magic, m.Version, 0, m.Bound, 0}
	raw := func(list [][]uint32) {
		for _, in := range list {
			words = append(append(words, uint32(len(in))<<16|in[0]), in[1:]...)
		}
	}
	add := func(list []module.Instruction) {
		for i, in := range list {
			raw([][]uint32{append([]uint32{uint32(in.Op)}, in.Operands...)})
			if in.Op == module.OpEntryPoint && list[i+1].Op != in.Op {
				raw(modes)
			}
		}
	}
	raw(capabilities)
	add(m.Head)
	raw(decorations)
	add(m.Globals)
	for _, f := range m.Functions {
		add(f.Body)
	}
	return words
}

// withFeedback returns the module with its position and outputs captured contiguously in a
// transform feedback buffer, and the bytes per vertex there.
func withFeedback(m *module.Module, v *module.Vertex) (spirv []byte, stride int) {
	const decorate, decorateMember, executionMode, capability = 71, 72, 16, 17
	const offset, buffer, bufferStride, xfb, transformFeedback = 35, 36, 37, 11, 53
	outputs := append([]module.Variable{v.Position}, v.Outputs...)
	for _, o := range outputs {
		stride += feedbackBytes(o.Type)
	}
	var decorations [][]uint32
	seen := map[uint32]bool{}
	at := 0
	for _, o := range outputs {
		if o.Member >= 0 {
			of := m.Definition(m.Definition(m.Definition(o.ID).At(0)).At(2)) // the target of the pointer's type
			decorations = append(decorations, []uint32{decorateMember, of.Result(), uint32(o.Member), offset, uint32(at)})
		} else {
			decorations = append(decorations, []uint32{decorate, o.ID, offset, uint32(at)})
		}
		if !seen[o.ID] {
			decorations = append(decorations, []uint32{decorate, o.ID, buffer, 0}, []uint32{decorate, o.ID, bufferStride, uint32(stride)})
		}
		seen[o.ID] = true
		at += feedbackBytes(o.Type)
	}
	return module.Bytes(encode(m, [][]uint32{{capability, transformFeedback}}, [][]uint32{{executionMode, v.Entry.Function, xfb}}, decorations)), stride
}

func feedbackBytes(t *module.Type) int {
	switch t.Kind {
	case module.Array, module.Matrix, module.Vector:
		return t.Count * feedbackBytes(t.Elem)
	case module.Struct:
		n := 0
		for _, m := range t.Members {
			n += feedbackBytes(m.Type)
		}
		return n
	}
	return t.Width / 8
}

// sumOf returns the sum of a vertex's outputs, as link's module computes it.
func sumOf(v *module.Vertex, data []byte) (sum [4]float32) {
	data = data[16:]
	var add func(t *module.Type)
	add = func(t *module.Type) {
		if t.Kind == module.Array || t.Kind == module.Matrix {
			for range t.Count {
				add(t.Elem)
			}
			return
		}
		n, wide := 1, [4]float32{3: 1}
		if t.Kind == module.Vector {
			n = t.Count
		}
		for i := range n {
			bits := binary.LittleEndian.Uint32(data)
			switch scalar := t.Scalar(); {
			case scalar.Kind == module.Int:
				wide[i] = float32(int32(bits))
			case scalar.Kind == module.Uint:
				wide[i] = float32(bits)
			case scalar.Width == 64:
				wide[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(data)))
			default:
				wide[i] = math.Float32frombits(bits)
			}
			data = data[t.Scalar().Width/8:]
		}
		for i := range sum {
			sum[i] += wide[i]
		}
	}
	for _, o := range v.Outputs {
		add(o.Type)
	}
	return sum
}

func packed(v [4]float32) (out [2]uint32) {
	for i, x := range v {
		scaled := float32(min(max(x, -1), 1)*32767) + 0.5
		out[i/2] |= uint32(int32(math.Floor(float64(scaled)))) & 0xffff << (16 * (i % 2))
	}
	return out
}

// apart returns the largest difference of the four packed 16-bit numbers.
func apart(a, b [2]uint32) (most uint32) {
	for i := range 4 {
		x, y := int16(a[i/2]>>(16*(i%2))), int16(b[i/2]>>(16*(i%2)))
		most = max(most, uint32(max(int(x)-int(y), int(y)-int(x))))
	}
	return most
}

// exactFormats are the formats that float inputs are read from, in turn.
var exactFormats = []string{"R32G32B32A32_SFLOAT", "R16G16B16A16_SFLOAT", "R32G32_SFLOAT", "B10G11R11_UFLOAT_PACK32", "R8G8B8A8_USCALED"}

// feedbackInputs gives every input location a buffer of random elements.
func feedbackInputs(t *testing.T, s *geometry.Scene, v *module.Vertex, formats []string, random *rand.Rand, job *feedback.Job, program *link.Program) {
	done := map[uint32]bool{}
	for _, in := range v.Inputs {
		for n := range in.Type.Locations() {
			location := in.Location + uint32(n)
			if done[location] {
				continue
			}
			done[location] = true
			name := formats[int(location)%len(formats)]
			if kind := in.Type.Scalar().Kind; kind == module.Int {
				name = "R32G32_SINT" // TestCustomFixtures has narrower ones
			} else if kind == module.Uint {
				name = "R32_UINT"
			}
			format, ok := vertexformat.ByName(name)
			require.True(t, ok)
			a := geometry.Attribute{Name: in.Name, Format: format, PerDraw: location == 5}
			for range s.Positions {
				a.Data = append(a.Data, elementOf(format, random)...)
			}
			job.Attributes = append(job.Attributes, feedback.Attribute{Location: location, Format: format, Same: a.PerDraw, Data: slices.Clone(a.Data)})
			if a.PerDraw {
				a.Data = a.Data[:format.Size()]
			}
			program.Inputs = append(program.Inputs, link.Input{Location: location, Attribute: len(s.Attributes)})
			s.Attributes = append(s.Attributes, a)
		}
	}
}

// elementOf returns a random element of a format: floats in -1 to 1, integers in 0 to 2, other bits random.
func elementOf(f vertexformat.Format, random *rand.Rand) []byte {
	element := make([]byte, f.Size())
	for i := range element {
		element[i] = byte(random.Uint32())
		if f.Class() != vertexformat.Float {
			element[i] %= 3
		}
	}
	switch {
	case strings.HasPrefix(f.String(), "R32"):
		for i := range len(element) / 4 {
			word := math.Float32bits(2*random.Float32() - 1)
			if f.Class() != vertexformat.Float {
				word = uint32(element[4*i])
			}
			binary.LittleEndian.PutUint32(element[4*i:], word)
		}
	case strings.HasSuffix(f.String(), "USCALED"):
		for i := range element {
			element[i] %= 3
		}
	case f == vertexformat.B10G11R11_UFLOAT_PACK32: // below 1
		binary.LittleEndian.PutUint32(element, random.Uint32()&0x7bdefbdf&^(1<<10|1<<21|1<<31))
	case strings.HasSuffix(f.String(), "SFLOAT"): // halves below 1
		for i := range len(element) / 2 {
			element[2*i+1] = element[2*i+1]&0x83 | byte(random.IntN(15))<<2
		}
	}
	return element
}

// blockContent returns random values for a block: floats in -1 to 1, integers in 0 to 2.
func blockContent(b *module.Block, random *rand.Rand) []byte {
	const open = 32 // elements of a runtime array
	size := b.Size
	if b.Open {
		last := b.Type.Members[len(b.Type.Members)-1]
		size = last.Offset + open*last.Type.Stride
	}
	data := make([]byte, (size+15)/16*16)
	fill(data, b.Type, 0, 0, false, open, random)
	sizeImage(b, data)
	return data
}

func fill(data []byte, t *module.Type, at, matrixStride int, rowMajor bool, open int, random *rand.Rand) {
	switch t.Kind {
	case module.Struct:
		for _, m := range t.Members {
			fill(data, m.Type, at+m.Offset, m.MatrixStride, m.RowMajor, open, random)
		}
	case module.Array, module.RuntimeArray:
		n := t.Count
		if t.Kind == module.RuntimeArray {
			n = open
		}
		for i := range n {
			fill(data, t.Elem, at+i*t.Stride, matrixStride, rowMajor, open, random)
		}
	case module.Matrix:
		for c := range t.Count {
			for r := range t.Elem.Count {
				place := at + c*matrixStride + r*t.Scalar().Width/8
				if rowMajor {
					place = at + r*matrixStride + c*t.Scalar().Width/8
				}
				fill(data, t.Scalar(), place, 0, false, open, random)
			}
		}
	case module.Vector:
		for i := range t.Count {
			fill(data, t.Elem, at+i*t.Elem.Width/8, 0, false, open, random)
		}
	default:
		fillScalar(data[at:], t, random)
	}
}

func fillScalar(data []byte, t *module.Type, random *rand.Rand) {
	x := 2*random.Float32() - 1
	switch {
	case t.Kind != module.Float:
		data[0] = byte(random.IntN(3))
	case t.Width == 64:
		binary.LittleEndian.PutUint64(data, math.Float64bits(float64(x)))
	case t.Width == 16:
		binary.LittleEndian.PutUint16(data, uint16(random.IntN(0x3c00)))
	default:
		binary.LittleEndian.PutUint32(data, math.Float32bits(x))
	}
}
