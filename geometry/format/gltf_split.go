package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// gltfSplitter cuts JSON into members and elements without decoding them, so that lists
// are decoded element by element: an error then names the element, and decoding can be
// given up in between. It does not check its text; where that is not as expected, ok is
// false.
type gltfSplitter struct {
	text []byte
	at   int
}

// pass passes over blanks, and then over c.
func (s *gltfSplitter) pass(c byte) (ok bool) {
	s.blanks()
	if ok = s.at < len(s.text) && s.text[s.at] == c; ok {
		s.at++
	}
	return ok
}

func (s *gltfSplitter) blanks() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

// value is the next value.
func (s *gltfSplitter) value() (piece []byte, ok bool) {
	s.blanks()
	from, depth := s.at, 0
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			s.at = min(gltfStringEnd(s.text, s.at), len(s.text)-1)
		case ',', ' ', '\t', '\r', '\n':
		default:
			continue // of a number or a word
		}
		if c := s.text[s.at]; depth == 0 && (c == '}' || c == ']' || c == '"') {
			s.at++
		}
		if depth <= 0 {
			break
		}
	}
	return s.text[from:s.at], s.at > from
}

// each calls do with every element of a list, or every value of an object with its name,
// until it fails. ok is false where the text is no such thing.
func (s *gltfSplitter) each(open, end byte, do func(i int, name, piece []byte) error) (ok bool, err error) {
	if !s.pass(open) {
		return false, nil
	}
	if s.pass(end) {
		return true, nil
	}
	for i := 0; ; i++ {
		var name []byte
		if open == '{' {
			if name, ok = s.value(); !ok || !s.pass(':') {
				return false, nil
			}
		}
		piece, ok := s.value()
		if !ok {
			return false, nil
		}
		if err := do(i, name, piece); err != nil {
			return true, err
		}
		if s.pass(end) {
			return true, nil
		}
		if !s.pass(',') {
			return false, nil
		}
	}
}

// GLTFList is an array of a document, which is decoded element by element. It is given
// its final size at once: growing it would take almost twice the memory.
type GLTFList[T any] []T

func (l *GLTFList[T]) UnmarshalJSON(text []byte) error {
	return l.decode(text, "", func(int) error { return nil })
}

func (l *GLTFList[T]) decode(text []byte, path string, pay func(n int) error) error {
	*l = nil
	if string(text) == "null" {
		return nil
	}
	commas, objects := gltfElementCount(text)
	if reflect.TypeFor[T]().Kind() == reflect.Struct {
		*l = make([]T, 0, objects)
	} else if *l = make([]T, 0, commas+1); json.Unmarshal(text, (*[]T)(l)) == nil {
		return nil
	}
	*l = (*l)[:0]
	s := gltfSplitter{text: text}
	ok, err := s.each('[', ']', func(i int, _, piece []byte) error {
		var element T
		if err := gltfPiece(piece, &element, pay); err != nil {
			return gltfWithin(fmt.Sprintf("%s[%d]", path, i), err)
		}
		*l = append(*l, element)
		return nil
	})
	if !ok {
		return gltfTypeError(text, path, reflect.TypeFor[[]T]())
	}
	return err
}

// gltfTypeError is the error of a value that is not of a type.
func gltfTypeError(piece []byte, path string, want reflect.Type) error {
	value := string(piece[:min(len(piece), 40)])
	switch piece[0] {
	case '{':
		value = "object"
	case '[':
		value = "array"
	case '"':
		value = "string"
	}
	return &json.UnmarshalTypeError{Value: value, Type: want, Field: path}
}

// gltfPiece decodes a value.
func gltfPiece(piece []byte, to any, pay func(n int) error) error {
	if err := pay(len(piece)); err != nil {
		return err
	}
	return json.Unmarshal(piece, to)
}

// gltfWithin makes the place of an error one below a path of the document.
func gltfWithin(path string, err error) error {
	if kind, ok := err.(*json.UnmarshalTypeError); ok {
		if kind.Field != "" {
			path += "."
		}
		kind.Field = strings.ReplaceAll(path+kind.Field, ".[", "[")
	}
	return err
}

// gltfNothing is a value that is not wanted.
type gltfNothing struct{}

func (gltfNothing) UnmarshalJSON([]byte) error { return nil }

// gltfMembers decodes the members of a document, each to where a pointer of its name
// points. pay is called with the length of each piece before it is decoded. ok is false
// where the text is not JSON.
func gltfMembers(text []byte, members map[string]any, pay func(n int) error) (ok bool, err error) {
	s := gltfSplitter{text: text}
	ok, err = s.each('{', '}', func(_ int, name, piece []byte) error {
		key := string(bytes.Trim(name, `"`))
		to, known := members[key]
		switch {
		case !known && piece[0] == '[':
			to = &GLTFList[gltfNothing]{}
		case !known:
			to = &gltfNothing{}
		}
		if list, ok := to.(interface {
			decode(text []byte, path string, pay func(n int) error) error
		}); ok {
			return list.decode(piece, key, pay)
		}
		return gltfWithin(key, gltfPiece(piece, to, pay))
	})
	s.blanks()
	return ok && (err != nil || s.at == len(text)), err
}
