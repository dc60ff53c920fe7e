package shade

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

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
}
