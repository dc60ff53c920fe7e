package renderdoc

import (
	"math"
	"strings"
)

// vertexArray is a vertex array object.
type vertexArray struct {
	attributes map[uint64]*arrayAttribute
	slots      map[uint64]*arraySlot
	indices    uint64 // buffer
}

type arrayAttribute struct {
	enabled bool
	slot    uint64
	offset  int64
	format  components
	typ     string // for messages

	normalized, integer, bgra bool
}

// arraySlot is a vertex buffer binding.
type arraySlot struct {
	buffer         uint64
	offset, stride int64
	perInstance    bool
	divisor        int64 // instances that share an element; 0 where elements are vertices'
}

// setDivisor makes elements those of instances, or of vertices for 0.
func (s *arraySlot) setDivisor(e elem) {
	s.divisor = max(e.number(), 0)
	s.perInstance = s.divisor != 0
}

func (s *arraySlot) bind(buffer, offset, stride elem) {
	s.buffer, s.offset, s.stride = buffer.id(), offset.number(), stride.number()
}

func newVertexArray() *vertexArray {
	return &vertexArray{attributes: map[uint64]*arrayAttribute{}, slots: map[uint64]*arraySlot{}}
}

// array is the vertex array of a name; those not seen before are empty.
func (g *openGL) array(id uint64) *vertexArray {
	a := g.arrays[id]
	if a == nil {
		a = newVertexArray()
		g.arrays[id] = a
	}
	return a
}

func (a *vertexArray) attribute(e elem) *arrayAttribute {
	n := e.id()
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

// initialArray is a vertex array as the frame found it.
func initialArray(s elem) *vertexArray {
	a := newVertexArray()
	n := uint64(0)
	for e := s.get("VertexAttribs").first(); e.there(); e = e.next() {
		t := &arrayAttribute{enabled: e.get("enabled").bool(), slot: e.get("vbslot").id(), offset: e.get("offset").number()}
		t.setFormat(e)
		a.attributes[n] = t
		n++
	}
	n = 0
	for e := s.get("VertexBuffers").first(); e.there(); e = e.next() {
		b := a.slot(n)
		b.bind(e.get("Buffer"), e.get("Offset"), e.get("Stride"))
		b.setDivisor(e.get("Divisor"))
		n++
	}
	a.indices = s.get("ElementArrayBuffer").id()
	return a
}

// bgra, GL_BGRA, is a number of components that tells their order, too.
const bgra = 0x80e1

func (t *arrayAttribute) setFormat(e elem) {
	t.typ = e.get("type").enum()
	t.integer = e.get("integer").bool()
	t.normalized = e.get("normalized").bool() && !t.integer
	t.bgra = e.get("size").number() == bgra
	t.format = openGLComponents(e.get("size").number(), t.typ, t.normalized)
}

// addArrayHandlers adds the handlers of what changes a vertex array, under the
// names of all forms of each.
func (g *openGL) addArrayHandlers() {
	for _, h := range []struct {
		names []string
		do    func(a *vertexArray, r elem)
	}{
		{[]string{"glVertexAttribPointer", "glVertexAttribIPointer", "glVertexAttribLPointer", "glVertexArrayVertexAttribOffset",
			"glVertexArrayVertexAttribIOffset", "glVertexArrayVertexAttribLOffset"}, pointer},
		{[]string{"glEnableVertexAttribArray", "glEnableVertexArrayAttrib"}, func(a *vertexArray, r elem) { a.attribute(r.get("index")).enabled = true }},
		{[]string{"glDisableVertexAttribArray", "glDisableVertexArrayAttrib"}, func(a *vertexArray, r elem) { a.attribute(r.get("index")).enabled = false }},
		{[]string{"glVertexAttribFormat", "glVertexAttribIFormat", "glVertexAttribLFormat", "glVertexArrayAttribFormat", "glVertexArrayAttribIFormat",
			"glVertexArrayAttribLFormat", "glVertexArrayVertexAttribFormat", "glVertexArrayVertexAttribIFormat", "glVertexArrayVertexAttribLFormat"}, attributeFormat},
		{[]string{"glVertexAttribBinding", "glVertexArrayAttribBinding", "glVertexArrayVertexAttribBinding"},
			func(a *vertexArray, r elem) { a.attribute(r.get("attribindex")).slot = r.get("bindingindex").id() }},
		{[]string{"glBindVertexBuffer", "glVertexArrayVertexBuffer", "glVertexArrayBindVertexBuffer"}, bindVertexBuffer},
		{[]string{"glBindVertexBuffers", "glVertexArrayVertexBuffers"}, bindVertexBuffers},
		{[]string{"glVertexBindingDivisor", "glVertexArrayBindingDivisor", "glVertexArrayVertexBindingDivisor"},
			func(a *vertexArray, r elem) { a.slot(r.get("bindingindex").id()).setDivisor(r.get("divisor")) }},
		{[]string{"glVertexAttribDivisor", "glVertexArrayVertexAttribDivisor"}, attributeDivisor},
		{[]string{"glVertexArrayElementBuffer"}, func(a *vertexArray, r elem) { a.indices = r.get("buffer").id() }},
	} {
		for _, name := range h.names {
			whole := strings.Contains(name, "AttribI") // integers stay such
			g.handlers[name] = func(_ *chunk, r elem) {
				a := g.current
				if e := r.get("vaobj"); e.there() {
					a = g.array(e.id())
				}
				h.do(a, r)
				if whole {
					a.attribute(r.any("index", "attribindex")).integer = true
				}
			}
		}
	}
	g.handlers["glBindVertexArray"] = func(_ *chunk, r elem) {
		if g.f.begun {
			g.current = g.array(r.any("vaobj", "array").id())
		}
	}
}

// pointer is format and binding in one.
func pointer(a *vertexArray, r elem) {
	t := a.attribute(r.get("index"))
	t.setFormat(r)
	t.slot, t.offset = r.get("index").id(), 0
	b := a.slot(t.slot)
	b.bind(r.get("buffer"), r.get("offset"), r.get("stride"))
	if b.stride == 0 {
		b.stride = t.format.size()
	}
}

func attributeFormat(a *vertexArray, r elem) {
	t := a.attribute(r.get("attribindex"))
	t.setFormat(r)
	t.offset = r.get("relativeoffset").number()
}

func bindVertexBuffer(a *vertexArray, r elem) {
	a.slot(r.get("bindingindex").id()).bind(r.get("buffer"), r.get("offset"), r.get("stride"))
}

func bindVertexBuffers(a *vertexArray, r elem) {
	n := r.get("first").id()
	offset, stride := r.get("offsets").first(), r.get("strides").first()
	for e := r.get("buffers").first(); e.there(); e = e.next() {
		a.slot(n).bind(e, offset, stride)
		offset, stride = offset.next(), stride.next()
		n++
	}
}

func attributeDivisor(a *vertexArray, r elem) {
	t := a.attribute(r.get("index"))
	t.slot = r.get("index").id()
	a.slot(t.slot).setDivisor(r.get("divisor"))
}

// position is the attribute that holds the positions: the one named so by the
// program, or else the first that is enabled, which is 0 by habit. why says what
// is wrong with it.
func (a *vertexArray) position(named int64) (p attribute, why string) {
	t := a.attributes[uint64(named)]
	if named < 0 || t == nil || !t.enabled {
		lowest := uint64(math.MaxUint64)
		for n, t := range a.attributes {
			if t.enabled {
				lowest = min(lowest, n)
			}
		}
		t = a.attributes[lowest]
	}
	if t == nil {
		return p, "no positions, no vertex attributes at all"
	}
	b := a.slots[t.slot]
	if why := t.format.unfit(t.typ); why != "" {
		return p, why
	}
	switch {
	case b == nil || b.buffer == 0:
		return p, "no vertex buffer that is known"
	case b.perInstance || b.stride <= 0:
		return p, "no position a vertex, only one an instance"
	case b.offset < 0 || t.offset < 0 || b.offset > wholeBuffer/2 || t.offset > wholeBuffer/2:
		return p, "an offset beyond its buffer"
	}
	return attribute{extent{b.buffer, b.offset + t.offset, wholeBuffer}, b.stride, t.format}, ""
}
