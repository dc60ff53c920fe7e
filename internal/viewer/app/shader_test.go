package app

import (
	"image"
	"image/color"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// waving is a vertex shader with an output of one colour and values to edit.
const waving = `#version 450
layout(set = 0, binding = 0) uniform Block { mat4 mvp; vec3 tint; float size; };
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 shade;
void main() {
	gl_Position = mvp * vec4(position * size, 1);
	shade = tint;
}
`

// share returns the share of pixels above the legend with about this colour.
func share(img *image.RGBA, c color.RGBA) float64 {
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 8 }
	return portion(above(img), func(x, y int) bool {
		p := img.RGBAAt(x, y)
		return near(p.R, c.R) && near(p.G, c.G) && near(p.B, c.B)
	})
}

// The viewer reloads a changed shader or uniforms file, keeps the picture on errors, and edits values in the panel.
func TestVertexShadersAreReloadedAndEdited(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		shader, uniforms := s.write("waving.vert", waving), s.write("waving.yaml", "tint: [1, 0, 0]\nsize: 1\n")
		s.start("--size", "1000x600", "--vertex-shader", shader, "--uniforms", uniforms, "--view", "varying:shade", "asset:cube")
		s.titled("cube | warp")
		red, green, blue := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255}
		shows := func(c color.RGBA) {
			t.Helper()
			require.Greater(t, share(s.window(), c), changed)
		}
		shows(red)
		first := s.scene()
		s.write("waving.yaml", "tint: [0, 1, 0]\nsize: 1\n")
		shows(green)
		s.write("waving.yaml", "tint: [1, 0, 0]\nsize: 1\n")
		require.Equal(t, first.Pix, s.scene().Pix)

		s.write("waving.vert", strings.Replace(waving, "shade = tint", "shade = tnt", 1))
		require.Equal(t, first.Pix, s.scene().Pix, "the picture stays")
		require.NotEmpty(t, s.Shader.Failed)
		require.Contains(t, s.stderr.String(), "waving.vert:7: 'tnt' : undeclared identifier")
		s.write("shade.glsl", "#define SHADE tint.grb\n")
		s.write("waving.vert", strings.NewReplacer("#version 450\n", "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"shade.glsl\"\n", "shade = tint", "shade = SHADE").Replace(waving))
		shows(green)
		s.write("shade.glsl", "#define SHADE tint.gbr\n") // the shader includes this file
		shows(blue)
		s.write("waving.vert", waving)
		require.Equal(t, first.Pix, s.scene().Pix)

		// A value that is missing is 0, and a button adds it to the file.
		s.write("waving.vert", strings.NewReplacer("float size;", "float size; vec3 more;", "shade = tint", "shade = tint + more").Replace(waving))
		shows(red) // fewer pixels are red, since the panel is higher
		require.Equal(t, []string{"more: [0, 0, 0]"}, s.Shader.Missing)
		require.Empty(t, s.Shader.Failed)
		s.AddMissing()
		s.pass(soon)
		s.settle()
		require.Empty(t, s.Shader.Failed)
		require.Empty(t, s.Shader.Missing)
		shows(red)
		require.Len(t, s.Shader.Values, 4)
		s.wrote(uniforms) // the editor watches this file
		require.Equal(t, "tint: [1, 0, 0]\nsize: 1\n\nmore: [0, 0, 0]\n", string(must.Get(os.ReadFile(uniforms))))
		s.write("waving.vert", waving)
		s.write("waving.yaml", "tint: [1, 0, 0]\nsize: 1\n")

		// The third line of the panel is the size.
		s.move(900, 106)
		s.button(model.LeftButton, true)
		s.move(800, 106)
		require.Greater(t, share(s.window(), red), changed)
		require.Less(t, share(s.window(), red), .9*share(first, red), "a dragged value changes the picture")
		s.button(model.LeftButton, false)
		s.move(400, 400)
		s.key("ctrl+z")
		require.Equal(t, first.Pix, s.scene().Pix)
		require.Equal(t, 1, strings.Count(s.stderr.String(), "\n"), s.stderr.String())
		s.leave("tnt")
	})
}

// Values missing at the start can be added, too.
func TestMissingValuesOfTheStart(t *testing.T) {
	lacks := &shade.MissingError{Lines: []string{"more: 0"}}
	e := newShaderEditor(cli.ShaderFlags{}, &shade.Shader{Missing: lacks}, func() {})
	require.Equal(t, lacks.Lines, e.Missing)
}
