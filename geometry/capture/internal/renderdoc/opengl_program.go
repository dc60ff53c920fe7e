package renderdoc

import (
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// glShader is a shader object.
type glShader struct{ kind, source string }

// glProgram is the part of a program object that concerns its vertex shader.
type glProgram struct {
	attached     []uint64 // attached shaders
	stage        *stage
	position     int64             // the attribute whose name is most like a position's
	positionRank int               // how much its name is like a position's; 0 if no attribute has such a name
	inputs       map[string]uint32 // locations of attributes, by name
	uniforms     map[string][]int64
	uniformAt    int64                       // one past the last location of a uniform
	blocks       timelines[blockName, int64] // binding points of blocks
	units        timelines[int64, int64]     // texture units of samplers, by location
	buffers      map[int64]bool              // whether a sampler reads a texel buffer, by location
	space        uint64
	found        bool // whether its state at the beginning of the frame is known
}

// noLocation is the location of an input that the program does not have.
const noLocation = 1<<32 - 1

// Uniforms are kept in a space per program, uniformBytes per location. No resource has the number
// of such a space.
const (
	uniformBytes = 128 // size of a matrix of 4 x 4 doubles
	maxLocation  = 1 << 16
	uniformSpace = 1 << 62
)

const noVertexShader = "the vertex shader of its program is not known"

// addProgramCalls adds the calls that concern shaders and programs.
func (g *openGL) addProgramCalls() {
	g.on(map[string]func(elem){
		"glCreateShader":  func(r elem) { g.shaders[r.get("Shader").id()] = &glShader{kind: r.get("type").enum()} },
		"glShaderSource":  g.shaderSource,
		"glCreateProgram": func(r elem) { g.programOf(r.get("Program")) },
		"glAttachShader": func(r elem) {
			p := g.programOf(r.get("program"))
			p.attached = append(p.attached, r.get("shader").id())
		},
		"glDetachShader": func(r elem) {
			p := g.programOf(r.get("program"))
			must.OK(g.f.budget.Work(int64(len(p.attached))))
			if i := slices.Index(p.attached, r.get("shader").id()); i >= 0 {
				p.attached = slices.Delete(p.attached, i, i+1)
			}
		},
		"glBindAttribLocation":  func(r elem) { g.programOf(r.get("program")).name(r.get("name"), r.get("index")) },
		"glLinkProgram":         func(r elem) { g.link(g.programOf(r.get("program"))) },
		"glBindProgramPipeline": func(r elem) { g.separate = r.get("pipeline").id() != 0 },
	})
	g.inFrame(map[string]func(elem){"glUseProgram": func(r elem) { g.program = r.get("program").id() }})
}

func (g *openGL) shaderSource(r elem) {
	s := g.shaders[r.get("shader").id()]
	if s == nil || s.kind != "GL_VERTEX_SHADER" && s.kind != "GL_FRAGMENT_SHADER" {
		return
	}
	var text strings.Builder
	for _, e := range r.each("sources") {
		text.WriteString(e.unescaped())
	}
	s.source = text.String()
}

func (g *openGL) programOf(e elem) *glProgram { return g.programNumbered(e.id()) }

func (g *openGL) programNumbered(id uint64) *glProgram {
	p := g.programs[id]
	if p == nil {
		p = &glProgram{
			stage:  &stage{why: noVertexShader},
			inputs: map[string]uint32{}, uniforms: map[string][]int64{}, blocks: timelines[blockName, int64]{}, units: timelines[int64, int64]{}, buffers: map[int64]bool{},
			space: id | uniformSpace,
		}
		g.programs[id] = p
		g.f.add(reserve{p.space, uniformBytes * maxLocation})
	}
	return p
}

// name records an attribute as the positions if its name is more like a position's than earlier names, or as much
// and its location is lower.
func (p *glProgram) name(name, location elem) {
	at, ok := location.int()
	rank := positionRank(string(name.text()))
	if ok && at >= 0 && rank > 0 && (rank > p.positionRank || rank == p.positionRank && at < p.position) {
		p.position, p.positionRank = at, rank
	}
}

// positionRank returns how much an attribute's name is like a position's; 0 means not at all.
func positionRank(name string) int {
	name = strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, "gl_"):
		return 0
	case strings.HasSuffix(name, "position"):
		return 3
	case strings.Contains(name, "position"):
		return 2
	case strings.Contains(name, "pos"):
		return 1
	}
	return 0
}

// link makes the attached shaders the program's shaders.
func (g *openGL) link(p *glProgram) {
	must.OK(g.f.budget.Work(int64(len(p.attached))))
	s := &stage{why: noVertexShader, entry: "main"}
	s.rename = func(name string) (uint32, bool) {
		at, ok := p.inputs[name]
		if !ok && p.found {
			return noLocation, true // the attribute has no effect, so the linked program lacks it
		}
		return at, ok
	}
	s.uniforms = func(name string) []int64 { return p.uniforms[name] }
	later := ""
	for _, id := range p.attached {
		shader := g.shaders[id]
		switch {
		case shader == nil:
		case shader.kind == "GL_VERTEX_SHADER":
			if s.source != "" {
				later = "its vertex shader is of several parts"
			}
			s.source, s.why = shader.source, ""
			if s.source == "" {
				s.why = "the source of its shader is not in the capture"
			}
		case shader.kind == "GL_FRAGMENT_SHADER":
			s.fragment.source = shader.source
		case laterStages[shader.kind] != "":
			later = laterStages[shader.kind]
		}
	}
	if later != "" {
		s.why = later
	}
	p.stage = s
}

// initialProgram restores a program as it was when the frame began: linked, so that the names of
// its attributes are final.
func (g *openGL) initialProgram(r elem) {
	p := g.programOf(r.get("id"))
	p.found = true
	for i, e := range r.each("InputBindings") {
		if i == 0 {
			p.position, p.positionRank = 0, 0
		}
		p.name(e.get("Name"), e.get("Binding"))
		if at, ok := e.get("Binding").int(); ok && at >= 0 && at < maxLocation {
			p.inputs[string(e.get("Name").text())] = uint32(at)
		}
	}
	all := r.get("ProgramUniforms")
	for _, u := range all.each("ValueUniforms") {
		var places []int64
		for _, v := range u.each("Values") {
			at, ok := v.get("Location").int()
			if !ok || at < 0 || at >= maxLocation {
				continue
			}
			places = append(places, at)
			p.uniformAt = max(p.uniformAt, at+1)
			if kind := v.get("Type").enum(); strings.Contains(kind, "SAMPLER") {
				p.units[at], p.buffers[at] = []dated[int64]{}, strings.Contains(kind, "SAMPLER_BUFFER")
			}
			g.setUniform(p, at, words(v, "data"))
		}
		p.uniforms[u.get("Basename").unescaped()] = places
	}
	for list, target := range map[string]string{"UBOBindings": uniformTarget, "SSBOBindings": storageTarget} {
		for _, e := range all.each(list) {
			p.blocks.set(g.f, blockName{target, string(e.get("Name").text())}, e.get("Binding").number())
		}
	}
}

// shading returns the state of a draw's vertex shader.
func (g *openGL) shading() *shading {
	must.OK(g.f.budget.Memory(shadingBytes))
	s := &shading{at: g.f.clock, target: g.target.now(g.f.passes), stage: &stage{why: "separate programs are not read"}}
	if g.separate && g.program == 0 {
		return s
	}
	p := g.programNumbered(g.program)
	must.OK(g.f.budget.Memory(inputBytes * int64(len(p.inputs))))
	s.stage, s.values, s.inputs = p.stage, glValues{g, p}, g.reads(p)
	return s
}

// base guesses which bound 2D texture is the base colour, by the names of the textures and of their uniforms. It
// returns 0 if none is bound. Among equals, the uniform whose name comes first in the alphabet wins.
func (g *openGL) base() (texture uint64) {
	p := g.programNumbered(g.program)
	must.OK(g.f.budget.Work(8 * int64(len(p.uniforms))))
	best, first := -1, ""
	for name, places := range p.uniforms {
		if len(places) == 0 || p.units[places[0]] == nil {
			continue
		}
		id := g.boundImages.get(p.units.get(places[0], g.f.clock), g.f.clock)
		rank := baseRank(name + g.f.labels[id])
		if g.f.images[id] != nil && (rank > best || rank == best && name < first) {
			texture, best, first = id, rank, name
		}
	}
	return texture
}
