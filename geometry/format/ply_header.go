package format

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// plyType is a scalar type of the PLY format.
type plyType uint8

const (
	plyInt8 plyType = iota
	plyUint8
	plyInt16
	plyUint16
	plyInt32
	plyUint32
	plyFloat32
	plyFloat64
)

var plyTypes = map[string]plyType{
	"char": plyInt8, "uchar": plyUint8, "short": plyInt16, "ushort": plyUint16,
	"int": plyInt32, "uint": plyUint32, "float": plyFloat32, "double": plyFloat64,
	"int8": plyInt8, "uint8": plyUint8, "int16": plyInt16, "uint16": plyUint16,
	"int32": plyInt32, "uint32": plyUint32, "float32": plyFloat32, "float64": plyFloat64,
}

func (t plyType) size() int   { return [...]int{1, 1, 2, 2, 4, 4, 4, 8}[t] }
func (t plyType) whole() bool { return t < plyFloat32 }

// int reads a whole number of this type from b.
func (t plyType) int(b []byte, order binary.ByteOrder) int64 {
	switch t {
	case plyInt8:
		return int64(int8(b[0]))
	case plyUint8:
		return int64(b[0])
	case plyInt16:
		return int64(int16(order.Uint16(b)))
	case plyUint16:
		return int64(order.Uint16(b))
	case plyInt32:
		return int64(int32(order.Uint32(b)))
	default:
		return int64(order.Uint32(b))
	}
}

// float reads a number of this type from b.
func (t plyType) float(b []byte, order binary.ByteOrder) float32 {
	switch t {
	case plyFloat32:
		return math.Float32frombits(order.Uint32(b))
	case plyFloat64:
		return float32(math.Float64frombits(order.Uint64(b)))
	}
	return float32(t.int(b, order))
}

// plyProperty is a scalar of an element, or a list with its own count.
type plyProperty struct {
	name  string
	kind  plyType
	list  bool
	count plyType // type of a list's count
}

type plyElement struct {
	name       string
	count      int64
	properties []plyProperty
}

// find returns the index of a property, or -1.
func (e *plyElement) find(name string) int {
	return slices.IndexFunc(e.properties, func(p plyProperty) bool { return p.name == name })
}

// isIndices reports whether this may be the list of a face's vertices.
func (p *plyProperty) isIndices() bool {
	return p.list && (p.name == "vertex_indices" || p.name == "vertex_index")
}

// leastBytes returns the least number of bytes that one such element takes in the file.
func (e *plyElement) leastBytes(ascii bool) int64 {
	size := func(t plyType) int64 {
		if ascii {
			return 2 // at least a digit and a blank
		}
		return int64(t.size())
	}
	n := int64(0)
	for _, p := range e.properties {
		switch {
		case !p.list:
			n += size(p.kind)
		case p.isIndices() && e.name == "face":
			n += size(p.count) + 3*size(p.kind) // no face has fewer than 3 corners
		default:
			n += size(p.count)
		}
	}
	return n
}

type plyHeader struct {
	ascii    bool
	order    binary.ByteOrder // byte order of the file; for ascii files, the order in which plyASCII.raw returns bytes
	elements []plyElement
	bytes    int64  // length of the header in the file
	texture  string // the image that a comment names
	lines    int
	cr       bool // whether lines end in CR
}

const (
	plyMostHeader     = 1 << 20
	plyMostElements   = 256
	plyMostProperties = 1024
)

// readLine reads one line of the header, byte by byte: what follows the header may be binary, and
// must not be consumed.
func (h *plyHeader) readLine(src *Input, r *bufio.Reader, number int) []byte {
	var l []byte
	for {
		c, err := r.ReadByte()
		if err != nil {
			must.OK(src.Failed("header", err))
		}
		if h.bytes++; h.bytes > plyMostHeader {
			src.fail("header", "is longer than %d bytes", plyMostHeader)
		}
		if number == 1 && c == '\r' {
			next, _ := r.Peek(1)
			h.cr = string(next) != "\n"
		}
		if c == '\n' || h.cr && c == '\r' {
			return bytes.TrimSuffix(l, []byte{'\r'})
		}
		if c == 0 {
			src.fail(line(number), "header is not text")
		}
		l = append(l, c)
	}
}

// plyReadHeader reads to the end of the line "end_header".
func plyReadHeader(src *Input, r *bufio.Reader) *plyHeader {
	h := &plyHeader{}
	properties := 0
	for number := 1; ; number++ {
		l := h.readLine(src, r, number)
		h.lines = number
		words := bytes.Fields(l)
		if number == 1 {
			if string(l) != "ply" {
				src.fail(line(1), "is not a PLY file: it begins with %s", Quote(l))
			}
			continue
		}
		if len(words) == 0 {
			continue
		}
		cause := ""
		switch string(words[0]) {
		case "comment", "obj_info":
			if file, ok := bytes.CutPrefix(bytes.TrimSpace(l), []byte(plyTexture)); ok {
				h.texture = string(file)
			}
		case "format":
			cause = h.format(words)
		case "element":
			cause = h.element(words)
		case "property":
			if properties++; properties > plyMostProperties {
				src.fail(line(number), "more than %d properties", plyMostProperties)
			}
			cause = h.property(words)
		case "end_header":
			if h.ascii {
				h.order = binary.LittleEndian
			} else if h.order == nil {
				src.fail("header", "names no format")
			}
			return h
		default:
			cause = "is not a header line of PLY"
		}
		if cause != "" {
			src.fail(line(number), "%s: %s", Quote(l), cause)
		}
	}
}

// format, element and property parse one header line, and return what is wrong with it, or "".
func (h *plyHeader) format(words [][]byte) string {
	if len(words) != 3 || string(words[2]) != "1.0" {
		return "expected format, encoding and version 1.0"
	}
	switch string(words[1]) {
	case "ascii":
		h.ascii = true
	case "binary_little_endian":
		h.order = binary.LittleEndian
	case "binary_big_endian":
		h.order = binary.BigEndian
	default:
		return "unknown encoding"
	}
	return ""
}

func (h *plyHeader) element(words [][]byte) string {
	if len(words) != 3 {
		return "expected element, name and count"
	}
	count, end, ok := scanInt(words[2], 0)
	if !ok || end != len(words[2]) || count < 0 {
		return "count is not a number of elements"
	}
	if len(h.elements) == plyMostElements {
		return "too many elements"
	}
	name := string(words[1])
	if slices.ContainsFunc(h.elements, func(e plyElement) bool { return e.name == name }) {
		return "an element of this name comes before"
	}
	h.elements = append(h.elements, plyElement{name: name, count: count})
	return ""
}

func (h *plyHeader) property(words [][]byte) string {
	if len(h.elements) == 0 {
		return "property of no element"
	}
	e := &h.elements[len(h.elements)-1]
	p := plyProperty{}
	ok, counted := false, true
	switch {
	case len(words) == 5 && string(words[1]) == "list":
		p.list = true
		p.count, counted = plyTypes[string(words[2])]
		p.kind, ok = plyTypes[string(words[3])]
	case len(words) == 3:
		p.kind, ok = plyTypes[string(words[1])]
	default:
		return "expected property, type and name"
	}
	if !ok || !counted {
		return "unknown type"
	}
	if p.list && !p.count.whole() {
		return "the count of a list must be a whole number"
	}
	p.name = string(words[len(words)-1])
	if e.find(p.name) >= 0 {
		return "the element already has this property"
	}
	e.properties = append(e.properties, p)
	return ""
}
