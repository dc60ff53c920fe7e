package renderdoc

import (
	"math"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// chunk is one chunk of a capture, an API call, as a tree of its parameters. One chunk is reused
// for all calls, so that reading allocates nothing.
type chunk struct {
	name   []byte
	parsed bool // whether the chunk was wanted, and so has its tree

	budget *budget.Budget

	nodes []node
	open  []int32 // open nodes, the innermost last
	bytes []byte  // the text that the spans point into
}

// node is an element. Node 0 is the chunk itself.
type node struct {
	name, text, enum span  // the name attribute, the contents, the string attribute
	length           int64 // the byteLength attribute, or -1
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

// element parses a tag.
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
