package renderdoc

import (
	"math"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// chunk is one chunk of a capture, an API call, as a tree of its parameters.
// One chunk is used again and again, so that reading allocates nothing.
type chunk struct {
	name   []byte
	parsed bool // the tree is there: the chunk was wanted

	budget *budget.Budget

	nodes []node
	open  []int32 // nodes whose end has not come, the innermost last
	bytes []byte  // what the spans point into
}

// node is an element. Node 0 is the chunk itself.
type node struct {
	name, text, enum span  // the name attribute, what it holds, the string attribute
	length           int64 // the byteLength attribute, or -1
	kind             byte  // its tag's first letter
	child, last      int32 // its first and last child, 0 for none
	next             int32 // its next sibling, 0 for none
}

type span struct{ from, to uint32 }

// Bounds of one chunk: the depth of its tree, and what spans can point into.
const (
	maxDepth = 64
	maxBytes = 1 << 30
)

// What a chunk and each of its nodes take, with all that the frame and the state of its
// API keep of them.
const (
	chunkBytes = 256
	nodeBytes  = 96
)

// next moves to the next chunk. It is false after the last one.
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
	if c.parsed && string(c.name) == "glShaderSource" { // the only long text that is read
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

// parse reads the tree.
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

// element reads a tag.
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
