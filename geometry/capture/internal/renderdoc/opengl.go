package renderdoc

import (
	"math"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// openGL is the state of OpenGL while a capture is read. Calls take effect in file order.
type openGL struct {
	api
	f        *frame
	arrays   map[uint64]*vertexArray
	current  *vertexArray
	currents map[uint64][4]float32 // values of attributes without an enabled array, by location
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
	bound    timelines[int64, uint64]       // bound textures, by unit
	texels   timelines[uint64, texelBuffer] // the buffer ranges that textures read, by texture
	target   glTarget

	boundImages, boundSamplers timelines[int64, uint64] // 2D textures and sampler objects by unit
	samplers                   map[uint64]*glSampler    // by texture or sampler object
}

// wholeBuffer exceeds the length of any buffer. The real length is known when the extent is read.
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
	g.api = api{version: 35, suffixes: []string{"ARB", "EXT", "OES", "KHR", "NV"}, calls: map[string]func(elem){}, isDraw: func(name string) bool {
		return strings.HasPrefix(name, "glDraw") && name != "glDrawBuffer" && name != "glDrawBuffers" || strings.HasPrefix(name, "glMultiDraw")
	}}
	g.current = g.array(0)
	g.on(map[string]func(elem){
		"Internal::Initial Contents":     g.initialContents,
		"Internal::Beginning of Capture": g.beginning,
		"Internal::Coherent Mapped Memory Write, glFlushMappedBufferRange": func(r elem) { // a write through a mapping that stays mapped
			g.write(r, r.get("FlushedData"), r.get("MapOffset"), r.get("offset"))
		},
		"glBufferData, glBufferStorage":       func(r elem) { g.contents(r, r.get("buffer"), r.get("bytesize"), r.get("data")) },
		"glBufferSubData":                     func(r elem) { g.write(r, r.get("data"), r.get("offset")) },
		"glUnmapBuffer":                       g.unmap,
		"glCopyBufferSubData":                 g.copyData,
		"glEnable":                            func(r elem) { g.enable(r, true) },
		"glDisable":                           func(r elem) { g.enable(r, false) },
		"glPrimitiveRestartIndex":             func(r elem) { g.restartAt = uint32(r.get("index").id()) },
		"glObjectLabel, glLabelObject":        func(r elem) { f.label(r.get("Resource", "Object"), r.get("Label", "label")) },
		"glPushDebugGroup, glPushGroupMarker": func(r elem) { g.groups.push(r.get("message", "marker", "Message", "Marker")) },
		"glPopDebugGroup, glPopGroupMarker":   func(elem) { g.groups.pop() },
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

// write adds an operation that writes data at the sum of the offsets.
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

func (g *openGL) addDrawCalls() {
	for names, read := range map[string]func(d *draw, r elem){
		"glDrawArrays, glDrawArraysInstanced, glDrawArraysInstancedBaseInstance, " +
			"glDrawElements, glDrawElementsInstanced, glDrawElementsInstancedBaseInstance, " +
			"glDrawElementsBaseVertex, glDrawElementsInstancedBaseVertex, glDrawElementsInstancedBaseVertexBaseInstance, " +
			"glDrawRangeElements, glDrawRangeElementsBaseVertex": func(d *draw, r elem) {
			d.one(r.get("count"), r.get("first", "indices"), r.get("instancecount"), r.get("basevertex"), r.get("baseinstance"))
		},
		"glMultiDrawArrays, glMultiDrawElements, glMultiDrawElementsBaseVertex": readMany,
		"glDrawArraysIndirect, glDrawElementsIndirect, glMultiDrawArraysIndirect, glMultiDrawElementsIndirect, " +
			"glMultiDrawArraysIndirectCount, glMultiDrawElementsIndirectCount": g.readIndirect,
	} {
		g.inFrame(map[string]func(elem){names: func(r elem) {
			g.f.try(r.call(), func() { g.draw(r, read) })
		}})
	}
}

var openGLTopologies = map[string]topology{"GL_TRIANGLES": list, "GL_TRIANGLE_STRIP": strip, "GL_TRIANGLE_FAN": fan}

// draw adds a draw, with the state that it depends on.
func (g *openGL) draw(r elem, read func(d *draw, r elem)) {
	d := &draw{call: r.call(), topology: topologyOf(r.get("mode").enum(), openGLTopologies)}
	must.OK(g.f.budget.Work(8 * int64(len(g.current.attributes))))
	d.position = g.current.position(g.programs[g.program])
	if strings.Contains(d.call, "Elements") {
		g.indices(d, r.get("type").enum())
	}
	read(d, r)
	if g.passInto != g.drawInto { // a pass lasts while draws go to the same framebuffer
		g.f.passes++
		g.passInto = g.drawInto
	}
	d.shading = g.shading()
	g.f.nameDraw(d, g.f.passName(g.drawInto), g.groups, "program", g.program, g.base())
	g.f.add(d)
}

func (g *openGL) indices(d *draw, typ string) {
	d.width = map[string]int64{"GL_UNSIGNED_BYTE": 1, "GL_UNSIGNED_SHORT": 2, "GL_UNSIGNED_INT": 4}[typ]
	if d.width == 0 || g.current.indices == 0 {
		leaveOut(noIndexBuffer)
	}
	d.indices = wholeOf(g.current.indices)
	d.restarts, d.restartAt = g.restart, g.restartAt
	if g.restartFixed {
		d.restarts, d.restartAt = true, largest(d.width)
	}
}

// mostOffset exceeds any offset in a buffer. The sum of two offsets up to mostOffset does not overflow.
const mostOffset = wholeBuffer/2 - 1

// one adds the arguments of one draw.
func (d *draw) one(count, first, instances, base, instance elem) {
	a := arguments{count: uint32(count.argument(math.MaxInt32)), first: first.argument(mostOffset), instances: 1}
	if d.width > 0 {
		if a.first%d.width != 0 {
			leaveOut("indices that are not aligned")
		}
		a.first /= d.width
	}
	if instances.there() {
		a.instances = uint32(instances.argument(math.MaxInt32))
	}
	if base.there() {
		a.base = base.signed()
	}
	if n, ok := instance.uint(); ok && n <= math.MaxUint32 {
		a.instance = uint32(n)
	}
	d.calls = append(d.calls, a)
}

func readMany(d *draw, r elem) {
	first, base := r.get("first", "indices").first(), r.get("basevertex").first()
	for _, count := range r.each("count") {
		d.one(count, first, elem{}, base, elem{})
		first, base = first.next(), base.next()
	}
}

func (g *openGL) readIndirect(d *draw, r elem) {
	if g.arguments == 0 {
		leaveOut("its buffer of arguments is not known")
	}
	in := &indirect{from: wholeOf(g.arguments).from(r.get("offset", "indirect").argument(mostOffset)), draws: 1}
	if e := r.get("maxdrawcount", "drawcount"); e.there() {
		in.draws = e.argument(math.MaxInt32)
	}
	if strings.Contains(d.call, "IndirectCount") {
		if g.parameters == 0 {
			leaveOut(noArguments)
		}
		in.whereCount, in.count = true, wholeOf(g.parameters).from(r.get("drawcount").argument(mostOffset))
	}
	in.stride = r.get("stride").number() // 0 if the arguments are tightly packed
	d.indirect = in
}

// glTarget is the OpenGL state from which a draw's target is made.
type glTarget struct {
	targetState
	culls                bool // whether triangles are culled at all
	upperLeft, zeroToOne bool
}

func (g *openGL) addTargetCalls() {
	t := &g.target
	g.on(map[string]func(elem){
		"glViewport": func(r elem) {
			v := readViewport(r)
			v.near, v.far = t.viewport.near, t.viewport.far
			t.viewport = v
		},
		"glDepthRange, glDepthRangef": func(r elem) { t.viewport.near, t.viewport.far = r.get("nearVal").float(), r.get("farVal").float() },
		"glDepthMask":                 func(r elem) { t.depthWrite = r.get("flag").bool() },
		"glCullFace":                  func(r elem) { t.cull = r.get("mode").enum() },
		"glFrontFace":                 func(r elem) { t.front = r.get("mode").enum() },
		"glColorMask":                 func(r elem) { t.colorless = !writesColors(r) },
		"glClipControl":               func(r elem) { t.setClip(r.get("origin"), r.get("depth")) },
	})
}

func writesColors(mask elem) bool {
	return mask.get("red").bool() || mask.get("green").bool() || mask.get("blue").bool()
}

func (t *glTarget) setClip(origin, depth elem) {
	t.upperLeft, t.zeroToOne = origin.enum() == "GL_UPPER_LEFT", depth.enum() == "GL_ZERO_TO_ONE"
}

// initialTarget returns the state when the frame began.
func initialTarget(s elem) (t glTarget) {
	t.viewport = readViewport(s.get("GL_VIEWPORT").first())
	depth := s.get("GL_DEPTH_RANGE").first()
	t.viewport.near, t.viewport.far = depth.get("nearZ").float(), depth.get("farZ").float()
	t.depthTest, t.depthWrite = s.get("GL_DEPTH_TEST").bool(), s.get("GL_DEPTH_WRITEMASK").bool()
	t.culls, t.cull, t.front = s.get("GL_CULL_FACE").bool(), s.get("GL_CULL_FACE_MODE").enum(), s.get("GL_FRONT_FACE").enum()
	mask := s.get("GL_COLOR_WRITEMASK").first()
	t.colorless = mask.there() && !writesColors(mask)
	t.setClip(s.get("GL_CLIP_ORIGIN"), s.get("GL_CLIP_DEPTH_MODE"))
	return t
}

func (s *glTarget) now(pass int) target {
	t := target{pass: pass, viewport: s.viewport, depthWrites: s.depthTest && s.depthWrite, lowerLeft: true, yUp: !s.upperLeft, fullDepth: !s.zeroToOne, colorless: s.colorless}
	if s.culls {
		both := s.cull == "GL_FRONT_AND_BACK"
		t.culls = culled(both || s.cull == "GL_FRONT", both || s.cull != "GL_FRONT", s.front != "GL_CW")
	}
	return t
}
