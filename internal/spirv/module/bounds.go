package module

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// A device reserves the memory of private and function variables for each of the many
// invocations that it keeps running.
const maxPrivate = 64 << 10 // bytes of an invocation

// boundMemory fails if the shader's own variables take too much memory, or a value does. The
// error names the largest variable.
func (v *Vertex) boundMemory() {
	var largest string
	most, total := int64(0), int64(0)
	count := func(in Instruction) {
		switch t := v.Module.Definition(in.Type()); {
		case in.Op == OpVariable && t.Op == OpTypePointer && (StorageClass(in.At(2)) == Private || StorageClass(in.At(2)) == FunctionLocal):
			name := v.variableName(in.Result(), t.At(2))
			n := v.bytes(name, t.At(2))
			if n > most {
				largest, most = name, n
			}
			total = min(total+n, mostBytes)
		case t.Op == OpTypeArray || t.Op == OpTypeStruct:
			if n := v.bytes(in.Op.String(), in.Type()); n > maxPrivate {
				must.Fail("%s: a value of %d bytes, more than %d", in.Op, n, maxPrivate)
			}
		}
	}
	for _, in := range v.Module.Globals {
		if v.Used[in.Result()] {
			count(in)
		}
	}
	for _, f := range v.Functions {
		for _, in := range f.Body {
			count(in)
		}
	}
	if total > maxPrivate {
		must.Fail("%s: a variable of %d bytes; those of a shader may take %d bytes together", largest, most, maxPrivate)
	}
}

func (v *Vertex) bytes(name string, typeID uint32) int64 {
	defer must.Place("%s", name)
	return v.plain.read(typeID).bytes()
}

const mostBytes = 1 << 31 // beyond which bytes are not counted

// bytes returns how many bytes a type takes outside of blocks.
func (t *Type) bytes() (n int64) {
	switch t.Kind {
	case Vector, Matrix, Array:
		return min(int64(t.Count)*t.Elem.bytes(), mostBytes)
	case Struct:
		for _, m := range t.Members {
			n = min(n+m.Type.bytes(), mostBytes)
		}
		return n
	}
	return int64(t.Width / 8)
}

// Drivers copy functions to where they are called.
const maxInlined = 1 << 20 // instructions

// boundCalls fails if functions, callers first, come to too many instructions where each call is
// a copy.
func boundCalls(order []Function) {
	sizes := map[uint32]int{}
	for _, f := range slices.Backward(order) {
		n := len(f.Body)
		for _, in := range f.Body {
			if in.Op == OpFunctionCall {
				n += sizes[in.At(2)]
			}
		}
		if sizes[f.ID] = n; n > maxInlined {
			must.Fail("a function comes to more than %d instructions with those that it calls", maxInlined)
		}
	}
}
