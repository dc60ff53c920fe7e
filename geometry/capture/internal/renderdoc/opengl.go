package renderdoc

import "strings"

// openGL is the state of OpenGL while a capture is read. Calls take effect in file order.
type openGL struct {
	api
	f        *frame
	arrays   map[uint64]*vertexArray
	current  *vertexArray
	currents map[uint64][4]float32 // attributes' values while no array is enabled
	groups   groups
	drawInto uint64 // the bound framebuffer
	passInto uint64 // the framebuffer of the latest draw

	restart      bool
	restartFixed bool
	restartAt    uint32
	arguments    uint64 // buffer of indirect draws' arguments
	parameters   uint64 // buffer of indirect draws' counts

	shaders  map[uint64]*glShader
	programs map[uint64]*glProgram
	program  uint64 // the program in use
	separate bool   // whether a program pipeline is bound
	points   timelines[bindingPoint, extent]
	unit     int64                          // texture unit that glBindTexture affects
	bound    timelines[int64, uint64]       // textures by unit
	texels   timelines[uint64, texelBuffer] // by texture
	target   glTarget

	boundImages, boundSamplers timelines[int64, uint64] // 2D textures and sampler objects by unit
	samplers                   map[uint64]*glSampler    // by texture or sampler object
}

// wholeBuffer is longer than any buffer. The real length is known when the extent is read.
const wholeBuffer = 1 << 62

// wholeOf returns the extent of a whole buffer.
func wholeOf(buffer uint64) extent { return extent{buffer, 0, wholeBuffer} }

func newOpenGL(f *frame) *openGL {
	g := &openGL{
		f: f, arrays: map[uint64]*vertexArray{}, currents: map[uint64][4]float32{}, passInto: 1<<64 - 1,
		shaders: map[uint64]*glShader{}, programs: map[uint64]*glProgram{},
		points: timelines[bindingPoint, extent]{}, bound: timelines[int64, uint64]{}, texels: timelines[uint64, texelBuffer]{},
		boundImages: timelines[int64, uint64]{}, boundSamplers: timelines[int64, uint64]{}, samplers: map[uint64]*glSampler{},
	}
	g.api = api{version: 35, suffixes: []string{"ARB", "EXT", "OES", "KHR", "NV"}, calls: map[string]func(elem){}, isDraw: isOpenGLDraw}
	g.current = g.array(0)
	g.on(map[string]func(elem){
		"Internal::Initial Contents":                                       g.initialContents,
		"Internal::Beginning of Capture":                                   g.beginning,
		"Internal::Coherent Mapped Memory Write, glFlushMappedBufferRange": g.flush,
		"glBufferData, glBufferStorage":                                    g.bufferData,
		"glBufferSubData":                                                  g.subData,
		"glUnmapBuffer":                                                    g.unmap,
		"glCopyBufferSubData":                                              g.copyData,
		"glEnable":                                                         func(r elem) { g.enable(r, true) },
		"glDisable":                                                        func(r elem) { g.enable(r, false) },
		"glPrimitiveRestartIndex":                                          func(r elem) { g.restartAt = uint32(r.get("index").id()) },
		"glObjectLabel, glLabelObject":                                     func(r elem) { f.label(r.get("Resource", "Object"), r.get("Label", "label")) },
		"glPushDebugGroup, glPushGroupMarker":                              func(r elem) { g.groups.push(r.get("message", "marker", "Message", "Marker")) },
		"glPopDebugGroup, glPopGroupMarker":                                func(elem) { g.groups.pop() },
	})
	g.inFrame(map[string]func(elem){
		"glBindBuffer": g.bindBuffer,
		"glBindFramebuffer": func(r elem) {
			if r.get("target").enum() != "GL_READ_FRAMEBUFFER" {
				g.drawInto = r.get("framebuffer").id()
			}
		},
		"glClearBufferData, glClearBufferSubData": func(r elem) { f.skip(r.call(), "not followed") },
	})
	g.addArrayCalls()
	g.addDrawCalls()
	g.addProgramCalls()
	g.addValueCalls()
	g.addTargetCalls()
	g.addImageCalls()
	return g
}

func isOpenGLDraw(name string) bool {
	return strings.HasPrefix(name, "glDraw") && name != "glDrawBuffer" && name != "glDrawBuffers" || strings.HasPrefix(name, "glMultiDraw")
}

// inFrame adds calls that take effect only after the frame has begun; the initial state covers
// earlier ones.
func (g *openGL) inFrame(table map[string]func(elem)) {
	for names, do := range table {
		g.on(map[string]func(elem){names: func(r elem) {
			if g.f.begun {
				do(r)
			}
		}})
	}
}

// beginning restores what was bound when the frame began.
func (g *openGL) beginning(r elem) {
	s := r.get("state")
	if e := s.get("GL_VERTEX_ARRAY_BINDING"); e.there() {
		g.current = g.array(e.id())
	}
	g.restart = s.get("GL_PRIMITIVE_RESTART").bool()
	g.restartFixed = s.get("GL_PRIMITIVE_RESTART_FIXED_INDEX").bool()
	g.restartAt = uint32(s.get("GL_PRIMITIVE_RESTART_INDEX").id())
	g.arguments = s.get("GL_DRAW_INDIRECT_BUFFER_BINDING").id()
	g.parameters = s.get("GL_PARAMETER_BUFFER_BINDING", "GL_PARAMETER_BUFFER_BINDING_ARB").id()
	g.program = s.get("GL_CURRENT_PROGRAM").id()
	g.drawInto = s.get("GL_DRAW_FRAMEBUFFER_BINDING").id()
	g.separate = s.get("GL_PROGRAM_PIPELINE_BINDING").id() != 0
	g.target = initialTarget(s)
	g.initialValues(s)
}

func (g *openGL) initialContents(r elem) {
	switch r.get("Type").enum() {
	case "Buffer":
		g.contents(r, r.get("id"), r.get("BufferContentsSize"), r.get("BufferContents"))
	case "Vertex Array":
		if s := r.get("VAOState"); s.get("valid").bool() {
			g.arrays[r.get("id").id()] = initialArray(s)
		}
	case "Program":
		g.initialProgram(r)
	case "Texture":
		g.initialTexture(r)
	case "Sampler":
		g.initialSampler(r.get("id").id(), r.get("SamplerState"))
	}
}

// contents replaces the contents of a buffer.
func (g *openGL) contents(r, buffer, size, data elem) {
	n, ok := size.int()
	if !ok || n < 0 {
		g.f.skip(r.call(), "without a size")
		return
	}
	space := buffer.id()
	g.f.add(reserve{space, n})
	if what, ok := data.blob(); ok && what.length > 0 {
		g.f.add(write{extent{space, 0, min(what.length, n)}, what, r.call()})
	}
}

func (g *openGL) bufferData(r elem) { g.contents(r, r.get("buffer"), r.get("bytesize"), r.get("data")) }

// write adds a write of bytes at the sum of some offsets.
func (g *openGL) write(r, data elem, offsets ...elem) {
	what, ok := data.blob()
	at := int64(0)
	for _, e := range offsets {
		n, isNumber := e.int()
		ok = ok && (!e.there() || isNumber && n >= 0 && n < wholeBuffer-at)
		at += n
	}
	if !ok || what.length > wholeBuffer-at {
		g.f.skip(r.call(), "without offset or bytes")
		return
	}
	g.f.add(write{extent{r.get("buffer").id(), at, at + what.length}, what, r.call()})
}

func (g *openGL) subData(r elem) { g.write(r, r.get("data"), r.get("offset")) }

// flush is a write through a mapping that stays mapped.
func (g *openGL) flush(r elem) {
	g.write(r, r.get("FlushedData"), r.get("MapOffset"), r.get("offset"))
}

// unmap writes the part of the mapped range that has changed; none if it was mapped for reading.
func (g *openGL) unmap(r elem) {
	data := r.get("MapWrittenData")
	if _, ok := data.blob(); ok {
		g.write(r, data, r.get("offset"), r.get("diffStart"))
	}
}

func (g *openGL) copyData(r elem) {
	from, fromOK := r.get("readOffset").int()
	to, toOK := r.get("writeOffset").int()
	n, ok := r.get("size").int()
	if !ok || !fromOK || !toOK || from < 0 || to < 0 || n < 0 || n > wholeBuffer-max(from, to) {
		g.f.skip(r.call(), "without its offsets")
		return
	}
	g.f.add(copying{extent{r.get("readBuffer").id(), from, from + n}, extent{r.get("writeBuffer").id(), to, to + n}})
}

func (g *openGL) bindBuffer(r elem) {
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

func (g *openGL) enable(r elem, on bool) {
	switch r.get("cap").enum() {
	case "GL_PRIMITIVE_RESTART":
		g.restart = on
	case "GL_PRIMITIVE_RESTART_FIXED_INDEX":
		g.restartFixed = on
	case "GL_DEPTH_TEST":
		g.target.depthTest = on
	case "GL_CULL_FACE":
		g.target.culls = on
	}
}
