package interpret

import (
	"fmt"
	"math"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

type kind uint8

const (
	void kind = iota
	boolean
	integer
	floating
	vector
	matrix
	array
	openArray // a runtime array, at the end of a block
	structure
	pointerTo
)

// typ is a type of the module. Values are stored in 32-bit registers, component after component.
// Narrower integers and floats use the lower bits of one register, with zeros above; 64-bit ones
// use two.
type typ struct {
	id      uint32
	kind    kind
	width   uint // of numbers, in bits; 32 for booleans
	signed  bool
	elem    *typ // type of components, columns, elements, or the pointer's target
	count   int  // number of components, columns, elements
	members []*typ
	places  []int // positions of members, in registers
	words   int   // number of registers; -1 if not known
	class   module.StorageClass
}

// Most words of all registers of a shader, and those beyond which types of blocks are not counted.
const (
	mostRegisters = 1 << 21
	mostWords     = 1 << 30
)

// types converts ids to types, each once.
type types struct {
	v     *module.Vertex
	known map[uint32]*typ
}

func (ts *types) of(id uint32) *typ {
	if t, ok := ts.known[id]; ok {
		return t
	}
	in := ts.v.Module.Definition(id)
	t := &typ{id: id}
	ts.known[id] = t // recorded now, since pointers may point to structs that contain them
	switch in.Op {
	case module.OpTypeVoid:
	case module.OpTypeBool:
		t.kind, t.width, t.words = boolean, 32, 1
	case module.OpTypeInt, module.OpTypeFloat:
		ts.number(t, in)
	case module.OpTypeVector, module.OpTypeMatrix, module.OpTypeArray, module.OpTypeRuntimeArray:
		ts.composite(t, in)
	case module.OpTypeStruct:
		ts.structure(t, in)
	case module.OpTypePointer:
		t.kind, t.class, t.elem = pointerTo, module.StorageClass(in.At(1)), ts.of(in.At(2))
	default:
		must.Fail("%s is not a type of values", in.Op)
	}
	return t
}

func (ts *types) number(t *typ, in module.Instruction) {
	t.kind, t.width, t.signed = floating, uint(in.At(1)), false
	if in.Op == module.OpTypeInt {
		t.kind, t.signed = integer, in.At(2) != 0
	}
	switch {
	case t.width == 8 && t.kind == integer, t.width == 16, t.width == 32:
		t.words = 1
	case t.width == 64:
		t.words = 2
	default:
		must.Fail("a number of %d bits", t.width)
	}
}

func (ts *types) composite(t *typ, in module.Instruction) {
	t.elem, t.count = ts.of(in.At(1)), int(in.At(2))
	switch in.Op {
	case module.OpTypeVector:
		t.kind = vector
		if !t.elem.scalar() || t.count < 2 || t.count > 4 {
			must.Fail("a vector of %d components", t.count)
		}
	case module.OpTypeMatrix:
		t.kind = matrix
		if t.elem.kind != vector || t.elem.elem.kind != floating || t.count < 2 || t.count > 4 {
			must.Fail("bad matrix: %d columns", t.count)
		}
	case module.OpTypeRuntimeArray:
		t.kind, t.count, t.words = openArray, 0, -1
		return
	default:
		length, ok := ts.v.Constant(in.At(2))
		if !ok || length == 0 || length > math.MaxInt32 {
			must.Fail("an array of %d elements", length)
		}
		t.kind, t.count = array, int(length)
	}
	switch {
	case t.elem.words == 0, t.elem.kind == openArray:
		must.Fail("an array whose elements have no size")
	case t.elem.words < 0: // blocks that end in a runtime array
		t.words = -1
		return
	}
	t.words = min(t.count*t.elem.words, mostWords)
}

func (ts *types) structure(t *typ, in module.Instruction) {
	t.kind = structure
	for _, id := range in.Operands[1:] {
		m := ts.of(id)
		t.members, t.places = append(t.members, m), append(t.places, t.words)
		switch {
		case m.words < 0:
			t.words = -1
			if len(t.members) < len(in.Operands)-1 {
				must.Fail("a runtime array before a struct's end")
			}
		case m.words == 0:
			must.Fail("a member that holds no value")
		default:
			t.words = min(t.words+m.words, mostWords)
		}
	}
}

func (t *typ) scalar() bool { return t.kind == boolean || t.kind == integer || t.kind == floating }

// component returns the type of the components of a scalar or vector, and their number; nil for
// other types.
func (t *typ) component() (*typ, int) {
	switch {
	case t.scalar():
		return t, 1
	case t.kind == vector:
		return t.elem, t.count
	}
	return nil, 0
}

func (t *typ) String() string {
	name := [...]string{"void", "bool", "int", "float", "vector", "matrix", "array", "runtime array", "struct", "pointer"}[t.kind]
	switch t.kind {
	case integer, floating:
		return fmt.Sprintf("%s%d", name, t.width)
	case vector, matrix, array:
		return fmt.Sprintf("%s of %d %v", name, t.count, t.elem)
	}
	return name
}
