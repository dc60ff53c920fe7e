package renderdoc

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// vertexArray is a vertex array object.
type vertexArray struct {
	attributes map[uint64]*arrayAttribute
	slots      map[uint64]*arraySlot
	indices    uint64 // the index buffer
}

type arrayAttribute struct {
	enabled bool
	slot    uint64
	offset  int64
	typ     string // OpenGL's type, for messages
	format  components
	name    string // Vulkan's name of the format
}

// arraySlot is a vertex buffer binding.
type arraySlot struct {
	buffer         uint64
	offset, stride int64
	divisor        int64 // instances that share an element; 0 if there is one element per vertex
}

func (s *arraySlot) bind(buffer, offset, stride elem) {
	s.buffer, s.offset, s.stride = buffer.id(), offset.number(), stride.number()
}

func (s *arraySlot) setDivisor(e elem) { s.divisor = max(e.number(), 0) }

// array returns the vertex array with that name. It makes an empty one if there is none.
func (g *openGL) array(id uint64) *vertexArray {
	a := g.arrays[id]
	if a == nil {
		a = &vertexArray{attributes: map[uint64]*arrayAttribute{}, slots: map[uint64]*arraySlot{}}
		g.arrays[id] = a
	}
	return a
}

func (a *vertexArray) attribute(n uint64) *arrayAttribute {
	if a.attributes[n] == nil {
		a.attributes[n] = &arrayAttribute{slot: n}
	}
	return a.attributes[n]
}

func (a *vertexArray) slot(n uint64) *arraySlot {
	if a.slots[n] == nil {
		a.slots[n] = &arraySlot{}
	}
	return a.slots[n]
}

// initialArray returns a vertex array as it was when the frame began.
func initialArray(s elem) *vertexArray {
	a := &vertexArray{attributes: map[uint64]*arrayAttribute{}, slots: map[uint64]*arraySlot{}, indices: s.get("ElementArrayBuffer").id()}
	for n, e := range s.each("VertexAttribs") {
		t := &arrayAttribute{enabled: e.get("enabled").bool(), slot: e.get("vbslot").id(), offset: e.get("offset").number()}
		t.setFormat(e)
		a.attributes[uint64(n)] = t
	}
	for n, e := range s.each("VertexBuffers") {
		b := a.slot(uint64(n))
		b.bind(e.get("Buffer"), e.get("Offset"), e.get("Stride"))
		b.setDivisor(e.get("Divisor"))
	}
	return a
}

func (t *arrayAttribute) setFormat(e elem) {
	const bgra = 0x80e1 // GL_BGRA, given as the number of components, also sets their order
	scale := "SCALED"
	switch {
	case e.get("integer").bool() || strings.Contains(e.call(), "AttribI"):
		scale = "INT"
	case e.get("normalized").bool():
		scale = "NORM"
	}
	size := e.get("size").number()
	t.typ = e.get("type").enum()
	t.format = openGLComponents(size, t.typ, scale)
	t.name = t.format.name(t.typ, size == bgra)
}

// addArrayCalls adds the calls that change a vertex array, in all their forms.
func (g *openGL) addArrayCalls() {
	for names, do := range map[string]func(a *vertexArray, r elem){
		"glVertexAttribPointer, glVertexAttribIPointer, glVertexAttribLPointer, " +
			"glVertexArrayVertexAttribOffset, glVertexArrayVertexAttribIOffset, glVertexArrayVertexAttribLOffset": pointer,
		"glVertexAttribFormat, glVertexAttribIFormat, glVertexAttribLFormat, " +
			"glVertexArrayAttribFormat, glVertexArrayAttribIFormat, glVertexArrayAttribLFormat, " +
			"glVertexArrayVertexAttribFormat, glVertexArrayVertexAttribIFormat, glVertexArrayVertexAttribLFormat": func(a *vertexArray, r elem) {
			t := a.attribute(r.get("attribindex").id())
			t.setFormat(r)
			t.offset = r.get("relativeoffset").number()
		},
		"glEnableVertexAttribArray, glEnableVertexArrayAttrib":   func(a *vertexArray, r elem) { a.attribute(r.get("index").id()).enabled = true },
		"glDisableVertexAttribArray, glDisableVertexArrayAttrib": func(a *vertexArray, r elem) { a.attribute(r.get("index").id()).enabled = false },
		"glVertexAttribBinding, glVertexArrayAttribBinding, glVertexArrayVertexAttribBinding": func(a *vertexArray, r elem) {
			a.attribute(r.get("attribindex").id()).slot = r.get("bindingindex").id()
		},
		"glBindVertexBuffer, glVertexArrayVertexBuffer, glVertexArrayBindVertexBuffer": func(a *vertexArray, r elem) {
			a.slot(r.get("bindingindex").id()).bind(r.get("buffer"), r.get("offset"), r.get("stride"))
		},
		"glBindVertexBuffers, glVertexArrayVertexBuffers": bindVertexBuffers,
		"glVertexBindingDivisor, glVertexArrayBindingDivisor, glVertexArrayVertexBindingDivisor": func(a *vertexArray, r elem) {
			a.slot(r.get("bindingindex").id()).setDivisor(r.get("divisor"))
		},
		"glVertexAttribDivisor, glVertexArrayVertexAttribDivisor": func(a *vertexArray, r elem) {
			n := r.get("index").id()
			a.attribute(n).slot = n
			a.slot(n).setDivisor(r.get("divisor"))
		},
		"glVertexArrayElementBuffer": func(a *vertexArray, r elem) { a.indices = r.get("buffer").id() },
	} {
		g.on(map[string]func(elem){names: func(r elem) {
			a := g.current
			if e := r.get("vaobj"); e.there() {
				a = g.array(e.id())
			}
			do(a, r)
		}})
	}
	g.inFrame(map[string]func(elem){"glBindVertexArray": func(r elem) { g.current = g.array(r.get("vaobj", "array").id()) }})
}

// pointer handles calls that set an attribute's format and its buffer at once, such as glVertexAttribPointer.
func pointer(a *vertexArray, r elem) {
	n := r.get("index").id()
	t, b := a.attribute(n), a.slot(n)
	t.setFormat(r)
	t.slot, t.offset = n, 0
	b.bind(r.get("buffer"), r.get("offset"), r.get("stride"))
	b.stride = cmp.Or(b.stride, t.format.size())
}

func bindVertexBuffers(a *vertexArray, r elem) {
	offset, stride := r.get("offsets").first(), r.get("strides").first()
	for i, e := range r.each("buffers") {
		a.slot(r.get("first").id()+uint64(i)).bind(e, offset, stride)
		offset, stride = offset.next(), stride.next()
	}
}

// position returns the attribute that holds the positions: the one whose name in the program is most like
// a position's. If there is none, or it is not enabled, it is the first enabled attribute, usually 0.
func (a *vertexArray) position(p *glProgram) attribute {
	var t *arrayAttribute
	if p != nil && p.positionRank > 0 {
		t = a.attributes[uint64(p.position)]
	}
	if t == nil || !t.enabled {
		lowest := uint64(math.MaxUint64)
		for n, t := range a.attributes {
			if t.enabled {
				lowest = min(lowest, n)
			}
		}
		t = a.attributes[lowest]
	}
	if t == nil {
		leaveOut(noAttributes)
	}
	t.format.fit(t.typ)
	from, ok := a.where(t)
	switch b := a.slots[t.slot]; {
	case b == nil || b.buffer == 0:
		leaveOut(noVertexBuffer)
	case b.divisor != 0 || b.stride <= 0:
		leaveOut(perInstance)
	case !ok:
		leaveOut("an offset beyond its buffer")
	}
	return attribute{from, a.slots[t.slot].stride, t.format}
}

// where returns what an attribute reads; ok is false if no buffer is bound, or an offset exceeds any buffer.
func (a *vertexArray) where(t *arrayAttribute) (from extent, ok bool) {
	b := a.slots[t.slot]
	if b == nil || b.buffer == 0 || b.offset < 0 || t.offset < 0 || b.offset > wholeBuffer/2 || t.offset > wholeBuffer/2 {
		return extent{}, false
	}
	return extent{b.buffer, b.offset + t.offset, wholeBuffer}, true
}

// reads returns what the attributes of a program read, ordered by location.
func (g *openGL) reads(p *glProgram) (reads []vertexRead) {
	for _, location := range slices.Sorted(maps.Values(p.inputs)) {
		reads = append(reads, g.readAt(location))
	}
	return reads
}

func (g *openGL) readAt(location uint32) vertexRead {
	n := uint64(location)
	in := vertexRead{location: location, name: "R32G32B32A32_SFLOAT", format: vertexformat.R32G32B32A32_SFLOAT}
	t := g.current.attributes[n]
	if t == nil || !t.enabled {
		value, known := g.currents[n]
		if !known {
			value = [4]float32{3: 1}
		}
		in.constant, _ = binary.Append(nil, binary.LittleEndian, value)
		return in
	}
	in.name = t.name
	in.format, _ = vertexformat.ByName(t.name)
	if from, ok := g.current.where(t); ok {
		s := g.current.slots[t.slot]
		in.from, in.stride, in.divisor = from, s.stride, s.divisor
	}
	return in
}

// currentValue sets the value that an attribute has while its array is not enabled.
func (g *openGL) currentValue(r elem) {
	value := [4]float32{3: 1}
	for i, e := range r.each("values", "v") {
		if i < 4 {
			value[i] = float32(e.float())
		}
	}
	g.currents[r.get("index").id()] = value
}
