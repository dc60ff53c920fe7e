package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	spirv "github.com/shadeonce/shadeonce/internal/spirv/module"
)

// generatedName is the Go file that this tool writes.
const generatedName = "layout_gen.go"

// constant is a constant of an include file that is also generated for Go.
type constant struct {
	Name  string // UPPER_SNAKE
	Kind  string // uint, int or float
	Value string // in Go's syntax
	Place string // file:line
}

var constantPattern = regexp.MustCompile(`^const (uint|int|float) ([A-Z][A-Z0-9_]*) *= *([^;]+);`)

// findConstants reads the numeric constants of the include files. Constants that are expressions
// are not generated for Go.
func findConstants(dir string) []constant {
	files := must.Get(filepath.Glob(filepath.Join(dir, "include", "*.glsl")))
	var all []constant
	for _, file := range files { // sorted by Glob
		text := must.Get(os.ReadFile(file))
		for i, line := range strings.Split(string(text), "\n") {
			m := constantPattern.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if value, ok := literal(m[1], strings.TrimSpace(m[3])); ok {
				all = append(all, constant{Name: m[2], Kind: m[1], Value: value, Place: fmt.Sprintf("%s:%d", file, i+1)})
			}
		}
	}
	return all
}

// literal converts a GLSL number to Go's syntax; false if the text is not a number of the given kind.
func literal(kind, text string) (string, bool) {
	if kind == "float" {
		f, err := strconv.ParseFloat(strings.TrimRight(text, "fF"), 32)
		return strconv.FormatFloat(f, 'g', -1, 32), err == nil
	}
	text = strings.TrimRight(text, "uU")
	n, err := strconv.ParseInt(text, 0, 64)
	if kind == "uint" && (n < 0 || n > 0xffffffff) || kind == "int" && int64(int32(n)) != n {
		return "", false
	}
	return strconv.FormatInt(n, 10), err == nil
}

// record is a shader's hashes in the generated file.
type record struct{ Source, SPIRV string }

// recordPattern finds a shader's name and hashes in the generated file.
var recordPattern = regexp.MustCompile(`(?s)\bName: +"([^"]*)", Source: .*?\bSourceHash: +"([^"]*)",\s+SPIRVHash: +"([^"]*)"`)

// readRecords reads the hashes from the generated file, by shader name. A missing file has none.
func readRecords(dir string) map[string]record {
	records := map[string]record{}
	for _, m := range recordPattern.FindAllSubmatch(readIfThere(filepath.Join(dir, generatedName)), -1) {
		records[string(m[1])] = record{Source: string(m[2]), SPIRV: string(m[3])}
	}
	return records
}

// orphans lists the files of spirv/ that belong to no variant.
func orphans(dir string, variants []*variant) []string {
	names := must.Get(filepath.Glob(filepath.Join(dir, "spirv", "*.spv")))
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(variants, func(v *variant) bool { return v.spvName() == name })
	})
}

// field is a member of a struct, in Go and in GLSL.
type field struct {
	Name   string
	Member string // name in GLSL
	Type   string
	GLSL   string
	Offset int
	Size   int
}

// structLayout is a struct of a buffer with its offsets.
type structLayout struct {
	Name   string
	Fields []field
	Size   int
}

// differs returns how two structs with one name differ; "" if they do not.
func (s *structLayout) differs(other *structLayout) string {
	ours, theirs := s.lines(), other.lines()
	for i := range min(len(ours), len(theirs)) {
		if a, b := ours[i], theirs[i]; a != b {
			return min(a, b) + " against " + max(a, b)
		}
	}
	if !slices.Equal(s.Fields, other.Fields) {
		return "other strides"
	}
	return ""
}

func (s *structLayout) lines() (list []string) {
	for _, f := range s.Fields {
		list = append(list, fmt.Sprintf("%s %s at %d", f.Name, f.GLSL, f.Offset))
	}
	return append(list, fmt.Sprintf("%d bytes", s.Size))
}

// layouts converts the types of buffers to Go, each struct once. The generated file asserts the offsets
// (writeStructs), so Go's compiler refuses structs that Go lays out differently.
type layouts map[uint32]*structLayout

// block returns the struct of a block's members, and the Go type of the elements of the runtime array
// at the block's end; nil or "" if there are none. If the only member before the array is a struct,
// head is that struct.
func (l layouts) block(t *spirv.Type) (head *structLayout, element string) {
	members := t.Members
	if last := members[len(members)-1]; last.Type.Kind == spirv.RuntimeArray {
		element = l.element(last.Type, last.MatrixStride)
		members = members[:len(members)-1]
	}
	switch {
	case len(members) == 0:
		return nil, element
	case len(members) == 1 && members[0].Type.Kind == spirv.Struct:
		return l.structure(members[0].Type), element
	}
	return l.structure(t), element
}

// structure lays out a struct, up to the runtime array if it ends in one.
func (l layouts) structure(t *spirv.Type) *structLayout {
	if s := l[t.ID]; s != nil {
		return s
	}
	s := &structLayout{Name: exported(t.Name)}
	if s.Name == "" {
		must.Fail("struct %q has no name that Go could export", t.Name)
	}
	defer must.Place("struct %s", s.Name)
	l[t.ID] = s
	end := 0
	for _, m := range t.Members {
		if m.Type.Kind == spirv.RuntimeArray {
			s.Size = m.Offset
			return s
		}
		if m.RowMajor {
			must.Fail("member %s: a row-major %s: declare it column-major", m.Name, m.Type)
		}
		f := field{exported(m.Name), m.Name, l.text(m.Type, m.MatrixStride), m.Type.String(), m.Offset, l.size(m.Type, m.MatrixStride)}
		if f.Name == "" {
			must.Fail("member %q has no name that Go could export", m.Name)
		}
		s.Fields = append(s.Fields, f)
		end = f.Offset + f.Size
	}
	s.Size = (end + t.Alignment() - 1) / t.Alignment() * t.Alignment()
	return s
}

// text returns a type in Go. A matrix is one array of numbers, column by column, with padding.
func (l layouts) text(t *spirv.Type, matrixStride int) string {
	switch t.Kind {
	case spirv.Int, spirv.Uint, spirv.Float:
		return fmt.Sprintf("%s%d", map[spirv.Kind]string{spirv.Int: "int", spirv.Uint: "uint", spirv.Float: "float"}[t.Kind], t.Width)
	case spirv.Vector, spirv.Matrix:
		return fmt.Sprintf("[%d]%s", l.size(t, matrixStride)*8/t.Scalar().Width, l.text(t.Scalar(), 0))
	case spirv.Array:
		return fmt.Sprintf("[%d]%s", t.Count, l.element(t, matrixStride))
	case spirv.Struct:
		return l.structure(t).Name
	}
	must.Fail("%s: not a type that a buffer holds", t)
	return ""
}

// element returns the Go type of an array's elements, widened to the stride if that is larger:
// vec3 at 16 bytes is [4]float32.
func (l layouts) element(t *spirv.Type, matrixStride int) string {
	size := l.size(t.Elem, matrixStride)
	switch {
	case size == t.Stride:
		return l.text(t.Elem, matrixStride)
	case t.Elem.Kind > spirv.Matrix || t.Stride < size:
		must.Fail("an array of %s (%d bytes) with a stride of %d bytes", t.Elem, size, t.Stride)
	}
	return fmt.Sprintf("[%d]%s", t.Stride*8/t.Scalar().Width, l.text(t.Scalar(), 0))
}

// size returns how many bytes a type takes, with padding.
func (l layouts) size(t *spirv.Type, matrixStride int) int {
	switch t.Kind {
	case spirv.Vector:
		return t.Count * t.Elem.Width / 8
	case spirv.Matrix:
		return t.Count * matrixStride
	case spirv.Array:
		return t.Count * t.Stride
	case spirv.Struct:
		return l.structure(t).Size
	}
	return t.Width / 8
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

// binding is a descriptor with the Go types of its contents.
type binding struct {
	*spirv.Descriptor
	Struct  string // of the members before the runtime array; empty if there are none
	Element string // of the runtime array; empty if there is none
}

// reflection is everything that Go needs to know about a shader's SPIR-V.
type reflection struct {
	*spirv.Interface
	Bindings  []binding
	Open      []binding // link.HostBuffers: only vertex shaders that are not ours read them
	PushBytes int
	Structs   []*structLayout // by name
}

// reflectSPIRV describes a SPIR-V binary in little-endian order with one entry point, which spirv-val
// has found valid. A binary that cannot be described is an error. specNames has the names of
// specialization constants by id: see module.Interface.
func reflectSPIRV(data []byte, specNames map[uint32]string) (_ *reflection, err error) {
	defer must.Catch(&err)
	r := &reflection{Interface: must.Get(must.Get(spirv.Decode(must.Get(spirv.Words(data)))).Interface(specNames))}
	structs := layouts{}
	if r.Push != nil {
		head, _ := structs.block(r.Push)
		r.PushBytes = head.Size
	}
	for i := range r.Descriptors {
		b := structs.binding(&r.Descriptors[i])
		if slices.Contains(link.HostBuffers, b.Name) {
			r.Open = append(r.Open, b)
		} else {
			r.Bindings = append(r.Bindings, b)
		}
	}
	r.Structs = slices.SortedFunc(maps.Values(structs), func(a, b *structLayout) int { return cmp.Compare(a.Name, b.Name) })
	return r, nil
}

// binding describes a descriptor with the structs of its block.
func (l layouts) binding(d *spirv.Descriptor) binding {
	defer must.Place("%s", d.Name)
	head, element := l.block(d.Type)
	b := binding{Descriptor: d, Element: element}
	if head != nil {
		b.Struct = head.Name
	}
	return b
}

// hasWorkgroups reports whether the stage's invocations come in workgroups.
func (r *reflection) hasWorkgroups() bool {
	return r.Stage == spirv.ComputeStage || r.Stage == spirv.MeshStage
}
