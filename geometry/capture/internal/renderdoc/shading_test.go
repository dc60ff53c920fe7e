package renderdoc

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Further resources of captures with shaders.
const (
	vkExtra = 200 + iota
	vkModule
	vkLayoutOfBones
	vkLayoutOfCamera
	vkPipelineLayout
	vkBones
	vkCamera
)

// Place in memory and size, in bytes, of the buffer that shaders read.
const vkExtraAt, vkExtraBytes = 2400, 4096

func gameShader(t testing.TB) []byte {
	return must.Get(os.ReadFile("testdata/game.spv"))
}

func attributeDescription(location, binding int, format string, offset int) string {
	return group("", number("location", location), number("binding", binding), enum("format", "VK_FORMAT_"+format), number("offset", offset))
}

func bufferDescriptor(kind string, offset, size int) string {
	return group("", enum("type", kind), resource("resource", vkExtra), number("offset", offset), number("range", size))
}

// newGame returns a capture with testdata/game.vert: corners in binding 0, and in the extra
// buffer texture coordinates and joints from byte 0 (12 bytes per vertex), origins from byte 1200
// (16 bytes per instance), bones from byte 1600, and cameras from byte 2048, 256 bytes each.
func newGame(t testing.TB) *made { return newGameOf(gameShader(t)) }

// newGameOf returns newGame's capture with another vertex shader.
func newGameOf(code []byte) *made {
	m := newMade("Vulkan")
	memory := make([]byte, vkExtraAt+vkExtraBytes)
	data, _ := corners(100)
	copy(memory, data)
	copy(memory[vkIndicesAt:], bytesOf[uint16](0, 1, 2, 3, 4, 5))
	for i := range (vkExtraBytes) / 4 {
		binary.LittleEndian.PutUint32(memory[vkExtraAt+4*i:], uint32(1000+i))
	}
	m.buffers([3]int{vkVertices, 0, 1200}, [3]int{vkIndices, vkIndicesAt, 400}, [3]int{vkExtra, vkExtraAt, vkExtraBytes})
	m.chunk("vkCreateShaderModule", group("CreateInfo", m.blob("pCode", code)), resource("ShaderModule", vkModule))
	for _, l := range [][]any{{vkLayoutOfBones, 0, "STORAGE_BUFFER"}, {vkLayoutOfCamera, 2, "UNIFORM_BUFFER_DYNAMIC"}} {
		m.chunk("vkCreateDescriptorSetLayout", group("CreateInfo", array("pBindings",
			group("", number("binding", 9), enum("descriptorType", "VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER"), number("descriptorCount", 1)),
			group("", number("binding", l[1]), enum("descriptorType", "VK_DESCRIPTOR_TYPE_"+l[2].(string)), number("descriptorCount", 1)))), resource("SetLayout", l[0].(int)))
		m.chunk("vkAllocateDescriptorSets", group("AllocateInfo", array("pSetLayouts", resource("", l[0].(int)))), resource("DescriptorSet", l[0].(int)+vkBones-vkLayoutOfBones))
	}
	m.chunk("vkCreatePipelineLayout", group("CreateInfo", array("pSetLayouts", resource("", vkLayoutOfBones), resource("", vkLayoutOfCamera))), resource("PipelineLayout", vkPipelineLayout))
	m.gamePipeline(vkPipeline, 3)
	m.chunk("Internal::Initial Contents", enum("type", "eResDeviceMemory"), resource("id", vkMemory), m.blob("Contents", memory))
	image := group("", enum("type", "VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER"), resource("resource", 1))
	m.chunk("Internal::Initial Contents", enum("type", "eResDescriptorSet"), resource("id", vkBones), array("Bindings", bufferDescriptor("VK_DESCRIPTOR_TYPE_STORAGE_BUFFER", 1600, 64), image))
	m.chunk("Internal::Initial Contents", enum("type", "eResDescriptorSet"), resource("id", vkCamera), array("Bindings", bufferDescriptor("VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC", 2048, 128), image))
	m.begin()
	m.chunk("vkBeginCommandBuffer", resource("CommandBuffer", vkCommands))
	m.cmd(vkCommands, "vkCmdBindPipeline", enum("pipelineBindPoint", "VK_PIPELINE_BIND_POINT_GRAPHICS"), resource("pipeline", vkPipeline))
	m.cmd(vkCommands, "vkCmdBindVertexBuffers", number("firstBinding", 0), array("pBuffers", resource("", vkVertices), resource("", vkExtra), resource("", vkExtra)),
		array("pOffsets", number("", 0), number("", 0), number("", 1200)))
	m.cmd(vkCommands, "vkCmdBindIndexBuffer", resource("buffer", vkIndices), number("offset", 0), enum("indexType", "VK_INDEX_TYPE_UINT16"))
	m.bindCamera(0)
	return m
}

// gamePipeline adds a pipeline of newGame's shader with a specialization constant.
func (m *made) gamePipeline(id int, constant float32) {
	m.chunk("vkCreateGraphicsPipelines", group("CreateInfo",
		array("pStages", group("", enum("stage", "VK_SHADER_STAGE_VERTEX_BIT"), resource("module", vkModule), text("pName", "main"),
			group("pSpecializationInfo", array("pMapEntries", group("", number("constantID", 7), number("offset", 4), number("size", 4))), m.blob("pData", bytesOf(0, constant))))),
		group("pVertexInputState", gameInput(0)),
		group("pInputAssemblyState", enum("topology", "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST"), number("primitiveRestartEnable", 0)),
		group("pViewportState", array("pViewports", group("", number("x", 0), number("y", 60), number("width", 80), element("float", "height", "", "-60"), number("minDepth", 0), number("maxDepth", 1)))),
		group("pRasterizationState", enum("cullMode", "VK_CULL_MODE_BACK_BIT"), enum("frontFace", "VK_FRONT_FACE_COUNTER_CLOCKWISE")),
		group("pDepthStencilState", number("depthTestEnable", 1), number("depthWriteEnable", 1)),
	), resource("Pipeline", id))
}

// gameInput is the vertex input of newGame's shader, with an offset of location 1.
func gameInput(offset int) string {
	return array("pVertexBindingDescriptions",
		group("", number("binding", 0), number("stride", 12), enum("inputRate", "VK_VERTEX_INPUT_RATE_VERTEX")),
		group("", number("binding", 1), number("stride", 12), enum("inputRate", "VK_VERTEX_INPUT_RATE_VERTEX")),
		group("", number("binding", 2), number("stride", 16), enum("inputRate", "VK_VERTEX_INPUT_RATE_INSTANCE"))) +
		array("pVertexAttributeDescriptions", attributeDescription(0, 0, "R32G32B32_SFLOAT", 0), attributeDescription(1, 1, "R32G32_SFLOAT", offset),
			attributeDescription(4, 1, "R8G8B8A8_UINT", 8), attributeDescription(5, 2, "R32G32B32A32_SFLOAT", 0), attributeDescription(6, 1, "R8_UNORM", 0))
}

// bindCamera binds the bones and the camera; the last dynamic offset is the camera's.
func (m *made) bindCamera(offsets ...int) {
	list := names.Of(offsets, func(offset int) string { return number("", offset) })
	m.cmd(vkCommands, "vkCmdBindDescriptorSets", enum("pipelineBindPoint", "VK_PIPELINE_BIND_POINT_GRAPHICS"), resource("layout", vkPipelineLayout), number("firstSet", 0),
		array("pDescriptorSets", resource("", vkBones), resource("", vkCamera)), array("pDynamicOffsets", list...))
}

func (m *made) push(at int, values ...float32) {
	data := bytesOf(values...)
	m.cmd(vkCommands, "vkCmdPushConstants", number("start", at), number("length", len(data)), m.blob("values", data))
}

func (m *made) drawFrom(first, instances, offset, firstInstance int) {
	m.cmd(vkCommands, "vkCmdDrawIndexed", number("indexCount", 3), number("instanceCount", instances), number("firstIndex", first),
		number("vertexOffset", offset), number("firstInstance", firstInstance))
}

// extra returns bytes of the extra buffer as newGame filled it.
func extra(at, n int) (data []byte) {
	for i := range n / 4 {
		data = binary.LittleEndian.AppendUint32(data, uint32(1000+at/4+i))
	}
	return data
}

func TestVulkanShaders(t *testing.T) {
	m := newGame(t)
	m.push(0, 1, 2)
	m.drawFrom(0, 2, 10, 3)
	m.push(4, 5)
	m.bindCamera(256)
	m.drawFrom(3, 1, 10, 0)
	m.chunk("vkUpdateDescriptorSets", array("pDescriptorWrites", group("", resource("dstSet", vkBones), number("dstBinding", 0), number("dstArrayElement", 0),
		enum("descriptorType", "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER"), array("pBufferInfo", group("", resource("buffer", vkExtra), number("offset", 3200), number("range", 32))))))
	m.drawFrom(0, 1, 10, 3)
	m.submit(vkCommands)
	f := m.shaded(t, nil)
	require.Empty(t, f.Skipped)
	s := f.Shading
	require.Len(t, s.Programs, 1)
	require.Equal(t, map[uint32]uint32{7: 0x40400000}, s.Programs[0].Vertex.Given)
	for i, want := range []module.Block{{Kind: module.UniformBlock, Set: 1, Binding: 2}, {Kind: module.StorageBlock}, {Kind: module.PushConstants}} {
		b := s.Programs[0].Vertex.Blocks[i]
		require.Equal(t, want, module.Block{Kind: b.Kind, Set: b.Set, Binding: b.Binding})
	}
	require.Len(t, s.Draws, 4)
	value := func(draw, block int) []byte { return s.Values[s.Draws[draw].Values[block]] }
	for draw, want := range [][3][]byte{
		{extra(2048, 96), extra(1600, 64), bytesOf[float32](1, 2)}, {extra(2048, 96), extra(1600, 64), bytesOf[float32](1, 2)},
		{extra(2304, 96), extra(1600, 64), bytesOf[float32](1, 5)}, {extra(2304, 96), extra(3200, 32), bytesOf[float32](1, 5)},
	} {
		for block := range want {
			require.Equal(t, want[block], value(draw, block), "draw %d block %d", draw, block)
		}
		require.Equal(t, []int32{10, 10, 13, 10}[draw], s.Draws[draw].BaseVertex)
		require.Equal(t, []int32{3, 4, 0, 3}[draw], s.Draws[draw].Instance)
		require.Equal(t, mgl32.Ident4(), s.Draws[draw].Clip)
	}
	require.Equal(t, s.Draws[0].Values, s.Draws[1].Values)
	checkGame(t, f)
	require.Equal(t, replay.Target{Window: replay.Window{1, 0, -1, 0, 1, 0}, DepthWrites: true, Culls: "cw"}, f.Targets[0])
	require.Equal(t, []float64{80. / 60}, f.Aspects)
}

// checkGame compares the attributes of every draw with the extra buffer.
func checkGame(t *testing.T, f *Frame) {
	for _, in := range f.Shading.Programs[0].Inputs {
		a := f.Attributes[in.Attribute]
		element := func(i int) []byte { return a.Data[i*a.Format.Size():][:a.Format.Size()] }
		require.Equal(t, in.Location == 5, a.PerDraw)
		for i, d := range f.Draws {
			if a.PerDraw {
				require.Equal(t, extra(1200+16*int(f.Shading.Draws[i].Instance), 16), element(i))
				continue
			}
			for id := range d.VertexCount {
				v := int(id) + int(f.Shading.Draws[i].BaseVertex)
				want := map[uint32][]byte{0: bytesOf(f.Positions[d.VertexOffset+id][:]...), 1: extra(12*v, 8), 4: extra(12*v+8, 4)}[in.Location]
				require.Equal(t, want, element(int(d.VertexOffset+id)), "draw %d vertex %d location %d", i, v, in.Location)
			}
		}
	}
}

// TestPushedSets pushes descriptors into the command buffer.
func TestPushedSets(t *testing.T) {
	m := newGame(t)
	for _, offset := range []int{2304, 2560} {
		m.cmd(vkCommands, "vkCmdPushDescriptorSetKHR", resource("layout", vkPipelineLayout), number("set", 0), array("pDescriptorWrites",
			group("", number("dstBinding", 0), number("dstArrayElement", 0), enum("descriptorType", "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER"),
				array("pBufferInfo", group("", resource("buffer", vkExtra), number("offset", offset), number("range", 16))))))
		m.drawFrom(0, 1, 0, 0)
	}
	m.submit(vkCommands)
	s := m.shaded(t, nil).Shading
	require.Equal(t, extra(2304, 16), s.Values[s.Draws[0].Values[1]])
	require.Equal(t, extra(2560, 16), s.Values[s.Draws[1].Values[1]])
}

// TestEqualShaders: pipelines with equal shaders and specialization constants share one program.
func TestEqualShaders(t *testing.T) {
	m := newGame(t)
	m.drawFrom(0, 1, 10, 0)
	for id, constant := range []float32{3, 4, 3} {
		m.gamePipeline(400+id, constant)
		m.cmd(vkCommands, "vkCmdBindPipeline", enum("pipelineBindPoint", "VK_PIPELINE_BIND_POINT_GRAPHICS"), resource("pipeline", 400+id))
		m.drawFrom(0, 1, 10, 0)
	}
	m.submit(vkCommands)
	s := m.shaded(t, nil).Shading
	require.Len(t, s.Draws, 4)
	require.Len(t, s.Programs, 2)
	for draw, program := range []int{0, 0, 1, 0} {
		require.Equal(t, program, s.Draws[draw].Program)
	}
}

// TestDynamicOffsetsOfArrays: an array of dynamic buffers takes one offset per element, and
// the next set takes the offsets after those.
func TestDynamicOffsetsOfArrays(t *testing.T) {
	m := newGame(t)
	m.chunk("vkCreateDescriptorSetLayout", group("CreateInfo", array("pBindings",
		group("", number("binding", 0), enum("descriptorType", "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC"), number("descriptorCount", 2)))), resource("SetLayout", 300))
	m.chunk("vkAllocateDescriptorSets", group("AllocateInfo", array("pSetLayouts", resource("", 300))), resource("DescriptorSet", vkBones))
	m.chunk("vkUpdateDescriptorSets", array("pDescriptorWrites", group("", resource("dstSet", vkBones), number("dstBinding", 0), number("dstArrayElement", 0),
		enum("descriptorType", "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC"), array("pBufferInfo", group("", resource("buffer", vkExtra), number("offset", 1600), number("range", 64))))))
	m.bindCamera(16, 512, 256)
	m.drawFrom(0, 1, 0, 0)
	m.submit(vkCommands)
	s := m.shaded(t, nil).Shading
	require.Equal(t, extra(1616, 64), s.Values[s.Draws[0].Values[1]])
	require.Equal(t, extra(2048+256, 96), s.Values[s.Draws[0].Values[0]])
}

// TestDynamicOffsetsOfElements: each element of an array of dynamic buffers has an offset of its own.
func TestDynamicOffsetsOfElements(t *testing.T) {
	set := newSet(&setLayout{bindings: []layoutBinding{{binding: 2, count: 2, first: 4, dynamics: 1}}})
	set.buffers[4], set.buffers[5] = []dated[extent]{{value: extent{7, 100, 200}}}, []dated[extent]{{value: extent{8, 300, 400}}}
	values := vulkanValues{sets: []boundSet{{set, []int64{1000, 10, 20}}}}
	for element, want := range []extent{{7, 110, 210}, {8, 320, 420}} {
		require.Equal(t, want, values.block(&module.Block{Binding: 2, Element: uint32(element)}, "", 0))
	}
}

// TestPipelinesReadOtherwise: from the same buffers, each pipeline and each vertex input that is set reads what it describes.
func TestPipelinesReadOtherwise(t *testing.T) {
	m := newGame(t)
	m.drawFrom(0, 1, 10, 0)
	still := group("pDepthStencilState", number("depthTestEnable", 1), number("depthWriteEnable", 1))
	bind := func(id int, from, to string) {
		before := m.chunks
		m.gamePipeline(id, 3)
		m.chunks = before + strings.Replace(m.chunks[len(before):], from, to, 1)
		m.cmd(vkCommands, "vkCmdBindPipeline", enum("pipelineBindPoint", "VK_PIPELINE_BIND_POINT_GRAPHICS"), resource("pipeline", id))
	}
	bind(400, gameInput(0), gameInput(4))
	m.drawFrom(0, 1, 10, 0)
	bind(401, still, still+group("pDynamicState", array("pDynamicStates", enum("", "VK_DYNAMIC_STATE_VERTEX_INPUT_EXT"))))
	for _, offset := range []int{8, 12} {
		m.cmd(vkCommands, "vkCmdSetVertexInputEXT", gameInput(offset))
		m.drawFrom(0, 1, 10, 0)
	}
	m.submit(vkCommands)
	f := m.shaded(t, nil)
	require.Len(t, f.Draws, 4)
	for i, d := range f.Draws {
		for _, in := range f.Shading.Programs[f.Shading.Draws[i].Program].Inputs {
			if in.Location == 1 {
				require.Equal(t, extra(12*10+4*i, 8), f.Attributes[in.Attribute].Element(int(d.VertexOffset)))
			}
		}
	}
}
