package format

import (
	"encoding/binary"
	"math"
)

// plyASCII reads the elements of an ascii file, token by token: an element is
// usually one line, but not in every program's files.
type plyASCII struct{ *textScanner }

func (t *plyASCII) vertex(m *plyMesh, e *plyElement, columns [6]int) {
	// target[property] is where its value goes in v, or spare.
	const spare = 6
	target := make([]int, len(e.properties))
	for i := range target {
		target[i] = spare
	}
	for k, column := range columns {
		if k < 3 || m.normals != nil {
			target[column] = k
		}
	}
	for n := int64(0); n < e.count; n++ {
		var v [6]float32
		for i := range e.properties {
			switch {
			case target[i] != spare:
				v[target[i]] = t.wordFloat()
			case m.targets != nil && m.targets[i].row != nil:
				m.targets[i].put(t.value(e.properties[i].kind), binary.LittleEndian)
			default:
				t.skipProperty(&e.properties[i])
			}
		}
		m.addVertex(v)
	}
}

func (t *plyASCII) face(m *plyMesh, e *plyElement, column int, strips bool) {
	for n := int64(0); n < e.count; n++ {
		for i := range e.properties {
			if i == column {
				t.list(m, strips)
			} else {
				t.skipProperty(&e.properties[i])
			}
		}
	}
}

// list reads one polygon or list of strips.
func (t *plyASCII) list(m *plyMesh, strips bool) {
	n := t.wordInt()
	if n < 0 || n < 3 && !strips {
		t.fail("face of %d vertices", n)
	}
	m.indices.begin()
	for ; n > 0; n-- {
		if cause := m.corner(t.wordInt(), strips); cause != "" {
			t.fail("face %s", cause)
		}
	}
}

// value reads a number as the bytes that a binary file has for it, in little endian.
func (t *plyASCII) value(kind plyType) []byte {
	switch kind {
	case plyFloat32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(t.wordFloat()))
	case plyFloat64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(t.wordFloat())))
	}
	n := t.wordInt()
	raw := binary.LittleEndian.AppendUint64(nil, uint64(n))
	if kind.int(raw, binary.LittleEndian) != n {
		t.fail("%d is not of the property's type", n)
	}
	return raw
}

func (t *plyASCII) skipProperty(p *plyProperty) {
	n := int64(1)
	if p.list {
		if n = t.wordInt(); n < 0 {
			t.fail("list of %d values", n)
		}
	}
	for ; n > 0; n-- {
		t.word()
	}
}

func (t *plyASCII) skip(e *plyElement) {
	if len(e.properties) == 0 {
		return // nothing in the file, however many the header states
	}
	for n := int64(0); n < e.count; n++ {
		for i := range e.properties {
			t.skipProperty(&e.properties[i])
		}
	}
}

func (t *plyASCII) end() {
	if w, more := t.token(); more {
		t.fail("%s follows the last element: the header's counts are too low", Quote(w))
	}
}
