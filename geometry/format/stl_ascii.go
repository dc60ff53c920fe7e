package format

import (
	"bytes"

	"github.com/go-gl/mathgl/mgl32"
)

// stlASCII reads the text form, word by word. A file may hold several solids.
type stlASCII struct {
	*textScanner
	weld *stlWeld
}

func stlReadASCII(src *Input, ahead []byte, w *stlWeld) {
	t := &stlASCII{newTextScanner(src, ahead), w}
	for {
		word, more := t.token()
		if !more {
			return
		}
		if !bytes.EqualFold(word, []byte("solid")) {
			t.fail("expected solid, found %s", Quote(word))
		}
		t.solid()
	}
}

// solid reads from behind "solid" to the end of the line of "endsolid"; what
// follows on those two lines is a name.
func (t *stlASCII) solid() {
	t.rest = nil
	for {
		switch word := t.word(); {
		case bytes.EqualFold(word, []byte("endsolid")):
			t.rest = nil
			return
		case bytes.EqualFold(word, []byte("facet")):
			t.facet()
		default:
			t.fail("expected facet or endsolid, found %s", Quote(word))
		}
	}
}

func (t *stlASCII) expect(words ...string) {
	for _, want := range words {
		if word := t.word(); !bytes.EqualFold(word, []byte(want)) {
			t.fail("expected %s, found %s", want, Quote(word))
		}
	}
}

// facet reads from behind "facet" to "endfacet".
func (t *stlASCII) facet() {
	t.expect("normal")
	for range 3 {
		t.word() // not read as a number: programs write nan for triangles without area
	}
	t.expect("outer", "loop")
	for range 3 {
		t.expect("vertex")
		t.weld.corner(mgl32.Vec3{t.wordFloat(), t.wordFloat(), t.wordFloat()}) // finite
	}
	t.expect("endloop", "endfacet")
}
