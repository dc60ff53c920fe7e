package renderdoc

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/vertexformat"
	"github.com/shadeonce/shadeonce/internal/must"
)

// glTarget is the state that target is made of.
type glTarget struct {
	viewport                    viewport
	depthTest, depthWrite, cull bool
	mode, front                 string
	upperLeft, zeroToOne        bool
}

func (g *openGL) addTargetHandlers() {
	t := &g.target
	g.handlers["glViewport"] = func(_ *chunk, r elem) {
		n := func(name string) float64 { return r.get(name).float() }
		t.viewport.x, t.viewport.y, t.viewport.width, t.viewport.height = n("x"), n("y"), n("width"), n("height")
	}
	depth := func(_ *chunk, r elem) {
		t.viewport.near, t.viewport.far = r.get("nearVal").float(), r.get("farVal").float()
	}
	g.handlers["glDepthRange"], g.handlers["glDepthRangef"] = depth, depth
	g.handlers["glDepthMask"] = func(_ *chunk, r elem) { t.depthWrite = r.get("flag").bool() }
	g.handlers["glCullFace"] = func(_ *chunk, r elem) { t.mode = r.get("mode").enum() }
	g.handlers["glFrontFace"] = func(_ *chunk, r elem) { t.front = r.get("mode").enum() }
	g.handlers["glClipControl"] = func(_ *chunk, r elem) {
		t.upperLeft, t.zeroToOne = r.get("origin").enum() == "GL_UPPER_LEFT", r.get("depth").enum() == "GL_ZERO_TO_ONE"
	}
}

// setTarget takes note of glEnable and glDisable.
func (t *glTarget) set(name string, on bool) {
	switch name {
	case "GL_DEPTH_TEST":
		t.depthTest = on
	case "GL_CULL_FACE":
		t.cull = on
	}
}

// initialTarget is the state when the frame began.
func initialTarget(s elem) glTarget {
	v, d := s.get("GL_VIEWPORT").first(), s.get("GL_DEPTH_RANGE").first()
	return glTarget{
		viewport: viewport{
			v.get("x").float(), v.get("y").float(), v.get("width").float(), v.get("height").float(), d.get("nearZ").float(), d.get("farZ").float(),
		},
		depthTest: s.get("GL_DEPTH_TEST").bool(), depthWrite: s.get("GL_DEPTH_WRITEMASK").bool(), cull: s.get("GL_CULL_FACE").bool(),
		mode: s.get("GL_CULL_FACE_MODE").enum(), front: s.get("GL_FRONT_FACE").enum(),
		upperLeft: s.get("GL_CLIP_ORIGIN").enum() == "GL_UPPER_LEFT", zeroToOne: s.get("GL_CLIP_DEPTH_MODE").enum() == "GL_ZERO_TO_ONE",
	}
}

func (g *openGL) targetNow() target {
	s := g.target
	t := target{pass: g.passes, viewport: s.viewport, depthWrites: s.depthTest && s.depthWrite, lowerLeft: true, yUp: !s.upperLeft, fullDepth: !s.zeroToOne}
	if s.cull {
		both := s.mode == "GL_FRONT_AND_BACK"
		t.culls = culled(both || s.mode == "GL_FRONT", both || s.mode != "GL_FRONT", s.front != "GL_CW")
	}
	return t
}

// addCurrentHandlers adds the handlers of attributes' values where no array is enabled.
func (g *openGL) addCurrentHandlers() {
	g.currents = map[uint64][4]float32{}
	for _, n := range []string{"1", "2", "3", "4"} {
		for _, form := range []string{"f", "fv"} {
			g.handlers["glVertexAttrib"+n+form] = g.currentValue
		}
	}
}

func (g *openGL) currentValue(_ *chunk, r elem) {
	value, k := [4]float32{3: 1}, 0
	for e := r.any("values", "v").first(); e.there() && k < 4; e = e.next() {
		value[k] = float32(e.float())
		k++
	}
	g.currents[r.get("index").id()] = value
}

func (g *openGL) initialCurrents(s elem) {
	index := uint64(0)
	for e := s.get("GL_CURRENT_VERTEX_ATTRIB").first(); e.there(); e = e.next() {
		g.currents[index] = [4]float32{float32(e.get("x").float()), float32(e.get("y").float()), float32(e.get("z").float()), float32(e.get("w").float())}
		index++
	}
}

// shadingNow is the state of a draw's vertex shader; nil where shaders are not wanted.
func (g *openGL) shadingNow() *shading {
	if !g.f.shaders {
		return nil
	}
	must.OK(g.f.budget.Memory(shadingBytes))
	s := &shading{at: g.f.clock, target: g.targetNow(), stage: &stage{why: "separate programs are not read"}}
	if g.separate && g.programs.current == 0 {
		return s
	}
	p := g.program(g.programs.current)
	s.stage, s.values = p.stage, glValues{g, p}
	must.OK(g.f.budget.Memory(inputBytes * int64(len(p.inputs))))
	for _, location := range p.inputs {
		s.inputs = append(s.inputs, g.inputAt(location))
	}
	slices.SortFunc(s.inputs, func(a, b vertexRead) int { return cmp.Compare(a.location, b.location) })
	return s
}

// inputAt is what an attribute of the current vertex array reads.
func (g *openGL) inputAt(location uint32) vertexRead {
	in := vertexRead{location: location, name: "R32G32B32A32_SFLOAT", format: vertexformat.R32G32B32A32_SFLOAT}
	a := g.current.attributes[uint64(location)]
	if a == nil || !a.enabled {
		value, known := g.currents[uint64(location)]
		if !known {
			value = [4]float32{3: 1}
		}
		for _, v := range value {
			in.constant = binary.LittleEndian.AppendUint32(in.constant, math.Float32bits(v))
		}
		return in
	}
	in.name = a.formatName()
	in.format, _ = vertexformat.ByName(in.name)
	if s := g.current.slots[a.slot]; s != nil && s.buffer != 0 && s.offset >= 0 && a.offset >= 0 && s.offset < wholeBuffer/2 && a.offset < wholeBuffer/2 {
		in.from, in.stride, in.divisor = extent{s.buffer, s.offset + a.offset, wholeBuffer}, s.stride, s.divisor
	}
	return in
}

// formatName is the format as Vulkan names it; for messages where Vulkan has none.
func (t *arrayAttribute) formatName() string {
	bits, kind := 8*t.format.bytes, "SSCALED"
	switch t.typ {
	case "GL_FLOAT", "GL_HALF_FLOAT", "GL_HALF_FLOAT_OES", "GL_DOUBLE":
		kind = "SFLOAT"
	case "GL_UNSIGNED_BYTE", "GL_UNSIGNED_SHORT", "GL_UNSIGNED_INT":
		kind = "USCALED"
	case "GL_INT_2_10_10_10_REV", "GL_UNSIGNED_INT_2_10_10_10_REV":
		if kind = "SSCALED"; t.typ[3] == 'U' {
			kind = "USCALED"
		}
		bits = 0
	case "GL_BYTE", "GL_SHORT", "GL_INT":
	default:
		return t.typ
	}
	if t.integer {
		kind = strings.Replace(kind, "SCALED", "INT", 1)
	} else if t.normalized {
		kind = strings.Replace(kind, "SCALED", "NORM", 1)
	}
	const order = "RGBA"
	channels := order[:min(max(t.format.count, 0), 4)]
	if t.bgra {
		channels = "BGRA"
	}
	if bits == 0 {
		if t.bgra {
			return "A2R10G10B10_" + kind + "_PACK32"
		}
		return "A2B10G10R10_" + kind + "_PACK32"
	}
	name := ""
	for _, c := range channels {
		name += string(c) + strconv.Itoa(bits)
	}
	return name + "_" + kind
}
