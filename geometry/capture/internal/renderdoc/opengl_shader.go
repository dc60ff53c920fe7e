package renderdoc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/must"
)

// glShader is a shader object.
type glShader struct{ kind, source string }

// glProgram is a program object, as far as its vertex shader goes.
type glProgram struct {
	attached  []uint64 // shaders
	stage     *stage
	inputs    map[string]uint32 // locations of attributes, by name
	uniforms  map[string][]int64
	uniformAt int64                      // beyond the last location
	blocks    map[string]*history[int64] // binding points of uniform blocks
	storage   map[string]*history[int64]
	units     map[int64]*history[int64] // texture units of texel buffers, by location
	space     uint64
	found     bool // its state when the frame began is known
}

// noLocation is the location of an input that the program does not have.
const noLocation = 1<<32 - 1

// Uniforms lie in a space of their program, uniformBytes for each location: no resource
// has the space's number.
const (
	uniformBytes = 128 // a matrix of 4 x 4 doubles
	maxLocation  = 1 << 16
	uniformSpace = 1 << 62
)

func newGLProgram(id uint64) *glProgram {
	return &glProgram{
		stage:  &stage{name: fmt.Sprintf("program %d", id), why: "its program has no vertex shader that is known"},
		inputs: map[string]uint32{}, uniforms: map[string][]int64{}, blocks: map[string]*history[int64]{}, storage: map[string]*history[int64]{},
		units: map[int64]*history[int64]{}, space: id | uniformSpace,
	}
}

// addShaderHandlers adds the handlers of what only matters for vertex shaders.
func (g *openGL) addShaderHandlers() {
	g.shaders, g.linked, g.points = map[uint64]*glShader{}, map[uint64]*glProgram{}, map[string]*history[extent]{}
	for name, do := range map[string]func(*chunk, elem){
		"glCreateShader":              g.createShader,
		"glShaderSource":              g.shaderSource,
		"glCreateProgram":             func(_ *chunk, r elem) { g.program(r.get("Program").id()) },
		"glAttachShader":              g.attachShader,
		"glDetachShader":              g.detachShader,
		"glLinkProgram":               func(_ *chunk, r elem) { g.link(g.program(r.get("program").id())) },
		"glUniformBlockBinding":       func(_ *chunk, r elem) { g.bindBlock(r, "uniformBlockBinding", false) },
		"glShaderStorageBlockBinding": func(_ *chunk, r elem) { g.bindBlock(r, "storageBlockBinding", true) },
		"glBindBufferBase":            g.bindPoint,
		"glBindBufferRange":           g.bindPoint,
		"glBindBuffersBase":           g.bindPoints,
		"glBindBuffersRange":          g.bindPoints,
		"glBindProgramPipeline":       func(_ *chunk, r elem) { g.separate = r.get("pipeline").id() != 0 },
	} {
		g.handlers[name] = do
	}
	for _, kind := range []string{"1", "2", "3", "4", "Matrix2", "Matrix3", "Matrix4", "Matrix2x3", "Matrix3x2", "Matrix2x4", "Matrix4x2", "Matrix3x4", "Matrix4x3"} {
		for _, of := range []string{"f", "i", "ui"} {
			for _, v := range []string{"", "v"} {
				g.handlers["glUniform"+kind+of+v], g.handlers["glProgramUniform"+kind+of+v] = g.uniform, g.uniform
			}
		}
	}
	g.addTextureHandlers()
	g.addTargetHandlers()
	g.addCurrentHandlers()
}

func (g *openGL) createShader(_ *chunk, r elem) {
	g.shaders[r.get("Shader").id()] = &glShader{kind: r.get("type").enum()}
}

func (g *openGL) shaderSource(_ *chunk, r elem) {
	s := g.shaders[r.get("shader").id()]
	if s == nil || s.kind != "GL_VERTEX_SHADER" {
		return
	}
	var text []byte
	for e := r.get("sources").first(); e.there(); e = e.next() {
		text = append(text, unescape(e.text())...)
	}
	s.source = string(text)
}

func (g *openGL) program(id uint64) *glProgram {
	p := g.linked[id]
	if p == nil {
		p = newGLProgram(id)
		g.linked[id] = p
		g.f.add(reserve{p.space, uniformBytes * maxLocation})
	}
	return p
}

func (g *openGL) attachShader(_ *chunk, r elem) {
	p := g.program(r.get("program").id())
	p.attached = append(p.attached, r.get("shader").id())
}

func (g *openGL) detachShader(_ *chunk, r elem) {
	p, id := g.program(r.get("program").id()), r.get("shader").id()
	must.OK(g.f.budget.Work(int64(len(p.attached))))
	for i, s := range p.attached {
		if s == id {
			p.attached = append(p.attached[:i], p.attached[i+1:]...)
			return
		}
	}
}

// link makes the shaders that are attached the program's.
func (g *openGL) link(p *glProgram) {
	must.OK(g.f.budget.Work(int64(len(p.attached))))
	s := &stage{name: p.stage.name, why: "its program has no vertex shader that is known", entry: "main"}
	s.rename = func(name string) (uint32, bool) {
		at, ok := p.inputs[name]
		if !ok && p.found {
			return noLocation, true // it has no influence, so that the program has no such attribute
		}
		return at, ok
	}
	s.uniforms = func(name string) []int64 { return p.uniforms[name] }
	last := ""
	for _, id := range p.attached {
		shader := g.shaders[id]
		if shader == nil {
			continue
		}
		switch shader.kind {
		case "GL_VERTEX_SHADER":
			if s.source != "" {
				last = "its vertex shader is of several parts"
			}
			s.source, s.why = shader.source, ""
			if s.source == "" {
				s.why = "the source of its shader is not in the capture"
			}
		case "GL_GEOMETRY_SHADER":
			last = "a geometry shader places the triangles"
		case "GL_TESS_EVALUATION_SHADER":
			last = "a tessellation shader places the triangles"
		}
	}
	if last != "" {
		s.why = last
	}
	p.stage = s
}

// initialProgram takes over a program as the frame found it.
func (g *openGL) initialProgram(r elem) {
	p := g.program(r.get("id").id())
	p.found = true
	for e := r.get("InputBindings").first(); e.there(); e = e.next() {
		if at, ok := e.get("Binding").int(); ok && at >= 0 && at < maxLocation {
			p.inputs[string(e.get("Name").text())] = uint32(at)
		}
	}
	all := r.get("ProgramUniforms")
	for u := all.get("ValueUniforms").first(); u.there(); u = u.next() {
		var places []int64
		for v := u.get("Values").first(); v.there(); v = v.next() {
			at, ok := v.get("Location").int()
			if !ok || at < 0 || at >= maxLocation {
				continue
			}
			places = append(places, at)
			p.uniformAt = max(p.uniformAt, at+1)
			if strings.Contains(v.get("Type").enum(), "SAMPLER_BUFFER") {
				p.units[at] = &history[int64]{}
			}
			g.setUniform(p, at, words(v.get("data")))
		}
		p.uniforms[string(unescape(u.get("Basename").text()))] = places
	}
	for list, blocks := range map[string]map[string]*history[int64]{"UBOBindings": p.blocks, "SSBOBindings": p.storage} {
		for e := all.get(list).first(); e.there(); e = e.next() {
			h := &history[int64]{}
			h.set(g.f.clock, e.get("Binding").number())
			blocks[string(e.get("Name").text())] = h
		}
	}
}

// words are the bits of numbers of 32 bits.
func words(numbers elem) []byte {
	var out []byte
	for e := numbers.first(); e.there(); e = e.next() {
		out = binary.LittleEndian.AppendUint32(out, e.word())
	}
	return out
}

// word is the bits of a number of 32 bits.
func (e elem) word() uint32 {
	if e.c.nodes[e.i].kind != 'f' {
		n, _ := e.int()
		return uint32(n)
	}
	v, err := strconv.ParseFloat(string(e.text()), 32)
	if err != nil && v == 0 {
		return 0
	}
	return math.Float32bits(float32(v))
}

// setUniform writes one element of a uniform.
func (g *openGL) setUniform(p *glProgram, location int64, bits []byte) {
	at := location * uniformBytes
	if h := p.units[location]; h != nil && len(bits) == 4 {
		must.OK(g.f.budget.Memory(slotBytes))
		h.set(g.f.clock, int64(binary.LittleEndian.Uint32(bits)))
	}
	must.OK(g.f.budget.Memory(opBytes + int64(len(bits))))
	g.f.add(put{extent{p.space, at, at + min(int64(len(bits)), uniformBytes)}, bits})
}

// uniform is a call that sets one or several elements.
func (g *openGL) uniform(c *chunk, r elem) {
	id := r.any("Program", "program").id()
	if id == 0 {
		id = g.programs.current
	}
	p, bits := g.program(id), words(r.get("values"))
	location, ok := r.get("location").int()
	count, counted := r.get("count").int()
	if !ok || !counted || count <= 0 || location < 0 || location >= maxLocation || count > maxLocation-location {
		return // location -1 is none
	}
	size := len(bits) / int(count)
	if size == 0 || size > uniformBytes {
		return
	}
	for i := range count {
		element := bits[int(i)*size:][:size]
		if r.get("transpose").bool() {
			element = transposed(baseName(c.name), element)
		}
		g.setUniform(p, location+i, element)
	}
}

// transposed turns a matrix in rows, as glUniformMatrixCxR takes it, to columns.
func transposed(call string, bits []byte) []byte {
	_, shape, _ := strings.Cut(call, "Matrix")
	if len(shape) == 0 {
		return bits
	}
	columns := int(shape[0] - '0')
	rows := columns
	if len(shape) > 2 && shape[1] == 'x' {
		rows = int(shape[2] - '0')
	}
	if len(bits) != 4*rows*columns {
		return bits
	}
	out := make([]byte, 0, len(bits))
	for c := range columns {
		for r := range rows {
			out = append(out, bits[4*(r*columns+c):][:4]...)
		}
	}
	return out
}

// unescape replaces XML's five entities.
func unescape(t []byte) []byte {
	if bytes.IndexByte(t, '&') < 0 {
		return t
	}
	for _, entity := range [][2]string{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&apos;", "'"}, {"&amp;", "&"}} {
		t = bytes.ReplaceAll(t, []byte(entity[0]), []byte(entity[1]))
	}
	return t
}
