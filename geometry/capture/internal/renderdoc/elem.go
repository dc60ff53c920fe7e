package renderdoc

import (
	"bytes"
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// elem is an element of a chunk: the call itself, a parameter, a member of a struct or an element
// of a list. The zero elem represents a missing element; it has no children and no value.
type elem struct {
	c *chunk
	i int32
}

func (e elem) there() bool { return e.c != nil }

// at returns a node's element. Node 0 is never a child, and gives the zero elem.
func (e elem) at(node int32) elem {
	if node == 0 {
		return elem{}
	}
	return elem{e.c, node}
}

func (e elem) node() (n node) {
	if e.there() {
		n = e.c.nodes[e.i]
	}
	return n
}

func (e elem) slice(s span) []byte {
	if !e.there() {
		return nil
	}
	return e.c.bytes[s.from:s.to]
}

func (e elem) first() elem { return e.at(e.node().child) }
func (e elem) next() elem  { return e.at(e.node().next) }

// get returns the child with the first of the names that a child has, or the zero elem. RenderDoc
// has renamed some parameters, so a parameter can have several names.
func (e elem) get(names ...string) elem {
	for _, name := range names {
		for k := e.first(); k.there(); k = k.next() {
			if string(k.slice(k.c.nodes[k.i].name)) == name {
				return k
			}
		}
	}
	return elem{}
}

// each yields the elements of a list with their positions. The list is the child that get returns.
func (e elem) each(names ...string) iter.Seq2[int64, elem] {
	return func(yield func(int64, elem) bool) {
		n := int64(0)
		for k := e.get(names...).first(); k.there() && yield(n, k); k = k.next() {
			n++
		}
	}
}

// call returns the name of the called function.
func (e elem) call() string { return string(e.c.name) }
func (e elem) text() []byte { return e.slice(e.node().text) }

// enum returns the name of an enumeration's value.
func (e elem) enum() string { return string(plain(e.slice(e.node().enum))) }

// uint returns a non-negative number; ok is false for anything else.
func (e elem) uint() (v uint64, ok bool) { return parseUint(e.text()) }

// id returns a resource number, or 0.
func (e elem) id() uint64 {
	v, _ := e.uint()
	return v
}

// int returns a number from -2^62 to 2^62; ok is false for any other text.
func (e elem) int() (v int64, ok bool) {
	digits, negative := bytes.CutPrefix(e.text(), []byte("-"))
	u, ok := parseUint(digits)
	switch {
	case !ok || u > 1<<62:
		return 0, false
	case negative:
		return -int64(u), true
	}
	return int64(u), true
}

// number returns the result of int, or 0 if int fails.
func (e elem) number() int64 {
	v, _ := e.int()
	return v
}

// argument returns a draw's argument. It leaves the draw out unless the argument is a number from 0 to `most`.
func (e elem) argument(most int64) int64 {
	v, ok := e.int()
	if !ok || v < 0 || v > most {
		leaveOut(noArguments)
	}
	return v
}

// signed returns a draw's argument that may be negative. It leaves the draw out if the argument is missing or no number.
func (e elem) signed() int64 {
	v, ok := e.int()
	if !ok {
		leaveOut(noArguments)
	}
	return v
}

// float returns a finite number that may have a fraction; anything else gives 0.
func (e elem) float() float64 {
	v, err := strconv.ParseFloat(string(e.text()), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	return v
}

// word returns the 32 bits of a number: a float's bits if the element is a float, otherwise an integer's.
func (e elem) word() uint32 {
	if e.node().kind != 'f' {
		return uint32(e.number())
	}
	v, err := strconv.ParseFloat(string(e.text()), 32)
	if err != nil && v == 0 {
		return 0
	}
	return math.Float32bits(float32(v))
}

// bool returns true for the text "true" and for whole numbers above 0.
func (e elem) bool() bool {
	v, ok := e.uint()
	return ok && v != 0 || string(e.text()) == "true"
}

// blob returns where the bytes of a buffer are: the number of a zip entry, and its length. It returns false if
// the element does not refer to such bytes.
func (e elem) blob() (blob, bool) {
	v, ok := e.uint()
	n := e.node()
	if n.kind != 'b' || !ok || v > math.MaxInt32 || n.length < 0 {
		return blob{}, false
	}
	return blob{entry: int(v), length: n.length}, true
}

// label returns a name that a program gave, shortened to one short line.
func (e elem) label() string {
	const most = 60
	var out []rune
	for _, r := range e.unescaped() {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			r = ' '
		}
		if out = append(out, r); len(out) == most {
			break
		}
	}
	return strings.TrimSpace(string(out))
}

// entities replaces XML's five entities.
var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")

// unescaped returns the text with its entities replaced.
func (e elem) unescaped() string { return entities.Replace(string(e.text())) }

// plain returns a name from RenderDoc in a form that can be shown: ASCII, and short.
func plain(b []byte) []byte {
	const most = 80
	b = b[:min(len(b), most)]
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	if bytes.IndexFunc(b, odd) < 0 {
		return b
	}
	return bytes.Map(func(r rune) rune {
		if odd(r) {
			return '?'
		}
		return r
	}, b)
}

// parseUint parses decimal digits only.
func parseUint(b []byte) (v uint64, ok bool) {
	if len(b) > 20 {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b), 10, 64)
	return v, err == nil
}
