package capture

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// game is a Vulkan capture under construction: cubes, drawn with testdata/bend.vert. entries are
// the buffers in its ZIP file, and chunks the calls in its XML.
type game struct {
	entries [][]byte
	chunks  string
}

func (g *game) blob(data []byte) string {
	g.entries = append(g.entries, data)
	return fmt.Sprintf(`byteLength="%d">%d</buffer>`, len(data), len(g.entries)-1)
}

func newGame(t *testing.T) *game {
	g := &game{}
	code := must.Get(os.ReadFile("testdata/bend.spv"))
	g.add("vkCreateBuffer", `<struct name="CreateInfo"><uint name="size">168</uint></struct><ResourceId name="Buffer">2</ResourceId>`)
	g.add("vkBindBufferMemory", `<ResourceId name="buffer">2</ResourceId><ResourceId name="memory">1</ResourceId><uint name="memoryOffset">0</uint>`)
	g.add("vkCreateShaderModule", `<struct name="CreateInfo"><buffer name="pCode" `+g.blob(code)+`</struct><ResourceId name="ShaderModule">3</ResourceId>`)
	g.add("vkCreateGraphicsPipelines", `<struct name="CreateInfo">
<array name="pStages"><struct><enum name="stage" string="VK_SHADER_STAGE_VERTEX_BIT">1</enum><ResourceId name="module">3</ResourceId><string name="pName">main</string></struct></array>
<struct name="pVertexInputState">
<array name="pVertexBindingDescriptions"><struct><uint name="binding">0</uint><uint name="stride">12</uint><enum name="inputRate" string="VK_VERTEX_INPUT_RATE_VERTEX">0</enum></struct></array>
<array name="pVertexAttributeDescriptions"><struct><uint name="location">0</uint><uint name="binding">0</uint><enum name="format" string="VK_FORMAT_R32G32B32_SFLOAT">1</enum><uint name="offset">0</uint></struct></array></struct>
<struct name="pInputAssemblyState"><enum name="topology" string="VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST">3</enum></struct>
<struct name="pViewportState"><array name="pViewports"><struct><float name="x">0</float><float name="y">0</float><float name="width">160</float><float name="height">90</float><float name="minDepth">0</float><float name="maxDepth">1</float></struct></array></struct>
<struct name="pDepthStencilState"><uint name="depthTestEnable">1</uint><uint name="depthWriteEnable">1</uint></struct></struct><ResourceId name="Pipeline">4</ResourceId>`)
	g.add("Internal::Initial Contents", `<enum name="type" string="eResDeviceMemory">1</enum><ResourceId name="id">1</ResourceId><buffer name="Contents" `+g.blob(bytesOf(frameCube, frameIndices)))
	g.add("Internal::Beginning of Capture", "")
	g.add("vkBeginCommandBuffer", `<ResourceId name="CommandBuffer">5</ResourceId>`)
	g.command("vkCmdBindPipeline", `<enum name="pipelineBindPoint" string="VK_PIPELINE_BIND_POINT_GRAPHICS">0</enum><ResourceId name="pipeline">4</ResourceId>`)
	g.command("vkCmdBindVertexBuffers", `<uint name="firstBinding">0</uint><array name="pBuffers"><ResourceId>2</ResourceId></array><array name="pOffsets"><uint>0</uint></array>`)
	g.command("vkCmdBindIndexBuffer", `<ResourceId name="buffer">2</ResourceId><uint name="offset">96</uint><enum name="indexType" string="VK_INDEX_TYPE_UINT16">0</enum>`)
	return g
}

func (g *game) add(name, parameters string) {
	g.chunks += fmt.Sprintf("<chunk id=\"1\" name=\"%s\">%s</chunk>\n", name, parameters)
}

func (g *game) command(name, parameters string) {
	g.add(name, `<ResourceId name="commandBuffer">5</ResourceId>`+parameters)
}

// draw draws the cube, placed by a matrix; bend and turns are push constants of the shader.
func (g *game) draw(place mgl32.Mat4, bend float32, turns uint32, instances int) {
	g.command("vkCmdPushConstants", `<uint name="start">0</uint><uint name="length">72</uint><buffer name="values" `+g.blob(bytesOf(place, bend, turns)))
	g.command("vkCmdDrawIndexed", fmt.Sprintf(`<uint name="indexCount">36</uint><uint name="instanceCount">%d</uint><uint name="firstIndex">0</uint><int name="vertexOffset">0</int><uint name="firstInstance">0</uint>`, instances))
}

// write submits the commands, writes the capture to a folder, and returns the path of its XML.
func (g *game) write(t *testing.T) string {
	g.add("vkQueueSubmit", `<array name="pSubmits"><struct><array name="pCommandBuffers"><ResourceId>5</ResourceId></array></struct></array>`)
	folder := writeFiles(t, map[string][]byte{
		"game.zip":     zipped(t, g.entries...),
		"game.zip.xml": []byte("<?xml version=\"1.0\"?>\n<rdc><header><driver id=\"8\">Vulkan</driver></header><chunks version=\"21\">" + g.chunks + "</chunks></rdc>"),
	})
	return filepath.Join(folder, "game.zip.xml")
}

// gameCamera is the game's camera, in Vulkan's conventions.
func gameCamera() mgl32.Mat4 {
	vulkan := mgl32.Mat4FromRows(mgl32.Vec4{1, 0, 0, 0}, mgl32.Vec4{0, -1, 0, 0}, mgl32.Vec4{0, 0, .5, .5}, mgl32.Vec4{0, 0, 0, 1})
	return vulkan.Mul4(mgl32.Perspective(mgl32.DegToRad(60), 16./9, .5, 200)).Mul4(mgl32.HomogRotate3DX(.4)).Mul4(mgl32.Translate3D(-2, -5, -9))
}

func TestDrawsStandWhereShadersPutThem(t *testing.T) {
	g := newGame(t)
	camera := gameCamera()
	var worlds []mgl32.Mat4
	for i := range 5 {
		worlds = append(worlds, mgl32.Translate3D(float32(3*i-4), float32(i%2), float32(-4*i)).Mul4(mgl32.HomogRotate3DY(float32(i))))
		g.draw(camera.Mul4(worlds[i]), 0, 0, 1)
	}
	g.draw(camera, .5, 0, 1)
	path := g.write(t)
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	require.Empty(t, s.Skipped)
	require.Nil(t, s.Shading, "nobody has asked for it")
	require.InDelta(t, 60, s.View().FovY, .01)
	require.InDelta(t, 16./9, s.View().Aspect, 1e-4)
	for i := range worlds {
		require.Equal(t, geometry.Fitted, s.Placing(i).How)
		require.Positive(t, s.Placing(i).Steps)
		for v := range 8 {
			p := s.Positions[s.Draws[i].VertexOffset+uint32(v)].Vec4(1)
			got, want := s.Capture.Clip.Mul4(s.Draws[i].Transform).Mul4x1(p), camera.Mul4(worlds[i]).Mul4x1(p)
			for axis := range 3 {
				require.InDelta(t, want[axis]/want[3], got[axis]/got[3], 1e-3)
			}
		}
	}
	require.Equal(t, geometry.Captured, s.Placing(5).How)
	require.Equal(t, mgl32.Ident4(), s.Draws[5].Transform)

	asked, err := Readers().Attributes().Open(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, s.Positions, asked.Positions)
	require.Len(t, asked.Shading.Programs, 1)
	position := asked.Attributes[asked.Shading.Programs[0].Inputs[0].Attribute]
	require.Len(t, position.Data, 12*len(asked.Positions))
	moved := asked.Draws[5].VertexOffset
	require.Equal(t, position.Data[:8*12], position.Data[12*moved:][:8*12], "the shader still reads what it read in the game")
	for i := range asked.Draws {
		require.Equal(t, mgl32.Ident4(), asked.Shading.Draws[i].Clip)
	}
	_, err = Readers().Pass("7").Open(t.Context(), path)
	require.EqualError(t, err, path+`: no pass "7": the frame has no pass`)
}

// TestPositionsThatAreNotFinite: a draw loses a shader that outputs infinity or NaN.
func TestPositionsThatAreNotFinite(t *testing.T) {
	g := newGame(t)
	g.draw(gameCamera(), 0, 0, 1)
	huge, odd := gameCamera(), gameCamera()
	huge[0], huge[4] = math.MaxFloat32, math.MaxFloat32 // their sum is infinite
	odd[2] = float32(math.NaN())
	g.draw(huge, 0, 0, 1)
	g.draw(odd, 0, 0, 1)
	s, err := Readers().Attributes().Open(t.Context(), g.write(t))
	require.NoError(t, err)
	require.Contains(t, s.Skipped, geometry.FromShaders+"2 x draw: its shader puts out positions that are not finite")
	for i, d := range s.Shading.Draws {
		require.Equal(t, i > 0, d.Program < 0)
	}
}

// TestShadersThatTakeTooLong: a frame whose shaders take longer than its size allows opens
// without them.
func TestShadersThatTakeTooLong(t *testing.T) {
	if testing.Short() {
		t.Skip("runs shaders for a second")
	}
	g := newGame(t)
	g.draw(gameCamera(), 0, 20_000, 500)
	s, err := Readers().Attributes().Open(t.Context(), g.write(t))
	require.NoError(t, err)
	require.Len(t, s.Draws, 500)
	require.Nil(t, s.View())
	require.True(t, s.Shading == nil)
	require.Len(t, s.Skipped, 1)
	require.Contains(t, s.Skipped[0], "counted, but not drawn: where all draws stand: to run their shaders takes more than")
	require.Equal(t, mgl32.Ident4(), s.Draws[0].Transform)
}

func TestGLSLIsCompiled(t *testing.T) {
	if _, err := exec.LookPath(glslProgram); err != nil {
		t.Skip("no " + glslProgram)
	}
	words, err := compileGLSL(t.Context(), "vert", "#version 150\nin vec3 p; uniform mat4 m; void main() { gl_Position = m * vec4(p, 1); }")
	require.NoError(t, err)
	require.Equal(t, uint32(0x07230203), words[0])
	_, err = compileGLSL(t.Context(), "vert", "#version 150\nvoid main() { gl_Position = nothing; }")
	require.ErrorContains(t, err, "its shader does not compile for Vulkan: \"line 2: 'nothing' : undeclared identifier")
	require.NotContains(t, err.Error(), "\n")
	_, err = compileGLSL(t.Context(), "vert", "#version 150\n#include \"/etc/passwd\"\n")
	require.EqualError(t, err, "its shader includes other files")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = compileGLSL(ctx, "vert", "void main() {}")
	require.ErrorIs(t, err, context.Canceled)
	t.Setenv("PATH", "")
	_, err = compileGLSL(t.Context(), "vert", "void main() {}")
	require.EqualError(t, err, "its shader is GLSL, which needs glslangValidator, and that is not installed")
}
