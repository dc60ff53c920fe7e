package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// meshBombs returns small mesh files that are made to be costly to read. `size` scales them: at 1 they
// are just large enough to show the cost.
func meshBombs(size int) (list []*hostile) {
	add := func(name string, data []byte) {
		list = append(list, &hostile{class: "bombs", name: name, data: data, size: size})
	}
	n := 1000 * size
	const corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
	add("columns.csv", []byte("VTX,IDX,"+strings.Repeat("P.x,", 60*n)+"POSITION.x,POSITION.y,POSITION.z\n"))
	add("commas.csv.gz", packed([]byte("VTX,IDX,POSITION.x,POSITION.y,POSITION.z"+strings.Repeat(",", 1000*n)+"\n")))
	add("instances.draws.gz", packed(draws(20*n, 100*n, 99)))
	add("draws.draws", manyDraws(20*n))
	add("primitives.gltf.gz", packed([]byte(`{"asset":{"version":"2.0"},"meshes":[{"primitives":[0`+strings.Repeat(",0", 1000*n)+`]}]}`)))
	add("nulls.gltf.gz", packed([]byte(`{"asset":{"version":"2.0"},"meshes":[{"primitives":[null`+strings.Repeat(",null", 400*n)+`]}]}`)))
	add("objects.gltf.gz", packed([]byte(`{"asset":{"version":"2.0"},"nodes":[{}`+strings.Repeat(",{}", 400*n)+`]}`)))
	add("nested.gltf", []byte(strings.Repeat(`{"a":`, 10*n)))
	add("names.obj", []byte(corners+"g "+strings.Repeat("n", 2000*n)+"\n"+strings.Repeat("usemtl a\nf 1 2 3\nusemtl b\nf 1 2 3\n", 20*n)))
	groups := []byte(corners)
	for i := range 70 * n {
		groups = fmt.Appendf(groups, "g %d\nf 1 2 3\n", i)
	}
	add("groups.obj", groups)
	add("polygon.obj", []byte(corners+"f"+strings.Repeat(" 1", 1000*n)+"\n"))
	add("joined.obj", []byte(corners+strings.Repeat("\\\n", 1000*n)+"f 1 2 3\n"))
	add("normals.obj", []byte(corners+strings.Repeat("vn 0 0 1\nf 1//-1 1//1 2//1\n", 40*n)))
	add("libraries.obj", []byte(strings.Repeat("mtllib "+strings.Repeat("a.mtl ", 100)+"\n", n)+corners+"f 1 2 3\n"))
	add("triangles.drc", slices.Concat([]byte("DRACO\x02\x02\x01\x00\x00\x00"), binary.AppendUvarint(nil, uint64(400*n)), // all indices are 0 and take no bytes
		[]byte{1, 0, 0, 1, 2, 64, 0, 1, 0}, []byte{1, 1, 0, 9, 3, 0, 0, 0}, make([]byte, 12)))
	add("zeros.ply.gz", packed(make([]byte, 10000*n)))
	add("properties.ply", []byte("ply\nformat ascii 1.0\nelement vertex 3\n"+strings.Repeat("property float x\n", n)))
	add("empty.ply", []byte("ply\nformat ascii 1.0\nelement other 9000000000000000\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n"))
	add("same.stl", binarySTL(20*n))
	add("copies.gltf", copies(n*7/10))
	add("ranges.gltf", []byte(document(strings.Join(primitives(n), ","))))
	return list
}

// drawnBombs returns those of meshBombs that have many draws. They are rendered, not analysed.
func drawnBombs(size int) (list []*hostile) {
	for _, b := range meshBombs(size) {
		if slices.Contains([]string{"instances.draws.gz", "draws.draws", "groups.obj", "copies.gltf"}, b.name) {
			b.class, b.drawn = "bombs that are drawn", true
			list = append(list, b)
		}
	}
	return list
}

// copies returns a glTF document with n nodes that all use one mesh.
func copies(n int) []byte {
	nodes := `"scene":0,"scenes":[{"nodes":[0`
	for i := 1; i < n; i++ {
		nodes += fmt.Sprintf(",%d", i)
	}
	nodes += `]}],"nodes":[{"mesh":0}` + strings.Repeat(`,{"mesh":0,"translation":[1,2,3]}`, n-1) + "],"
	return []byte(strings.Replace(document(primitives(1)[0]), `"meshes"`, nodes+`"meshes"`, 1))
}

// draws returns a .draws file, which is a table of draws, with one draw.
func draws(instances, vertices, indices int) []byte {
	b := append([]byte("VRDRAW1\x00"), 1, 0, 0, 0)
	for _, n := range []int{instances, vertices, indices} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, make([]byte, 12*vertices)...)
	for i := range indices {
		b = binary.LittleEndian.AppendUint32(b, uint32(i%vertices))
	}
	return b
}

// manyDraws returns a .draws file with n draws of one triangle each.
func manyDraws(n int) []byte {
	one := draws(1, 3, 3)
	b := binary.LittleEndian.AppendUint32([]byte("VRDRAW1\x00"), uint32(n))
	for range n {
		b = append(b, one[12:]...)
	}
	return b
}

func binarySTL(triangles int) []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 80), uint32(triangles))
	for i := range triangles {
		b = append(b, make([]byte, 50)...)
		b[len(b)-40+i%8*4] = byte(i)
	}
	return b
}

// accessors is how many index lists a document has. Each is one triangle shorter than the previous one.
const accessors = 1000

// document returns a glTF document with a quad and many lists of the same indices.
func document(primitives string) string {
	lists := ""
	for i := range accessors {
		lists += fmt.Sprintf(`,{"bufferView":1,"componentType":5121,"count":%d,"type":"SCALAR"}`, 3*accessors-3*i)
	}
	return `{"asset":{"version":"2.0"},"meshes":[{"primitives":[` + primitives + `]}],"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}` + lists + `],` +
		`"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":3000}],` +
		`"buffers":[{"byteLength":3048,"uri":"data:;base64,` + strings.Repeat("A", 4064) + `"}]}`
}

// primitives returns n primitives, which use the index lists in turn.
func primitives(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(`{"attributes":{"POSITION":0},"indices":%d}`, 1+i%accessors))
	}
	return list
}

// chunk returns a RenderDoc chunk in XML: a call with its parameters.
func chunk(name string, parameters ...string) string {
	return `<chunk name="` + name + `">` + strings.Join(parameters, "") + "</chunk>\n"
}

func element(tag, name, attributes string, value any) string {
	return fmt.Sprintf(`<%s name="%s"%s>%v</%[1]s>`, tag, name, attributes, value)
}

func number(name string, n int) string     { return element("uint", name, "", n) }
func resource(name string, id any) string  { return element("ResourceId", name, "", id) }
func enum(name, value string) string       { return element("enum", name, ` string="`+value+`"`, 7) }
func structure(name, fields string) string { return element("struct", name, "", fields) }
func list(name, elements string) string    { return element("array", name, "", elements) }
func blob(name string, entry, length int) string {
	return element("buffer", name, fmt.Sprintf(` byteLength="%d"`, length), entry)
}

// Sizes in bytes of the zip file's entries: corners of triangles, and indices.
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

// capture returns a capture of OpenGL or Vulkan, with the given chunks before and in its frame.
// RenderDoc's captures are chunks of XML, and a zip file with their data.
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

// commands returns the chunks that record a command buffer. In calls, @ stands for its id.
func commands(id int, calls string) string {
	return chunk("vkBeginCommandBuffer", resource("CommandBuffer", id)) + strings.ReplaceAll(calls, "@", fmt.Sprint(id))
}

func drawn(instances int) string {
	return chunk("vkCmdDrawIndexed", resource("commandBuffer", "@"), number("indexCount", 3), number("instanceCount", instances),
		number("firstIndex", 0), number("vertexOffset", 0), number("firstInstance", 0))
}

func submit(ids ...int) string {
	text := ""
	for _, id := range ids {
		text += resource("", id)
	}
	return chunk("vkQueueSubmit", list("pSubmits", structure("", list("pCommandBuffers", text))))
}

var bound = chunk("vkCmdBindPipeline", resource("commandBuffer", "@"), enum("pipelineBindPoint", "VK_PIPELINE_BIND_POINT_GRAPHICS"), resource("pipeline", 104)) +
	chunk("vkCmdBindVertexBuffers", resource("commandBuffer", "@"), number("firstBinding", 0), list("pBuffers", resource("", 101)), list("pOffsets", number("", 0))) +
	chunk("vkCmdBindIndexBuffer", resource("commandBuffer", "@"), resource("buffer", 102), number("offset", 0), enum("indexType", "VK_INDEX_TYPE_UINT8"))

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

// captureBombs returns captures that are made to be costly to read.
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
	var strange strings.Builder
	for i := range 100 * n {
		strange.WriteString(chunk(fmt.Sprintf("glDrawStrange%d", i)))
	}
	add("names", true, "OpenGL", "", strange.String())
	add("execute", false, "Vulkan", "", nested(size))
	ids := make([]int, 4*n)
	for i := range ids {
		ids[i] = 300
	}
	update := chunk("vkCmdUpdateBuffer", resource("commandBuffer", "@"), resource("dstBuffer", 101), number("dstOffset", 0), blob("pData", 0, cornerBytes))
	add("updates", false, "Vulkan", "", commands(300, many(update, n))+submit(ids...)+submit(1))
	add("attributes", false, "Vulkan", "", commands(301, bound+many(drawn(1), 10*n))+submit(301))
	return bombs
}

// nested returns five command buffers and the submission of the outermost. Each but the innermost,
// which is empty, executes the next inner one 300 * size times.
func nested(size int) string {
	text := ""
	for level := 200; level < 204; level++ {
		calls := ""
		for range 300 * size {
			calls += resource("", level+1)
		}
		text = commands(level, chunk("vkCmdExecuteCommands", resource("commandBuffer", "@"), list("pCommandBuffers", calls))) + text
	}
	return commands(204, "") + text + submit(200) + submit(1)
}
