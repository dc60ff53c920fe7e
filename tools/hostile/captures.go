package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
)

// chunk is a call with its parameters.
func chunk(name string, parameters ...string) string {
	return `<chunk name="` + name + `">` + strings.Join(parameters, "") + "</chunk>\n"
}

func number(name string, n int) string { return fmt.Sprintf(`<uint name="%s">%d</uint>`, name, n) }
func resource(name string, n int) string {
	return fmt.Sprintf(`<ResourceId name="%s">%d</ResourceId>`, name, n)
}
func enum(name, value string) string {
	return fmt.Sprintf(`<enum name="%s" string="%s">7</enum>`, name, value)
}
func blob(name string, entry, length int) string {
	return fmt.Sprintf(`<buffer name="%s" byteLength="%d">%d</buffer>`, name, length, entry)
}
func structure(name, fields string) string {
	return `<struct name="` + name + `">` + fields + "</struct>"
}
func list(name, elements string) string { return `<array name="` + name + `">` + elements + "</array>" }

// Entries of the zip file: corners of triangles, and indices.
const cornerBytes, indexBytes = 1200, 400

func zipped() []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, size := range []int{cornerBytes, indexBytes} {
		data := make([]byte, size)
		for k := range data {
			data[k] = byte(k%3) * byte(1-k%4/2) // indices 0 to 2, but 0 at some positions
		}
		e, err := w.Create(fmt.Sprintf("%06d", i))
		check(err)
		_, err = e.Write(data)
		check(err)
	}
	check(w.Close())
	return b.Bytes()
}

// capture returns a frame of OpenGL or Vulkan, with more chunks before it and in it: RenderDoc's
// captures are chunks of XML, and a zip file with their data.
func capture(driver, before, frame string) (xml, zip []byte) {
	version := map[string]int{"OpenGL": 35, "Vulkan": 21}[driver]
	text := fmt.Sprintf("<?xml version=\"1.0\"?>\n<rdc>\n<header>\n<driver id=\"8\">%s</driver>\n</header>\n<chunks version=\"%d\">\n", driver, version)
	begin := chunk("Internal::Beginning of Capture")
	if driver == "OpenGL" {
		text += chunk("glBufferData", resource("buffer", 10), number("bytesize", cornerBytes), blob("data", 0, cornerBytes)) +
			chunk("glBufferData", resource("buffer", 11), number("bytesize", indexBytes), blob("data", 1, indexBytes)) + before + begin +
			chunk("glBindVertexArray", resource("vaobj", 14)) +
			chunk("glVertexAttribPointer", resource("vaobj", 14), resource("buffer", 10), number("index", 0), number("size", 3), enum("type", "GL_FLOAT"),
				number("stride", 0), number("offset", 0)) +
			chunk("glEnableVertexAttribArray", resource("vaobj", 14), number("index", 0)) +
			chunk("glVertexArrayElementBuffer", resource("vaobj", 14), resource("buffer", 11)) + elements(3) + frame
	} else {
		text += vulkanObjects + before + begin + commands(1, bound+drawn(1)) + frame
	}
	return []byte(text + "</chunks>\n</rdc>\n"), zipped()
}

func elements(count int) string {
	return chunk("glDrawElements", enum("mode", "GL_TRIANGLES"), number("count", count), enum("type", "GL_UNSIGNED_BYTE"), number("indices", 0))
}

// commands records a command buffer.
func commands(id int, calls string) string {
	return chunk("vkBeginCommandBuffer", resource("CommandBuffer", id)) + strings.ReplaceAll(calls, "@", fmt.Sprint(id))
}

func drawn(instances int) string {
	return chunk("vkCmdDrawIndexed", `<ResourceId name="commandBuffer">@</ResourceId>`, number("indexCount", 3), number("instanceCount", instances),
		number("firstIndex", 0), number("vertexOffset", 0), number("firstInstance", 0))
}

func submit(ids ...int) string {
	text := ""
	for _, id := range ids {
		text += resource("", id)
	}
	return chunk("vkQueueSubmit", list("pSubmits", structure("", list("pCommandBuffers", text))))
}

var bound = chunk("vkCmdBindPipeline", `<ResourceId name="commandBuffer">@</ResourceId>`, enum("pipelineBindPoint", "VK_PIPELINE_BIND_POINT_GRAPHICS"), resource("pipeline", 104)) +
	chunk("vkCmdBindVertexBuffers", `<ResourceId name="commandBuffer">@</ResourceId>`, number("firstBinding", 0), list("pBuffers", resource("", 101)), list("pOffsets", number("", 0))) +
	chunk("vkCmdBindIndexBuffer", `<ResourceId name="commandBuffer">@</ResourceId>`, resource("buffer", 102), number("offset", 0), enum("indexType", "VK_INDEX_TYPE_UINT8"))

var vulkanObjects = chunk("vkCreateBuffer", structure("CreateInfo", number("size", cornerBytes)), resource("Buffer", 101)) +
	chunk("vkBindBufferMemory", resource("buffer", 101), resource("memory", 100), number("memoryOffset", 0)) +
	chunk("vkCreateBuffer", structure("CreateInfo", number("size", indexBytes)), resource("Buffer", 102)) +
	chunk("vkBindBufferMemory", resource("buffer", 102), resource("memory", 90), number("memoryOffset", 0)) +
	chunk("vkCreateGraphicsPipelines", structure("CreateInfo", structure("pVertexInputState",
		list("pVertexBindingDescriptions", structure("", number("binding", 0)+number("stride", 12)+enum("inputRate", "VK_VERTEX_INPUT_RATE_VERTEX")))+
			list("pVertexAttributeDescriptions", structure("", number("location", 0)+number("binding", 0)+enum("format", "VK_FORMAT_R32G32B32_SFLOAT")+number("offset", 0))))+
		structure("pInputAssemblyState", enum("topology", "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST")+number("primitiveRestartEnable", 0))), resource("Pipeline", 104)) +
	chunk("Internal::Initial Contents", enum("type", "eResDeviceMemory"), resource("id", 100), blob("Contents", 0, cornerBytes)) +
	chunk("Internal::Initial Contents", enum("type", "eResDeviceMemory"), resource("id", 90), blob("Contents", 1, indexBytes))

// captureBombs are meshBombs of captures.
func captureBombs(size int) (bombs []*hostile) {
	add := func(name string, packs bool, driver, before, frame string) {
		xml, zip := capture(driver, before, frame)
		name += ".zip.xml"
		if packs {
			xml, name = packed(xml), name+".gz"
		}
		bombs = append(bombs, &hostile{class: "bombs of captures", name: name, data: xml, zip: zip, size: size})
	}
	n := 1000 * size
	many := func(text string, times int) string { return strings.Repeat(text, times) }
	zeros := chunk("glBufferData", resource("buffer", 12), number("bytesize", 5<<20)) +
		chunk("glBindBuffer", enum("target", "GL_DRAW_INDIRECT_BUFFER"), resource("buffer", 12))
	add("indirect", false, "OpenGL", "", zeros+many(chunk("glMultiDrawElementsIndirect", enum("mode", "GL_TRIANGLES"), enum("type", "GL_UNSIGNED_BYTE"),
		number("offset", 0), number("drawcount", 1<<18), number("stride", 20)), n/10))
	add("clear", false, "OpenGL", "", many(chunk("glBufferData", resource("buffer", 10), number("bytesize", 400<<20))+
		chunk("glDrawElementsBaseVertex", enum("mode", "GL_TRIANGLES"), number("count", 3), enum("type", "GL_UNSIGNED_BYTE"), number("indices", 0), number("basevertex", 1<<20)), n))
	add("labels", true, "OpenGL", "", many(chunk("glPushDebugGroup", `<string name="message">`+many("文", 60)+"</string>"), 64)+many(elements(3), 100*n))
	add("bindings", true, "OpenGL", chunk("glBindVertexBuffers", number("first", 0), list("buffers", many("<a>1</a>", 1000*n))), "")
	add("instances", false, "OpenGL", "", many(chunk("glDrawElementsInstanced", enum("mode", "GL_TRIANGLES"), number("count", 3), enum("type", "GL_UNSIGNED_BYTE"),
		number("indices", 0), number("instancecount", 1<<18)), n))
	add("names", true, "OpenGL", "", numbered("glDrawStrange%d", 100*n))
	add("execute", false, "Vulkan", "", nested(size))
	ids := make([]int, 4*n)
	for i := range ids {
		ids[i] = 300
	}
	update := chunk("vkCmdUpdateBuffer", `<ResourceId name="commandBuffer">@</ResourceId>`, resource("dstBuffer", 101), number("dstOffset", 0), blob("pData", 0, cornerBytes))
	add("updates", false, "Vulkan", "", commands(300, many(update, n))+submit(ids...)+submit(1))
	add("attributes", false, "Vulkan", "", commands(301, bound+many(drawn(1), 10*n))+submit(301))
	return bombs
}

// numbered returns empty chunks with different names.
func numbered(name string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(chunk(fmt.Sprintf(name, i)))
	}
	return b.String()
}

// nested returns command buffers that execute each other, three hundred times each and four
// levels deep.
func nested(size int) string {
	text := ""
	for level := 200; level < 204; level++ {
		calls := ""
		for range 300 * size {
			calls += resource("", level+1)
		}
		text = commands(level, chunk("vkCmdExecuteCommands", `<ResourceId name="commandBuffer">@</ResourceId>`, list("pCommandBuffers", calls))) + text
	}
	return commands(204, "") + text + submit(200) + submit(1)
}
