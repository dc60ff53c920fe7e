package format

import (
	"bytes"
	"io"

	"github.com/go-gl/mathgl/mgl32"
)

// stlASCII reads the text form, word by word. A file may hold several solids.
type stlASCII struct {
	*textScanner
	weld *stlWeld
}

func stlReadASCII(src *Input, ahead []byte, w *stlWeld) error {
	t := &stlASCII{newTextScanner(src), w}
	t.to = copy(t.buf, ahead)
	for {
		word, err := t.token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !bytes.EqualFold(word, []byte("solid")) {
			return t.src.Bad(t.at(), "expected solid, found %s", Quote(word))
		}
		if err := t.solid(); err != nil {
			return err
		}
	}
}

// solid reads from behind "solid" to the end of the line of "endsolid"; what
// follows on those two lines is a name.
func (t *stlASCII) solid() error {
	t.rest = nil
	for {
		word, err := t.word()
		if err != nil {
			return err
		}
		switch {
		case bytes.EqualFold(word, []byte("endsolid")):
			t.rest = nil
			return nil
		case !bytes.EqualFold(word, []byte("facet")):
			return t.src.Bad(t.at(), "expected facet or endsolid, found %s", Quote(word))
		}
		if err := t.facet(); err != nil {
			return err
		}
	}
}

func (t *stlASCII) expect(words ...string) error {
	for _, want := range words {
		word, err := t.word()
		if err != nil {
			return err
		}
		if !bytes.EqualFold(word, []byte(want)) {
			return t.src.Bad(t.at(), "expected %s, found %s", want, Quote(word))
		}
	}
	return nil
}

// facet reads from behind "facet" to "endfacet".
func (t *stlASCII) facet() error {
	if err := t.expect("normal"); err != nil {
		return err
	}
	// Not read as numbers: programs write nan for triangles without area.
	for range 3 {
		if _, err := t.word(); err != nil {
			return err
		}
	}
	if err := t.expect("outer", "loop"); err != nil {
		return err
	}
	for range 3 {
		if err := t.vertex(); err != nil {
			return err
		}
	}
	return t.expect("endloop", "endfacet")
}

func (t *stlASCII) vertex() error {
	if err := t.expect("vertex"); err != nil {
		return err
	}
	var p mgl32.Vec3
	for k := range p {
		var err error
		if p[k], err = t.wordFloat(); err != nil {
			return err
		}
	}
	_, err := t.weld.corner(p) // its numbers are finite
	return err
}
