package extract

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/spirv/interpret"
)

// clipPositions runs a draw's vertex shader, and returns the bits of its positions, transformed by clip.
func clipPositions(t *testing.T, s *geometry.Scene, sh *geometry.Shading, draw int, clip [16]float32) [][4]uint32 {
	r := must.Get(interpret.New(sh.Programs[sh.Draws[draw].Program].Vertex))
	positions := make([][4]float32, s.Draws[draw].VertexCount)
	require.NoError(t, r.Run(t.Context(), sh.Reads(s, draw), positions))
	bits := make([][4]uint32, len(positions))
	for i, p := range positions {
		for row := range 4 {
			bits[i][row] = math.Float32bits(clip[row]*p[0] + clip[4+row]*p[1] + clip[8+row]*p[2] + clip[12+row]*p[3])
		}
	}
	return bits
}

// requireSame extracts a draw into a folder, opens it like any mesh with a vertex shader, and
// requires the frame's indices and clip positions, bit for bit.
func requireSame(t *testing.T, frame *geometry.Scene, number int) (*Draw, *geometry.Scene) {
	d, err := Take(frame, number)
	require.NoError(t, err, "draw %d", number)
	folder := filepath.Join(t.TempDir(), "draw")
	require.NoError(t, d.Write(t.Context(), folder, false))
	mesh := must.Get(capture.Readers().Attributes().Open(t.Context(), filepath.Join(folder, Mesh)))
	shader, err := shade.Open(t.Context(), shade.Source{
		File: filepath.Join(folder, Shader), Uniforms: filepath.Join(folder, Uniforms), Entry: d.Entry, Strict: true,
	})
	require.NoError(t, err)
	shading := must.Get(shader.Shading(mesh, ""))
	require.NoError(t, shading.Validate(mesh))
	require.Empty(t, shading.Filled, "the frame's values stay")
	draws := must.Get(frame.Numbered(number, number))
	require.Len(t, mesh.Draws, len(draws))
	for i, of := range draws {
		require.Equal(t, frame.DrawIndices(of), mesh.DrawIndices(i))
		require.Equal(t, frame.Draws[of].VertexCount, mesh.Draws[i].VertexCount)
		clip := frame.Shading.Draws[of].Clip
		if frame.Placing(of).How == geometry.Hidden {
			clip = frame.Shading.Draws[of].Target
			require.Equal(t, mgl32.Ident4(), mesh.Draws[i].Transform, "other programs see the mesh")
		} else {
			require.Equal(t, frame.Draws[of].Transform, mesh.Draws[i].Transform)
		}
		require.NotZero(t, clip)
		require.Equal(t, clip, shading.Draws[i].Clip)
		require.Equal(t, clipPositions(t, frame, frame.Shading, of, clip), clipPositions(t, mesh, shading, i, shading.Draws[i].Clip), "draw %d, instance %d", number, i)
	}
	return d, mesh
}

// crowdFrame writes a capture of one draw of two instances with testdata/crowd.spv, and returns the
// path of its XML.
func crowdFrame(t *testing.T) string {
	var entries [][]byte
	blob := func(name string, values ...any) string {
		var data []byte
		for _, v := range values {
			data, _ = binary.Append(data, binary.LittleEndian, v)
		}
		entries = append(entries, data)
		return fmt.Sprintf(`<buffer name="%s" byteLength="%d">%d</buffer>`, name, len(data), len(entries)-1)
	}
	number := func(name string, n int) string { return fmt.Sprintf(`<int name="%s">%d</int>`, name, n) }
	id := func(name string, n int) string { return fmt.Sprintf(`<ResourceId name="%s">%d</ResourceId>`, name, n) }
	enum := func(name, is string) string { return fmt.Sprintf(`<enum name="%s" string="%s">0</enum>`, name, is) }
	list := func(name string, of ...string) string {
		return `<array name="` + name + `">` + strings.Join(of, "") + `</array>`
	}
	group := func(name string, of ...string) string {
		return `<struct name="` + name + `">` + strings.Join(of, "") + `</struct>`
	}
	var chunks strings.Builder
	chunk := func(name string, of ...string) {
		fmt.Fprintf(&chunks, "<chunk id=\"1\" name=\"%s\">%s</chunk>\n", name, strings.Join(of, ""))
	}
	command := func(name string, of ...string) { chunk(name, append([]string{id("commandBuffer", 5)}, of...)...) }
	attribute := func(location, binding int, format string, offset int) string {
		return group("", number("location", location), number("binding", binding), enum("format", "VK_FORMAT_"+format), number("offset", offset))
	}
	rate := func(binding, stride int, per string) string {
		return group("", number("binding", binding), number("stride", stride), enum("inputRate", "VK_VERTEX_INPUT_RATE_"+per))
	}
	var vertices []any // 24 bytes each: two vertices that the base vertex skips, then four
	for i := range 6 {
		vertices = append(vertices, [3]float32{float32(i & 1), float32(i >> 1 & 1), float32(i) / 8}, [4]uint16{0x3800 + uint16(i), 0xb400, 0x0001, 0x3c00}, uint32(i*0x12345678))
	}
	memory := append(vertices, [6]int32{1, 2, 3, -4, 5, 600}, []uint16{9, 0, 1, 2, 2, 1, 3})
	chunk("vkCreateBuffer", group("CreateInfo", number("size", 256)), id("Buffer", 2))
	chunk("vkBindBufferMemory", id("buffer", 2), id("memory", 1), number("memoryOffset", 0))
	chunk("vkCreateShaderModule", group("CreateInfo", blob("pCode", must.Get(os.ReadFile("testdata/crowd.spv")))), id("ShaderModule", 3))
	chunk("vkCreateGraphicsPipelines", group("CreateInfo",
		list("pStages", group("", enum("stage", "VK_SHADER_STAGE_VERTEX_BIT"), id("module", 3), `<string name="pName">main</string>`,
			group("pSpecializationInfo", list("pMapEntries", group("", number("constantID", 5), number("offset", 0), number("size", 4))), blob("pData", float32(.1))))),
		group("pVertexInputState", list("pVertexBindingDescriptions", rate(0, 24, "VERTEX"), rate(1, 8, "INSTANCE")),
			list("pVertexAttributeDescriptions", attribute(0, 0, "R32G32B32_SFLOAT", 0), attribute(1, 0, "R16G16B16A16_SFLOAT", 12), attribute(3, 0, "A2B10G10R10_UNORM_PACK32", 20), attribute(4, 1, "R32G32_SINT", 0))),
		group("pInputAssemblyState", enum("topology", "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST")),
		group("pDepthStencilState", number("depthTestEnable", 1), number("depthWriteEnable", 1))), id("Pipeline", 4))
	chunk("Internal::Initial Contents", enum("type", "eResDeviceMemory"), id("id", 1), blob("Contents", memory...))
	chunk("Internal::Beginning of Capture")
	chunk("vkBeginCommandBuffer", id("CommandBuffer", 5))
	command("vkCmdBindPipeline", enum("pipelineBindPoint", "VK_PIPELINE_BIND_POINT_GRAPHICS"), id("pipeline", 4))
	command("vkCmdBindVertexBuffers", number("firstBinding", 0), list("pBuffers", id("", 2), id("", 2)), list("pOffsets", number("", 0), number("", 144)))
	command("vkCmdBindIndexBuffer", id("buffer", 2), number("offset", 168), enum("indexType", "VK_INDEX_TYPE_UINT16"))
	place := [16]float32{.1, 0, 0, 0, 0, -.2, 0, 0, 0, 0, .01, .1, 0, 0, .5, 1}
	command("vkCmdPushConstants", number("start", 0), number("length", 84), blob("values", place, [4]float32{.1, -.2, float32(math.Copysign(0, -1)), 1e-30}, int32(-3)))
	command("vkCmdDrawIndexed", number("indexCount", 6), number("instanceCount", 2), number("firstIndex", 1), number("vertexOffset", 2), number("firstInstance", 1))
	chunk("vkQueueSubmit", list("pSubmits", group("", list("pCommandBuffers", id("", 5)))))
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for i, data := range entries {
		must.Get(must.Get(z.Create(fmt.Sprintf("%06d", i))).Write(data))
	}
	require.NoError(t, z.Close())
	path := filepath.Join(t.TempDir(), "crowd.zip")
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
	text := "<?xml version=\"1.0\"?>\n<rdc><header><driver id=\"8\">Vulkan</driver></header><chunks version=\"21\">" + chunks.String() + "</chunks></rdc>"
	require.NoError(t, os.WriteFile(path+".xml", []byte(text), 0o600))
	return path + ".xml"
}

func TestInstancesWithFormatsOfTheirOwn(t *testing.T) {
	frame, err := capture.Readers().Attributes().Open(t.Context(), crowdFrame(t))
	require.NoError(t, err)
	require.Len(t, frame.Draws, 2, "%s", frame.Skipped)
	number := frame.Number(0)
	d, mesh := requireSame(t, frame, number)
	require.Len(t, mesh.Positions, 8, "four vertices per instance, whose steps differ")
	require.Equal(t, []string{
		"_LOCATION_1: R16G16B16A16_SFLOAT is written as R32G32B32A32_SFLOAT, since glTF lacks it",
		"_LOCATION_3: A2B10G10R10_UNORM_PACK32 is written as R32G32B32A32_SFLOAT, since glTF lacks it",
	}, d.Notes)
	values := string(d.Files[slices.IndexFunc(d.Files, func(f atomicfile.Named) bool { return f.Name == Uniforms })].Data)
	for _, line := range []string{"sway: [[0.1, -0.2],\n  [-0.0, 1e-30]]\n", "turns: -3\n", "  step: _LOCATION_4\n", "  5: 0.1\n", "  baseVertex: 2\n", "  instance: 1\n"} {
		require.Contains(t, values, line)
	}
	frame.Capture.Placings = make([]geometry.Placing, len(frame.Draws))
	for i := range frame.Draws {
		frame.Capture.Placings[i].How, frame.Draws[i].Transform = geometry.Hidden, mgl32.Mat4{15: 1}
	}
	requireSame(t, frame, number)
	frame.Shading.Draws[1].Program, frame.Shading.Draws[1].Why = -1, "its shader reads images"
	_, err = Take(frame, number)
	require.EqualError(t, err, fmt.Sprintf("draw %d: its shader reads images", number))
	frame.Shading.Draws[0].Program, frame.Shading.Draws[0].Why = -1, "it has none"
	_, err = Take(frame, number)
	require.EqualError(t, err, fmt.Sprintf("draw %d: it has none", number))
	_, err = Take(&geometry.Scene{}, 0)
	require.ErrorContains(t, err, "no vertex shaders")
}

func TestFoldersAreNotOverwritten(t *testing.T) {
	folder := t.TempDir()
	d := &Draw{Files: []atomicfile.Named{{Name: Mesh, Data: []byte("new")}}}
	require.NoError(t, d.Write(t.Context(), folder, false), "an empty folder")
	require.EqualError(t, d.Write(t.Context(), folder, false), folder+": not overwritten: it holds an extracted draw, which --force replaces")
	require.NoError(t, d.Write(t.Context(), folder, true))
	other := filepath.Join(folder, "mine.txt")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	require.EqualError(t, d.Write(t.Context(), folder, true), folder+": not overwritten: it is a folder that holds mine.txt")
	require.EqualError(t, Check(other, true), other+": cannot write: it is a file, not a folder")
	d.Files = append(d.Files, atomicfile.Named{Name: "none/a"})
	fresh := filepath.Join(t.TempDir(), "a")
	require.ErrorContains(t, d.Write(t.Context(), fresh, false), "cannot write")
	require.NoDirExists(t, fresh, "nothing half-written")
}

// TestSharedFrames extracts some draws of two real frames, and none of one that lacks its shaders.
func TestSharedFrames(t *testing.T) {
	for file, shaders := range map[string]bool{"oa": true, "stk_gl": true, "stk_vulkan_zengarden": false} {
		t.Run(file, func(t *testing.T) {
			frame := must.Get(capture.Readers().Attributes().Open(t.Context(), shareddata.Path(t, "captures", file+".geo.zip.xml.zst")))
			if !shaders {
				_, err := Take(frame, frame.Number(0))
				require.EqualError(t, err, "no draw can be extracted: 503 x vkCmdDrawIndexed: its shader is not in the capture")
				return
			}
			every := max(1, len(frame.Draws)/12)
			for i := 0; i < len(frame.Draws); i += every {
				if d, _ := requireSame(t, frame, frame.Number(i)); file == "oa" {
					require.Equal(t, Source, d.Files[3].Name)
				}
			}
		})
	}
}
