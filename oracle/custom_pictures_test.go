package oracle

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// TestCustomPictures draws with our skin shader loaded as a user's, fused, culled and expanded, which
// shade vertices in different passes: pictures and depths equal those of the built-in shader.
func TestCustomPictures(t *testing.T) {
	b := openGPU(t)
	f := pictureFrame(t, asset(t, "knot24"), renderer.Counts)
	f.Raster, f.VertexShader, f.Look.Light = renderer.ComputeRaster, renderer.Skin, renderer.NoLight
	f.Shown = make([]uint32, f.Scene.DrawVertices()) // the same for all strategies
	for i := range f.Shown {
		f.Shown[i] = uint32(i % 5)
	}
	want := renderPicture(t, b, f)
	f = customLike(t, f)
	for strategy, change := range map[string]func(f *renderer.Frame){
		"claim":        func(f *renderer.Frame) { f.Raster, f.QueueBudget = renderer.FusedRaster, 16<<10 }, // in chunks
		"hash":         func(f *renderer.Frame) { f.Cull = true },
		"multi":        func(f *renderer.Frame) { f.Queue = renderer.Expanded },
		"multi, fused": func(f *renderer.Frame) { f.Raster = renderer.FusedRaster },
	} {
		way := f
		strategy, _, _ = strings.Cut(strategy, ",")
		way.Reuse = resolve(t, strategy, 8, 0)
		change(&way)
		got := renderPicture(t, b, way)
		require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), strategy)
		require.Equal(t, want.Depth, got.Depth, strategy)
	}
}

// TestCustomVarying: compute and fused show an output of a user's shader equally, and hardware nearly so.
func TestCustomVarying(t *testing.T) {
	b := openGPU(t)
	f := customLike(t, pictureFrame(t, asset(t, "knot24"), renderer.Varying))
	f.Shading.Shown = "color"
	var first *renderer.Output
	for _, host := range []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster, renderer.HardwareRaster} {
		f.Raster = host
		got := renderPicture(t, b, f)
		if first == nil {
			first = got
			continue
		}
		r := compared(t, first, got)
		t.Log(host, r)
		if host == renderer.FusedRaster {
			require.True(t, bytes.Equal(first.Color.Pix, got.Color.Pix))
		}
		require.NoError(t, r.Check(equalShare), host)
	}
}

// TestCustomPrograms draws a scene whose draws have different programs or none, and different
// values, and compares it with our built-in shaders.
func TestCustomPrograms(t *testing.T) {
	b := openGPU(t)
	f := pictureFrame(t, asset(t, "city6"), renderer.Counts)
	f.Look.Light = renderer.NoLight
	want := renderPicture(t, b, f)
	s := customTransform(t, f.Scene)
	second := s.Programs[0]
	second.Name = "second"
	second.Vertex = customFile(t, "displace", nil) // displaces by 0, the default of its constant
	s.Programs = append(s.Programs, second)
	camera := renderer.FitCamera(f.Scene.Bounds(), 1)
	for i := range s.Draws {
		switch d := &s.Draws[i]; i % 3 {
		case 1:
			d.Program = -1
		case 2: // values of its own: the matrix also halves positions, and Clip doubles them again
			half := mgl32.Scale3D(.5, .5, .5)
			d.Program, d.Clip = 1, half.Inv()
			d.Values = []int{len(s.Values)}
			s.Values = append(s.Values, appendMatrix(half.Mul4(camera.ViewProj(1)).Mul4(f.Scene.Draws[i].Transform)))
		}
	}
	f.Shading = s
	got := renderPicture(t, b, f)
	r := compared(t, want, got)
	require.NoError(t, r.Check(equalShare))
}

func appendMatrix(m mgl32.Mat4) []byte { return appendFloats(nil, m[:]) }

// TestCustomOnCPU draws without a GPU, with our vertex shaders loaded as a user's: pictures, depths and
// counts equal those of the built-in shaders.
func TestCustomOnCPU(t *testing.T) {
	cpu := soft.New()
	defer cpu.Close()
	for i, strategy := range []string{"claim", "multi", "naive"} {
		for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
			f := pictureFrame(t, asset(t, "knot16"), renderer.Counts)
			f.Reuse = resolve(t, strategy, 8, 0)
			f.VertexShader, f.Queue, f.Cull = renderer.VertexShader(i), queue, queue == renderer.Indexed && strategy == "claim"
			f.Look.Light = renderer.NoLight
			want, got := renderPicture(t, cpu, f), renderPicture(t, cpu, customLike(t, f))
			require.Equal(t, want.Color.Pix, got.Color.Pix, "%s, %s, %s", strategy, f.VertexShader, queue)
			require.Equal(t, want.Depth, got.Depth, "%s, %s, %s", strategy, f.VertexShader, queue)
			require.Equal(t, want.Counts, got.Counts)
		}
	}
}

// TestCustomVaryingOnCPU: an output is shown as on a GPU, and draws whose shader lacks it are black.
func TestCustomVaryingOnCPU(t *testing.T) {
	b, cpu := backends(t)
	for _, name := range []string{"knot16", "patches2"} {
		f := customLike(t, pictureFrame(t, asset(t, name), renderer.Varying))
		f.Shading.Shown = "color"
		for i := 1; i < len(f.Scene.Draws); i++ {
			other := f.Shading.Programs[0]
			code := slices.Clone(other.Vertex.Module.Code)
			code[slices.Index(code, binary.LittleEndian.Uint32([]byte("colo")))]++ // renames the output in its OpName
			other.Vertex = must.Get(module.ReadVertex(code, "", nil))
			filled := f.Shading.Filled[0]
			filled.Program = i
			f.Shading.Programs, f.Shading.Filled = append(f.Shading.Programs, other), append(f.Shading.Filled, filled)
			f.Shading.Draws[i].Program = i
		}
		want := renderPicture(t, cpu, f)
		f.Raster = renderer.ComputeRaster
		got := renderPicture(t, b, f)
		r := compared(t, want, got)
		require.NoError(t, r.Check(equalShare))
		colours := map[[3]uint8]int{}
		for i := 0; i < len(want.Color.Pix); i += 4 {
			colours[[3]uint8(want.Color.Pix[i:])]++
		}
		require.Greater(t, len(colours), 50, "the output varies")
		require.Equal(t, len(f.Scene.Draws) > 1, colours[[3]uint8{}] > 100, "%d black pixels of %d", colours[[3]uint8{}], len(want.Color.Pix)/4)
	}
}

// TestCustomIndicesBeyondTheEnd reads and writes elements that do not exist, in all kinds of memory. Indices are
// clamped: the first vertex has the indices of the last elements, and the other vertices must give the same result.
func TestCustomIndicesBeyondTheEnd(t *testing.T) {
	b, cpu := backends(t)
	v := readVertex(t, "../internal/spirv/link/testdata/indices.spv", nil)
	random := rand.New(rand.NewPCG(3, 4))
	var values [][]byte
	program := link.Program{Name: "indices", Vertex: v, Inputs: []link.Input{{Location: 0, Attribute: 0}, {Location: 2, Attribute: 1}}}
	for i := range v.Blocks {
		x := &v.Blocks[i]
		content := blockContent(x, random)
		if x.Open {
			content = content[:x.Least()+2*16+7] // three elements and some bytes
		}
		values = append(values, content)
	}
	s := *asset(t, "cube")
	at := geometry.Attribute{Format: vertexformat.Array(4, 32, "SINT")}
	for i := range s.Positions {
		for k, last := range []uint32{2, 3, 3, 6} {
			if i > 0 {
				last += []uint32{1, 2, 1 << 16, 1 << 28, 1<<31 - 8, 1 << 31, 1<<32 - 1<<20, 1<<32 - 7}[(i+3*k)%8]
			}
			at.Data = binary.LittleEndian.AppendUint32(at.Data, last)
		}
	}
	s.Attributes = []geometry.Attribute{{Format: vertexformat.R32G32B32_SFLOAT, PerDraw: true, Data: make([]byte, 12*len(s.Draws))}, at}
	f := pictureFrame(t, &s, renderer.NoView)
	c := resolve(t, "naive-index", 0, 0)
	f.Reuse = c
	f.NoRaster = true
	f.Shading = shadedBy(&s, program, values)
	want := [4]float32{}
	for i, backend := range []plan.Backend{cpu, b} {
		out, _ := render(t, backend, f, renderer.CountCamera(s.Bounds()), renderer.WantQueues)
		if i == 0 {
			want = out.Queues.Positions[out.Queues.Corner(f.Queue, 0, 0)]
		}
		for triangle := range s.Triangles() {
			for corner := range 3 {
				require.Equal(t, want, out.Queues.Positions[out.Queues.Corner(f.Queue, triangle, corner)], "backend %d, vertex %d", i, s.Indices[3*triangle+corner])
			}
		}
	}
	require.NotZero(t, want)
}

// TestCustomRaw draws by the graphics pipeline alone, with our vertex shaders loaded as a user's. The
// queues hold bit-equal vertices, so the hardware rasterizer must draw the same picture from them.
func TestCustomRaw(t *testing.T) {
	b := openGPU(t)
	for what, change := range map[string]func(f *renderer.Frame){
		"shaded":   func(f *renderer.Frame) { f.View = renderer.Shaded },
		"skin":     func(f *renderer.Frame) { f.View, f.VertexShader = renderer.Shaded, renderer.Skin },
		"displace": func(f *renderer.Frame) { f.VertexShader, f.Shown = renderer.Displace, someCounts(f) },
		"counts":   func(f *renderer.Frame) { f.Shown = someCounts(f) },
		"varying":  func(f *renderer.Frame) { f.View = renderer.Varying },
		"edges":    func(f *renderer.Frame) { f.View, f.Look.Edges = renderer.Varying, 2 },
		"marks": func(f *renderer.Frame) {
			f.View, f.Marks = renderer.Shaded, make([]renderer.Mark, len(f.Scene.Draws))
			f.Marks[1], f.Marks[2] = renderer.Hidden, renderer.Dimmed
		},
	} {
		f := pictureFrame(t, asset(t, "city6"), renderer.Counts)
		change(&f)
		f = customLike(t, f)
		if f.View == renderer.Varying {
			f.Shading.Shown = "color"
		}
		if f.Marks != nil {
			f.Shading.Draws[3].Program, f.Shading.Draws[4].Clip = -1, mgl32.Scale3D(.5, .5, 1)
		}
		f.Raster = renderer.HardwareRaster
		requireRawEqual(t, b, f, what)
	}
}

func someCounts(f *renderer.Frame) []uint32 {
	counts := make([]uint32, f.Scene.DrawVertices())
	for i := range counts {
		counts[i] = uint32(1 + i%5)
	}
	return counts
}

// requireRawEqual requires that the graphics pipeline alone draws the same picture as a frame with queues.
func requireRawEqual(t *testing.T, b plan.Backend, f renderer.Frame, what string) {
	want := renderPicture(t, b, f)
	f.Raw, f.Reuse.Strategy = true, nil
	got := renderPicture(t, b, f)
	require.Equal(t, want.Depth, got.Depth, what)
	require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), what)
	drawn := false
	for _, z := range got.Depth {
		drawn = drawn || z < 1
	}
	require.True(t, drawn, what)
}
