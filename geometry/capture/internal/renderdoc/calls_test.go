package renderdoc

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// insert puts chunks before the frame.
func (m *made) insert(write func()) {
	at := strings.Index(m.chunks, "\t\t<chunk id=\"1\" name=\"Internal::Beginning of Capture\"")
	after := m.chunks[at:]
	m.chunks = m.chunks[:at]
	write()
	m.chunks += after
}

// TestVulkanSetsAreCopied: descriptors are copied from another set, or written by a template.
func TestVulkanSetsAreCopied(t *testing.T) {
	m := newGame(t)
	const other = 300
	m.insert(func() {
		m.chunk("vkAllocateDescriptorSets", group("AllocateInfo", array("pSetLayouts", resource("", vkLayoutOfBones))), resource("DescriptorSet", other))
	})
	write := func(set, binding, offset, size int) string {
		return group("", resource("dstSet", set), number("dstBinding", binding), number("dstArrayElement", 0), enum("descriptorType", "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER"),
			array("pBufferInfo", group("", resource("buffer", vkExtra), number("offset", offset), number("range", size))))
	}
	copied := func(from, binding, element, count int) string {
		return group("", resource("srcSet", from), number("srcBinding", binding), number("srcArrayElement", 0),
			resource("dstSet", vkBones), number("dstBinding", binding), number("dstArrayElement", element), number("descriptorCount", count))
	}
	update := func(writes, copies []string) {
		m.chunk("vkUpdateDescriptorSets", array("pDescriptorWrites", writes...), array("pDescriptorCopies", copies...))
		m.drawFrom(0, 1, 0, 0)
	}
	m.drawFrom(0, 1, 0, 0)
	update([]string{write(other, 0, 3200, 32)}, nil)
	update(nil, []string{copied(999, 0, 0, 1), copied(other, 5, 0, 1), copied(other, 0, 1, 1), copied(other, 0, 0, 0)}) // copies from no set, of another binding, to another element, and of no descriptors
	update(nil, []string{copied(other, 0, 0, 1)})
	update([]string{write(vkBones, 5, 0, 16), write(999, 0, 0, 16), write(vkBones, 0, 2304, 16)}, nil)
	for _, set := range []int{999, vkBones} {
		m.chunk("vkUpdateDescriptorSetWithTemplate", resource("descriptorSet", set), array("Decoded Writes", strings.Replace(write(0, 0, 2560, 48), resource("dstSet", 0), "", 1)))
		m.drawFrom(0, 1, 0, 0)
	}
	m.submit(vkCommands)
	s := m.shaded(t, nil).Shading
	for i, want := range [][]byte{extra(1600, 64), extra(1600, 64), extra(1600, 64), extra(3200, 32), extra(2304, 16), extra(2304, 16), extra(2560, 48)} {
		require.Equal(t, want, s.Values[s.Draws[i].Values[1]], "draw %d", i)
	}
}

// TestVulkanImagesAreCopied: of several image descriptors that are copied at once, each gets to its own element.
func TestVulkanImagesAreCopied(t *testing.T) {
	m := newGameOf(must.Get(os.ReadFile("testdata/images.spv")))
	const layout, from, images, sampler = 300, 310, 320, 330
	m.insert(func() {
		m.chunk("vkCreateDescriptorSetLayout", group("CreateInfo", array("pBindings",
			group("", number("binding", 9), enum("descriptorType", "VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER"), number("descriptorCount", 2)))), resource("SetLayout", layout))
		for _, set := range []int{from, vkBones, vkCamera} {
			m.chunk("vkAllocateDescriptorSets", group("AllocateInfo", array("pSetLayouts", resource("", layout))), resource("DescriptorSet", set))
		}
		m.chunk("vkCreateSampler", group("CreateInfo", enum("addressModeU", "CLAMP"), enum("addressModeV", "CLAMP"), enum("magFilter", "VK_FILTER_NEAREST")), resource("Sampler", sampler))
		for i := range 2 {
			m.chunk("vkCreateImage", group("CreateInfo", enum("imageType", "VK_IMAGE_TYPE_2D"), enum("samples", "VK_SAMPLE_COUNT_1_BIT"), enum("format", "VK_FORMAT_R32_SFLOAT"),
				group("extent", number("width", 1), number("height", 1))), resource("Image", images+i))
			m.chunk("vkCreateImageView", group("CreateInfo", resource("image", images+i)), resource("View", images+i))
			m.chunk("Internal::Initial Contents", enum("type", "eResImage"), resource("id", images+i), m.blob("Contents", bytesOf(float32(5+i))))
		}
		for i, set := range []int{vkBones, vkCamera} {
			m.chunk("Internal::Initial Contents", enum("type", "eResDescriptorSet"), resource("id", set),
				array("Bindings", group("", enum("type", "VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER"), resource("resource", images+i), resource("sampler", sampler))))
		}
	})
	m.drawFrom(0, 1, 0, 0)
	copied := func(to int) string {
		return group("", resource("srcSet", from), number("srcBinding", 9), number("srcArrayElement", 0), resource("dstSet", to), number("dstBinding", 9), number("dstArrayElement", 0), number("descriptorCount", 2))
	}
	info := func(i int) string { return group("", resource("sampler", sampler), resource("imageView", images+i)) }
	m.chunk("vkUpdateDescriptorSets", array("pDescriptorWrites", group("", resource("dstSet", from), number("dstBinding", 9), number("dstArrayElement", 0),
		enum("descriptorType", "VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER"), array("pImageInfo", info(0), info(1)))), array("pDescriptorCopies", copied(vkBones), copied(vkCamera)))
	m.drawFrom(0, 1, 0, 0)
	m.submit(vkCommands)
	f := m.shaded(t, nil)
	require.Empty(t, f.Skipped)
	for i, first := range []float32{5, 6, 5, 5} { // what both sets hold at first, and what is copied
		want := append(bytesOf(1, 1, uint32(1-i%2), uint32(1-i%2)), bytesOf(first, 0, 0, 1)...)
		require.Equal(t, want, f.image(i/2, i%2), "image %d", i)
	}
}

// TestVulkanStateIsDynamic: where the pipeline declares state dynamic, the command buffer's state is used.
func TestVulkanStateIsDynamic(t *testing.T) {
	for _, viewport := range []string{"", "VIEWPORT", "VIEWPORT_WITH_COUNT"} {
		m, dynamic := newGame(t), viewport != ""
		if dynamic {
			var states []string
			for _, name := range []string{viewport, "DEPTH_TEST_ENABLE", "DEPTH_WRITE_ENABLE", "CULL_MODE", "FRONT_FACE"} {
				states = append(states, enum("", "VK_DYNAMIC_STATE_"+name))
			}
			m.chunks = strings.Replace(m.chunks, group("pDepthStencilState", number("depthTestEnable", 1), number("depthWriteEnable", 1)),
				group("pDepthStencilState", number("depthTestEnable", 1), number("depthWriteEnable", 1))+group("pDynamicState", array("pDynamicStates", states...)), 1)
		}
		view := func(first, y, height int) {
			m.cmd(vkCommands, "vkCmdSetViewport", number("firstViewport", first), array("pViewports", group("", number("x", 20), number("y", y), number("width", 60),
				number("height", height), element("float", "minDepth", "", "0.25"), number("maxDepth", 1))))
		}
		view(0, 0, 60)
		view(1, 0, 10)
		m.cmd(vkCommands, "vkCmdSetDepthTestEnable", number("depthTestEnable", 1))
		m.cmd(vkCommands, "vkCmdSetDepthWriteEnable", number("depthWriteEnable", 0))
		m.cmd(vkCommands, "vkCmdSetCullMode", enum("cullMode", "VK_CULL_MODE_FRONT_BIT"))
		m.cmd(vkCommands, "vkCmdSetFrontFace", enum("frontFace", "VK_FRONT_FACE_COUNTER_CLOCKWISE"))
		m.drawFrom(0, 1, 0, 0)
		m.cmd(vkCommands, "vkCmdSetDepthTestEnable", number("depthTestEnable", 0))
		m.cmd(vkCommands, "vkCmdSetDepthWriteEnable", number("depthWriteEnable", 1))
		m.cmd(vkCommands, "vkCmdSetCullMode", enum("cullMode", "VK_CULL_MODE_FRONT_AND_BACK"))
		m.drawFrom(0, 1, 0, 0)
		m.cmd(vkCommands, "vkCmdSetDepthTestEnable", number("depthTestEnable", 1))
		m.cmd(vkCommands, "vkCmdSetCullMode", enum("cullMode", "VK_CULL_MODE_BACK_BIT"))
		m.cmd(vkCommands, "vkCmdSetFrontFace", enum("frontFace", "VK_FRONT_FACE_CLOCKWISE"))
		m.drawFrom(0, 1, 0, 0)
		m.cmd(vkCommands, "vkCmdSetCullMode", enum("cullMode", "VK_CULL_MODE_NONE"))
		m.drawFrom(0, 1, 0, 0)
		m.submit(vkCommands)
		var got []string
		for _, target := range m.shaded(t, nil).Targets {
			got = append(got, fmt.Sprintln(target.Window, target.DepthWrites, target.Culls))
		}
		fixed, window := "[1 0 -1 0 1 0] true cw\n", "[0.75 0.25 1 0 0.75 0.25] "
		want := []string{fixed, fixed, fixed, fixed}
		if dynamic {
			want = []string{window + "false ccw\n", window + "false both\n", window + "true ccw\n", window + "true \n"}
		}
		require.Equal(t, want, got, viewport)
	}
}

// TestOpenGLBindsUniformBlocks binds buffers to points one by one and several at once, and moves a block
// to another point.
func TestOpenGLBindsUniformBlocks(t *testing.T) {
	m := newGLGame()
	draw := func() { m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3) }
	several := func(call string, first int, parts ...string) {
		m.chunk(call, append([]string{enum("target", "GL_UNIFORM_BUFFER"), number("first", first), array("buffers", resource("", glUniforms), resource("", glUniforms))}, parts...)...)
		draw()
	}
	m.chunk("glBindBufferRange", enum("target", "GL_UNIFORM_BUFFER"), number("index", 2), resource("buffer", glUniforms), number("offset", 32), number("size", 64))
	draw()
	m.chunk("glBindBufferRange", enum("target", "GL_SHADER_STORAGE_BUFFER"), number("index", 2), resource("buffer", glUniforms), number("offset", 96), number("size", 64))
	draw()
	several("glBindBuffersRange", 2, array("offsets", number("", 128), number("", 256)), array("sizes", number("", 64), number("", 80)))
	m.chunk("glUniformBlockBinding", resource("program", glProgramOfGame), text("blockName", "Camera"), number("uniformBlockIndex", 0), number("uniformBlockBinding", 3))
	draw()
	m.chunk("glShaderStorageBlockBinding", resource("program", glProgramOfGame), text("blockName", "Camera"), number("storageBlockIndex", 0), number("storageBlockBinding", 2))
	draw()
	several("glBindBuffersBase", 3)
	f := m.shaded(t, compileGame)
	require.Empty(t, f.Skipped)
	for i, want := range [][]byte{extra(32, 64), extra(32, 64), extra(128, 64), extra(256, 64), extra(256, 64), extra(0, 64)} {
		var got [][]byte
		d := &f.Shading.Draws[i]
		for k, b := range f.Shading.Programs[d.Program].Vertex.Blocks {
			if v := f.Shading.Values[d.Values[k]]; b.Kind == module.UniformBlock && len(v) == 64 {
				got = append(got, v)
			}
		}
		require.Equal(t, [][]byte{want}, got, "draw %d", i)
	}
}

// TestOpenGLBindsTextures binds a texture to unit 1, which the shader reads, and to others, by three calls of OpenGL.
func TestOpenGLBindsTextures(t *testing.T) {
	m := newTexels()
	unbound := 0
	for _, bind := range []struct {
		call  string
		parts []string
		bound bool
	}{
		{"glBindTextures", []string{number("first", 0), number("count", 2), array("textures", resource("", glTexels), resource("", 0))}, false},
		{"glBindTextures", []string{number("first", 1), number("count", 1), array("textures", resource("", glTexels))}, true},
		{"glBindTextureUnit", []string{number("unit", 1), resource("texture", 0)}, false},
		{"glBindTextureUnit", []string{number("unit", 2), resource("texture", glTexels)}, false},
		{"glBindTextureUnit", []string{number("unit", 1), resource("texture", glTexels)}, true},
		{"glBindTextureUnit", []string{number("unit", 1), resource("texture", 12345)}, true}, // a texture without texels leaves the earlier one bound
		{"glBindMultiTextureEXT", []string{enum("texunit", "GL_TEXTURE1"), enum("target", "GL_TEXTURE_BUFFER"), resource("texture", 0)}, false},
		{"glBindMultiTextureEXT", []string{enum("texunit", "GL_TEXTURE1"), enum("target", "GL_TEXTURE_2D"), resource("texture", glTexels)}, false},
		{"glBindMultiTextureEXT", []string{enum("texunit", "GL_TEXTURE1"), enum("target", "GL_TEXTURE_BUFFER"), resource("texture", glTexels)}, true},
	} {
		m.chunk(bind.call, bind.parts...)
		m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3)
		if !bind.bound {
			unbound++
		}
	}
	f := m.shaded(t, compileTexels)
	require.Equal(t, []string{fmt.Sprintf("counted, but not run by their shaders: %d x glDrawElements: its shader reads values: no texel buffer is bound for image bones", unbound)}, f.Skipped)
	var bound []int
	for i, d := range f.Shading.Draws {
		if d.Program >= 0 {
			bound = append(bound, i)
		}
	}
	require.Equal(t, []int{1, 4, 5, 8}, bound)
}

// TestOpenGLTargets: depth, winding and the viewport are converted to Vulkan's conventions.
func TestOpenGLTargets(t *testing.T) {
	m := newGLGame()
	flag := func(name string, on bool) string { return element("bool", name, "", fmt.Sprint(on)) }
	draw := func() { m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3) }
	m.chunk("glEnable", enum("cap", "GL_CULL_FACE"))
	draw()
	m.chunk("glFrontFace", enum("mode", "GL_CW"))
	m.chunk("glDepthMask", flag("flag", true))
	draw()
	m.chunk("glCullFace", enum("mode", "GL_FRONT"))
	m.chunk("glEnable", enum("cap", "GL_DEPTH_TEST"))
	draw()
	m.chunk("glCullFace", enum("mode", "GL_FRONT_AND_BACK"))
	m.chunk("glDepthMask", flag("flag", false))
	m.chunk("glDepthRangef", element("float", "nearVal", "", "0.5"), element("float", "farVal", "", "0.75"))
	draw()
	m.chunk("glDisable", enum("cap", "GL_CULL_FACE"))
	m.chunk("glClipControl", enum("origin", "GL_UPPER_LEFT"), enum("depth", "GL_ZERO_TO_ONE"))
	draw()
	m.chunk("glViewport", number("x", 10), number("y", 0), number("width", 30), number("height", 60))
	m.chunk("glClipControl", enum("origin", "GL_LOWER_LEFT"), enum("depth", "GL_NEGATIVE_ONE_TO_ONE"))
	draw()
	half := replay.Window{1, 0, -.5, -.5, .5, .5}
	require.Equal(t, []replay.Target{
		{Window: half, Culls: "cw"}, {Window: half, Culls: "ccw"}, {Window: half, DepthWrites: true, Culls: "cw"},
		{Window: replay.Window{1, 0, -.5, -.5, .125, .625}, Culls: "both"}, {Window: replay.Window{1, 0, .5, -.5, .25, .5}},
		{Window: replay.Window{.75, .25, -1, 0, .125, .625}},
	}, m.shaded(t, compileGame).Targets)
}
