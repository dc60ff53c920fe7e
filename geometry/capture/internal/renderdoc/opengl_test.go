package renderdoc

import (
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"
)

// GL resources of the tests' captures.
const (
	glVertices = 10 + iota
	glIndices
	glArguments
	glOther
	glArray
)

// newGL returns a capture with 100 corners in one buffer, and the given indices in another.
func newGL(indices []byte) *made {
	m := newMade("OpenGL")
	data, _ := corners(100)
	m.chunk("glBufferData", resource("buffer", glVertices), number("bytesize", len(data)), m.blob("data", data))
	m.chunk("glBufferData", resource("buffer", glIndices), number("bytesize", len(indices)), m.blob("data", indices))
	return m
}

// bind begins the frame and binds a vertex array that has both buffers.
func (m *made) bind() {
	m.begin()
	m.chunk("glBindVertexArray", resource("vaobj", glArray))
	m.chunk("glVertexAttribPointer", resource("vaobj", glArray), resource("buffer", glVertices), number("index", 0), number("size", 3),
		enum("type", "GL_FLOAT"), element("bool", "normalized", "", "false"), number("stride", 0), number("offset", 0))
	m.chunk("glEnableVertexAttribArray", resource("vaobj", glArray), number("index", 0))
	m.chunk("glVertexArrayElementBuffer", resource("vaobj", glArray), resource("buffer", glIndices))
}

func (m *made) elements(mode, typ string, count, offset int, more ...string) {
	m.chunk("glDrawElements", append([]string{enum("mode", mode), number("count", count), enum("type", typ), number("indices", offset)}, more...)...)
}

func TestOpenGLIndexWidths(t *testing.T) {
	for typ, data := range map[string][]byte{
		"GL_UNSIGNED_BYTE":  bytesOf[uint8](9, 9, 9, 5, 6, 7, 7, 6, 99),
		"GL_UNSIGNED_SHORT": bytesOf[uint16](9, 9, 9, 5, 6, 7, 7, 6, 99),
		"GL_UNSIGNED_INT":   bytesOf[uint32](9, 9, 9, 5, 6, 7, 7, 6, 99),
	} {
		m := newGL(data)
		m.bind()
		m.elements("GL_TRIANGLES", typ, 6, 3*len(data)/9)
		m.elements("GL_TRIANGLES", typ, 5, 3*len(data)/9) // five indices: the last triangle is incomplete
		s := m.scene(t)
		require.Equal(t, [][]int{{5, 6, 7, 7, 6, 99}, {5, 6, 7}}, allIDs(s), typ)
		require.Equal(t, uint32(95), s.Draws[0].VertexCount, "vertices from the lowest index to the highest")
		require.Empty(t, s.Skipped)
	}
}

func TestOpenGLTopologies(t *testing.T) {
	indices := bytesOf[uint16](0, 1, 2, 3, 4, 0xffff, 5, 6, 7, 8, 0xffff, 9, 10)
	const fixed, special = "GL_PRIMITIVE_RESTART_FIXED_INDEX", "GL_PRIMITIVE_RESTART"
	for _, c := range []struct {
		mode, restart string
		at, count     int
		want          []int
	}{
		{"GL_TRIANGLE_STRIP", "", 0, 5, []int{0, 1, 2, 2, 1, 3, 2, 3, 4}},
		{"GL_TRIANGLE_FAN", "", 0, 5, []int{0, 1, 2, 0, 2, 3, 0, 3, 4}},
		{"GL_TRIANGLES", "", 0, 5, []int{0, 1, 2}},
		{"GL_TRIANGLE_STRIP", fixed, 0, 13, []int{0, 1, 2, 2, 1, 3, 2, 3, 4, 5, 6, 7, 7, 6, 8}},
		{"GL_TRIANGLE_FAN", fixed, 0, 13, []int{0, 1, 2, 0, 2, 3, 0, 3, 4, 5, 6, 7, 5, 7, 8}},
		{"GL_TRIANGLES", fixed, 0, 13, []int{0, 1, 2, 5, 6, 7}},
		{"GL_TRIANGLE_STRIP", special, 0xffff, 13, []int{0, 1, 2, 2, 1, 3, 2, 3, 4, 5, 6, 7, 7, 6, 8}},
		{"GL_TRIANGLE_STRIP", special, 3, 5, []int{0, 1, 2}},
		{"GL_TRIANGLES", special, 1, 5, []int{2, 3, 4}},
	} {
		m := newGL(indices)
		m.bind()
		if c.restart != "" {
			m.chunk("glEnable", enum("cap", c.restart))
			m.chunk("glPrimitiveRestartIndex", number("index", c.at))
		}
		m.elements(c.mode, "GL_UNSIGNED_SHORT", c.count, 0)
		m.chunk("glDisable", enum("cap", c.restart))
		m.elements("GL_TRIANGLES", "GL_UNSIGNED_SHORT", 3, 2)
		require.Equal(t, [][]int{c.want, {1, 2, 3}}, allIDs(m.scene(t)), "%v", c)
	}
	m := newGL(indices)
	m.bind()
	m.chunk("glEnable", enum("cap", fixed))
	m.chunk("glEnable", enum("cap", special))
	m.chunk("glPrimitiveRestartIndex", number("index", 3))
	m.elements("GL_TRIANGLE_STRIP", "GL_UNSIGNED_SHORT", 7, 0)
	require.Equal(t, []int{0, 1, 2, 2, 1, 3, 2, 3, 4}, ids(m.scene(t), 0), "of both restarts the fixed index counts")
	m.chunk("glDisable", enum("cap", fixed))
	for i, want := range [][]int{0: {1, 2, 3, 1, 3, 4}, 1: {2, 3, 4}} {
		m.chunk("glPrimitiveRestartIndex", number("index", i))
		m.elements("GL_TRIANGLE_FAN", "GL_UNSIGNED_SHORT", 5, 0)
		require.Equal(t, want, ids(m.scene(t), 1+i), "the same indices restart elsewhere")
	}
}

func TestOpenGLArrays(t *testing.T) {
	m := newGL(nil)
	m.bind()
	m.chunk("glDrawArrays", enum("mode", "GL_TRIANGLES"), number("first", 90), number("count", 6))
	m.chunk("glDrawArrays", enum("mode", "GL_TRIANGLE_STRIP"), number("first", 10), number("count", 4))
	m.chunk("glDrawArrays", enum("mode", "GL_TRIANGLES"), number("first", 4), number("count", 6))
	m.chunk("glDrawArrays", enum("mode", "GL_TRIANGLES"), number("first", 98), number("count", 3))
	m.chunk("glDrawArrays", enum("mode", "GL_LINES"), number("first", 0), number("count", 6))
	s := m.scene(t)
	require.Equal(t, [][]int{{90, 91, 92, 93, 94, 95}, {10, 11, 12, 12, 11, 13}, {4, 5, 6, 7, 8, 9}}, allIDs(s))
	require.Equal(t, s.Draws[0].FirstIndex, s.Draws[2].FirstIndex, "indices without a buffer are shared")
	require.Equal(t, []string{"1 x glDrawArrays: its vertices are not in the capture", "1 x glDrawArrays: no triangles (GL_LINES)"}, s.Skipped)
}

func TestOpenGLInstancesAndBase(t *testing.T) {
	m := newGL(bytesOf[uint16](5, 6, 7))
	m.bind()
	m.chunk("glDrawElementsInstancedBaseVertex", enum("mode", "GL_TRIANGLES"), number("count", 3), enum("type", "GL_UNSIGNED_SHORT"),
		number("indices", 0), number("instancecount", 4), element("int", "basevertex", "", "-2"))
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_SHORT", 3, 0)
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_SHORT", 3, 0)
	m.chunk("glDrawElementsBaseVertex", enum("mode", "GL_TRIANGLES"), number("count", 3), enum("type", "GL_UNSIGNED_SHORT"),
		number("indices", 0), element("int", "basevertex", "", "-6"))
	m.chunk("glDrawElementsInstanced", enum("mode", "GL_TRIANGLES"), number("count", 3), enum("type", "GL_UNSIGNED_SHORT"), number("indices", 0), number("instancecount", 0))
	s := m.scene(t)
	require.Equal(t, [][]int{{3, 4, 5}, {3, 4, 5}, {3, 4, 5}, {3, 4, 5}, {5, 6, 7}, {5, 6, 7}}, allIDs(s))
	require.Equal(t, slices.Repeat(s.Draws[:1], 4), s.Draws[:4], "instances are the same draw")
	require.Equal(t, s.Draws[4].VertexOffset, s.Draws[5].VertexOffset, "vertices are shared")
	require.NotEqual(t, s.Draws[4].Name, s.Draws[5].Name)
	require.Len(t, s.Indices, 3, "indices are shared")
	require.Equal(t, []string{"1 x glDrawElementsBaseVertex: its vertices are not in the capture", "1 x glDrawElementsInstanced: nothing to draw"}, s.Skipped)
}

func TestOpenGLMultiDraw(t *testing.T) {
	m := newGL(bytesOf[uint16](0, 1, 2, 3, 4, 5))
	m.bind()
	m.chunk("glMultiDrawElementsBaseVertex", enum("mode", "GL_TRIANGLES"), array("count", number("", 3), number("", 6)), enum("type", "GL_UNSIGNED_SHORT"),
		array("indices", number("", 6), number("", 0)), number("drawcount", 2), array("basevertex", number("", 10), number("", 20)))
	m.chunk("glMultiDrawArrays", enum("mode", "GL_TRIANGLES"), array("first", number("", 7)), array("count", number("", 3)), number("drawcount", 1))
	s := m.scene(t)
	require.Equal(t, [][]int{{13, 14, 15}, {20, 21, 22, 23, 24, 25}, {7, 8, 9}}, allIDs(s))
	require.Equal(t, "pass 1 / event 5 glMultiDrawElementsBaseVertex [1]", s.Draws[1].Name)
}

func TestOpenGLIndirect(t *testing.T) {
	m := newGL(bytesOf[uint16](0, 1, 2, 3, 4, 5))
	arguments := bytesOf[uint32](99, 3, 2, 3, 1<<32-2, 7, 6, 1, 0, 20, 0, 1)
	m.chunk("glNamedBufferStorageEXT", resource("buffer", glArguments), number("bytesize", len(arguments)), m.blob("data", arguments))
	m.bind()
	m.chunk("glMultiDrawElementsIndirect", enum("mode", "GL_TRIANGLES"), enum("type", "GL_UNSIGNED_SHORT"), number("offset", 4), number("drawcount", 1), number("stride", 0))
	m.chunk("glBindBuffer", enum("target", "GL_DRAW_INDIRECT_BUFFER"), resource("buffer", glArguments))
	m.chunk("glBindBuffer", enum("target", "GL_PARAMETER_BUFFER"), resource("buffer", glArguments))
	m.chunk("glMultiDrawElementsIndirect", enum("mode", "GL_TRIANGLES"), enum("type", "GL_UNSIGNED_SHORT"), number("offset", 4), number("drawcount", 2), number("stride", 0))
	m.chunk("glMultiDrawElementsIndirectCount", enum("mode", "GL_TRIANGLES"), enum("type", "GL_UNSIGNED_SHORT"), number("offset", 4),
		number("drawcount", 44), number("maxdrawcount", 2), number("stride", 0)) // word 11 holds 1
	m.chunk("glDrawArraysIndirect", enum("mode", "GL_TRIANGLES"), number("offset", 24)) // 6, 1, 0
	m.chunk("glMultiDrawElementsIndirect", enum("mode", "GL_TRIANGLES"), enum("type", "GL_UNSIGNED_SHORT"), number("offset", 4), number("drawcount", 3), number("stride", 0))
	s := m.scene(t)
	require.Equal(t, [][]int{{1, 2, 3}, {1, 2, 3}, {20, 21, 22, 23, 24, 25}, {1, 2, 3}, {1, 2, 3}, {0, 1, 2, 3, 4, 5}}, allIDs(s))
	require.Equal(t, []string{"1 x glMultiDrawElementsIndirect: its arguments are not in the capture",
		"1 x glMultiDrawElementsIndirect: its buffer of arguments is not known"}, s.Skipped)
}

// TestOpenGLUpdates changes buffers between draws in five ways that are followed, and in one that is not.
func TestOpenGLUpdates(t *testing.T) {
	at := func(x float32) []byte { return bytesOf(x, x, x) }
	m := newGL(bytesOf[uint8](0, 1, 2))
	other := append(at(50), at(51)...)
	m.chunk("glBufferData", resource("buffer", glOther), number("bytesize", len(other)), m.blob("data", other))
	m.bind()
	vertices := resource("buffer", glVertices)
	draw := func() { m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0) }
	draw()
	m.chunk("glBufferSubData", vertices, number("offset", 12), number("bytesize", 12), m.blob("data", at(10)))
	draw()
	draw() // the same vertices, unchanged
	m.chunk("Internal::Coherent Mapped Memory Write", vertices, number("offset", 4), number("length", 12), m.blob("FlushedData", at(20)), number("MapOffset", 8))
	draw()
	m.chunk("glUnmapBuffer", vertices, number("offset", 12), number("length", 24), number("diffStart", 12), number("diffEnd", 24), m.blob("MapWrittenData", at(30)))
	draw()
	m.chunk("glCopyBufferSubData", resource("readBuffer", glOther), resource("writeBuffer", glVertices), number("readOffset", 12), number("writeOffset", 0), number("size", 12))
	draw()
	m.chunk("glBufferSubData", resource("buffer", glIndices), number("offset", 2), number("bytesize", 1), m.blob("data", []byte{1}))
	draw()
	m.chunk("glBufferData", vertices, number("bytesize", 36), element("null", "data", "", ""))
	draw() // the vertices are zeros now
	m.chunk("glClearBufferData", vertices)
	m.chunk("glCopyBufferSubData", resource("readBuffer", glOther), resource("writeBuffer", glVertices), number("size", 12))
	s := m.scene(t)
	want := [][]int{{0, 1, 2}, {0, 10, 2}, {0, 10, 2}, {0, 20, 2}, {0, 20, 30}, {51, 20, 30}, {51, 20, 20}, {0, 0, 0}}
	require.Equal(t, want, allIDs(s))
	require.Equal(t, s.Draws[1].VertexOffset, s.Draws[2].VertexOffset)
	require.Equal(t, []string{"1 x glClearBufferData: not followed", "1 x glCopyBufferSubData: without its offsets"}, s.Skipped)
}

// TestOpenGLInitialState draws only from state that was set up before the frame.
func TestOpenGLInitialState(t *testing.T) {
	m := newMade("OpenGL")
	data, _ := corners(8)
	unused := group("", number("enabled", 0), number("vbslot", 0), number("offset", 0), enum("type", "GL_FLOAT"), number("normalized", 0), number("integer", 0), number("size", 4))
	m.chunk("glGenBuffers")
	m.chunk("Internal::Initial Contents", resource("id", glVertices), enum("Type", "Buffer"), number("BufferContentsSize", 8+len(data)), m.blob("BufferContents", append(make([]byte, 8), data...)))
	m.chunk("Internal::Initial Contents", resource("id", glIndices), enum("Type", "Buffer"), number("BufferContentsSize", 3), m.blob("BufferContents", []byte{3, 4, 5}))
	m.chunk("Internal::Initial Contents", resource("id", glArray), enum("Type", "Vertex Array"), group("VAOState", element("bool", "valid", "", "true"),
		array("VertexAttribs", unused, group("", number("enabled", 1), number("vbslot", 3), number("offset", 8), enum("type", "GL_FLOAT"), number("normalized", 0), number("integer", 0), number("size", 3)), unused),
		array("VertexBuffers", group(""), group(""), group(""), group("", resource("Buffer", glVertices), number("Stride", 12), number("Offset", 12), number("Divisor", 0))),
		resource("ElementArrayBuffer", glIndices)))
	m.chunk("glObjectLabel", resource("Resource", 77), text("Label", "G-buffer &amp; depth"))
	m.chunk("glBindVertexArray", resource("vaobj", 1)) // without effect, since it comes before the frame
	m.chunk("Internal::Beginning of Capture", group("state", resource("GL_VERTEX_ARRAY_BINDING", glArray), resource("GL_DRAW_FRAMEBUFFER_BINDING", 76)))
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
	m.chunk("glBindFramebuffer", enum("target", "GL_FRAMEBUFFER"), resource("framebuffer", 77))
	m.chunk("glPushDebugGroup", text("message", "trees\x01"))
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
	m.chunk("glPopDebugGroup")
	m.chunk("glBindFramebuffer", enum("target", "GL_READ_FRAMEBUFFER"), resource("framebuffer", 78))
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
	s := m.scene(t)
	require.Equal(t, []int{4, 5, 6}, ids(s, 0), "the slot begins 12 bytes in, the attribute 8, the data 8")
	var names []string
	for _, d := range s.Draws {
		names = append(names, d.Name)
	}
	require.Equal(t, []string{"pass 1 / event 1 glDrawElements", "pass 2 G-buffer & depth / trees / event 4 glDrawElements", "pass 2 G-buffer & depth / event 7 glDrawElements"}, names)
}

// TestOpenGLFormats reads positions of many formats; separate calls set the format and the buffer.
func TestOpenGLFormats(t *testing.T) {
	for _, c := range []struct {
		typ, normalized string
		size            int
		data            []byte
		want            mgl32.Vec3
	}{
		{"GL_FLOAT", "false", 4, bytesOf[float32](1.5, -2, 3, 9), mgl32.Vec3{1.5, -2, 3}},
		{"GL_DOUBLE", "false", 3, bytesOf(1.5, -2, 3), mgl32.Vec3{1.5, -2, 3}},
		{"GL_HALF_FLOAT", "false", 3, bytesOf[uint16](0x3e00, 0xc000, 0x0001), mgl32.Vec3{1.5, -2, 0x1p-24}},
		{"GL_SHORT", "true", 3, bytesOf[int16](32767, -32768, 0), mgl32.Vec3{1, -1, 0}},
		{"GL_SHORT", "false", 4, bytesOf[int16](7, -8, 9, 1), mgl32.Vec3{7, -8, 9}},
		{"GL_UNSIGNED_SHORT", "true", 3, bytesOf[uint16](65535, 0, 13107), mgl32.Vec3{1, 0, 0.2}},
		{"GL_BYTE", "true", 3, bytesOf[int8](127, -128, 0), mgl32.Vec3{1, -1, 0}},
		{"GL_UNSIGNED_BYTE", "false", 3, bytesOf[uint8](255, 0, 3), mgl32.Vec3{255, 0, 3}},
		{"GL_FIXED", "false", 3, bytesOf[int32](1<<16, -1<<15, 0), mgl32.Vec3{1, -0.5, 0}},
		{"GL_INT", "false", 3, bytesOf[int32](-5, 6, 7), mgl32.Vec3{-5, 6, 7}},
		{"GL_INT", "true", 4, bytesOf[int32](math.MaxInt32, math.MinInt32, 1<<30, 5), mgl32.Vec3{1, -1, .5}},
		{"GL_UNSIGNED_INT", "true", 3, bytesOf[uint32](math.MaxUint32, 0, 1<<31), mgl32.Vec3{1, 0, .5}},
		{"GL_UNSIGNED_INT", "false", 3, bytesOf[uint32](5, 6, 7), mgl32.Vec3{5, 6, 7}},
	} {
		m := newMade("OpenGL")
		m.chunk("glBufferData", resource("buffer", glVertices), number("bytesize", 4*len(c.data)), m.blob("data", append(make([]byte, len(c.data)), append(append(c.data, c.data...), c.data...)...)))
		m.begin()
		array := resource("vaobj", glArray)
		m.chunk("glBindVertexArray", array)
		m.chunk("glVertexArrayAttribFormat", array, number("attribindex", 2), number("size", c.size), enum("type", c.typ), element("bool", "normalized", "", c.normalized), number("relativeoffset", len(c.data)))
		m.chunk("glVertexArrayAttribBinding", array, number("attribindex", 2), number("bindingindex", 6))
		if c.size == 3 {
			m.chunk("glVertexArrayVertexBuffer", array, number("bindingindex", 6), resource("buffer", glVertices), number("offset", 0), number("stride", len(c.data)))
		} else { // binds several buffers, of which the second counts
			m.chunk("glBindVertexBuffers", number("first", 5), element("array", "buffers", "", resource("", glOther)+resource("", glVertices)),
				element("array", "offsets", "", number("", 4)+number("", 0)), element("array", "strides", "", number("", 1)+number("", len(c.data))))
		}
		m.chunk("glEnableVertexArrayAttrib", array, number("index", 2))
		m.chunk("glDrawArrays", enum("mode", "GL_TRIANGLES"), number("first", 0), number("count", 3))
		s := m.scene(t)
		require.Equal(t, []mgl32.Vec3{c.want, c.want, c.want}, drawn(s, 0), c.typ)
	}
}

// TestOpenGLSkips: draws without positions, or with positions that cannot be read, are left out, each for its reason.
func TestOpenGLSkips(t *testing.T) {
	array := resource("vaobj", glArray)
	pointer := func(size int, typ, normalized string) func(m *made) {
		return func(m *made) {
			m.chunk("glVertexAttribPointer", array, resource("buffer", glVertices), number("index", 0), number("size", size),
				enum("type", typ), element("bool", "normalized", "", normalized), number("stride", 12), number("offset", 0))
		}
	}
	for why, change := range map[string]func(m *made){
		"2D positions":                                  pointer(2, "GL_FLOAT", "false"),
		"positions of one component":                    pointer(1, "GL_FLOAT", "false"),
		"positions of format GL_INT_2_10_10_10_REV":     pointer(4, "GL_INT_2_10_10_10_REV", "true"),
		"no positions, only colours (GL_UNSIGNED_BYTE)": pointer(4, "GL_UNSIGNED_BYTE", "true"),
		"no positions, no vertex attributes at all":     func(m *made) { m.chunk("glDisableVertexAttribArray", array, number("index", 0)) },
		"no position per vertex, only per instance": func(m *made) {
			m.chunk("glVertexAttribDivisor", array, number("index", 0), number("divisor", 1))
		},
		"its vertex buffer is not known": func(m *made) {
			m.chunk("glBindVertexBuffer", array, number("bindingindex", 0), resource("buffer", 0), number("offset", 0), number("stride", 12))
		},
		"its index buffer is not known": func(m *made) { m.chunk("glVertexArrayElementBuffer", array, resource("buffer", 0)) },
		"its indices are not in the capture": func(m *made) {
			m.chunk("glVertexArrayElementBuffer", array, resource("buffer", 99))
		},
		"its vertices are not in the capture": func(m *made) {
			m.chunk("glBindVertexBuffer", array, number("bindingindex", 0), resource("buffer", 99), number("offset", 0), number("stride", 12))
		},
		"positions that are not finite": func(m *made) {
			m.chunk("glBufferSubData", resource("buffer", glVertices), number("offset", 16), number("bytesize", 4), m.blob("data", bytesOf[uint32](0x7f800000)))
		},
	} {
		m := newGL(bytesOf[uint8](0, 1, 2, 4, 5, 6))
		m.bind()
		change(m)
		m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
		_, err := Read(t.Context(), m.input(t))
		require.EqualError(t, err, ": no draws that can be read: 1 x glDrawElements: "+why)
	}
	m := newGL(bytesOf[uint8](0, 1, 2))
	m.bind()
	m.chunk("glDrawTransformFeedback", enum("mode", "GL_TRIANGLES"))
	m.chunk("glDrawBuffer")
	m.chunk("glDrawElements", enum("mode", "GL_TRIANGLES"), enum("type", "GL_UNSIGNED_BYTE"))
	m.chunk("glDrawElements", enum("mode", "GL_PATCHES"))
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
	require.Equal(t, []string{"1 x glDrawElements: no triangles (GL_PATCHES)", "1 x glDrawElements: without its arguments",
		"1 x glDrawTransformFeedback: unknown kind of draw"}, m.scene(t).Skipped)
}

// TestUnusedNotFinite: a vertex that is not finite harms only draws that reference it.
func TestUnusedNotFinite(t *testing.T) {
	m := newGL(bytesOf[uint8](0, 2, 3, 0, 1, 3))
	m.bind()
	m.chunk("glBufferSubData", resource("buffer", glVertices), number("offset", 16), number("bytesize", 4), m.blob("data", bytesOf[uint32](0x7fc00000)))
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
	m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3) // references the vertex
	s := m.scene(t)
	require.Equal(t, []string{"1 x glDrawElements: positions that are not finite"}, s.Skipped)
	require.Equal(t, []int{0, 2, 3}, ids(s, 1))
	require.Zero(t, s.Positions[1])
}

// TestOpenGLNamedPosition finds the positions, which are in attribute 3, by the attribute's name.
func TestOpenGLNamedPosition(t *testing.T) {
	m := newGL(bytesOf[uint8](0, 1, 2))
	m.chunk("Internal::Initial Contents", resource("id", 70), enum("Type", "Program"), array("InputBindings",
		group("", text("Name", "composite"), number("Binding", 0)), group("", text("Name", "in_Position"), number("Binding", 3)),
		group("", text("Name", "position2"), number("Binding", 1)), group("", text("Name", "gl_Position"), element("int", "Binding", "", "-1"))))
	m.chunk("glBindAttribLocation", resource("program", 71), number("index", 9), text("name", "aPos"))
	m.bind()
	array := resource("vaobj", glArray)
	m.chunk("glVertexArrayAttribFormat", array, number("attribindex", 3), number("size", 2), enum("type", "GL_FLOAT"), number("relativeoffset", 12)) // glVertexAttribPointer below replaces all of this
	m.chunk("glVertexArrayAttribBinding", array, number("attribindex", 3), number("bindingindex", 6))
	m.chunk("glVertexAttribPointer", array, resource("buffer", glVertices), number("index", 3), number("size", 3),
		enum("type", "GL_FLOAT"), element("bool", "normalized", "", "false"), number("stride", 0), number("offset", 120))
	m.chunk("glEnableVertexAttribArray", array, number("index", 3))
	for _, program := range []int{0, 70, 71, 72} {
		m.chunk("glUseProgram", resource("program", program))
		m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 0)
	}
	require.Equal(t, [][]int{
		{0, 1, 2},    // no program: the first enabled attribute
		{10, 11, 12}, // the attribute named in_Position
		{0, 1, 2},    // that attribute is not enabled: the first enabled one
		{0, 1, 2},    // no attribute has such a name: the first enabled one
	}, allIDs(m.scene(t)))
}
