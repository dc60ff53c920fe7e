package geometry

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// shaded returns two quads with an attribute per vertex and one per draw. A vertex shader shades the first quad.
func shaded() *Scene {
	s := quad()
	s.Draws = append(s.Draws, s.Draws[0])
	s.Attributes = []Attribute{
		{Name: "TEXCOORD_0", Format: vertexformat.R32_SFLOAT, Data: make([]byte, 20)},
		{Name: "_INSTANCE", Format: vertexformat.R8G8B8_UNORM, PerDraw: true, Data: []byte{1, 2, 3, 4, 5, 6}},
	}
	s.Shading = &Shading{
		Programs: []link.Program{{
			Name: "wind.vert", Vertex: &module.Vertex{Blocks: make([]module.Block, 1)}, Inputs: []link.Input{{Location: 0, Attribute: link.FromPositions}, {Location: 1, Attribute: 1}},
		}},
		Draws:  []DrawShading{{Values: []int{0}, DrawIndex: 7, Clip: mgl32.Ident4()}, {Program: -1}},
		Values: [][]byte{{1}},
	}
	return s
}

func TestValidateShading(t *testing.T) {
	require.NoError(t, shaded().Validate(t.Context()))
	require.EqualError(t, shaded().Shading.Validate(nil), "vertex shaders for no scene")
	for _, source := range []int{link.FromNormals, link.FromConstant} {
		s := shaded()
		s.Shading.Programs[0].Inputs[0].Attribute = source
		require.NoError(t, s.Validate(t.Context()))
	}
	for _, tt := range []struct {
		change func(*Scene)
		want   string
	}{
		{func(s *Scene) { s.Attributes[0].Data = make([]byte, 16) }, `attribute 0 ("TEXCOORD_0"): 16 bytes for 5 vertices of 4 bytes each`},
		{func(s *Scene) { s.Attributes[1].Data = nil }, `attribute 1 ("_INSTANCE"): 0 bytes for 2 draws of 3 bytes each`},
		{func(s *Scene) { s.Attributes[0].Format = 200 }, `attribute 0 ("TEXCOORD_0"): format 200 is not known`},
		{func(s *Scene) { s.Attributes[0].Format = 0 }, `format 0 is not known`},
		{func(s *Scene) { s.Shading.Programs[0].Inputs[1].Attribute = 2 }, `vertex shader 0 ("wind.vert"): location 1: reads attribute 2, but the scene has 2`},
		{func(s *Scene) { s.Shading.Programs[0].Inputs[0].Attribute = -3 }, `reads attribute -3`},
		{func(s *Scene) { s.Shading.Programs[0].Inputs[1].Format = vertexformat.R32_SFLOAT }, `attribute _INSTANCE of R8G8B8_UNORM is read as R32_SFLOAT`},
		{func(s *Scene) { s.Shading.Programs[0].Vertex = nil }, `vertex shader 0 ("wind.vert") has no module`},
		{func(s *Scene) { s.Shading.Filled = []Filled{{Block: 1, What: ViewMatrix}} }, `view: its program, block or offset does not exist`},
		{func(s *Scene) { s.Shading.Filled = []Filled{{Block: -1, What: Time}} }, `time: its program, block or offset does not exist`},
		{func(s *Scene) { s.Shading.Filled = []Filled{{Program: 1}} }, `model: its program, block or offset does not exist`},
		{func(s *Scene) { s.Shading.Filled = []Filled{{MatrixStride: -16}} }, `its program, block or offset does not exist`},
		{func(s *Scene) { s.Shading.Filled = []Filled{{What: 18, Offset: -4}} }, `unknown(18): its program, block or offset does not exist`},
		{func(s *Scene) { s.Shading.Draws = nil }, `vertex shaders for 0 draws, but the scene has 2`},
		{func(s *Scene) { s.Shading.Draws[0].Program = 1 }, `draw 0 ("q"): uses vertex shader 1, but the scene has 1`},
		{func(s *Scene) { s.Shading.Draws[0].Program = -2 }, `uses vertex shader -2`},
		{func(s *Scene) { s.Shading.Draws[0].Values = nil }, `values for 0 blocks, but its vertex shader has 1`},
		{func(s *Scene) { s.Shading.Draws[0].Values = []int{1} }, `uses values 1, but the scene has 1`},
		{func(s *Scene) { s.Shading.Draws[0].Clip[3] = float32(math.NaN()) }, `clip matrix is not finite`},
	} {
		s := shaded()
		tt.change(s)
		require.ErrorContains(t, s.Validate(t.Context()), tt.want)
	}
}

// TestShadingFollowsItsDraws: shading stays with its draws when draws are copied or left out.
func TestShadingFollowsItsDraws(t *testing.T) {
	s := shaded()
	copies := must.Get(s.Copies(2))
	require.NoError(t, copies.Validate(t.Context()))
	require.Equal(t, []byte{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, copies.Attributes[1].Data)
	only := copies.Only([]int{3, 0, 2})
	require.NoError(t, only.Validate(t.Context()))
	require.Equal(t, []byte{4, 5, 6, 1, 2, 3, 1, 2, 3}, only.Attributes[1].Data)
	require.Equal(t, []int{-1, 0, 0}, []int{only.Shading.Draws[0].Program, only.Shading.Draws[1].Program, only.Shading.Draws[2].Program})
	require.Equal(t, shaded(), s, "the scene given was changed")
}

// TestWhyNothingIsCaptured: the error gives all reasons for the missing shaders from Skipped, if that has some.
func TestWhyNothingIsCaptured(t *testing.T) {
	s := &Scene{Skipped: []string{"others", FromShaders + "2 x draw: it is GLSL", FromShaders + "3 x drawIndexed: it is HLSL"}}
	_, err := s.CapturedShading("")
	require.EqualError(t, err, "2 x draw: it is GLSL; 3 x drawIndexed: it is HLSL")
	s.Skipped = s.Skipped[:1]
	_, err = s.CapturedShading("")
	require.ErrorContains(t, err, "the file brings no vertex shaders along")
}

// TestReads: a vertex shader reads its draw's vertices, the draw's element, or a constant. Normals that the scene lacks are no data.
func TestReads(t *testing.T) {
	s := shaded()
	s.Draws[0].VertexOffset, s.Draws[0].VertexCount, s.Attributes[0].Data[8] = 2, 2, 9
	program := &s.Shading.Programs[0]
	program.Inputs = append(program.Inputs, link.Input{}, link.Input{Attribute: link.FromNormals}, link.Input{Attribute: link.FromConstant, Value: [4]uint32{6}})
	draw := s.Shading.Reads(s, 0)
	positions := must.Get(binary.Append(nil, binary.LittleEndian, []float32{1, 1, 0, 0, 1, 0}))
	for i, data := range [][]byte{positions, {1, 2, 3}, {9, 0, 0, 0, 0, 0, 0, 0}, nil, append([]byte{6}, make([]byte, 15)...)} {
		require.Equal(t, data, draw.Inputs[i].Data, i)
		require.Equal(t, []int{12, 0, 4, 12, 0}[i], draw.Inputs[i].Stride, i)
	}
	require.Equal(t, [][]byte{{1}}, draw.Blocks)
}

// TestOnlyProgram also asks for programs that do not exist, and scenes without shading.
func TestOnlyProgram(t *testing.T) {
	s := shaded()
	s.Shading.Programs = append(s.Shading.Programs, link.Program{Name: "other", Vertex: s.Shading.Programs[0].Vertex})
	s.Shading.Draws[1] = DrawShading{Program: 1, Values: []int{0}}
	one := s.OnlyProgram(1)
	require.NoError(t, one.Validate(t.Context()))
	require.Equal(t, []string{"other", "other", ""}, []string{one.ShaderOfDraw(0), s.ShaderOfDraw(1), quad().ShaderOfDraw(0)})
	for _, none := range []*Scene{s.OnlyProgram(2), s.OnlyProgram(-1), quad().OnlyProgram(0)} {
		require.Empty(t, none.Draws)
	}
	quad().PlaceShaded(0, mgl32.Ident4()) // does nothing
}
