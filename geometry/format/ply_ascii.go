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
	for n := int64(0); n < e.count; n++ {
		var v [6]float32
		for i := range e.properties {
			if target[i] == spare {
				if err := t.skipProperty(&e.properties[i]); err != nil {
					return err
				}
				continue
			}
			var err error
			if v[target[i]], err = t.wordFloat(); err != nil {
				return err
			}
		}
		if err := m.addVertex(v); err != nil {
			return err
		}
	}
	return nil
}

func (t *plyASCII) face(m *plyMesh, e *plyElement, column int, strips bool) error {
	for n := int64(0); n < e.count; n++ {
		for i := range e.properties {
			var err error
			if i == column {
				err = t.list(m, strips)
			} else {
				err = t.skipProperty(&e.properties[i])
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// list reads one polygon or list of strips.
func (t *plyASCII) list(m *plyMesh, strips bool) error {
	n, err := t.wordInt()
	if err != nil {
		return err
	}
	if n < 0 || n < 3 && !strips {
		return t.src.Bad(t.at(), "face of %d vertices", n)
	}
	m.indices.begin()
	for ; n > 0; n-- {
		id, err := t.wordInt()
		if err != nil {
			return err
		}
		cause, err := m.corner(id, strips)
		if err != nil {
			return err
		}
		if cause != "" {
			return t.src.Bad(t.at(), "face %s", cause)
		}
	}
	return nil
}

func (t *plyASCII) skipProperty(p *plyProperty) error {
	n := int64(1)
	if p.list {
		var err error
		if n, err = t.wordInt(); err != nil {
			return err
		}
		if n < 0 {
			return t.src.Bad(t.at(), "list of %d values", n)
		}
	}
	for ; n > 0; n-- {
		if _, err := t.word(); err != nil {
			return err
		}
	}
	return nil
}

func (t *plyASCII) skip(e *plyElement) error {
	if len(e.properties) == 0 {
		return nil // nothing in the file, however many the header states
	}
	for n := int64(0); n < e.count; n++ {
		for i := range e.properties {
			if err := t.skipProperty(&e.properties[i]); err != nil {
				return err
			}
		}
	}
	return nil
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
