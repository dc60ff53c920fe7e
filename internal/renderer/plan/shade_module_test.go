package plan

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// customFrame draws an asset with a test shader of internal/spirv/link, whose blocks are all zeros.
func customFrame(t *testing.T, asset, shader string) renderer.Frame {
	s := must.Get(assets.Make(asset))
	data := must.Get(os.ReadFile("../../spirv/link/testdata/" + shader + ".spv"))
	words := must.Get(module.Words(data))
	v := must.Get(module.ReadVertex(words, "", nil))
	p := link.Program{Name: shader + ".vert", Vertex: v}
	for _, in := range v.Inputs {
		for n := range in.Type.Locations() {
			a := geometry.Attribute{Name: in.Name, Format: vertexformat.R32G32B32A32_SFLOAT, Data: make([]byte, 16*len(s.Positions))}
			p.Inputs = append(p.Inputs, link.Input{Location: in.Location + uint32(n), Attribute: len(s.Attributes)})
			s.Attributes = append(s.Attributes, a)
		}
	}
	shading := &geometry.Shading{Name: p.Name, Programs: []link.Program{p}, Values: [][]byte{make([]byte, 1024)}}
	for range s.Draws {
		shading.Draws = append(shading.Draws, geometry.DrawShading{Values: make([]int, len(v.Blocks)), Clip: mgl32.Ident4()})
	}
	c := must.Get(reuse.Resolve("hash", 0, 0))
	return renderer.Frame{Scene: s, Reuse: c, Width: 64, Height: 32, View: renderer.Shaded, Shading: shading}
}

func moduleOf(p *Plan) *moduleShade { return p.plugs.shade.(*moduleShade) }

// Hidden draws, and draws without a program, are only transformed.
func TestUnshadedDraws(t *testing.T) {
	f := &renderer.Frame{Shading: &geometry.Shading{Draws: []geometry.DrawShading{{}, {}, {Program: -1}}}}
	for _, marks := range [][]renderer.Mark{nil, {renderer.Plain, renderer.Hidden, renderer.Dimmed}} {
		f.Marks = marks
		require.Equal(t, []bool{false, marks != nil, true}, []bool{unshaded(f, 0), unshaded(f, 1), unshaded(f, 2)})
	}
	require.False(t, unshaded(&renderer.Frame{}, 0))
}

func TestCustomIsRefused(t *testing.T) {
	for want, change := range map[string]func(f *renderer.Frame, l *renderer.Limits){
		"transform.vert: vertex shaders for 0 draws, but the scene has 1": func(f *renderer.Frame, _ *renderer.Limits) { f.Shading.Draws = nil },
		"uses vertex shader 7, but the scene has 1":                       func(f *renderer.Frame, _ *renderer.Limits) { f.Shading.Draws[0].Program = 7 },
		"uses values 3, but the scene has 1":                              func(f *renderer.Frame, _ *renderer.Limits) { f.Shading.Draws[0].Values[0] = 3 },
		"values for 0 blocks":                                             func(f *renderer.Frame, _ *renderer.Limits) { f.Shading.Draws[0].Values = nil },
		"is read as R32_SFLOAT": func(f *renderer.Frame, _ *renderer.Limits) {
			f.Shading.Programs[0].Inputs[0].Format = vertexformat.R32_SFLOAT
		},
		": 4 bytes for 4225 vertices of 16": func(f *renderer.Frame, _ *renderer.Limits) { f.Scene.Attributes[0].Data = make([]byte, 4) },
		"has no data":                       func(f *renderer.Frame, _ *renderer.Limits) { f.Shading.Programs[0].Inputs = nil },
		"none is named":                     func(f *renderer.Frame, _ *renderer.Limits) { f.View = renderer.Varying },
		`vertex shader transform.vert: unknown output "tint": have shade`: func(f *renderer.Frame, _ *renderer.Limits) { f.View, f.Shading.Shown = renderer.Varying, "tint" },
		"vertex shaders skin and transform.vert":                          func(f *renderer.Frame, _ *renderer.Limits) { f.VertexShader = renderer.Skin },
		"reads attributes of the whole scene":                             func(f *renderer.Frame, l *renderer.Limits) { l.DeviceBytes = 1 << 17 },
		"would end at byte": func(f *renderer.Frame, _ *renderer.Limits) {
			f.Shading.Filled = []geometry.Filled{{Offset: 4000, Columns: 4, Rows: 4, MatrixStride: 16}}
		},
		"modelViewProjection: its program, block or offset does not exist": func(f *renderer.Frame, _ *renderer.Limits) {
			f.Shading.Filled = []geometry.Filled{{Block: 9, What: geometry.ModelViewProjectionMatrix}}
		},
		"has no module":                    func(f *renderer.Frame, _ *renderer.Limits) { f.Shading.Programs[0].Vertex = nil },
		"the varying view shows an output": func(f *renderer.Frame, _ *renderer.Limits) { f.View, f.Shading = renderer.Varying, nil },
	} {
		f, l := customFrame(t, "terrain64", "transform"), testLimits
		change(&f, &l)
		_, err := New(f, l)
		require.ErrorContains(t, err, want, want)
		require.NotContains(t, err.Error(), "\n")
	}
	l := testLimits
	l.Missing = []string{"Float64"}
	_, err := New(customFrame(t, "cube", "doubles"), l)
	require.ErrorContains(t, err, "vertex shader doubles.vert needs Float64, which the device lacks")
}

// TestCustomOpenBlocks: programs that read the same contents share a buffer, so that a frame may
// have more programs than buffers.
func TestCustomOpenBlocks(t *testing.T) {
	f := customFrame(t, "city6", "legacy")
	s := f.Shading
	for i := range s.Draws {
		s.Programs = append(s.Programs, s.Programs[0])
		s.Draws[i].Program = i + 1
	}
	require.Greater(t, len(s.Draws), shaders.OpenBlocks)
	p := made(t)(New(f, testLimits))
	require.Len(t, moduleOf(p).open, 1)
	require.Equal(t, moduleOf(p).open[0], p.ShadeData(openBlock(0)))
	for i := range s.Draws {
		s.Values = append(s.Values, s.Values[0])
		s.Draws[i].Values = []int{0, i + 1}
	}
	_, err := New(f, testLimits)
	require.ErrorContains(t, err, "it ends in a runtime array, as 8 others do")
}

// TestCustomElements: a runtime array has at least one element, since indices beyond
// its end are clamped to the last one.
func TestCustomElements(t *testing.T) {
	keys := map[string]int{} // numbers of elements, by key: only equal numbers share pipelines
	for bytes, elements := range map[int]int{1024: 64, 47: 2, 16: 1, 8: 1} {
		f := customFrame(t, "cube", "legacy")
		s := f.Shading
		s.Values = append(s.Values, make([]byte, bytes))
		s.Draws[0].Values = []int{0, 1}
		p := made(t)(New(f, testLimits))
		require.Equal(t, elements, moduleOf(p).programs[0].Blocks[1].Elements)
		require.Len(t, moduleOf(p).open[0], max(bytes, 16))
		if same, known := keys[moduleOf(p).joinKey]; known {
			require.Equal(t, same, elements)
		}
		keys[moduleOf(p).joinKey] = elements
	}
	require.Len(t, keys, 3)
}

// TestCustomKeyHoldsWhereInputsLie: reading an attribute at another byte, or once per draw, gives another module, as does another layout.
func TestCustomKeyHoldsWhereInputsLie(t *testing.T) {
	f := customFrame(t, "cube", "legacy")
	p := made(t)(New(f, testLimits))
	inputs := moduleOf(p).programs[0].Inputs
	require.NotEmpty(t, inputs)
	for at, input := range inputs {
		for _, other := range []link.Input{{FirstByte: input.FirstByte + 4}, {PerDraw: !input.PerDraw}} {
			other.Location, other.Attribute, other.Format = input.Location, input.Attribute, input.Format
			inputs[at] = other
			require.NotEqual(t, moduleOf(p).joinKey, moduleOf(p).hash())
		}
		inputs[at] = input
		require.Equal(t, moduleOf(p).joinKey, moduleOf(p).hash())
	}
	m := moduleOf(p)
	for _, other := range []link.Layout{{Precise: !m.layout.Precise}, {Shown: "uv"}, {LoopEnds: 1}, {Distances: module.Distances{Clip: 1}}, {Scale: 2}, {Offset: 1}} {
		m.layout = other
		require.NotEqual(t, m.joinKey, m.hash(), other)
	}
}

// TestListedPlanKeepsItsShade: a plan that another package made from its frame alone joins the same modules.
func TestListedPlanKeepsItsShade(t *testing.T) {
	for _, raster := range []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster} {
		f := customFrame(t, "cube", "legacy")
		f.Raster = raster
		p := made(t)(New(f, testLimits))
		require.Equal(t, raster == renderer.FusedRaster, moduleOf(p).layout.Precise, "several pipelines position a vertex")
		listed := &Plan{Frame: p.Frame}
		for i := range p.Passes {
			pipeline := p.Passes[i].Pipeline()
			if pipeline == nil {
				continue
			}
			require.Equal(t, p.ShadeKey(pipeline), listed.ShadeKey(pipeline))
			want := must.Get(p.Shader(pipeline.Shaders[0]))
			got := must.Get(listed.Shader(pipeline.Shaders[0]))
			require.Equal(t, want, got)
		}
		require.Equal(t, p.ShadeData(AttributeWords), listed.ShadeData(AttributeWords))
	}
}

// TestCustomCycles: the load is added to the vertex shader's cost.
func TestCustomCycles(t *testing.T) {
	f := customFrame(t, "cube", "skin4")
	shader := vertexCycles(&f)
	require.Positive(t, shader)
	f.Load = 1000
	require.Equal(t, 1000+shader, vertexCycles(&f))
}

// TestCustomCopies: draws with the same contents of a block share a copy of it, others have
// their own. The block's size is no multiple of its alignment.
func TestCustomCopies(t *testing.T) {
	f := customFrame(t, "city6", "displace")
	s := f.Shading
	s.Values = append(s.Values, bytes.Repeat([]byte{1}, 1024))
	s.Draws[1].Values, s.Draws[2].Values = []int{1}, []int{1}
	p := made(t)(New(f, testLimits))
	one := moduleOf(p).programs[0].Blocks[0]
	var slots []uint32
	host := p.Host(renderer.Camera{})
	for i := range 4 {
		block := host.Blocks(i)[0]
		require.Equal(t, s.Values[s.Draws[i].Values[0]][:len(block)], block, i)
		slots = append(slots, host.word(i, one.Slot))
	}
	require.Equal(t, []uint32{0, 1, 1, 0}, slots)
}

// TestCustomValues writes well-known values for several draws, each of which has its own copy
// of the block.
func TestCustomValues(t *testing.T) {
	f := customFrame(t, "city6", "transform")
	draws := len(f.Scene.Draws)
	require.Greater(t, draws, 2)
	f.Shading.Filled = []geometry.Filled{{What: geometry.ModelViewProjectionMatrix, Columns: 4, Rows: 4, MatrixStride: 16}}
	p := made(t)(New(f, testLimits))
	camera := renderer.FitCamera(f.Scene.Bounds(), 2)
	for _, seconds := range []float32{0, 1} {
		camera.Time, camera.Azimuth = seconds, camera.Azimuth+seconds
		block := Values
		if p.Buffer(block).Followed == 0 {
			block = Uniforms
		}
		data := make([]byte, p.Buffer(block).Followed)
		p.FollowShade(block, camera, data)
		host := p.Host(camera)
		viewProjection := camera.ViewProj(2)
		one := moduleOf(p).programs[0]
		for i := range draws {
			slot := host.word(i, one.Blocks[0].Slot)
			at := int(one.Blocks[0].Base) + int(slot)*one.Vertex.Blocks[0].Stride()
			var got mgl32.Mat4
			for k := range got {
				got[k] = math.Float32frombits(binary.LittleEndian.Uint32(data[at+4*k:]))
			}
			require.Equal(t, JoinCamera(&viewProjection, &f.Scene.Draws[i].Transform), got, i)
		}
	}
}

// TestPut writes matrices of other shapes than 4x4.
func TestPut(t *testing.T) {
	value := mgl32.Mat4{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33}
	read := func(data []byte) (list []float32) {
		for ; len(data) > 0; data = data[4:] {
			list = append(list, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
		return list
	}
	data := make([]byte, 4*12)
	put(&geometry.Filled{Columns: 3, Rows: 3, MatrixStride: 16}, data, &value)
	require.Equal(t, []float32{0, 1, 2, 0, 10, 11, 12, 0, 20, 21, 22, 0}, read(data))
	put(&geometry.Filled{Columns: 3, Rows: 3, MatrixStride: 16, RowMajor: true}, data, &value)
	require.Equal(t, []float32{0, 10, 20, 0, 1, 11, 21, 0, 2, 12, 22, 0}, read(data))
}

// TestKnown checks the well-known matrices against each other.
func TestKnown(t *testing.T) {
	camera := renderer.Camera{Azimuth: 30, Elevation: 20, FovY: 40, Distance: 5, Near: 1, Far: 9}
	k := newKnown(camera, 64, 32)
	model := mgl32.Translate3D(1, 2, 3).Mul4(mgl32.Scale3D(2, 2, 4))
	get := func(w geometry.WellKnown) mgl32.Mat4 { return k.value(w, &model) }
	near := func(want, got mgl32.Mat4) { t.Helper(); require.InDeltaSlice(t, want[:], got[:], 1e-4) }
	near(get(geometry.ViewProjectionMatrix), get(geometry.ProjectionMatrix).Mul4(get(geometry.ViewMatrix)))
	near(get(geometry.ModelViewProjectionMatrix), get(geometry.ProjectionMatrix).Mul4(get(geometry.ModelViewMatrix)))
	for w := geometry.ModelMatrix; w <= geometry.ModelViewProjectionMatrix; w++ {
		near(mgl32.Ident4(), get(w).Mul4(get(w+geometry.InverseModelMatrix-geometry.ModelMatrix)))
	}
	near(mgl32.Diag4(mgl32.Vec4{.5, .5, .25, 1}), get(geometry.ModelNormalMatrix))
	eye := get(geometry.InverseViewMatrix).Col(3)
	near(column(eye), get(geometry.CameraPosition))
	near(column(mgl32.Vec4{64, 32, 1. / 64, 1. / 32}), get(geometry.Viewport))
}

// TestCaptured: the game's own camera changes no record; for another one they hold the matrix from clip space to clip space.
func TestCaptured(t *testing.T) {
	f := customFrame(t, "cube", "transform")
	view := &geometry.View{Eye: mgl32.Vec3{0, 0, 5}, Distance: 5, FovY: 40, Near: 1, Far: 9, Aspect: 2}
	f.Scene.Capture = &geometry.Capture{View: view}
	own := renderer.CapturedCamera(view, 2)
	matrix := own.ViewProj(2)
	matrix[0] *= 1.01 // the game's own matrix, which is never quite ours
	f.Shading.Captured = &matrix
	p := made(t)(New(f, testLimits))
	require.Equal(t, ByCamera, p.Buffer(Shadings).Filled)
	require.Equal(t, p.ShadeData(Shadings), p.Host(own).records, "the same camera leaves every bit")
	other := own
	other.Azimuth = 25
	clip, _ := p.Host(other).Clip(0)
	want, got := other.ViewProj(2), clip.Mul4(matrix)
	require.InDeltaSlice(t, want[:], got[:], 1e-3)
}
