package format

import "io"

// plyASCII reads the elements of an ascii file, token by token: an element is
// usually one line, but not in every program's files.
type plyASCII struct{ *textScanner }

func (t *plyASCII) vertex(m *plyMesh, e *plyElement, columns [6]int) error {
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
	for n := int64(0); n < e.count && t.err == nil; n++ {
		var v [6]float32
		for i := range e.properties {
			if target[i] == spare {
				t.skipProperty(&e.properties[i])
			} else {
				v[target[i]] = t.wordFloat()
			}
		}
		if t.err == nil {
			t.err = m.addVertex(v)
		}
	}
	return t.err
}

func (t *plyASCII) face(m *plyMesh, e *plyElement, column int, strips bool) error {
	for n := int64(0); n < e.count && t.err == nil; n++ {
		for i := range e.properties {
			if i == column {
				t.list(m, strips)
			} else {
				t.skipProperty(&e.properties[i])
			}
		}
	}
	return t.err
}

// list reads one polygon or list of strips.
func (t *plyASCII) list(m *plyMesh, strips bool) {
	n := t.wordInt()
	if n < 0 || n < 3 && !strips {
		t.fail("face of %d vertices", n)
	}
	m.indices.begin()
	for ; n > 0 && t.err == nil; n-- {
		id := t.wordInt()
		if t.err != nil {
			return
		}
		cause, err := m.corner(id, strips)
		if t.err = err; cause != "" {
			t.fail("face %s", cause)
		}
	}
}

func (t *plyASCII) skipProperty(p *plyProperty) {
	n := int64(1)
	if p.list {
		if n = t.wordInt(); n < 0 {
			t.fail("list of %d values", n)
		}
	}
	for ; n > 0 && t.err == nil; n-- {
		t.word()
	}
}

func (t *plyASCII) skip(e *plyElement) error {
	if len(e.properties) == 0 {
		return nil // nothing in the file, however many the header states
	}
	for n := int64(0); n < e.count && t.err == nil; n++ {
		for i := range e.properties {
			t.skipProperty(&e.properties[i])
		}
	}
	return t.err
}

func (t *plyASCII) end() error {
	w, err := t.token()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	return t.src.Bad(t.at(), "%s follows the last element: the header's counts are too low", Quote(w))
}
