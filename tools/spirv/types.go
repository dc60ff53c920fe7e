package main

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode"

	"github.com/shadeonce/shadeonce/internal/base/must"
	spirv "github.com/shadeonce/shadeonce/shaders/module"
)

// goType is a type of a buffer in Go.
type goType struct {
	text    string // Go
	glsl    string
	size    uint64 // bytes
	align   uint64 // by the std430 rules
	goAlign uint64 // what Go requires
	scalar  string // Go type of a component; empty for structs
	unit    uint64 // bytes of a component
}

// field is a member of a struct in Go.
type field struct {
	Name   string
	Member string // name in GLSL
	Type   string
	GLSL   string
	Offset uint64
	Size   uint64
}

// structLayout is a struct of a buffer with its offsets.
type structLayout struct {
	Name   string // in GLSL and Go
	Fields []field
	Size   uint64
	align  uint64
	goAl   uint64
}

// resolver converts a module's types to Go types, each struct once.
type resolver struct {
	m       *compiled
	structs map[uint32]*structLayout
}

// memberLayout is what a member's decorations say beyond its type.
type memberLayout struct {
	matrixStride uint64
	rowMajor     bool
}

func (r *resolver) resolve(id uint32, layout memberLayout) goType {
	t := r.m.Definition(id)
	switch t.Op {
	case spirv.OpTypeInt, spirv.OpTypeFloat:
		return scalarType(t)
	case spirv.OpTypeVector:
		return r.vector(t)
	case spirv.OpTypeMatrix:
		return r.matrix(t, layout)
	case spirv.OpTypeArray:
		return r.array(id, t, layout)
	case spirv.OpTypeStruct:
		s := r.structure(id)
		return goType{text: s.Name, glsl: s.Name, size: s.Size, align: s.align, goAlign: s.goAl}
	}
	must.Fail("a type (%s) that a buffer cannot hold", t.Op)
	return goType{}
}

func scalarType(t spirv.Instruction) goType {
	width := t.Operands[1]
	var text, glsl string
	switch {
	case t.Op == spirv.OpTypeFloat && width == 32:
		text, glsl = "float32", "float"
	case t.Op == spirv.OpTypeFloat && width == 64:
		text, glsl = "float64", "double"
	case t.Op == spirv.OpTypeFloat && width == 16:
		text, glsl = "uint16", "float16_t"
	case t.Op == spirv.OpTypeInt && slices.Contains([]uint32{8, 16, 32, 64}, width):
		text, glsl = fmt.Sprintf("int%d", width), fmt.Sprintf("int%d_t", width)
		if t.Operands[2] == 0 {
			text, glsl = "u"+text, "u"+glsl
		}
		if width == 32 {
			glsl = strings.TrimSuffix(glsl, "32_t")
		}
	default:
		must.Fail("a number of %d bits", width)
	}
	size := uint64(width / 8)
	return goType{text: text, glsl: glsl, size: size, align: size, goAlign: size, scalar: text, unit: size}
}

func (r *resolver) vector(t spirv.Instruction) goType {
	c := r.resolve(t.Operands[1], memberLayout{})
	n := uint64(t.Operands[2])
	prefix := map[string]string{"float32": "vec", "float64": "dvec", "uint32": "uvec", "int32": "ivec"}[c.text]
	glsl := fmt.Sprintf("%s%d", prefix, n)
	if prefix == "" {
		glsl = strings.TrimSuffix(c.glsl, "_t") + fmt.Sprintf("vec%d", n)
	}
	align := 4 * c.unit
	if n == 2 {
		align = 2 * c.unit
	}
	return goType{
		text: fmt.Sprintf("[%d]%s", n, c.scalar), glsl: glsl, size: n * c.unit, align: align,
		goAlign: c.goAlign, scalar: c.scalar, unit: c.unit,
	}
}

// matrix represents a matrix as one array of numbers, column by column, including padding.
func (r *resolver) matrix(t spirv.Instruction, layout memberLayout) goType {
	column := r.resolve(t.Operands[1], memberLayout{})
	columns := uint64(t.Operands[2])
	rows := column.size / column.unit
	glsl := fmt.Sprintf("mat%dx%d", columns, rows)
	if rows == columns {
		glsl = fmt.Sprintf("mat%d", rows)
	}
	if layout.rowMajor {
		must.Fail("a row-major %s: declare it column-major", glsl)
	}
	total := columns * layout.matrixStride
	return goType{
		text: fmt.Sprintf("[%d]%s", total/column.unit, column.scalar), glsl: glsl, size: total,
		align: column.align, goAlign: column.goAlign, scalar: column.scalar, unit: column.unit,
	}
}

func (r *resolver) array(id uint32, t spirv.Instruction, layout memberLayout) goType {
	elem := r.resolve(t.Operands[1], layout)
	length := r.m.Definition(t.Operands[2])
	if length.Op != spirv.OpConstant || length.At(2) == 0 {
		must.Fail("an array of %s without a fixed length", elem.glsl)
	}
	stride, _ := r.m.Decoration(id, spirv.ArrayStride)
	n := uint64(length.At(2))
	text := strideElement(elem, uint64(stride))
	return goType{
		text: fmt.Sprintf("[%d]%s", n, text), glsl: fmt.Sprintf("%s[%d]", elem.glsl, n), size: n * uint64(stride),
		align: elem.align, goAlign: elem.goAlign,
	}
}

// strideElement returns the Go type of an array's element, widened to the stride if that is
// larger: vec3 at 16 bytes is [4]float32.
func strideElement(elem goType, stride uint64) string {
	if stride == elem.size {
		return elem.text
	}
	if elem.scalar == "" || stride < elem.size || stride%elem.unit != 0 {
		must.Fail("an array of %s (%d bytes) with a stride of %d bytes", elem.glsl, elem.size, stride)
	}
	return fmt.Sprintf("[%d]%s", stride/elem.unit, elem.scalar)
}

// structure lays out a struct of a buffer.
func (r *resolver) structure(id uint32) *structLayout {
	if s, done := r.structs[id]; done {
		return s
	}
	name := r.m.Name(id)
	if !validName(name) || !unicode.IsUpper(rune(name[0])) {
		must.Fail("struct %q needs a name that Go exports: a capital letter first", name)
	}
	defer must.Place("struct %s", name)
	s := r.layOut(id, name, r.m.Definition(id).Operands[1:])
	r.structs[id] = s
	return s
}

// layOut lays out the given members, the first ones of struct id.
func (r *resolver) layOut(id uint32, name string, members []uint32) *structLayout {
	s := &structLayout{Name: name, align: 1, goAl: 1}
	seen := map[string]bool{}
	end := uint64(0)
	for i, member := range members {
		key := memberKey{id, i}
		glsl := r.m.MemberName(id, i)
		goName := exported(glsl)
		if !validName(glsl) || goName == "" || seen[goName] {
			must.Fail("member %d: %q gives no unique Go name", i, glsl)
		}
		seen[goName] = true
		t := r.memberType(key, member)
		at, ok := r.m.member(key, spirv.Offset)
		offset := uint64(at)
		if !ok || offset < end || offset%t.goAlign != 0 {
			must.Fail("member %s: %d bytes at offset %d after %d bytes cannot be laid out", glsl, t.size, offset, end)
		}
		s.Fields = append(s.Fields, field{Name: goName, Member: glsl, Type: t.text, GLSL: t.glsl, Offset: offset, Size: t.size})
		end = offset + t.size
		s.align, s.goAl = max(s.align, t.align), max(s.goAl, t.goAlign)
	}
	s.Size = (end + s.align - 1) / s.align * s.align
	for _, stride := range r.m.strides[id] {
		if uint64(stride) < end || uint64(stride)%s.goAl != 0 || stride != r.m.strides[id][0] {
			must.Fail("%d bytes lie at strides of %v bytes in arrays", end, r.m.strides[id])
		}
		s.Size = uint64(stride)
	}
	return s
}

// memberType returns the type of a member, whose type has the given id.
func (r *resolver) memberType(key memberKey, id uint32) goType {
	defer must.Place("member %s", r.m.MemberName(key.id, key.n))
	return r.resolve(id, r.memberLayout(key))
}

func (r *resolver) memberLayout(key memberKey) memberLayout {
	stride, _ := r.m.member(key, spirv.MatrixStride)
	_, rowMajor := r.m.member(key, spirv.RowMajor)
	return memberLayout{matrixStride: uint64(stride), rowMajor: rowMajor}
}

// validName reports whether a name in the shaders is valid in Go: ASCII letters, digits and
// underscores, beginning with a letter or underscore.
func validName(name string) bool {
	for _, c := range name {
		if c > unicode.MaxASCII {
			return false
		}
	}
	return token.IsIdentifier(name) || token.IsKeyword(name)
}

// exported converts a GLSL name to an exported Go name: viewProj -> ViewProj, OVERFLOW_VERTICES
// -> OverflowVertices, geometry/warp -> GeometryWarp.
func exported(name string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(c rune) bool { return c == '_' || c == '/' || c == '-' }) {
		if strings.ToUpper(part) == part {
			part = strings.ToLower(part)
		}
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	if out := b.String(); out != "" && unicode.IsUpper(rune(out[0])) {
		return out
	}
	return ""
}
