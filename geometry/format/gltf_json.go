package format

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// The parts of a glTF document that geometry needs. Everything else (textures,
// animations, cameras) is skipped without being stored.
//
// Decoded here and not by qmuntal/gltf, whose decoder panics on negative
// numbers and turns unknown component types into valid ones.
type (
	gltfDocument struct {
		Asset struct {
			Version    string `json:"version"`
			MinVersion string `json:"minVersion"`
		} `json:"asset"`
		ExtensionsUsed     []string         `json:"extensionsUsed"`
		ExtensionsRequired []string         `json:"extensionsRequired"`
		Buffers            []gltfBuffer     `json:"buffers"`
		BufferViews        []gltfBufferView `json:"bufferViews"`
		Accessors          []gltfAccessor   `json:"accessors"`
		Materials          []gltfMaterial   `json:"materials"`
		Meshes             []gltfMesh       `json:"meshes"`
		Nodes              []gltfNode       `json:"nodes"`
		Scenes             []gltfScene      `json:"scenes"`
		Scene              gltfInt          `json:"scene"`
	}
	gltfBuffer struct {
		URI        gltfURI `json:"uri"`
		ByteLength gltfInt `json:"byteLength"`
	}
	gltfBufferView struct {
		Buffer     gltfInt `json:"buffer"`
		ByteOffset gltfInt `json:"byteOffset"`
		ByteLength gltfInt `json:"byteLength"`
		ByteStride gltfInt `json:"byteStride"`
		Extensions struct {
			Meshopt *gltfMeshopt `json:"EXT_meshopt_compression"`
		} `json:"extensions"`
	}
	gltfMeshopt struct {
		Buffer     gltfInt `json:"buffer"`
		ByteOffset gltfInt `json:"byteOffset"`
		ByteLength gltfInt `json:"byteLength"`
		ByteStride gltfInt `json:"byteStride"`
		Count      gltfInt `json:"count"`
		Mode       string  `json:"mode"`
		Filter     string  `json:"filter"`
	}
	gltfAccessor struct {
		BufferView    gltfInt     `json:"bufferView"`
		ByteOffset    gltfInt     `json:"byteOffset"`
		ComponentType gltfInt     `json:"componentType"`
		Count         gltfInt     `json:"count"`
		Normalized    bool        `json:"normalized"`
		Type          string      `json:"type"`
		Sparse        *gltfSparse `json:"sparse"`
	}
	gltfSparse struct {
		Count   gltfInt         `json:"count"`
		Indices gltfSparseArray `json:"indices"`
		Values  gltfSparseArray `json:"values"`
	}
	gltfSparseArray struct {
		BufferView    gltfInt `json:"bufferView"`
		ByteOffset    gltfInt `json:"byteOffset"`
		ComponentType gltfInt `json:"componentType"` // of indices only
	}
	gltfMaterial struct {
		PBR struct {
			BaseColorFactor []float64 `json:"baseColorFactor"`
		} `json:"pbrMetallicRoughness"`
	}
	gltfMesh struct {
		Name       string          `json:"name"`
		Primitives []gltfPrimitive `json:"primitives"`
	}
	gltfPrimitive struct {
		Attributes struct {
			Position gltfInt `json:"POSITION"`
			Normal   gltfInt `json:"NORMAL"`
		} `json:"attributes"`
		Indices    gltfInt `json:"indices"`
		Material   gltfInt `json:"material"`
		Mode       gltfInt `json:"mode"`
		Extensions struct {
			Draco *struct{} `json:"KHR_draco_mesh_compression"`
		} `json:"extensions"`
	}
	gltfNode struct {
		Name        string    `json:"name"`
		Mesh        gltfInt   `json:"mesh"`
		Children    []gltfInt `json:"children"`
		Matrix      []float64 `json:"matrix"`
		Translation []float64 `json:"translation"`
		Rotation    []float64 `json:"rotation"`
		Scale       []float64 `json:"scale"`
		Extensions  struct {
			Visibility *struct {
				Visible *bool `json:"visible"`
			} `json:"KHR_node_visibility"`
		} `json:"extensions"`
	}
	gltfScene struct {
		Nodes []gltfInt `json:"nodes"`
	}
)

// gltfDecode parses the document, after checking that its values cannot grow
// out of proportion to the text.
func gltfDecode(text []byte, budget *gltfBudget) (*gltfDocument, error) {
	if err := budget.charge(gltfDecodedSize(text), 1, "JSON"); err != nil {
		return nil, err
	}
	doc := &gltfDocument{}
	if err := json.Unmarshal(text, doc); err != nil {
		return nil, gltfJSONError(text, err)
	}
	for i := range doc.Buffers {
		if err := budget.charge(int64(len(doc.Buffers[i].URI.data)), 1, gltfPlace("buffer", i)); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// gltfDecodedSize estimates from above what the text becomes in memory: a
// document of empty objects would take 80 times its size.
func gltfDecodedSize(text []byte) int64 {
	const objectBytes, elementBytes = 256, 16
	n := int64(0)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			n += objectBytes
		case ',', '[':
			n += elementBytes
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return n
}

func gltfJSONError(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return &Error{Place: "JSON", Cause: "the file is empty", Err: err}
	case errors.As(err, &syntax):
		return &Error{Place: fmt.Sprintf("JSON, byte %d", syntax.Offset), Cause: syntax.Error(), Err: err}
	case errors.As(err, &kind):
		place := "JSON"
		if kind.Field != "" {
			place = "JSON, " + gltfName(kind.Field)
		}
		return &Error{Place: place, Cause: fmt.Sprintf("%s where %s is needed", gltfName(kind.Value), kind.Type), Err: err}
	}
	return &Error{Place: "JSON", Cause: err.Error(), Err: err}
}

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

var gltfScheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

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
		return nil, fmt.Errorf("data URI of type %q is not a buffer", gltfName(media))
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
		return "", fmt.Errorf("URI with scheme %q: only files beside the document and data: are read", gltfName(scheme))
	}
	if path, err := url.PathUnescape(uri); err == nil {
		return path, nil
	}
	return uri, nil // a bare % in a name that its writer did not encode
}

func gltfPlace(what string, n int) string { return fmt.Sprintf("%s %d", what, n) }
