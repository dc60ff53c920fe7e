package renderdoc

import (
	"slices"
	"testing"

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

// newGL returns a capture with 100 corners in a buffer, and those indices in another.
func newGL(indices []byte) *made {
	m := newMade("OpenGL")
	data, _ := corners(100)
	m.chunk("glBufferData", resource("buffer", glVertices), number("bytesize", len(data)), m.blob("data", data))
	m.chunk("glBufferData", resource("buffer", glIndices), number("bytesize", len(indices)), m.blob("data", indices))
	return m
}

// bind binds a vertex array that has both.
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
		m.elements("GL_TRIANGLES", typ, 5, 3*len(data)/9) // the last triangle is incomplete
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
