package module

import (
	"cmp"
	"fmt"
	"math"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Kind says whether a type is a scalar, a vector, a matrix, an array or a struct, and of which numbers a scalar is.
type Kind uint8

// The kinds of types that inputs, outputs and blocks can have.
const (
	Bool Kind = iota + 1
	Int
	Uint
	Float
	Vector
	Matrix
	Array
	RuntimeArray
	Struct
)

// Type is a type of an input, an output or a block.
type Type struct {
	Kind    Kind
	ID      uint32 // of the type in its module
	Width   int    // Int, Uint, Float: bits
	Elem    *Type  // component of a Vector, column of a Matrix, element of an array
	Count   int    // Vector: components; Matrix: columns; Array: elements
	Stride  int    // arrays in blocks: bytes between elements
	Name    string // Struct
	Members []Member

	leaves int // members that are not structs, counted through nested structs; at most maxLeaves
}

// Member is a member of a Struct. Offset is 0 if not given.
type Member struct {
	Name         string
	Offset       int // bytes
	Type         *Type
	MatrixStride int  // bytes; of a Matrix or an array of matrices
	RowMajor     bool // of a Matrix or an array of matrices
	Size         int  // bytes; without a RuntimeArray at its end
}

const (
	maxSize   = 1 << 30 // bytes of a block
	maxLeaves = 1 << 14
)

var scalarNames = map[Kind]string{Bool: "bool", Int: "int", Uint: "uint", Float: "float"}

// String returns the type in GLSL: vec3, mat4, float[8].
func (t *Type) String() string {
	switch t.Kind {
	case Vector:
		return fmt.Sprintf("%svec%d", t.Elem.prefix(), t.Count)
	case Matrix:
		if t.Elem.Count != t.Count {
			return fmt.Sprintf("%smat%dx%d", t.Elem.Elem.prefix(), t.Count, t.Elem.Count)
		}
		return fmt.Sprintf("%smat%d", t.Elem.Elem.prefix(), t.Count)
	case Array:
		return fmt.Sprintf("%s[%d]", t.Elem, t.Count)
	case RuntimeArray:
		return t.Elem.String() + "[]"
	case Struct:
		return cmp.Or(t.Name, "struct")
	}
	if t.Width == 64 && t.Kind == Float {
		return "double"
	}
	if t.Width != 32 && t.Kind != Bool {
		return fmt.Sprintf("%s%d_t", scalarNames[t.Kind], t.Width)
	}
	return scalarNames[t.Kind]
}

// prefix returns GLSL's prefix for vectors and matrices of a scalar type: d for 64-bit floats.
func (t *Type) prefix() string {
	switch {
	case t.Width == 64 && t.Kind == Float:
		return "d"
	case t.Width == 32:
		return map[Kind]string{Bool: "b", Int: "i", Uint: "u"}[t.Kind]
	}
	return fmt.Sprintf("%c%d", scalarNames[t.Kind][0], t.Width)
}

// Scalar returns the type of a type's numbers: of its components or innermost elements; nil for structs.
func (t *Type) Scalar() *Type {
	for t.Elem != nil {
		t = t.Elem
	}
	if t.Kind == Struct {
		return nil
	}
	return t
}

// Locations returns how many locations a type takes as an input or output.
func (t *Type) Locations() int {
	switch t.Kind {
	case Vector:
		if t.Elem.Width == 64 && t.Count > 2 {
			return 2
		}
	case Matrix, Array:
		return min(t.Count, maxLeaves) * t.Elem.Locations()
	case Struct:
		n := 0
		for _, m := range t.Members {
			n += m.Type.Locations()
		}
		return min(n, maxLeaves)
	}
	return 1
}

// size returns how many bytes a type takes in a block. stride, in bytes, and rowMajor describe the
// layout of its matrices.
func (t *Type) size(stride int, rowMajor bool) int64 {
	switch t.Kind {
	case Bool:
		must.Fail("a bool, which blocks cannot hold")
	case Vector:
		return int64(t.Count * t.Elem.Width / 8)
	case Matrix:
		columns := t.Count
		if rowMajor {
			columns = t.Elem.Count
		}
		if stride <= 0 {
			must.Fail("a %s without a stride", t)
		}
		return int64(columns) * int64(stride)
	case Array, RuntimeArray: // a RuntimeArray has Count 0
		if t.Stride <= 0 {
			must.Fail("an array of %s without a stride", t.Elem)
		}
		return int64(t.Count) * int64(t.Stride)
	case Struct:
		end := int64(0)
		for _, m := range t.Members {
			end = max(end, int64(m.Offset)+int64(m.Size))
		}
		return end
	}
	return int64(t.Width / 8)
}

// Alignment returns a type's alignment in a storage buffer in bytes, by the std430 rules.
func (t *Type) Alignment() int {
	switch t.Kind {
	case Vector:
		return t.Elem.Width / 8 * (t.Count + t.Count%2)
	case Matrix:
		return t.Elem.Alignment()
	case Array, RuntimeArray:
		return t.Elem.Alignment()
	case Struct:
		most := 1
		for _, m := range t.Members {
			most = max(most, m.Type.Alignment())
		}
		return most
	}
	return max(1, t.Width/8)
}

// StorageSize returns the stride of an array of the type in a storage buffer, by the std430 rules. A bool takes 4 bytes.
func (t *Type) StorageSize() int {
	size := t.Width / 8
	switch t.Kind {
	case Vector:
		size = int(t.size(0, false))
	case Matrix, Array:
		size = t.Count * t.Elem.StorageSize()
	case Struct:
		for _, m := range t.Members {
			size = rounded(size, m.Type.Alignment())
			if m.Type.Kind == Vector {
				size += int(m.Type.size(0, false)) // a number may follow a vec3
			} else {
				size += m.Type.StorageSize()
			}
		}
	}
	return rounded(size, t.Alignment())
}

func rounded(n, to int) int { return (n + to - 1) / to * to }

// typeReader converts type ids to Types, each once.
type typeReader struct {
	m       *Module
	values  map[uint32]uint32 // constants by id, for the lengths of arrays
	laidOut bool              // whether types are those of blocks, with offsets and strides
	known   map[uint32]*Type
}

// BlockType reads the type of a block, with the default values of specialization constants.
func (m *Module) BlockType(id uint32) (*Type, error) {
	return (&typeReader{m: m, values: m.constants(nil), laidOut: true, known: map[uint32]*Type{}}).try(id)
}

// PlainType reads a type outside of blocks: its members have no offsets.
func (m *Module) PlainType(id uint32) (*Type, error) {
	return (&typeReader{m: m, values: m.constants(nil), known: map[uint32]*Type{}}).try(id)
}

// try calls read, and returns an error for a type that read cannot describe.
func (r *typeReader) try(id uint32) (_ *Type, err error) {
	defer must.Catch(&err)
	return r.read(id), nil
}

// Type describes a type outside of blocks: its members have no offsets.
func (v *Vertex) Type(id uint32) *Type { return v.plain.read(id) }

func (r *typeReader) read(id uint32) *Type {
	if t, ok := r.known[id]; ok {
		return t
	}
	t := r.make(id, r.m.Definition(id))
	if t.leaves > maxLeaves {
		must.Fail("more than %d members in structs", maxLeaves)
	}
	t.ID = id
	r.known[id] = t
	return t
}

func (r *typeReader) make(id uint32, in Instruction) *Type {
	switch in.Op {
	case OpTypeBool:
		return &Type{Kind: Bool, Width: 32, leaves: 1}
	case OpTypeInt, OpTypeFloat:
		return scalar(in)
	case OpTypeVector, OpTypeMatrix, OpTypeArray, OpTypeRuntimeArray:
		return r.composite(id, in, r.read(in.At(1)))
	case OpTypeStruct:
		return r.structure(id, in)
	}
	must.Fail("%s is not a type of values", in.Op)
	return nil
}

func scalar(in Instruction) *Type {
	t := &Type{Kind: Float, Width: int(in.At(1)), leaves: 1}
	if in.Op == OpTypeInt {
		t.Kind = Int
		if in.At(2) == 0 {
			t.Kind = Uint
		}
	}
	if t.Width != 16 && t.Width != 32 && t.Width != 64 && (t.Width != 8 || t.Kind == Float) {
		must.Fail("a number of %d bits", uint32(t.Width))
	}
	return t
}

func (r *typeReader) composite(id uint32, in Instruction, elem *Type) *Type {
	t := &Type{Elem: elem, leaves: elem.leaves}
	switch count := in.At(2); in.Op {
	case OpTypeVector:
		if elem.Kind > Float || count < 2 || count > 4 {
			must.Fail("a vector of %d %s", count, elem)
		}
		t.Kind, t.Count = Vector, int(count)
		return t
	case OpTypeMatrix:
		if elem.Kind != Vector || elem.Elem.Kind != Float || count < 2 || count > 4 {
			must.Fail("a matrix of %d %s", count, elem)
		}
		t.Kind, t.Count = Matrix, int(count)
		return t
	case OpTypeArray:
		length := r.values[count]
		if length == 0 || length > math.MaxInt32 {
			must.Fail("an array of %s without a length", elem)
		}
		t.Kind, t.Count = Array, int(length)
	case OpTypeRuntimeArray:
		t.Kind = RuntimeArray
	}
	if elem.Kind == RuntimeArray || r.laidOut && elem.endsOpen() { // outside of blocks it may be an array of blocks
		must.Fail("an array of %s", elem)
	}
	stride, _ := r.m.Decoration(id, ArrayStride)
	if stride > maxSize {
		must.Fail("an array with a stride of %d bytes", stride)
	}
	t.Stride = int(stride)
	return t
}

// endsOpen reports whether a type ends in a runtime array.
func (t *Type) endsOpen() bool {
	return t.Kind == RuntimeArray || t.Kind == Struct && len(t.Members) > 0 && t.Members[len(t.Members)-1].Type.endsOpen()
}

func (r *typeReader) structure(id uint32, in Instruction) *Type {
	t := &Type{Kind: Struct, Name: r.m.Name(id)}
	for n, memberType := range in.Operands[1:] {
		m := r.member(id, n, memberType)
		if m.Type.endsOpen() && (m.Type.Kind != RuntimeArray || n != len(in.Operands)-2) {
			must.Fail("a runtime array before a struct's end")
		}
		t.Members = append(t.Members, m)
		t.leaves = min(t.leaves+m.Type.leaves, maxLeaves+1)
	}
	return t
}

func (r *typeReader) member(id uint32, n int, memberType uint32) Member {
	name := r.m.MemberName(id, n)
	if name == "" {
		name = fmt.Sprintf("member%d", n)
	}
	t := r.read(memberType)
	if !r.laidOut {
		return Member{Name: name, Type: t}
	}
	offset, placed := r.m.MemberDecoration(id, n, Offset)
	stride, _ := r.m.MemberDecoration(id, n, MatrixStride)
	_, rowMajor := r.m.MemberDecoration(id, n, RowMajor)
	if !placed {
		must.Fail("member %s has no offset", name)
	}
	matrices := t
	for matrices.Kind == Array || matrices.Kind == RuntimeArray {
		matrices = matrices.Elem
	}
	if matrices.Kind != Matrix {
		stride, rowMajor = 0, false
	}
	defer must.Place("member %s", name)
	size := t.size(int(min(stride, maxSize)), rowMajor)
	if matrices.Kind == Matrix {
		matrices.size(int(min(stride, maxSize)), rowMajor)
	}
	if int64(offset)+size > maxSize {
		must.Fail("%d bytes at byte %d are more than a block can hold", size, offset)
	}
	return Member{Name: name, Offset: int(offset), Type: t, MatrixStride: int(stride), RowMajor: rowMajor, Size: int(size)}
}
