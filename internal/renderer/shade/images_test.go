package shade

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

const withImages = `#version 450
layout(location = 0) in vec3 position;
layout(binding = 0) uniform sampler2D heights;
layout(binding = 1) uniform samplerBuffer offsets;
layout(binding = 2) uniform usampler1D kinds;
void main() {
	gl_Position = vec4(position, 1) + texelFetch(heights, ivec2(position.xy), 0) + texelFetch(offsets, gl_VertexIndex) * float(texelFetch(kinds, 1, 0).x);
}
`

func writePNG(t *testing.T, name string, picture image.Image) {
	file := must.Get(os.Create(name))
	defer file.Close()
	require.NoError(t, png.Encode(file, picture))
}

func bytesOf(values ...any) (out []byte) {
	for _, v := range values {
		data, err := binary.Append(nil, binary.LittleEndian, v)
		if err != nil {
			panic(err)
		}
		out = append(out, data...)
	}
	return out
}

// TestImages reads images from lists and from PNG files of 8 and 16 bits.
func TestImages(t *testing.T) {
	p := compiled(t, "a.vert", withImages)
	p.Strict = true
	clear := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	clear.SetNRGBA(0, 0, color.NRGBA{R: 1, G: 254, B: 255, A: 3})
	writePNG(t, "clear.png", clear)
	deep := image.NewGray16(image.Rect(0, 0, 1, 2))
	deep.SetGray16(0, 1, color.Gray16{Y: 258})
	writePNG(t, "deep.png", deep)
	const rest = "offsets: {texels: [[1, 2, 3, 4], 5]}\nkinds: {texels: [[7, 0, 0, 4294967295]]}\n"

	s := must.Get(with(t, p, "heights: {width: 1, height: 2, texels: [[1, 0, -1, .5], 2]}\n"+rest))
	require.Equal(t, bytesOf([]uint32{1, 2, 0, 0}, []float32{1, 0, -1, .5, 2, 2, 2, 2}), s.bytes[0])
	require.Equal(t, bytesOf([]uint32{2, 1, 0, 0}, []float32{1, 2, 3, 4, 5, 5, 5, 5}), s.bytes[1])
	require.Equal(t, bytesOf([]uint32{1, 1, 0, 0, 7, 0, 0, 4294967295}), s.bytes[2])
	require.Empty(t, value(t, s, "heights").Rows, "no panel edits images")

	s = must.Get(with(t, p, "heights: clear.png\n"+rest))
	require.Equal(t, bytesOf([]uint32{2, 1, 0, 0}, []float32{1. / 255, 254. / 255, 1, 3. / 255, 0, 0, 0, 0}), s.bytes[0])
	s = must.Get(with(t, p, "heights: deep.png\n"+rest))
	require.Equal(t, bytesOf([]uint32{1, 2, 0, 0}, []float32{0, 0, 0, 1, 258. / 65535, 258. / 65535, 258. / 65535, 1}), s.bytes[0])

	template := must.Get(p.Template(nil))
	for _, line := range []string{
		"# image heights of set 0, binding 0\nheights: {width: 0, height: 0, texels: []}  # vec4s, or a PNG file\n",
		"offsets: {texels: []}  # vec4s, or a PNG file\n", "kinds: {texels: []}  # uvec4s\n",
	} {
		require.Contains(t, template, line)
	}
	for text, want := range map[string]string{
		rest:                               "image heights of set 0, binding 0: width (uint, offset 0), height (uint, offset 4), heights.texels (vec4[], offset 16)",
		"wellKnown: {height.texels: time}": `unknown member "height.texels": did you mean heights.texels? have width, height, heights.texels, offsets.texels, kinds.texels`,
		"heights: {width: 2, height: 1, texels: [1]}\n" + rest: "a.yaml:1: heights: 1 texels, not 2 x 1",
		rest + "heights: {width: 4, height: 4}":                "a.yaml:3: heights: 0 texels, not 4 x 4",
		"heights.width: 2\nheights: clear.png":                 `a.yaml:2: "heights" is already in line 1`,
		"heights: {width: 2, texels: [1, 2]}\n" + rest:         "image heights of set 0, binding 0: height (uint, offset 4): add",
		"heights: {height: 2, texels: [1, 2]}\n" + rest:        "image heights of set 0, binding 0: width (uint, offset 0): add",
		"heights: none.png":                                    "a.yaml:1: heights: none.png: ",
		"heights: a.vert":                                      `a.yaml:1: heights: "a.vert": want a PNG file, or {width`,
		"offsets: deep.png":                                    "a.yaml:1: offsets: deep.png has 2 rows, and the image has one dimension",
		"kinds: deep.png":                                      "a.yaml:1: kinds: its texels are uvec4: want them as a list",
	} {
		_, err := with(t, p, text)
		require.ErrorContains(t, err, want)
	}
}

// TestImagesThatAreNotFetched: images of unsupported kinds, and unsupported uses of images, are refused with the
// image's name and the reason.
func TestImagesThatAreNotFetched(t *testing.T) {
	for _, c := range []struct{ declared, read, want string }{
		{") uniform sampler2D a", "textureGrad(a, vec2(0), vec2(0), vec2(0))", "a: OpImageSampleExplicitLod: gradients, offsets and biases are not supported"},
		{") uniform sampler1D a", "texture(a, 0)", "a: OpImageSampleExplicitLod: only images of two dimensions and floats are filtered"},
		{") uniform isampler2D a", "texture(a, vec2(0))", "a: OpImageSampleExplicitLod: only images of two dimensions and floats are filtered"},
		{") uniform sampler2D a", "textureGather(a, vec2(0))", "a: OpImageGather: images and samplers are not supported beside fetches of texels"},
		{") uniform sampler2D a", "texelFetch(a, ivec2(0), 1)", "a: OpImageFetch: a level other than 0 is not supported"},
		{") uniform sampler2D a", "texelFetch(a, ivec2(0), gl_VertexIndex)", "a: OpImageFetch: a level other than 0 is not supported"},
		{") uniform sampler2D a", "texelFetchOffset(a, ivec2(0), 0, ivec2(1))", "a: OpImageFetch: offsets and samples are not supported"},
		{") uniform sampler2D a", "vec4(textureSize(a, 2), 0, 0)", "a: OpImageQuerySizeLod: a level other than 0 is not supported"},
		{") uniform sampler2D a", "vec4(textureQueryLevels(a))", "a: OpImageQueryLevels: images and samplers are not supported beside fetches of texels"},
		{") uniform sampler3D a", "texelFetch(a, ivec3(0), 0)", "a: only images of one or two dimensions and texel buffers are supported"},
		{") uniform sampler2DArray a", "texelFetch(a, ivec3(0), 0)", "a: images with layers are not supported"},
		{") uniform sampler2DMS a", "texelFetch(a, ivec2(0), 0)", "a: images with several samples are not supported"},
		{") uniform sampler2D a[2]", "texelFetch(a[1], ivec2(0), 0)", "a: arrays of images and samplers are not supported"},
		{", rgba8) readonly uniform image2D a", "imageLoad(a, ivec2(0))", "a: storage images are not supported"},
		{") uniform sampler2D a; layout(binding = 1) uniform sampler2D c", "of(a) + of(c)", "c: OpFunctionCall: a function that is passed several images, a as well, is not supported"},
	} {
		t.Run(c.declared+" "+c.read, func(t *testing.T) {
			needsCompiler(t, ".vert")
			write(t, map[string]string{"a.vert": "#version 450\nlayout(binding = 0" + c.declared + ";\nvec4 of(sampler2D b) { return texelFetch(b, ivec2(0), 0); }\nvoid main() { gl_Position = " + c.read + "; }\n"})
			_, err := Compile(t.Context(), Source{File: "a.vert"})
			require.ErrorContains(t, err, c.want)
		})
	}
}

// value returns a value of a shader by its name.
func value(t *testing.T, s *Shader, name string) Value {
	t.Helper()
	for _, v := range s.Values() {
		if v.Name == name {
			return v
		}
	}
	t.Fatal(name)
	return Value{}
}

func TestValuesAreEdited(t *testing.T) {
	p := compiled(t, "a.vert", everything)
	s := must.Get(with(t, p, everyValue))
	require.Equal(t, [][]float64{{1, .5, -2}}, value(t, s, "light.color").Rows)
	require.Equal(t, [][]float64{{1, 2, 3}, {4, 5, 6}}, value(t, s, "turn").Rows, "row by row")
	require.Equal(t, "modelViewProjection", value(t, s, "u_mvp").Says)
	require.Equal(t, [][]float64{{-7}}, value(t, s, "steps").Rows)
	require.Empty(t, value(t, s, "shades").Rows, "an array")
	require.True(t, s.Follows(geometry.ModelViewProjectionMatrix))
	require.False(t, s.Follows(geometry.Time), "the file has a value")
	color := value(t, s, "light.color")
	require.True(t, color.Color)
	require.True(t, color.Editable())

	edited := must.Get(s.Set(color, []float64{.25, 0, 4}))
	steps := value(t, s, "steps")
	edited = must.Get(edited.Set(steps, []float64{12}))
	require.Equal(t, [][]float64{{.25, 0, 4}}, value(t, edited, "light.color").Rows)
	require.Equal(t, [][]float64{{12}}, value(t, edited, "steps").Rows)
	require.Equal(t, [][]float64{{1, .5, -2}}, value(t, s, "light.color").Rows, "the shader itself does not change")
	for _, name := range []string{"u_mvp", "turn", "shades"} {
		v := value(t, s, name)
		require.False(t, v.Editable(), name)
		_, err := s.Set(v, []float64{1})
		require.ErrorContains(t, err, name)
	}

	again := compiled(t, "a.vert", strings.Replace(everything, "int steps", "uint steps", 1))
	fresh := must.Get(with(t, again, strings.Replace(everyValue, "-7", "7", 1)))
	kept := fresh.Keep(s, edited)
	require.Equal(t, [][]float64{{.25, 0, 4}}, value(t, kept, "light.color").Rows)
	require.Equal(t, [][]float64{{7}}, value(t, kept, "steps").Rows, "of another type now")
}

func TestTemplatesAreUniformsFiles(t *testing.T) {
	p := compiled(t, "a.vert", everything)
	p.Strict = true
	text := must.Get(p.Template(nil))
	require.Contains(t, text, "\n#u_mvp: filled in: modelViewProjection  # mat4, offset 0\n")
	require.Contains(t, text, "\n#  COUNT: 4  # constant 3\n#  UP: true  # constant 4\n")
	require.Contains(t, text, "\n#  aTexCoord0: TEXCOORD_0  # vec2, location 1\n")
	require.Contains(t, text, "\n#   v_color (vec3)\n")
	_, err := with(t, p, text)
	require.EqualError(t, err, "a.vert: 1 member without a value: storage block Offsets of set 1, binding 2: offsets (vec2[], offset 8): add them to a.yaml")
	must.Get(with(t, p, strings.Replace(text, "offsets: []", "offsets: [0]", 1)))
	text = must.Get(p.Template(mesh("JOINTS_0")))
	require.Contains(t, text, "\n#  aTexCoord0: [0, 0, 0, 1]  # vec2, location 1\n#  in_joints: JOINTS_0  # uvec4, location 3\n#  mesh.glb has JOINTS_0, normal, position\n")
	partly := mesh("TEXCOORD_0", "JOINTS_0")
	partly.Attributes[0].Missing = 2
	text = must.Get(p.Template(partly))
	require.Contains(t, text, "\n#  aTexCoord0: TEXCOORD_0  # vec2, location 1; 2 of 3 vertices have none and read 0, 0, 0, 1\n#  in_joints: JOINTS_0  # uvec4, location 3\n")
	clipped := compiled(t, "clip.vert", "#version 450\nout float gl_ClipDistance[2];\nvoid main() { gl_Position = vec4(0); gl_ClipDistance[0] = gl_ClipDistance[1] = 1; }\n")
	require.Contains(t, must.Get(clipped.Template(nil)), "\n# --view varying:NAME shows one of\n#   gl_ClipDistance[0] (float)\n#   gl_ClipDistance[1] (float)\n")
	_, err = clipped.Shading(mesh(), "clip")
	require.EqualError(t, err, `clip.vert: unknown output "clip": have gl_ClipDistance[0], gl_ClipDistance[1]`)
}
