package shade

import (
	"encoding/binary"
	"image"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

const everything = `#version 450
struct Light { vec3 color; float power; };
layout(set = 0, binding = 0) uniform Frame {
	mat4 u_mvp;
	Light light;
	Light lights[2];
	layout(row_major) mat3x2 turn;
	vec4 shades[3];
	uint unused;
	int steps;
} frame;
layout(std430, set = 1, binding = 2) readonly buffer Offsets { float scale; vec2 offsets[]; };
layout(push_constant) uniform Push { float time; } push;
layout(constant_id = 3) const int COUNT = 4;
layout(constant_id = 4) const bool UP = true;
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec2 aTexCoord0;
layout(location = 3) in uvec4 in_joints;
layout(location = 0) out vec3 v_color;
void main() {
	gl_Position = frame.u_mvp * vec4(inPosition, 1) + vec4(offsets[gl_InstanceIndex] * scale * (frame.turn * inPosition), 0, 0);
	v_color = frame.light.color * frame.lights[1].color * frame.shades[2].x * push.time * aTexCoord0.x * float(in_joints.x + COUNT + frame.steps);
	if (UP) { v_color = -v_color; }
}
`

const everyValue = `
light.color: [1, 0.5, -2]
lights: {color: 3, power: 0}
turn: [[1, 2, 3], [4, 5, 6]]
shades: [[1, 2, 3, 4], 5, [6, 7, 8, 9]]
frame.steps: -7
Offsets: {scale: .5, offsets: [[1, 2], [3, 4]]}
push: {time: 2}
`

// compiled compiles a text in a new folder, which becomes the test's working folder.
func compiled(t *testing.T, file, text string) *Shader {
	needsCompiler(t, filepath.Ext(file))
	write(t, map[string]string{file: text})
	p := must.Get(Compile(t.Context(), Source{File: file}))
	return p
}

// with returns a shader with the values of a uniforms file's text.
func with(t *testing.T, p *Shader, text string) (*Shader, error) {
	require.NoError(t, os.WriteFile("a.yaml", []byte(text), 0o600))
	return p.With("a.yaml")
}

func TestValuesLieWhereTheShaderReadsThem(t *testing.T) {
	p := compiled(t, "a.vert", everything)
	s := must.Get(with(t, p, everyValue))
	float := func(block, offset int) float32 {
		return math.Float32frombits(binary.LittleEndian.Uint32(s.bytes[block][offset:]))
	}
	floats := func(block int, offsets ...int) (list []float32) {
		for _, at := range offsets {
			list = append(list, float(block, at))
		}
		return list
	}
	require.Len(t, s.blocks, 3)
	require.Equal(t, []float32{1, .5, -2, 0}, floats(0, 64, 68, 72, 76), "light")
	require.Equal(t, []float32{3, 3, 3, 0, 3, 3, 3, 0}, floats(0, 80, 84, 88, 92, 96, 100, 104, 108), "lights")
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6}, floats(0, 112, 116, 120, 128, 132, 136), "turn, whose rows lie in a row")
	require.Equal(t, []float32{4, 5, 5, 5, 5, 6}, floats(0, 156, 160, 164, 168, 172, 176), "shades")
	require.Equal(t, int32(-7), int32(binary.LittleEndian.Uint32(s.bytes[0][196:])))
	require.Equal(t, []float32{.5, 0, 1, 2, 3, 4}, floats(1, 0, 4, 8, 12, 16, 20))
	require.Len(t, s.bytes[1], 24)
	require.Equal(t, float32(2), float(2, 0), "a value wins over a well-known name")
	require.Equal(t, []geometry.Filled{{What: geometry.ModelViewProjectionMatrix, Columns: 4, Rows: 4, MatrixStride: 16}}, filledOf(s))

	again, err := with(t, p, `{"light": {"color": [1, 0.5, -2]},
	"lights": [{"color": 3, "power": 0}, {"color": 3, "power": 0}],
	"frame.turn": [[1, 2, 3], [4, 5, 6]], "shades[0]": [1, 2, 3, 4], "shades[1]": [5, 5, 5, 5], "Frame.shades[2]": [6, 7, 8, 9],
	"light.power": 0, "steps": -7, "scale": 0.5, "offsets": [[1, 2], [3, 4]], "time": 2}`)
	require.NoError(t, err)
	require.Equal(t, s.bytes, again.bytes, "JSON, and other ways to say the same")
}

func filledOf(s *Shader) (list []geometry.Filled) {
	for i := range s.filled {
		list = append(list, s.filled[i].filled())
	}
	return list
}

// TestTheOnlyMatrixIsGuessed: a 4x4 matrix with a meaningless name is filled in if the shader has no other matrix of 3x3
// or more, except with Strict.
func TestTheOnlyMatrixIsGuessed(t *testing.T) {
	const head, use = "#version 450\nlayout(location = 0) in vec3 position;\nlayout(binding = 0) uniform B { ", "void main() { gl_Position = "
	for _, c := range []struct {
		text, note, lacks string
		strict            bool
	}{
		{head + "mat4 scene; mat2 turn; };\n" + use + "scene * vec4(turn * position.xy, 0, 1); }", "scene, its only matrix, is taken for modelViewProjection", "turn (mat2, offset 64)", false},
		{head + "mat4 scene; };\n" + use + "scene * vec4(position, 1); }", "", "scene (mat4, offset 0)", true},
		{head + "mat4 scene; mat4 other; };\n" + use + "scene * other * vec4(position, 1); }", "", "scene (mat4, offset 0), other (mat4, offset 64)", false},
		{head + "mat4 scene; mat4 model; };\n" + use + "scene * model * vec4(position, 1); }", "", "scene (mat4, offset 0)", false},
		{head + "mat3 scene; };\n" + use + "vec4(scene * position, 1); }", "", "scene (mat3, offset 0)", false},
		{head + "mat4 scene[2]; };\n" + use + "scene[1] * vec4(position, 1); }", "", "scene[1] (mat4, offset 64)", false},
	} {
		p := compiled(t, "a.vert", c.text)
		p.Strict = c.strict
		s, err := p.With("")
		if c.strict {
			require.ErrorContains(t, err, c.lacks)
			continue
		}
		require.NoError(t, err)
		require.ErrorContains(t, s.Missing, ": "+c.lacks+": ")
		require.Equal(t, c.note != "", len(s.Notes) == 1)
		if c.note != "" {
			require.Contains(t, s.Notes[0], c.note)
			require.Equal(t, []geometry.Filled{{What: geometry.ModelViewProjectionMatrix, Columns: 4, Rows: 4, MatrixStride: 16}}, filledOf(s))
		}
	}
}

func TestUniformsFilesAreRead(t *testing.T) {
	p := compiled(t, "a.vert", everything)
	p.Strict = true
	for text, want := range map[string]string{
		"":                                   "a.vert: 7 members without a value: uniform block frame of set 0, binding 0: light.color (vec3, offset 64), lights[1].color (vec3, offset 96), turn (mat3x2, offset 112), shades[2] (vec4, offset 176), steps (int, offset 196); storage block Offsets of set 1, binding 2: scale (float, offset 0), offsets (vec2[], offset 8): add them to a.yaml",
		"light.colour: 1":                    `a.yaml:1: unknown member "light.colour": did you mean light.color? have u_mvp, light.color, light.power, lights, turn, shades, unused, steps, scale, offsets, time`,
		"light: {col: 1}":                    `a.yaml:1: unknown member "col": did you mean color? have color, power`,
		"shades[3]: 1":                       `a.yaml:1: unknown member "shades[3]": have u_mvp`,
		"\nshades: [1, 2]":                   `a.yaml:2: shades: 2 elements, vec4[3] has 3`,
		"light.color: [1, 2]":                `a.yaml:1: light.color: 2 numbers, vec3 has 3`,
		"light.color: [1, 2, red]":           `a.yaml:1: light.color: "red": want a number for vec3`,
		"light.color: {x: 1}":                `a.yaml:1: light.color: vec3: want a number`,
		"light.power: 1e39":                  `a.yaml:1: light.power: "1e39": want a number up to 3.4e+38 for float`,
		"steps: 1.5":                         `a.yaml:1: steps: "1.5": want a whole number of 32 bits for int`,
		"steps: 2147483648":                  `a.yaml:1: steps: "2147483648": want a whole number of 32 bits for int`,
		"unused: -1":                         `a.yaml:1: unused: "-1": want a whole number of 32 bits, not below 0 for uint`,
		"turn: [1, 2, 3]":                    `a.yaml:1: turn: mat3x2 wants a list of 2 rows with 3 numbers each, or identity`,
		"turn: [[1, 2], [3, 4]]":             `a.yaml:1: turn: mat3x2 wants a list of 2 rows with 3 numbers each, or identity`,
		"offsets: 1":                         `a.yaml:1: offsets: want a list, of as many elements as the block is to have`,
		"light..color: 1":                    `a.yaml:1: "light..color" is no name of a member: want one as light.color or bones[2]`,
		"shades[x]: 1":                       `a.yaml:1: "shades[x]" is no name of a member: want one as light.color or bones[2]`,
		"[1]":                                `a.yaml:1: want names with values, as "strength: 0.5"`,
		"a: 1\na: 2":                         `a.yaml:2: "a" is already in line 1`,
		"scale: 1\nOffsets.scale: 2":         `a.yaml:2: "scale" is already in line 1`,
		"light:\n  power: 3\nlight.power: 1": `a.yaml:3: "light.power" is already in line 2`,
		"shades: 0\nshades[2]: 1":            `a.yaml:2: "shades[2]" is already in line 1`,
		"a: &x 1\nb: *x":                     `a.yaml:1: anchors and aliases are not supported`,
		"a: [":                               `a.yaml:1: did not find expected node content`,
		"scale: 1\nu: 3\n\tpc: 1\n":          `a.yaml:3: found a tab character`,
		"a: 1\nb: [1,\n  2]\nc: ]\nd: 1":     `a.yaml:4: did not find`,
		"# x\na: 1\nb: 2\n\n- c\nd: 1":       `a.yaml:5: did not find`,
		"a: @b\nc: 1":                        `a.yaml:1: found character that cannot start any token`,
		"a: 1\nb: \"c\nd: 1\n":               `a.yaml:2: found unexpected end of stream`,
		"a: 1\n  b: 2":                       `a.yaml:2: mapping values are not allowed in this context`,
		"wellKnown: {time: tim}":             `a.yaml:1: unknown well-known value "tim": did you mean time? have model, view,`,
		"wellKnown: {tim: time}":             `a.yaml:1: unknown member "tim": did you mean time? have`,
		"wellKnown: {scale: view}":           `a.yaml:1: scale is float: view needs a matrix of floats with 3 columns and rows at least`,
		"wellKnown: {turn: time}":            `a.yaml:1: turn is mat3x2: time needs a float`,
		"wellKnown: {light: time}":           `a.yaml:1: light is Light: time needs a float`,
		"time: 1\nwellKnown: {time: time}":   `a.yaml:2: time has a value too`,
		"specialization: {COUN: 1}":          `a.yaml:1: unknown specialization constant "COUN": did you mean COUNT? have COUNT, UP`,
		"specialization: {UP: 7}":            `a.yaml:1: UP: "7": want true or false`,
		"unused: yes":                        `a.yaml:1: unused: "yes": want a number, true or false for uint`,
		"specialization: {3: 1.5}":           `a.yaml:1: 3: "1.5": want a whole number of 32 bits`,
		"specialization: 3":                  `a.yaml:1: want names with values, as "strength: 0.5"`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := with(t, p, text)
			require.ErrorContains(t, err, want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
	p = compiled(t, "a.vert", "#version 450\nstruct Light { vec4 color; };\nlayout(binding = 0) uniform Block { Light sun, lamp; } b;\nvoid main() { gl_Position = b.sun.color + b.lamp.color; }\n")
	_, err := with(t, p, "color: 1")
	require.EqualError(t, err, `a.yaml:1: "color" is in several places: b.sun.color, b.lamp.color`)
}

// TestElementsWithoutAValue: the list of what is missing never asks to give again what the file gives.
func TestElementsWithoutAValue(t *testing.T) {
	p := compiled(t, "a.vert", "#version 450\nlayout(binding = 0) uniform Block { float w[2]; } b;\nvoid main() { gl_Position = vec4(b.w[gl_VertexIndex]); }\n")
	require.Equal(t, []string{"w: 0"}, must.Get(p.With("")).Missing.Lines)
	require.Equal(t, []string{"w[0]: 0"}, must.Get(with(t, p, "w[1]: 3")).Missing.Lines)
	p = compiled(t, "a.vert", "#version 450\nlayout(binding = 0) uniform sampler2D map;\nvoid main() { gl_Position = textureLod(map, vec2(gl_VertexIndex), 0); }\n")
	writePNG(t, "a.png", image.NewGray(image.Rect(0, 0, 1, 1)))
	require.Nil(t, must.Get(with(t, p, "map.clamp: 1\nmap: a.png\nmap.nearest: 1")).Missing)
}

// TestNumbersFitTheirTypes: the greatest and least numbers of each type are accepted, numbers beyond them are refused.
func TestNumbersFitTheirTypes(t *testing.T) {
	for _, c := range []struct {
		kind       module.Kind
		width      int
		takes      map[string]uint64
		refuses    []string
		complaints string
	}{
		{module.Int, 8, map[string]uint64{"127": 127, "-128": math.MaxUint64 - 127, "true": 1}, []string{"128", "-129", "1.5", "x"}, "a "},
		{module.Int, 64, map[string]uint64{"-9223372036854775808": 1 << 63, "9223372036854775807": 1<<63 - 1}, []string{"9223372036854775808"}, "a whole number of 64 bits"},
		{module.Uint, 16, map[string]uint64{"65535": 65535, "0": 0}, []string{"65536", "-1"}, "a whole number of 16 bits, not below 0"},
		{module.Uint, 64, map[string]uint64{"18446744073709551615": math.MaxUint64}, []string{"-1"}, "a whole number of 64 bits, not below 0"},
		{module.Float, 16, map[string]uint64{"65504": 0x7bff, "65519": 0x7bff, "-65504": 0xfbff, "1": 0x3c00}, []string{"65520", "-65520", ".inf"}, "a number up to 65504"},
		{module.Float, 32, map[string]uint64{"3.4e38": 0x7f7fc99e, ".inf": 0x7f800000, "-1": 0xbf800000}, []string{"3.5e38", "-3.5e38"}, "a number up to 3.4e+38"},
		{module.Float, 64, map[string]uint64{"1e300": math.Float64bits(1e300)}, []string{"true", "[1]"}, "a number"},
	} {
		of := &module.Type{Kind: c.kind, Width: c.width}
		read := func(text string) (uint64, error) {
			var n yaml.Node
			require.NoError(t, yaml.Unmarshal([]byte(text), &n))
			return numberBits(of, n.Content[0])
		}
		for text, want := range c.takes {
			got, err := read(text)
			require.NoError(t, err, text)
			require.Equal(t, want, got, text)
		}
		for _, text := range c.refuses {
			_, err := read(text)
			require.ErrorContains(t, err, c.complaints, text)
		}
	}
}

// TestWhatNothingGivesIsZero: without Strict, a missing value is 0 and a missing matrix the identity;
// missing values and unknown names are noted, each once.
func TestWhatNothingGivesIsZero(t *testing.T) {
	p := compiled(t, "a.vert", "#version 450\nlayout(binding = 0) uniform Block { mat4 bones[2]; mat3x2 turn; float size; } b;\n"+
		"layout(location = 0) in vec3 position;\nlayout(location = 1) in vec4 shade;\nlayout(location = 2) in ivec2 cell;\n"+
		"void main() { gl_Position = b.bones[1] * vec4(b.turn * position, b.size, shade.w) + vec4(cell.xyxy); }\n")
	s := must.Get(with(t, p, "gone: 1\nbones[0]: 0\nattributes: {cell: [3, -4], away: COLOR_0}\nspecialization: {N: 1}\nwellKnown: {lost: view}\n"))
	require.Equal(t, []string{"bones[1]: identity", "turn: identity", "size: 0"}, s.Missing.Lines)
	require.Len(t, s.Notes, 3)
	for i, name := range []string{"N", "gone", "lost"} {
		require.Contains(t, s.Notes[i], `"`+name+`"`)
	}
	require.Equal(t, [][]float64{{1, 0, 0}, {0, 1, 0}}, value(t, s, "turn").Rows)
	float := func(at int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(s.bytes[0][at:])) }
	for i := range 32 {
		require.Equal(t, float32(map[bool]int{true: 1}[i >= 16 && (i-16)%5 == 0]), float(4*i), i)
	}
	shading := must.Get(s.Shading(mesh(), ""))
	require.Equal(t, []string{
		`a.vert: a.yaml:3: unknown input "away": have position, shade, cell: left out`,
		"a.vert: nothing in the mesh for shade (vec4, location 1); it has position, normal: read as 0, 0, 0, 1",
	}, shading.Notes)
	require.Equal(t, [4]uint32{0, 0, 0, math.Float32bits(1)}, shading.Programs[0].Inputs[1].Value)
	four := int32(-4)
	require.Equal(t, [4]uint32{3, uint32(four), 0, 1}, shading.Programs[0].Inputs[2].Value)
	for _, text := range []string{"[]", "[1, 2, 3, 4, 5]", "[.5]", "1.5"} {
		s := must.Get(with(t, p, "attributes: {cell: "+text+"}"))
		_, err := s.Shading(mesh(), "")
		require.ErrorContains(t, err, "a.yaml:1: cell (ivec2, location 2): ", text)
	}
}
