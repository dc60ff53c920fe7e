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
	"regexp"
	"strconv"
	"strings"
)

// gltfElementCount counts the commas of an array, without those of inner arrays, and the
// objects that are its elements.
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

// gltfStringEnd is where the string that begins at i ends.
func gltfStringEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// gltfNames is a list of extensions, of which no file needs many.
type gltfNames []string

func (l *gltfNames) UnmarshalJSON(text []byte) error {
	const most = 1000
	if commas, _ := gltfElementCount(text); commas >= most {
		return &json.UnmarshalTypeError{Value: fmt.Sprintf("more than %d names", most), Type: reflect.TypeFor[[]string]()}
	}
	return json.Unmarshal(text, (*[]string)(l))
}

// gltfRef is the number of a node, in 4 bytes since there can be very many; -1
// stands for a value that cannot be one.
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

// in says whether r names one of n nodes.
func (r gltfRef) in(n int) bool { return r >= 0 && int(r) < n }

// gltfInt is an integer of the document that may be absent. Writing it as 3.0
// is allowed. It may be negative or huge: users check the range.
type gltfInt struct {
	n   int64
	set bool
}

func (v *gltfInt) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		const exact = 1 << 53 // beyond it not every integer is a float64
		f, err := strconv.ParseFloat(string(text), 64)
		if n = int64(f); err != nil || f < -exact || f > exact || float64(n) != f {
			return &json.UnmarshalTypeError{Value: string(text[:min(len(text), 40)]), Type: reflect.TypeFor[int]()}
		}
	}
	v.n, v.set = n, true
	return nil
}

// in says whether v is given and names one of n elements.
func (v gltfInt) in(n int) bool { return v.set && v.n >= 0 && v.n < int64(n) }

func (v gltfInt) String() string {
	if !v.set {
		return "undefined"
	}
	return strconv.FormatInt(v.n, 10)
}

// gltfURI is where a buffer lies: in the document itself (data), or in a file
// beside it (path). Data is decoded at once from the raw text, so that a large
// document is not held three times.
type gltfURI struct {
	set  bool
	path string
	data []byte
	err  error // reported with the buffer's number by check
}

var gltfScheme = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*)?:`)

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
		u.data, u.err = gltfDataURI(rest)
		return nil
	}
	u.path, u.err = gltfPath(string(raw))
	return nil
}

func gltfDataURI(rest []byte) ([]byte, error) {
	head, body, ok := bytes.Cut(rest, []byte(","))
	if !ok {
		return nil, errors.New("data URI without a comma")
	}
	media, ok := strings.CutSuffix(strings.ToLower(string(head[:min(len(head), 200)])), ";base64")
	if !ok {
		return nil, errors.New("data URI that is not base64")
	}
	switch media {
	case "", "application/octet-stream", "application/gltf-buffer":
	default:
		return nil, fmt.Errorf("data URI of type %q is not a buffer", CleanName(media))
	}
	coding := base64.StdEncoding
	if len(body)%4 != 0 {
		coding = base64.RawStdEncoding
	}
	data := make([]byte, coding.DecodedLen(len(body)))
	n, err := coding.Decode(data, body)
	if err != nil {
		return nil, fmt.Errorf("data URI: %w", err)
	}
	return data[:n], nil
}

func gltfPath(uri string) (string, error) {
	switch scheme := gltfScheme.FindString(uri); {
	case uri == "":
		return "", errors.New("empty URI")
	case scheme != "":
		return "", fmt.Errorf("URI with scheme %q: only files beside the document and data: are read", CleanName(scheme))
	}
	if path, err := url.PathUnescape(uri); err == nil {
		return path, nil
	}
	return uri, nil // a bare % in a name that its writer did not encode
}

func gltfPlace(what string, n int) string { return fmt.Sprintf("%s %d", what, n) }
