package module

import "github.com/shadeonce/shadeonce/internal/base/must"

// MostDistances is how many clip and cull distances together a vertex may have, on most devices.
const MostDistances = 8

// Distances are the sizes of the arrays of clip and cull distances.
type Distances struct{ Clip, CullPlanes int }

// Total returns how many distances a vertex has.
func (d Distances) Total() int { return d.Clip + d.CullPlanes }

// Distances returns how many distances the shader writes.
func (v *Vertex) Distances() (d Distances) {
	if v.ClipDistance.Type != nil {
		d.Clip = v.ClipDistance.Type.Count
	}
	if v.CullDistance.Type != nil {
		d.CullPlanes = v.CullDistance.Type.Count
	}
	return d
}

// placeDistance keeps an output of distances, if the shader writes it: compilers declare both in
// every block of built-in outputs.
func (v *Vertex) placeDistance(one Variable) {
	if !v.writes(one) {
		return
	}
	if t := one.Type; t.Kind != Array || t.Elem.String() != "float" || t.Count > MostDistances {
		must.Fail("built-in %s is %s, not an array of at most %d floats", one.BuiltIn, t, MostDistances)
	}
	one.Name = "gl_" + one.BuiltIn.String()
	if one.BuiltIn == ClipDistance {
		v.ClipDistance = one
	} else {
		v.CullDistance = one
	}
	if n := v.Distances().Total(); n > MostDistances {
		must.Fail("%d clip and cull distances, more than %d", n, MostDistances)
	}
}

// writes reports whether an instruction may write an output, or the struct that it is a member of.
func (v *Vertex) writes(one Variable) bool {
	for _, f := range v.Functions {
		for _, in := range f.Body {
			for _, at := range v.Module.References(in) {
				if in.Operands[at] != one.ID || in.Op == OpLoad {
					continue
				}
				if chain := in.Op == OpAccessChain || in.Op == OpInBoundsAccessChain; !chain || one.Member < 0 {
					return true
				}
				if member, _ := v.Constant(in.At(3)); int(member) == one.Member {
					return true
				}
			}
		}
	}
	return false
}
