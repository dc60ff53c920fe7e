package renderdoc

import (
	"bytes"
	"math"
	"strconv"
	"unicode"
)

// elem is an element of a chunk. The zero elem stands for one that is not
// there; it has no children and no value.
type elem struct {
	c *chunk
	i int32
}

func (e elem) there() bool { return e.c != nil }

// get is the child of that name.
func (e elem) get(name string) elem {
	for k := e.first(); k.there(); k = k.next() {
		if string(k.c.slice(k.c.nodes[k.i].name)) == name {
			return k
		}
	}
	return elem{}
}

// any is the child that has one of the names: RenderDoc has renamed some.
func (e elem) any(names ...string) elem {
	for _, name := range names {
		if k := e.get(name); k.there() {
			return k
		}
	}
	return elem{}
}

func (e elem) first() elem {
	if e.c == nil || e.c.nodes[e.i].child == 0 {
		return elem{}
	}
	return elem{e.c, e.c.nodes[e.i].child}
}

func (e elem) next() elem {
	if e.c == nil || e.c.nodes[e.i].next == 0 {
		return elem{}
	}
	return elem{e.c, e.c.nodes[e.i].next}
}

func (e elem) text() []byte {
	if e.c == nil {
		return nil
	}
	return e.c.slice(e.c.nodes[e.i].text)
}

// enum is the name of an enumeration's value.
func (e elem) enum() string {
	if e.c == nil {
		return ""
	}
	return string(plain(e.c.slice(e.c.nodes[e.i].enum)))
}

// uint is a number that is not negative; ok is false for anything else.
func (e elem) uint() (v uint64, ok bool) { return parseUint(e.text()) }

// id is a resource, 0 for none.
func (e elem) id() uint64 {
	v, _ := e.uint()
	return v
}

// int is a number of at most 2^62, so that sums of two are right.
func (e elem) int() (v int64, ok bool) {
	t := e.text()
	negative := len(t) > 0 && t[0] == '-'
	if negative {
		t = t[1:]
	}
	u, ok := parseUint(t)
	if !ok || u > 1<<62 {
		return 0, false
	}
	if negative {
		return -int64(u), true
	}
	return int64(u), true
}

// number is int, or 0 for what is none.
func (e elem) number() int64 {
	v, _ := e.int()
	return v
}

// float is a number with a fraction, or 0 for what is none or not finite.
func (e elem) float() float64 {
	v, err := strconv.ParseFloat(string(e.text()), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	return v
}

// bool is true for true and for numbers other than 0.
func (e elem) bool() bool {
	v, ok := e.uint()
	return ok && v != 0 || string(e.text()) == "true"
}

// blob is the zip entry that a buffer names, and its length.
func (e elem) blob() (blob, bool) {
	if e.c == nil || e.c.nodes[e.i].kind != 'b' {
		return blob{}, false
	}
	v, ok := e.uint()
	length := e.c.nodes[e.i].length
	if !ok || v > math.MaxInt32 || length < 0 {
		return blob{}, false
	}
	return blob{entry: int(v), length: length}, true
}

// label is a name that a program gave, fit to be shown: on one line, not long.
func (e elem) label() string {
	const most = 60
	t := e.text()
	for _, entity := range [][2]string{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&apos;", "'"}, {"&amp;", "&"}} {
		t = bytes.ReplaceAll(t, []byte(entity[0]), []byte(entity[1]))
	}
	var out []rune
	for _, r := range string(t) {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			r = ' '
		}
		if out = append(out, r); len(out) == most {
			break
		}
	}
	return string(bytes.TrimSpace([]byte(string(out))))
}

// plain is a name of RenderDoc's as it can be shown: of ASCII, not long.
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

func parseUint(b []byte) (v uint64, ok bool) {
	if len(b) == 0 || len(b) > 20 || b[0] == '+' {
		return 0, false
	}
	if len(b) > 19 {
		v, err := strconv.ParseUint(string(b), 10, 64)
		return v, err == nil
	}
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return v, true
}
