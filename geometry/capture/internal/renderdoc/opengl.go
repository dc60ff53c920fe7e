package renderdoc

import (
	"fmt"
	"strings"
)

// openGL is the state of OpenGL while a capture is read. Calls take effect in the
// order of the file.
type openGL struct {
	f        *frame
	arrays   map[uint64]*vertexArray
	current  *vertexArray
	labels   map[uint64]string // of objects
	groups   []string          // debug groups, the innermost last
	drawInto uint64            // framebuffer
	passInto uint64            // that of the latest draw
	passes   int
	handlers map[string]func(*chunk, elem)

	restart      bool
	restartFixed bool
	restartAt    uint32
	programs     programs
	arguments    uint64 // buffer of indirect draws
	parameters   uint64 // buffer of their numbers

	// Where shaders are wanted:
	shaders  map[uint64]*glShader
	linked   map[uint64]*glProgram
	points   map[string]*history[extent] // buffers bound by index
	textures glTextures
	separate bool // a program pipeline is bound
	target   glTarget
	currents map[uint64][4]float32 // attributes' values where no array is enabled
}

// wholeBuffer is longer than any buffer. The real length is known when it is read.
const wholeBuffer = 1 << 62

func newOpenGL(f *frame) *openGL {
	g := &openGL{f: f, arrays: map[uint64]*vertexArray{}, labels: map[uint64]string{}, passInto: 1<<64 - 1}
	g.current = g.array(0)
	g.handlers = map[string]func(*chunk, elem){
		"Internal::Initial Contents":             g.initialContents,
		"Internal::Beginning of Capture":         g.beginning,
		"Internal::Coherent Mapped Memory Write": g.flush,
		"glBufferData":                           g.bufferData,
		"glBufferStorage":                        g.bufferData,
		"glBufferSubData":                        g.subData,
		"glFlushMappedBufferRange":               g.flush,
		"glUnmapBuffer":                          g.unmap,
		"glCopyBufferSubData":                    g.copyData,
		"glClearBufferData":                      g.notRead,
		"glClearBufferSubData":                   g.notRead,
		"glBindBuffer":                           g.bindBuffer,
		"glBindFramebuffer":                      g.bindFramebuffer,
		"glEnable":                               func(_ *chunk, r elem) { g.set(r, true) },
		"glDisable":                              func(_ *chunk, r elem) { g.set(r, false) },
		"glPrimitiveRestartIndex":                g.restartIndex,
		"glObjectLabel":                          g.label,
		"glLabelObject":                          g.label,
		"glPushDebugGroup":                       g.push,
		"glPushGroupMarker":                      g.push,
		"glPopDebugGroup":                        g.pop,
		"glPopGroupMarker":                       g.pop,
	}
	g.addProgramHandlers()
	g.addArrayHandlers()
	g.addDrawHandlers()
	if f.shaders {
		g.addShaderHandlers()
	}
	return g
}

func (g *openGL) wants(name []byte) bool {
	s := baseName(name)
	return g.handlers[s] != nil || strings.HasPrefix(s, "glDraw") && s != "glDrawBuffer" && s != "glDrawBuffers" || strings.HasPrefix(s, "glMultiDraw")
}

func (g *openGL) chunk(c *chunk) {
	if handle := g.handlers[baseName(c.name)]; handle != nil {
		handle(c, c.root())
	} else if g.f.begun {
		g.f.skip(string(c.name), "unknown kind of draw")
	}
}

func (g *openGL) end() {}

// beginning takes over what was bound when the frame began.
func (g *openGL) beginning(_ *chunk, r elem) {
	s := r.get("state")
	if e := s.get("GL_VERTEX_ARRAY_BINDING"); e.there() {
		g.current = g.array(e.id())
	}
	g.restart = s.get("GL_PRIMITIVE_RESTART").bool()
	g.restartFixed = s.get("GL_PRIMITIVE_RESTART_FIXED_INDEX").bool()
	g.restartAt = uint32(s.get("GL_PRIMITIVE_RESTART_INDEX").id())
	g.arguments = s.get("GL_DRAW_INDIRECT_BUFFER_BINDING").id()
	g.parameters = s.any("GL_PARAMETER_BUFFER_BINDING", "GL_PARAMETER_BUFFER_BINDING_ARB").id()
	g.programs.current = s.get("GL_CURRENT_PROGRAM").id()
	g.drawInto = s.get("GL_DRAW_FRAMEBUFFER_BINDING").id()
	if g.f.shaders {
		g.target = initialTarget(s)
		g.separate = s.get("GL_PROGRAM_PIPELINE_BINDING").id() != 0
		g.initialPoints(s)
		g.initialTextures(s)
		g.initialCurrents(s)
	}
}

func (g *openGL) initialContents(c *chunk, r elem) {
	switch r.get("Type").enum() {
	case "Buffer":
		g.contents(c, r.get("id"), r.get("BufferContentsSize"), r.get("BufferContents"))
	case "Vertex Array":
		if s := r.get("VAOState"); s.get("valid").bool() {
			g.arrays[r.get("id").id()] = initialArray(s)
		}
	case "Program":
		g.programs.initial(r.get("id").id(), r)
		if g.f.shaders {
			g.initialProgram(r)
		}
	}
}

// contents gives a buffer new contents.
func (g *openGL) contents(c *chunk, buffer, size, data elem) {
	n, ok := size.int()
	if !ok || n < 0 {
		g.f.skip(string(c.name), "without a size")
		return
	}
	space := buffer.id()
	g.f.add(reserve{space, n})
	if what, ok := data.blob(); ok && what.length > 0 {
		g.f.add(write{extent{space, 0, min(what.length, n)}, what, string(c.name)})
	}
}

func (g *openGL) bufferData(c *chunk, r elem) {
	g.contents(c, r.get("buffer"), r.get("bytesize"), r.get("data"))
}

// write adds the write of bytes at the sum of some offsets.
func (g *openGL) write(c *chunk, buffer, data elem, offsets ...elem) {
	what, ok := data.blob()
	at := int64(0)
	for _, e := range offsets {
		n, isNumber := e.int()
		ok = ok && (!e.there() || isNumber && n >= 0 && n < wholeBuffer-at)
		at += n
	}
	if !ok || what.length > wholeBuffer-at {
		g.f.skip(string(c.name), "without offset or bytes")
		return
	}
	g.f.add(write{extent{buffer.id(), at, at + what.length}, what, string(c.name)})
}

func (g *openGL) subData(c *chunk, r elem) {
	g.write(c, r.get("buffer"), r.get("data"), r.get("offset"))
}

// flush is a write through a mapping that stays.
func (g *openGL) flush(c *chunk, r elem) {
	g.write(c, r.get("buffer"), r.get("FlushedData"), r.get("MapOffset"), r.get("offset"))
}

// unmap writes the part of the mapped range that has changed.
func (g *openGL) unmap(c *chunk, r elem) {
	data := r.get("MapWrittenData")
	if _, ok := data.blob(); !ok {
		return // it was mapped to be read
	}
	g.write(c, r.get("buffer"), data, r.get("offset"), r.get("diffStart"))
}

func (g *openGL) copyData(c *chunk, r elem) {
	from, fromOK := r.get("readOffset").int()
	to, toOK := r.get("writeOffset").int()
	n, ok := r.get("size").int()
	if !ok || !fromOK || !toOK || from < 0 || to < 0 || n < 0 || n > wholeBuffer-max(from, to) {
		g.f.skip(string(c.name), "without its offsets")
		return
	}
	g.f.add(copying{extent{r.get("readBuffer").id(), from, from + n}, extent{r.get("writeBuffer").id(), to, to + n}})
}

// notRead counts a call that changes a buffer in a way that is not followed.
func (g *openGL) notRead(c *chunk, _ elem) {
	if g.f.begun {
		g.f.skip(string(c.name), "not followed")
	}
}

func (g *openGL) bindBuffer(_ *chunk, r elem) {
	if !g.f.begun {
		return // what was bound is in the initial state
	}
	buffer := r.get("buffer").id()
	switch r.get("target").enum() {
	case "GL_ELEMENT_ARRAY_BUFFER":
		g.current.indices = buffer
	case "GL_DRAW_INDIRECT_BUFFER":
		g.arguments = buffer
	case "GL_PARAMETER_BUFFER", "GL_PARAMETER_BUFFER_ARB":
		g.parameters = buffer
	}
}

func (g *openGL) bindFramebuffer(_ *chunk, r elem) {
	if g.f.begun && r.get("target").enum() != "GL_READ_FRAMEBUFFER" {
		g.drawInto = r.get("framebuffer").id()
	}
}

func (g *openGL) set(r elem, on bool) {
	name := r.get("cap").enum()
	g.target.set(name, on)
	switch name {
	case "GL_PRIMITIVE_RESTART":
		g.restart = on
	case "GL_PRIMITIVE_RESTART_FIXED_INDEX":
		g.restartFixed = on
	}
}

func (g *openGL) restartIndex(_ *chunk, r elem) { g.restartAt = uint32(r.get("index").id()) }

func (g *openGL) label(_ *chunk, r elem) {
	if id := r.any("Resource", "Object").id(); id != 0 {
		g.labels[id] = r.any("Label", "label").label()
	}
}

func (g *openGL) push(_ *chunk, r elem) {
	const deepest = 64
	if len(g.groups) < deepest {
		g.groups = append(g.groups, r.any("message", "marker", "Message", "Marker").label())
	}
}

func (g *openGL) pop(*chunk, elem) {
	if n := len(g.groups); n > 0 {
		g.groups = g.groups[:n-1]
	}
}

// name names a draw. A pass lasts as long as draws go into one framebuffer.
func (g *openGL) name(call string) string {
	if g.passInto != g.drawInto {
		g.passes++
		g.passInto = g.drawInto
	}
	pass := fmt.Sprintf("pass %d", g.passes)
	if label := g.labels[g.drawInto]; label != "" {
		pass += " " + label
	}
	return g.f.drawName(pass, g.groups, call)
}
