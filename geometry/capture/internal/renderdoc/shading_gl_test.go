package renderdoc

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Further resources of OpenGL captures.
const (
	glProgramOfGame = 60 + iota
	glShaderOfGame
	glUniforms
)

// compileGame stands in for a compiler: it returns the compiled testdata/gl.frag for every fragment
// shader, and the compiled testdata/gl.vert for one vertex shader. All other shaders fail to compile.
func compileGame(_ context.Context, stage, source string) ([]uint32, error) {
	if stage == "frag" {
		return module.Words(must.Get(os.ReadFile("testdata/glfrag.spv")))
	}
	if source != "void main() { if (1 < 2) {} }" {
		return nil, errors.New("its shader does not compile")
	}
	code, err := os.ReadFile("testdata/gl.spv")
	if err != nil {
		return nil, err
	}
	return module.Words(code)
}

func floats(values ...string) string {
	return array("data", names.Of(values, func(v string) string { return element("float", "", "", v) })...)
}

func uniformOf(name string, location int, values ...string) string {
	var list []string
	for i, v := range values {
		list = append(list, group("", number("Location", location+i), v))
	}
	return group("", text("Basename", name), array("Values", list...))
}

// newGLGame returns a capture with testdata/gl.vert: corners in attribute 3, joints in attribute
// 5, and no array for attribute 6, the colour.
func newGLGame() *made {
	m := newGL(bytesOf[uint8](0, 1, 2, 3, 4, 5))
	m.chunk("glCreateShader", enum("type", "GL_VERTEX_SHADER"), resource("Shader", glShaderOfGame))
	m.chunk("glShaderSource", resource("shader", glShaderOfGame), number("count", 2), array("sources", text("", "void main() {"), text("", " if (1 &lt; 2) {} }")))
	m.chunk("glCreateProgram", resource("Program", glProgramOfGame))
	m.chunk("glAttachShader", resource("program", glProgramOfGame), resource("shader", glShaderOfGame))
	m.chunk("glLinkProgram", resource("program", glProgramOfGame))
	m.chunk("glDetachShader", resource("program", glProgramOfGame), resource("shader", glShaderOfGame))
	m.chunk("glBufferData", resource("buffer", glUniforms), number("bytesize", 512), m.blob("data", extra(0, 512)))
	m.chunk("Internal::Initial Contents", resource("id", glProgramOfGame), enum("Type", "Program"),
		array("InputBindings", group("", text("Name", "position"), number("Binding", 3)), group("", text("Name", "joints"), number("Binding", 5)), group("", text("Name", "colour"), number("Binding", 6))),
		group("ProgramUniforms", array("ValueUniforms",
			uniformOf("turn", 0, floats("1", "2", "3", "4", "5", "6")), uniformOf("lights[0].place", 2, floats("7", "8", "9")), uniformOf("lights[0].power", 3, floats("10"), floats("11")),
			uniformOf("lights[1].power", 6, floats("15"), floats("16")), uniformOf("on", 9, array("data", number("", 1)))),
			array("UBOBindings", group("", text("Name", "Camera"), number("Binding", 2)))))
	current := group("", element("float", "x", "", "0"), element("float", "y", "", "0"), element("float", "z", "", "0.5"), element("float", "w", "", "1"))
	point := func(start, size int) string {
		return group("", resource("res", glUniforms), number("start", start), number("size", size))
	}
	m.chunk("Internal::Beginning of Capture", group("state", resource("GL_CURRENT_PROGRAM", glProgramOfGame),
		array("GL_CURRENT_VERTEX_ATTRIB", current, current, current, current, current, current, current),
		array("GL_UNIFORM_BUFFER_BINDING", point(0, 0), point(0, 0), point(64, 64)),
		enum("GL_CLIP_ORIGIN", "GL_LOWER_LEFT"), enum("GL_CLIP_DEPTH_MODE", "GL_NEGATIVE_ONE_TO_ONE"), enum("GL_FRONT_FACE", "GL_CCW"), enum("GL_CULL_FACE_MODE", "GL_BACK"),
		array("GL_VIEWPORT", group("", number("x", 0), number("y", 30), number("width", 40), number("height", 30))),
		array("GL_DEPTH_RANGE", group("", number("nearZ", 0), number("farZ", 1)))))
	m.chunk("glBindVertexArray", resource("vaobj", glArray))
	m.attribute("glVertexAttribPointer", 3, 3, "GL_FLOAT", 12, 0)
	m.attribute("glVertexAttribIPointer", 5, 2, "GL_SHORT", 12, 4)
	m.chunk("glVertexArrayElementBuffer", resource("vaobj", glArray), resource("buffer", glIndices))
	return m
}

func (m *made) attribute(call string, index, size int, typ string, stride, offset int) {
	m.chunk(call, resource("vaobj", glArray), resource("buffer", glVertices), number("index", index), number("size", size),
		enum("type", typ), element("bool", "normalized", "", "false"), number("stride", stride), number("offset", offset))
	m.chunk("glEnableVertexAttribArray", resource("vaobj", glArray), number("index", index))
}

func TestOpenGLShaders(t *testing.T) {
	m := newGLGame()
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3)
	m.chunk("glUniformMatrix3x2fv", resource("Program", glProgramOfGame), number("location", 0), element("bool", "transpose", "", "true"), number("count", 1),
		array("values", element("float", "", "", "1"), element("float", "", "", "3"), element("float", "", "", "5"), element("float", "", "", "2"), element("float", "", "", "4"), element("float", "", "", "6.5")))
	m.chunk("glUniform1fv", resource("Program", glProgramOfGame), number("location", 6), number("count", 2), array("values", element("float", "", "", "25"), element("float", "", "", "-26")))
	m.chunk("glUniform1i", resource("Program", glProgramOfGame), number("location", 9), number("count", 1), array("values", element("int", "", "", "0")))
	m.chunk("glVertexAttrib3fv", number("index", 6), array("v", element("float", "", "", "0.25"), element("float", "", "", "-1"), element("float", "", "", "2")))
	m.chunk("glBindBufferBase", enum("target", "GL_UNIFORM_BUFFER"), number("index", 2), resource("buffer", glUniforms))
	m.chunk("glVertexAttribDivisor", resource("vaobj", glArray), number("index", 5), number("divisor", 2))
	m.chunk("glEnable", enum("cap", "GL_DEPTH_TEST"))
	m.chunk("glDepthMask", element("bool", "flag", "", "true"))
	m.chunk("glDrawElementsInstancedBaseVertexBaseInstance", enum("mode", "GL_TRIANGLES"), number("count", 3), enum("type", "GL_UNSIGNED_BYTE"), number("indices", 0),
		number("instancecount", 3), number("basevertex", 2), number("baseinstance", 1))
	f := m.shaded(t, compileGame)
	require.Empty(t, f.Skipped)
	s := f.Shading
	require.Len(t, s.Draws, 4)
	require.Len(t, s.Programs, 2, "joints are read a vertex and an instance")
	value := func(draw int, b module.BlockKind, size int) []byte {
		for i := range s.Draws[draw].Values {
			if v := s.Values[s.Draws[draw].Values[i]]; s.Programs[s.Draws[draw].Program].Vertex.Blocks[i].Kind == b && len(v) == size {
				return v
			}
		}
		return nil
	}
	// turn has three columns of two rows, 16 bytes apart; a light has 48 bytes.
	block := bytesOf[float32](1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8, 9, 0, 10, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 16, 0, 0, 0)
	require.Equal(t, append(block, bytesOf[uint32](1)...), value(0, module.UniformBlock, 148))
	block = bytesOf[float32](1, 2, 0, 0, 3, 4, 0, 0, 5, 6.5, 0, 0, 7, 8, 9, 0, 10, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, -26, 0, 0, 0)
	require.Equal(t, append(block, bytesOf[uint32](0)...), value(1, module.UniformBlock, 148))
	require.Equal(t, extra(64, 64), value(0, module.UniformBlock, 64))
	require.Equal(t, extra(0, 64), value(3, module.UniformBlock, 64))
	require.Equal(t, []int32{3, 2, 2, 2}, []int32{s.Draws[0].BaseVertex, s.Draws[1].BaseVertex, s.Draws[2].BaseVertex, s.Draws[3].BaseVertex})
	require.Equal(t, []int32{0, 0, 1, 2}, []int32{s.Draws[0].Instance, s.Draws[1].Instance, s.Draws[2].Instance, s.Draws[3].Instance}, "gl_InstanceID begins at 0")

	byName := map[string]geometry.Attribute{}
	for _, a := range f.Attributes {
		name := a.Name
		if a.PerDraw {
			name += " a draw"
		}
		byName[name] = a
	}
	require.Equal(t, "R16G16_SINT", byName["location 5"].Format.String())
	require.Equal(t, bytesOf[float32](0, 0, .5, 1, .25, -1, 2, 1), byName["location 6 a draw"].Data[:32])
	require.Equal(t, bytesOf[float32](.25, -1, 2, 1), byName["location 6 a draw"].Data[48:])
	data, _ := corners(100)
	first := f.Draws[0].VertexOffset
	require.Equal(t, data[3*12+4:][:4], byName["location 5"].Data[4*first:][:4])
	joints := byName["location 5 a draw"].Data
	require.Equal(t, [][]byte{data[12+4:][:4], data[12+4:][:4], data[24+4:][:4]}, [][]byte{joints[4:8], joints[8:12], joints[12:16]}, "an element for two instances, from the base instance on")
	require.Equal(t, replay.Target{Window: replay.Window{1, 0, -.5, .5 - 1, .5, .5}}, f.Targets[0])
	require.True(t, f.Targets[1].DepthWrites)
	require.Equal(t, []float64{40. / 60}, f.Aspects)

	require.Equal(t, []string{
		"counted, but not run by their shaders: 1 x glDrawElements: its shader is GLSL, and no compiler is there",
		"counted, but not run by their shaders: 3 x glDrawElementsInstancedBaseVertexBaseInstance: its shader is GLSL, and no compiler is there",
	}, m.shaded(t, nil).Skipped)
}

// TestIntegersOfCurrentValues: an integer input reads whole numbers from a current value of floats.
func TestIntegersOfCurrentValues(t *testing.T) {
	m := newGLGame()
	m.chunk("glDisableVertexAttribArray", resource("vaobj", glArray), number("index", 5))
	m.chunk("glVertexAttrib2f", number("index", 5), array("values", element("float", "", "", "3"), element("float", "", "", "-2")))
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3)
	f := m.shaded(t, compileGame)
	require.Empty(t, f.Skipped)
	for _, a := range f.Attributes {
		if a.Name == "location 5" {
			require.True(t, a.PerDraw)
			require.Equal(t, bytesOf[int32](3, -2, 0, 1), a.Data)
		}
	}
}

// TestShadersThatAreNotKnown: shaders are left out, each for its own reason. A case replaces a part
// of the capture's text.
func TestShadersThatAreNotKnown(t *testing.T) {
	const head = "its shader reads values: "
	openGL := func(t *testing.T, fresh func() *made, compile Compiler, cases map[string][2]string) {
		for why, change := range cases {
			m := fresh()
			m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3)
			requireUnshaded(t, m, change, compile, "1 x glDrawElements: "+why)
		}
	}
	t.Run("OpenGL", func(t *testing.T) {
		openGL(t, newGLGame, compileGame, map[string][2]string{
			"separate programs are not read":                               {`name="GL_CURRENT_PROGRAM"`, `name="GL_PROGRAM_PIPELINE_BINDING"`},
			"its shader does not compile":                                  {"1 &lt; 2", "2 &lt; 1"},
			"the vertex shader of its program is not known":                {"GL_VERTEX_SHADER", "GL_COMPUTE_SHADER"},
			head + "the capture does not tell where block Camera is bound": {">Camera<", ">Camero<"},
			head + "no buffer is bound for block Camera":                   {`name="res" typename="x">62<`, `name="res" typename="x">0<`},
			"the values that its shader reads are not in the capture":      {`name="res" typename="x">62<`, `name="res" typename="x">63<`},
			"its shader reads format R32G32_SFLOAT as other numbers":       {"GL_SHORT", "GL_FLOAT"},
		})
	})
	t.Run("texel buffers", func(t *testing.T) {
		openGL(t, newTexels, compileTexels, map[string][2]string{
			head + "image bones is no texel buffer, and no other images are read from captures": {"GL_SAMPLER_BUFFER", "GL_SAMPLER_2D"},
			head + "image bones has format GL_RGB9_E5, which is not read":                       {"GL_RG16F", "GL_RGB9_E5"},
			head + "no texel buffer is bound for image bones":                                   {"GL_TEXTURE_BINDING_BUFFER", "GL_TEXTURE_BINDING_2D"},
		})
	})
	for why, change := range map[string][2]string{
		"the pipeline has no vertex shader":                           {"VK_SHADER_STAGE_VERTEX_BIT", "VK_SHADER_STAGE_MESH_BIT"},
		"its shader module is not in the capture":                     {`name="ShaderModule" typename="x">201<`, `name="ShaderModule" typename="x">999<`},
		"its shader is not in the capture":                            {`name="pCode" typename="x" byteLength="`, `name="pCode" typename="x" byteLength="9999`},
		`its shader: no entry point "mean"`:                           {">main<", ">mean<"},
		"its shader reads uv at location 1, which no attribute gives": {`name="location" typename="x">1<`, `name="location" typename="x">9<`},
		"its shader reads an attribute of format R64_SFLOAT":          {"VK_FORMAT_R32G32_SFLOAT", "VK_FORMAT_R64_SFLOAT"},
		head + "set 1, binding 2 is not bound":                        {`name="DescriptorSet" typename="x">206<`, `name="DescriptorSet" typename="x">999<`},
		head + "set 1, binding 2 is not in the set's layout":          {`name="binding" typename="x">2<`, `name="binding" typename="x">1<`},
		head + "set 1, binding 2 holds no buffer":                     {`name="offset" typename="x">2048<`, `name="offset" typename="x">no<`},
		"no buffer is bound for origin at location 5":                 {`name="stride" typename="x">16<`, `name="stride" typename="x">-16<`},
		head + "set 0, binding 0 holds no buffer":                     {"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER", "VK_DESCRIPTOR_TYPE_STORAGE_IMAGE"},
		"the attribute at location 5 is not in the capture":           {`name="firstInstance" typename="x">0<`, `name="firstInstance" typename="x">4000<`},
		"its specialization lies outside its data":                    {`name="size" typename="x">4<`, `name="size" typename="x">5<`},
	} {
		m := newGame(t)
		m.push(0, 1, 2)
		m.drawFrom(0, 1, 0, 0)
		m.submit(vkCommands)
		requireUnshaded(t, m, change, nil, "1 x vkCmdDrawIndexed: "+why)
	}
	m := newGameOf(nil)
	m.drawFrom(0, 1, 0, 0)
	m.submit(vkCommands)
	requireUnshaded(t, m, [2]string{}, nil, "1 x vkCmdDrawIndexed: its shader is damaged: shorter than a module's header")
}

// requireUnshaded reads a frame of one draw after replacing a text everywhere: its shader must be
// left out for the reason.
func requireUnshaded(t *testing.T, m *made, change [2]string, compile Compiler, why string) {
	t.Helper()
	require.Contains(t, string(m.xml()), change[0])
	in := input([]byte(strings.ReplaceAll(string(m.xml()), change[0], change[1])), m.zip(t))
	in.Compile = compile
	f, err := Read(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, f.Draws, 1)
	require.Nil(t, f.Shading)
	require.Equal(t, []string{"counted, but not run by their shaders: " + why}, f.Skipped)
}
