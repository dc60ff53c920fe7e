package renderdoc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// scanner splits XML into tags and the text between them. It supports the XML of captures: no
// document type (so only the five entities), no CDATA, no comments. What it returns is valid
// until the next call.
type scanner struct {
	r  *bufio.Reader
	at int64 // bytes up to the end of the latest tag

	text    []byte // text before the tag; empty if it was longer than `most`
	tag     []byte // name and attributes, without the brackets
	closing bool   // </tag>
	empty   bool   // <tag/>

	most   int    // longest text to keep, in bytes; longer text is skipped
	buffer []byte // memory that tag lies in
}

// Bounds in bytes of a tag and of the text between two tags. Longer text is skipped: of the text that we
// read, only the sources of shaders are long.
const (
	scanBytes = 128 << 10
	maxTag    = 64 << 10
	maxText   = 4 << 10
	maxSource = 1 << 20
)

func newScanner(r io.Reader) *scanner {
	return &scanner{r: bufio.NewReaderSize(r, scanBytes), most: maxText}
}

func (s *scanner) place() string { return fmt.Sprintf("byte %d", s.at) }

// refuse fails with an error about the current place.
func (s *scanner) refuse(cause string, args ...any) { refuse(s.place(), cause, args...) }

// check fails if a read failed: with the underlying file's error, which names the file, or because
// the file ends early. A full buffer is no error.
func (s *scanner) check(err error) {
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = &format.Error{Place: s.place(), Cause: "the file ends early", Err: io.ErrUnexpectedEOF}
	}
	must.OK(err)
}

// next moves to the next tag.
func (s *scanner) next() {
	for s.take(); s.tag[0] == '?'; {
		s.take()
	}
	if s.tag[0] == '!' {
		s.refuse("%.20q: a capture has no such markup", s.tag)
	}
	s.tag, s.closing = bytes.CutPrefix(s.tag, []byte("/"))
	s.tag, s.empty = bytes.CutSuffix(s.tag, []byte("/"))
	if len(s.tag) == 0 || s.closing && s.empty {
		s.refuse("a tag without a name")
	}
}

// take takes the next tag, and the text before it.
func (s *scanner) take() {
	s.text = s.text[:0]
	passed, err := 0, bufio.ErrBufferFull
	for err != nil {
		var piece []byte
		piece, err = s.r.ReadSlice('<')
		s.check(err)
		if passed += len(piece); passed <= s.most+1 {
			s.text = append(s.text, piece...)
		}
	}
	s.text = s.text[:max(len(s.text)-1, 0)] // the text without the opening bracket
	if passed > s.most+1 {
		s.text = s.text[:0]
	}
	s.buffer = s.buffer[:0]
	quote := byte(0)
	for open := true; open; open = err != nil || quote != 0 {
		var piece []byte
		piece, err = s.r.ReadSlice('>')
		for _, c := range piece {
			switch {
			case c == quote:
				quote = 0
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			}
		}
		if s.buffer = append(s.buffer, piece...); len(s.buffer) > maxTag {
			s.refuse("a tag of more than %d bytes", maxTag)
		}
		s.check(err)
	}
	if s.tag = s.buffer[:len(s.buffer)-1]; len(s.tag) == 0 {
		s.refuse("a tag without a name")
	}
	s.at += int64(passed + len(s.buffer))
}

// passUntil skips everything up to and including the given bytes.
func (s *scanner) passUntil(end string) {
	for {
		window, err := s.r.Peek(max(len(end), s.r.Buffered()))
		n := len(window) - len(end) + 1 // the bytes after these may be the beginning of `end`
		k := bytes.Index(window, []byte(end))
		if k >= 0 {
			n = k + len(end)
		} else {
			s.check(err)
		}
		s.at += int64(n)
		_, _ = s.r.Discard(n) // cannot fail: n bytes are buffered
		if k >= 0 {
			return
		}
	}
}

// cutName splits a tag into its name and attributes.
func cutName(tag []byte) (name, attributes []byte) {
	for i, c := range tag {
		if c <= ' ' {
			return tag[:i], tag[i:]
		}
	}
	return tag, nil
}

// attributes yields the names and values of the attributes in the text after a tag's name. It stops at anything else.
func attributes(in []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		for {
			name, rest, ok := bytes.Cut(in, []byte("="))
			name, rest = bytes.TrimSpace(name), bytes.TrimLeft(rest, " \t\r\n")
			if !ok || len(name) == 0 || len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
				return
			}
			value, after, closed := bytes.Cut(rest[1:], rest[:1])
			if !closed || !yield(name, value) {
				return
			}
			in = after
		}
	}
}

// readHeader reads up to the first chunk, and returns the API's name and the chunks' version.
func readHeader(x *scanner) (driver string, version uint64) {
	x.next()
	if name, _ := cutName(x.tag); string(name) != "rdc" || x.closing {
		refuse("", "is not a RenderDoc capture: it begins with %.40q", name)
	}
	for {
		x.next()
		name, rest := cutName(x.tag)
		switch {
		case string(name) == "driver" && x.closing:
			driver = string(bytes.TrimSpace(x.text))
		case string(name) == "chunks" && !x.closing && !x.empty:
			for key, value := range attributes(rest) {
				if string(key) == "version" {
					version, _ = parseUint(value)
				}
			}
			return driver, version
		case string(name) == "rdc" || string(name) == "chunks" && x.empty:
			refuse("", "no chunks")
		}
	}
}

// chunk is one chunk of a capture, an API call, as a tree of its parameters. One chunk is reused
// for all calls, so that reading allocates nothing.
type chunk struct {
	name   []byte
	parsed bool // whether the chunk was wanted, so that its tree is parsed

	budget *budget.Budget

	nodes []node
	open  []int32 // open nodes, the innermost last
	bytes []byte  // the text that the spans point into
}

// node is an element. Node 0 is the chunk itself.
type node struct {
	name, text, enum span  // where the name attribute, the contents and the string attribute are
	length           int64 // value of the byteLength attribute, or -1
	kind             byte  // first letter of the tag
	child, last      int32 // its first and last child, or 0
	next             int32 // its next sibling, or 0
}

type span struct{ from, to uint32 }

// Bounds of one chunk: the depth of its tree, and the bytes that spans can point into.
const (
	maxDepth = 64
	maxBytes = 1 << 30
)

// The memory of a chunk and of each of its nodes, including all that the frame and the API's
// state keep of them.
const (
	chunkBytes = 256
	nodeBytes  = 96
)

// next moves to the next chunk. It returns false after the last one.
func (c *chunk) next(x *scanner, wants func(name []byte) bool) bool {
	x.next()
	tag, rest := cutName(x.tag)
	if string(tag) == "chunks" && x.closing {
		return false
	}
	if string(tag) != "chunk" || x.closing {
		x.refuse("expected a chunk, found %.40q", x.tag)
	}
	c.nodes, c.open, c.bytes = c.nodes[:0], c.open[:0], c.bytes[:0]
	opaque := false
	c.name = c.name[:0]
	for key, value := range attributes(rest) {
		switch string(key) {
		case "name":
			c.name = append(c.name, plain(value)...)
		case "opaque":
			opaque = true
		}
	}
	c.parsed = !opaque && wants(c.name)
	x.most = maxText
	if c.parsed && string(c.name) == "glShaderSource" { // the only long text that is needed
		x.most = maxSource
	}
	c.nodes = append(c.nodes, node{length: -1})
	switch {
	case x.empty:
	case !c.parsed:
		x.passUntil("</chunk>")
	default:
		c.parse(x)
	}
	return true
}

// parse parses the chunk's tree.
func (c *chunk) parse(x *scanner) {
	must.OK(c.budget.Memory(chunkBytes))
	c.open = append(c.open, 0)
	for {
		x.next()
		inner := &c.nodes[c.open[len(c.open)-1]]
		if x.closing {
			if len(c.open) == 1 {
				if string(x.tag) != "chunk" {
					x.refuse("%.40q ends a chunk", x.tag)
				}
				return
			}
			if inner.child == 0 {
				inner.text = c.keep(x.text)
			}
			c.open = c.open[:len(c.open)-1]
			continue
		}
		if len(c.bytes) >= maxBytes || len(c.open) >= maxDepth {
			x.refuse("a chunk (%.60s) of too many parts", c.name)
		}
		must.OK(c.budget.Memory(nodeBytes))
		at := int32(len(c.nodes))
		if inner.child == 0 {
			inner.child = at
		} else {
			c.nodes[inner.last].next = at
		}
		inner.last = at
		c.nodes = append(c.nodes, c.element(x))
		if !x.empty {
			c.open = append(c.open, at)
		}
	}
}

// element returns the node of the current tag.
func (c *chunk) element(x *scanner) node {
	n := node{length: -1, kind: x.tag[0]}
	_, rest := cutName(x.tag)
	for key, value := range attributes(rest) {
		switch string(key) {
		case "name":
			n.name = c.keep(value)
		case "string":
			n.enum = c.keep(value)
		case "byteLength":
			if v, ok := parseUint(value); ok && v <= math.MaxInt64 {
				n.length = int64(v)
			}
		}
	}
	return n
}

func (c *chunk) keep(b []byte) span {
	must.OK(c.budget.Memory(int64(len(b))))
	from := uint32(len(c.bytes))
	c.bytes = append(c.bytes, b...)
	return span{from, uint32(len(c.bytes))}
}
