package format

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// gltfElementCount counts the commas between an array's elements, and the objects among the
// elements.
func gltfElementCount(text []byte) (commas, objects int) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth == 1 && text[i] == '{' {
				objects++
			}
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 1 {
				commas++
			}
		case '"':
			i = gltfStringEnd(text, i)
		}
	}
	return commas, objects
}

// gltfStringEnd returns the position of the closing quote of the string that begins at i. It is len(text) or more if there is no closing quote.
func gltfStringEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// gltfNames is a list of extensions. No file needs many, so their number is bounded.
type gltfNames []string

func (l *gltfNames) UnmarshalJSON(text []byte) error {
	const most = 1000
	if commas, _ := gltfElementCount(text); commas >= most {
		return &json.UnmarshalTypeError{Value: fmt.Sprintf("more than %d names", most), Type: reflect.TypeFor[[]string]()}
	}
	return json.Unmarshal(text, (*[]string)(l))
}

// gltfRef is the number of a node, in 4 bytes since there can be very many; -1 represents a value
// that cannot be a node's number.
type gltfRef int32

func (r *gltfRef) UnmarshalJSON(text []byte) error {
	var v gltfInt
	if err := v.UnmarshalJSON(text); err != nil {
		return err
	}
	*r = -1
	if v.in(math.MaxInt32) {
		*r = gltfRef(v.n)
	}
	return nil
}

// in reports whether r is the number of one of n nodes.
func (r gltfRef) in(n int) bool { return r >= 0 && int(r) < n }

// gltfInt is an integer of the document that may be absent. It may be written as 3.0. It may be
// negative or huge: users check the range.
type gltfInt struct {
	n   int64
	set bool
}

func (v *gltfInt) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		const exact = 1 << 53 // above this some integers are not exact in a float64
		f, err := strconv.ParseFloat(string(text), 64)
		if n = int64(f); err != nil || f < -exact || f > exact || float64(n) != f {
			return &json.UnmarshalTypeError{Value: string(text[:min(len(text), 40)]), Type: reflect.TypeFor[int]()}
		}
	}
	v.n, v.set = n, true
	return nil
}

// in reports whether v is given and is the number of one of n elements.
func (v gltfInt) in(n int) bool { return v.set && v.n >= 0 && v.n < int64(n) }

// or returns the number, or `other` if the number is not given.
func (v gltfInt) or(other int64) int64 {
	if v.set {
		return v.n
	}
	return other
}

// refer fails if a reference is not given or is not one of n elements.
func (v gltfInt) refer(what string, n int, place string) {
	if !v.in(n) {
		gltfFail(place, "%s is %v, but the document has %d", what, v, n)
	}
}

// positive fails if a number is not given or is below 1.
func (v gltfInt) positive(what, place string) {
	if v.n < 1 {
		gltfFail(place, "%s is %v", what, v)
	}
}

func (v gltfInt) String() string {
	if !v.set {
		return "undefined"
	}
	return strconv.FormatInt(v.n, 10)
}

// gltfURI is where a buffer or an image is: in the document itself (data), or in a file beside it
// (path). data is decoded directly from the raw text, so that a large document is not in memory
// three times.
type gltfURI struct {
	set   bool
	path  string
	data  []byte
	media string // media type of data
	err   error  // why the URI is invalid; reported with the buffer's or image's number
}

func (u *gltfURI) UnmarshalJSON(text []byte) error {
	*u = gltfURI{set: true}
	if len(text) < 2 || text[0] != '"' {
		return &json.UnmarshalTypeError{Value: string(text[:min(len(text), 40)]), Type: reflect.TypeFor[string]()}
	}
	raw := text[1 : len(text)-1]
	if bytes.IndexByte(raw, '\\') >= 0 {
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		raw = []byte(s)
	}
	if rest, ok := bytes.CutPrefix(raw, []byte("data:")); ok {
		u.data, u.media, u.err = gltfDataURI(rest)
		return nil
	}
	u.path, u.err = gltfPath(string(raw))
	return nil
}

func gltfDataURI(rest []byte) (data []byte, media string, err error) {
	head, body, ok := bytes.Cut(rest, []byte(","))
	if !ok {
		return nil, "", errors.New("data URI without a comma")
	}
	media, ok = strings.CutSuffix(strings.ToLower(string(head[:min(len(head), 200)])), ";base64")
	if !ok {
		return nil, "", errors.New("data URI that is not base64")
	}
	coding := base64.StdEncoding
	if len(body)%4 != 0 {
		coding = base64.RawStdEncoding
	}
	data = make([]byte, coding.DecodedLen(len(body)))
	n, err := coding.Decode(data, body)
	if err != nil {
		return nil, "", fmt.Errorf("data URI: %w", err)
	}
	return data[:n], media, nil
}

// urlScheme returns the scheme of a URL, or a Windows drive, with its colon; "" if there is none.
func urlScheme(s string) string {
	scheme, _, ok := strings.Cut(s, ":")
	for i, c := range []byte(scheme) {
		if letter := c | ' '; (letter < 'a' || letter > 'z') && (i == 0 || strings.IndexByte("0123456789+.-", c) < 0) {
			return ""
		}
	}
	if !ok {
		return ""
	}
	return s[:len(scheme)+1]
}

func gltfPath(uri string) (string, error) {
	switch scheme := urlScheme(uri); {
	case uri == "":
		return "", errors.New("empty URI")
	case scheme != "":
		return "", fmt.Errorf("URI with scheme %q: only files beside the document and data: are read", CleanName(scheme))
	}
	if path, err := url.PathUnescape(uri); err == nil {
		return path, nil
	}
	return uri, nil // a name with a bare %, which the writer did not encode
}

func gltfPlace(what string, n int) string { return fmt.Sprintf("%s %d", what, n) }

// gltfSplitter splits JSON into members and elements without decoding them, so that lists are
// decoded element by element: an error then names the element, and decoding can be cancelled in
// between. It does not validate the JSON; on unexpected text its methods return false.
type gltfSplitter struct {
	text []byte
	at   int
}

// pass skips blanks and then c. It returns false if the byte after the blanks is not c.
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

// value returns the text of the next value; ok is false if there is none.
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
			continue // still within a number or a word
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

// each calls `do` with every element of a list, or with the name and value of every member of an
// object, until `do` fails. ok is false if the text is neither, or is not JSON.
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

// GLTFList is an array of a document, which is decoded element by element. It gets its final size
// at once, since growing it would take almost twice the memory.
type GLTFList[T any] []T

func (l *GLTFList[T]) UnmarshalJSON(text []byte) error {
	return l.decode(text, "", func(int) error { return nil })
}

func (l *GLTFList[T]) decode(text []byte, path string, pay func(n int) error) error {
	*l = nil
	if len(text) == 0 || string(text) == "null" {
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

// gltfTypeError returns the error for a value that has the wrong type.
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

func gltfPiece(piece []byte, to any, pay func(n int) error) error {
	if err := pay(len(piece)); err != nil {
		return err
	}
	return json.Unmarshal(piece, to)
}

// gltfWithin puts a path in the document before the field that an error names.
func gltfWithin(path string, err error) error {
	if kind, ok := err.(*json.UnmarshalTypeError); ok {
		if kind.Field != "" {
			path += "."
		}
		kind.Field = strings.ReplaceAll(path+kind.Field, ".[", "[")
	}
	return err
}

// gltfNothing discards a value.
type gltfNothing struct{}

func (gltfNothing) UnmarshalJSON([]byte) error { return nil }

// gltfMembers decodes each member of a document into the pointer that `members` has under its name.
// Before it decodes a member, or an element of a GLTFList, it calls `pay` with the length of its text.
// ok is false if the text is not JSON.
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
