package renderdoc

import (
	"fmt"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// Vulkan resources of the tests' captures.
const (
	vkMemory = 100 + iota
	vkVertices
	vkIndices
	vkStaging
	vkPipeline
	vkCommands
	vkSecondary
)

// Positions of the buffers in the memory, and the memory's size, in bytes.
const vkIndicesAt, vkStagingAt, vkBytes = 1600, 2000, 2400

// newVK returns a capture with 100 corners in a buffer from byte 64 of the memory on, the given
// indices in a second buffer, and the bytes staging in a third.
func newVK(indices, staging []byte) *made {
	m := newMade("Vulkan")
	memory := make([]byte, vkBytes)
	data, _ := corners(100)
	copy(memory[64:], data)
	copy(memory[vkIndicesAt:], indices)
	copy(memory[vkStagingAt:], staging)
	m.buffers([3]int{vkVertices, 64, 1200}, [3]int{vkIndices, vkIndicesAt, 400}, [3]int{vkStaging, vkStagingAt, 400})
	m.pipeline(vkPipeline, "TRIANGLE_LIST", 0, "R32G32B32_SFLOAT")
	m.chunk("Internal::Initial Contents", enum("type", "eResDeviceMemory"), resource("id", vkMemory), m.blob("Contents", memory))
	return m
}

// buffers adds buffers, each given by its number, place in the memory and size.
func (m *made) buffers(list ...[3]int) {
	for _, b := range list {
		m.chunk("vkCreateBuffer", group("CreateInfo", number("size", b[2])), resource("Buffer", b[0]))
		m.chunk("vkBindBufferMemory", resource("buffer", b[0]), resource("memory", vkMemory), number("memoryOffset", b[1]))
	}
}

func (m *made) pipeline(id int, topology string, restart int, format string, more ...string) {
	m.chunk("vkCreateGraphicsPipelines", group("CreateInfo", append([]string{
		group("pVertexInputState",
			array("pVertexBindingDescriptions", group("", number("binding", 3), number("stride", 12), enum("inputRate", "VK_VERTEX_INPUT_RATE_VERTEX"))),
			array("pVertexAttributeDescriptions",
				group("", number("location", 1), number("binding", 0), enum("format", "VK_FORMAT_R32G32_SFLOAT"), number("offset", 0)),
				group("", number("location", 0), number("binding", 3), enum("format", "VK_FORMAT_"+format), number("offset", 0)))),
		group("pInputAssemblyState", enum("topology", "VK_PRIMITIVE_TOPOLOGY_"+topology), number("primitiveRestartEnable", restart)),
	}, more...)...), resource("Pipeline", id))
}

// record begins a command buffer and binds the pipeline, vertices and indices.
func (m *made) record(commands int, indexType string) {
	m.chunk("vkBeginCommandBuffer", resource("CommandBuffer", commands))
	m.cmd(commands, "vkCmdBindPipeline", enum("pipelineBindPoint", "VK_PIPELINE_BIND_POINT_GRAPHICS"), resource("pipeline", vkPipeline))
	m.cmd(commands, "vkCmdBindVertexBuffers", number("firstBinding", 2), number("bindingCount", 2),
		array("pBuffers", resource("", 0), resource("", vkVertices)), array("pOffsets", number("", 0), number("", 24)))
	m.cmd(commands, "vkCmdBindIndexBuffer", resource("buffer", vkIndices), number("offset", 4), enum("indexType", "VK_INDEX_TYPE_"+indexType))
}

func (m *made) cmd(commands int, name string, parts ...string) {
	m.chunk(name, append([]string{resource("commandBuffer", commands)}, parts...)...)
}

func (m *made) drawIndexed(commands, count, instances, first, offset int) {
	m.cmd(commands, "vkCmdDrawIndexed", number("indexCount", count), number("instanceCount", instances), number("firstIndex", first),
		element("int", "vertexOffset", "", fmt.Sprint(offset)), number("firstInstance", 0))
}

func (m *made) submit(commands ...int) {
	list := names.Of(commands, func(c int) string { return resource("", c) })
	m.chunk("vkQueueSubmit", array("pSubmits", group("", array("pCommandBuffers", list...))))
}

func TestVulkanDraws(t *testing.T) {
	for width, data := range map[string][]byte{
		"UINT16":    append([]byte{9, 9, 9, 9}, bytesOf[uint16](9, 5, 6, 7, 7, 6, 50)...),
		"UINT32":    append([]byte{9, 9, 9, 9}, bytesOf[uint32](9, 5, 6, 7, 7, 6, 50)...),
		"UINT8_EXT": append([]byte{9, 9, 9, 9}, bytesOf[uint8](9, 5, 6, 7, 7, 6, 50)...),
	} {
		m := newVK(data, nil)
		m.begin()
		m.record(vkCommands, width)
		m.drawIndexed(vkCommands, 6, 1, 1, 0)
		m.drawIndexed(vkCommands, 3, 3, 1, 10)
		m.drawIndexed(vkCommands, 3, 1, 1, -5)
		m.drawIndexed(vkCommands, 3, 1, 1, -6)
		m.drawIndexed(vkCommands, 3, 1, 500, 0)
		m.cmd(vkCommands, "vkCmdDraw", number("vertexCount", 4), number("instanceCount", 1), number("firstVertex", 20), number("firstInstance", 0))
		m.submit(vkCommands)
		s := m.scene(t)
		// Vertex buffers are bound at an offset of 24 bytes, two corners.
		require.Equal(t, [][]int{{7, 8, 9, 9, 8, 52}, {17, 18, 19}, {17, 18, 19}, {17, 18, 19}, {2, 3, 4}, {22, 23, 24}}, allIDs(s), width)
		require.Equal(t, []string{"1 x vkCmdDrawIndexed: its indices are not in the capture", "1 x vkCmdDrawIndexed: its vertices are not in the capture"}, s.Skipped)
		require.Equal(t, "no pass / event 5 vkCmdDrawIndexed (pipeline 104)", s.Draws[0].Name)
	}
}

func TestVulkanTopologies(t *testing.T) {
	data := append([]byte{9, 9, 9, 9}, bytesOf[uint16](0, 1, 2, 3, 0xffff, 5, 6, 7, 8)...)
	for _, c := range []struct {
		topology string
		restart  int
		count    int
		want     []int
	}{
		{"TRIANGLE_STRIP", 0, 4, []int{2, 3, 4, 4, 3, 5}},
		{"TRIANGLE_STRIP", 1, 9, []int{2, 3, 4, 4, 3, 5, 7, 8, 9, 9, 8, 10}},
		{"TRIANGLE_FAN", 1, 9, []int{2, 3, 4, 2, 4, 5, 7, 8, 9, 7, 9, 10}},
		{"TRIANGLE_LIST", 1, 9, []int{2, 3, 4, 7, 8, 9}},
	} {
		m := newVK(data, nil)
		m.pipeline(vkPipeline, c.topology, c.restart, "R32G32B32_SFLOAT")
		m.begin()
		m.record(vkCommands, "UINT16")
		m.drawIndexed(vkCommands, c.count, 1, 0, 0)
		m.submit(vkCommands)
		require.Equal(t, c.want, ids(m.scene(t), 0), "%v", c)
	}
	// The same state, set while recording.
	m := newVK(data, nil)
	m.pipeline(vkPipeline, "TRIANGLE_LIST", 0, "R32G32B32_SFLOAT", group("pDynamicState", array("pDynamicStates",
		enum("", "VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY"), enum("", "VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE"),
		enum("", "VK_DYNAMIC_STATE_VERTEX_INPUT_EXT"))))
	m.begin()
	m.record(vkCommands, "UINT16")
	m.cmd(vkCommands, "vkCmdSetPrimitiveTopologyEXT", enum("primitiveTopology", "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP"))
	m.cmd(vkCommands, "vkCmdSetPrimitiveRestartEnable", number("primitiveRestartEnable", 1))
	m.cmd(vkCommands, "vkCmdSetVertexInputEXT",
		array("pVertexBindingDescriptions", group("", number("binding", 3), number("stride", 24), enum("inputRate", "VK_VERTEX_INPUT_RATE_VERTEX"))),
		array("pVertexAttributeDescriptions", group("", number("location", 0), number("binding", 3), enum("format", "VK_FORMAT_R32G32B32_SFLOAT"), number("offset", 12))))
	m.drawIndexed(vkCommands, 9, 1, 0, 0)
	m.submit(vkCommands)
	require.Equal(t, []int{3, 5, 7, 7, 5, 9, 13, 15, 17, 17, 15, 19}, ids(m.scene(t), 0))
}

// TestVulkanStrides: of a vertex input and a binding with strides, the later call sets the strides.
func TestVulkanStrides(t *testing.T) {
	for _, stride := range []string{"VERTEX_INPUT_EXT", "VERTEX_INPUT_BINDING_STRIDE"} {
		m := newVK(append([]byte{9, 9, 9, 9}, bytesOf[uint16](0, 1, 2)...), nil)
		m.pipeline(vkPipeline, "TRIANGLE_LIST", 0, "R32G32B32_SFLOAT", group("pDynamicState", array("pDynamicStates",
			enum("", "VK_DYNAMIC_STATE_VERTEX_INPUT_EXT"), enum("", "VK_DYNAMIC_STATE_"+stride))))
		m.begin()
		m.record(vkCommands, "UINT16")
		input := func(wide int) {
			m.cmd(vkCommands, "vkCmdSetVertexInputEXT",
				array("pVertexBindingDescriptions", group("", number("binding", 3), number("stride", wide), enum("inputRate", "VK_VERTEX_INPUT_RATE_VERTEX"))),
				array("pVertexAttributeDescriptions", group("", number("location", 0), number("binding", 3), enum("format", "VK_FORMAT_R32G32B32_SFLOAT"), number("offset", 0))))
			m.drawIndexed(vkCommands, 3, 1, 0, 0)
		}
		bind := func(wide int) {
			m.cmd(vkCommands, "vkCmdBindVertexBuffers2", number("firstBinding", 3), array("pBuffers", resource("", vkVertices)), array("pOffsets", number("", 0)), array("pStrides", number("", wide)))
			m.drawIndexed(vkCommands, 3, 1, 0, 0)
		}
		input(12)
		bind(24)
		input(36)
		bind(12)
		m.submit(vkCommands)
		require.Equal(t, [][]int{{2, 3, 4}, {0, 2, 4}, {0, 3, 6}, {0, 1, 2}}, allIDs(m.scene(t)), stride)
	}
}

// TestVulkanOrder records first and submits later: memory must be read as it is when the commands
// execute.
func TestVulkanOrder(t *testing.T) {
	staging := bytesOf[float32](70, 71, 72, 80, 81, 82)
	m := newVK(append([]byte{9, 9, 9, 9}, bytesOf[uint16](0, 1, 2)...), staging)
	m.chunk("vkSetDebugUtilsObjectNameEXT", resource("Object", 500), text("ObjectName", "shadows"))
	m.chunk("vkSetDebugUtilsObjectNameEXT", resource("Object", vkPipeline), text("ObjectName", "rocks")) // programs name objects after they make them
	m.begin()
	m.record(vkSecondary, "UINT16")
	m.drawIndexed(vkSecondary, 3, 1, 0, 1)
	m.record(vkCommands, "UINT16")
	m.cmd(vkCommands, "vkCmdBeginRenderPass", group("RenderPassBegin", resource("renderPass", 500), resource("framebuffer", 501)))
	m.cmd(vkCommands, "vkCmdBeginDebugUtilsLabelEXT", group("Label", text("pLabelName", "far")))
	m.drawIndexed(vkCommands, 3, 1, 0, 0)
	m.cmd(vkCommands, "vkCmdEndDebugUtilsLabelEXT")
	m.cmd(vkCommands, "vkCmdCopyBuffer", resource("srcBuffer", vkStaging), resource("destBuffer", vkVertices),
		array("pRegions", group("", number("srcOffset", 12), number("dstOffset", 24), number("size", 12)), group("", number("srcOffset", 390), number("dstOffset", 24), number("size", 12))))
	m.drawIndexed(vkCommands, 3, 1, 0, 0)
	m.cmd(vkCommands, "vkCmdFillBuffer", resource("destBuffer", vkVertices), number("destOffset", 36), number("fillSize", 12), number("data", 0x41000000))
	m.cmd(vkCommands, "vkCmdUpdateBuffer", resource("destBuffer", vkVertices), number("destOffset", 48), number("dataSize", 4), m.blob("Data", bytesOf[float32](33)))
	m.drawIndexed(vkCommands, 3, 1, 0, 0)
	m.cmd(vkCommands, "vkCmdExecuteCommands", number("commandBufferCount", 1), array("pCommandBuffers", resource("", vkSecondary)))
	m.chunk("Internal::Coherent Mapped Memory Write", group("MemRange", resource("memory", vkMemory), number("offset", 64+24), number("size", 12)), m.blob("MapData", bytesOf[float32](60, 61, 62)))
	m.submit(vkCommands)
	m.chunk("vkUnmapMemory", resource("memory", vkMemory), number("MapOffset", 64+24), number("MapSize", 4), m.blob("MapData", bytesOf[float32](90)))
	m.submit(vkSecondary)
	m.record(vkCommands, "UINT16")
	m.drawIndexed(vkCommands, 3, 1, 0, 0) // recorded, never submitted
	s := m.scene(t)
	require.Equal(t, [][]int{{60, 3, 4}, {80, 3, 4}, {80, 8, 33}, {8, 33, 5}, {8, 33, 5}}, allIDs(s))
	require.Equal(t, "pass 1 shadows / far / event 12 vkCmdDrawIndexed (rocks)", s.Draws[0].Name)
	require.Equal(t, []string{"1 x vkCmdCopyBuffer: outside its buffers", "1 x vkCmdDrawIndexed: recorded, and not submitted"}, s.Skipped)
}

// TestVulkanLater uses the newer forms of calls.
func TestVulkanLater(t *testing.T) {
	m := newVK(append([]byte{9, 9, 9, 9}, bytesOf[uint16](0, 1, 2, 3, 4, 5)...), bytesOf[float32](70, 71, 72))
	m.chunk("vkCreateBuffer", group("CreateInfo", number("size", 120)), resource("Buffer", 300))
	m.chunk("vkBindBufferMemory2KHR", array("pBindInfos", group("", resource("buffer", 300), resource("memory", vkMemory), number("memoryOffset", 64))))
	m.pipeline(vkPipeline, "TRIANGLE_LIST", 0, "R32G32B32_SFLOAT", group("pDynamicState", array("pDynamicStates", enum("", "VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE"))))
	m.begin()
	m.record(vkCommands, "UINT16")
	m.cmd(vkCommands, "vkCmdBeginRendering", group("RenderingInfo"))
	m.cmd(vkCommands, "vkCmdBindVertexBuffers2", number("firstBinding", 3), array("pBuffers", resource("", 300)), array("pOffsets", number("", 12)),
		array("pSizes", number("", 84)), array("pStrides", number("", 24)))
	m.cmd(vkCommands, "vkCmdBindIndexBuffer2KHR", resource("buffer", vkIndices), number("offset", 4), number("size", 10), enum("indexType", "VK_INDEX_TYPE_UINT16"))
	m.drawIndexed(vkCommands, 3, 1, 0, 0) // reads vertices 0 to 2 of the 84 bytes that are bound
	m.drawIndexed(vkCommands, 3, 1, 0, 1)
	m.drawIndexed(vkCommands, 3, 1, 0, 2) // reads one vertex too many
	m.drawIndexed(vkCommands, 3, 1, 3, 0) // reads one index too many
	m.cmd(vkCommands, "vkCmdCopyBuffer2", group("CopyInfo", resource("srcBuffer", vkStaging), resource("dstBuffer", 300),
		array("pRegions", group("", number("srcOffset", 0), number("dstOffset", 12), number("size", 12)))))
	m.drawIndexed(vkCommands, 3, 1, 0, 0)
	m.chunk("Internal::Coherent Mapped Memory Write", group("MemRange", resource("memory", vkMemory)), m.blob("MapData", bytesOf[float32](90)))
	m.chunk("vkQueueSubmit2", array("pSubmits", group("", array("pCommandBufferInfos", group("", resource("commandBuffer", vkCommands))))))
	s := m.scene(t)
	require.Equal(t, [][]int{{1, 3, 5}, {3, 5, 7}, {70, 3, 5}}, allIDs(s))
	require.Equal(t, []string{"1 x Internal::Coherent Mapped Memory Write: without memory, offset or bytes", "1 x vkCmdDrawIndexed: its indices are not in the capture", "1 x vkCmdDrawIndexed: its vertices are not in the capture"}, s.Skipped)
	require.Equal(t, "pass 1 / event 8 vkCmdDrawIndexed (pipeline 104)", s.Draws[0].Name)
}

func TestVulkanIndirect(t *testing.T) {
	staging := bytesOf[uint32](2, 3, 2, 1, 5, 0, 99, 3, 1, 0, 10, 0, 99, 6, 1, 30, 0)
	m := newVK(append([]byte{9, 9, 9, 9}, bytesOf[uint16](0, 1, 2, 3)...), staging)
	m.chunk("vkCmdDrawMultiEXT") // before the frame, and so not counted
	m.begin()
	m.record(vkCommands, "UINT16")
	m.cmd(vkCommands, "vkCmdDrawIndexedIndirect", resource("buffer", vkStaging), number("offset", 4), number("count", 2), number("stride", 24))
	m.cmd(vkCommands, "vkCmdDrawIndexedIndirectCountKHR", resource("buffer", vkStaging), number("offset", 4), resource("countBuffer", vkStaging), number("countBufferOffset", 12), number("maxDrawCount", 2), number("stride", 24))
	m.cmd(vkCommands, "vkCmdDrawIndirect", resource("buffer", vkStaging), number("offset", 52), number("drawCount", 1), number("stride", 0))
	m.cmd(vkCommands, "vkCmdDrawIndirect", resource("buffer", vkStaging), number("offset", 52), number("drawCount", 1000), number("stride", 16))
	m.cmd(vkCommands, "vkCmdDrawMultiEXT")
	m.submit(vkCommands)
	s := m.scene(t)
	require.Equal(t, [][]int{{8, 9, 10}, {8, 9, 10}, {12, 13, 14}, {8, 9, 10}, {8, 9, 10}, {32, 33, 34, 35, 36, 37}}, allIDs(s))
	require.Equal(t, []string{"1 x vkCmdDrawIndirect: its arguments are not in the capture", "1 x vkCmdDrawMultiEXT: unknown kind of draw"}, s.Skipped)
}

func TestVulkanFormats(t *testing.T) {
	for format, c := range map[string]struct {
		data []byte
		want mgl32.Vec3
	}{
		"R32G32B32A32_SFLOAT": {bytesOf[float32](1, 2, 3, 4), mgl32.Vec3{1, 2, 3}},
		"R16G16B16A16_SFLOAT": {bytesOf[uint16](0x3c00, 0xbc00, 0x4000, 0), mgl32.Vec3{1, -1, 2}},
		"R16G16B16_SNORM":     {bytesOf[int16](32767, -32767, 0), mgl32.Vec3{1, -1, 0}},
		"R16G16B16A16_UINT":   {bytesOf[uint16](1, 65535, 3, 4), mgl32.Vec3{1, 65535, 3}},
		"R8G8B8A8_SINT":       {bytesOf[int8](1, -1, 3, 4), mgl32.Vec3{1, -1, 3}},
		"R64G64B64_SFLOAT":    {bytesOf(1.0, 2, 3), mgl32.Vec3{1, 2, 3}},
	} {
		p := vulkanComponents("VK_FORMAT_" + format)
		require.Empty(t, attempt(func() { p.fit(format) }), format)
		require.LessOrEqual(t, int64(3*p.bytes), p.size())
		require.Equal(t, c.want, p.position(c.data), format)
	}
	for format, why := range map[string]string{
		"VK_FORMAT_R32G32_SFLOAT": "2D positions", "VK_FORMAT_R32_SFLOAT": "positions of one component",
		"VK_FORMAT_A2B10G10R10_SNORM_PACK32": "positions of format x", "VK_FORMAT_B8G8R8A8_UNORM": "positions of format x",
		"VK_FORMAT_R8G8B8A8_UNORM": "no positions, only colours (x)", "VK_FORMAT_UNDEFINED": "positions of format x", "": "positions of format x",
		"VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16": "positions of format x", "VK_FORMAT_R99999999999999999999G1B1_SINT": "positions of format x",
		"VK_FORMAT_R24G24B24_UNORM": "positions of format x", "VK_FORMAT_R8G8B8_SRGB": "positions of format x", "VK_FORMAT_R64G64B64_SINT": "positions of format x",
	} {
		require.Equal(t, why, attempt(func() { vulkanComponents(format).fit("x") }), format)
	}
}

func TestVulkanSkips(t *testing.T) {
	for why, prepare := range map[string]func(m *made){
		"no triangles (VK_PRIMITIVE_TOPOLOGY_PATCH_LIST)": func(m *made) { m.pipeline(vkPipeline, "PATCH_LIST", 0, "R32G32B32_SFLOAT") },
		"2D positions": func(m *made) { m.pipeline(vkPipeline, "TRIANGLE_LIST", 0, "R32G32_SFLOAT") },
		"no positions, no vertex attributes at all": func(m *made) {
			m.chunk("vkCreateGraphicsPipelines", group("CreateInfo", group("pVertexInputState", number("flags", 0)), group("pInputAssemblyState", enum("topology", "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST"))), resource("Pipeline", vkPipeline))
		},
		"vertex input in a pipeline library": func(m *made) {
			m.chunk("vkCreateGraphicsPipelines", group("CreateInfo", "<null name=\"pVertexInputState\" />", group("pInputAssemblyState", enum("topology", "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST"))), resource("Pipeline", vkPipeline))
		},
	} {
		m := newVK(bytesOf[uint16](9, 9, 0, 1, 2), nil)
		prepare(m)
		m.begin()
		m.record(vkCommands, "UINT16")
		m.drawIndexed(vkCommands, 3, 1, 0, 0)
		m.submit(vkCommands)
		_, err := Read(t.Context(), m.input(t))
		require.EqualError(t, err, ": no draws that can be read: 1 x vkCmdDrawIndexed: "+why)
	}
	m := newVK(nil, nil)
	m.begin()
	m.drawIndexed(vkCommands, 3, 1, 0, 0)
	_, err := Read(t.Context(), m.input(t))
	require.EqualError(t, err, ": no draws that can be read: 1 x vkCmdDrawIndexed: in a command buffer that was not begun")
}

// TestFillsBeginAnywhere: a draw may read from the middle of a word that fills its buffer.
func TestFillsBeginAnywhere(t *testing.T) {
	r := &ranges{}
	r.add(2, 9)
	s := newSpace(r, &budget.Budget{})
	s.fill(0, 12, 0x04030201)
	require.Equal(t, []byte{3, 4, 1, 2, 3, 4, 1}, s.read(2, 9))
}
