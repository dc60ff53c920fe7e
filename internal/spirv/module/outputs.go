package module

import (
	"fmt"
	"strconv"
	"strings"
)

// Part is an output, or a column or element of one.
type Part struct {
	Variable
	Index []uint32 // which column of a matrix, or element of an array, from outside to inside
	Of    *Type    // its type
}

// Part finds an output by its name. name[2] is a column of a matrix or an element of an array.
func (v *Vertex) Part(name string) (p Part, ok bool) {
	whole, index := name, []uint32(nil)
	for {
		for _, o := range append(v.Outputs[:len(v.Outputs):len(v.Outputs)], v.ClipDistance, v.CullDistance) {
			if o.Type != nil && o.Name == whole {
				return within(o, index)
			}
		}
		at := strings.LastIndexByte(whole, '[')
		if at < 0 || !strings.HasSuffix(whole, "]") {
			return p, false
		}
		n, err := strconv.ParseUint(whole[at+1:len(whole)-1], 10, 31)
		if err != nil {
			return p, false
		}
		whole, index = whole[:at], append([]uint32{uint32(n)}, index...)
	}
}

func within(o Variable, index []uint32) (p Part, ok bool) {
	p = Part{o, index, o.Type}
	for _, i := range index {
		if p.Of.Kind != Matrix && p.Of.Kind != Array || int(i) >= p.Of.Count {
			return p, false
		}
		p.Of = p.Of.Elem
	}
	return p, true
}

// Shows reports whether the part is one value or vector, which can be shown.
func (p Part) Shows() bool { return p.Of.Kind <= Vector && p.Of.Scalar().Kind != Bool }

// FlatlyShown reports whether the part must not be interpolated: integers cannot be.
func (p Part) FlatlyShown() bool {
	return p.Flat || p.Of.Scalar() != nil && p.Of.Scalar().Kind != Float
}

// mostParts bounds how many parts of an output are listed.
const mostParts = 64

// Parts lists the names of what can be shown of an output: itself, or its columns or elements.
func (o Variable) Parts() (names []string) {
	var list func(name string, t *Type)
	list = func(name string, t *Type) {
		switch {
		case t.Kind != Matrix && t.Kind != Array:
			names = append(names, name)
		default:
			for i := 0; i < t.Count && len(names) < mostParts; i++ {
				list(fmt.Sprintf("%s[%d]", name, i), t.Elem)
			}
		}
	}
	list(o.Name, o.Type)
	return names
}
