package format

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// glbFurther is an attribute as a GLB stores it.
type glbFurther struct {
	name      string
	shape     string // "VEC3"
	component int
	fractions bool
	stride    int // bytes per vertex, a multiple of 4 as glTF wants
	attribute *geometry.Attribute
	wide      vertexformat.Format // what elements are converted to; Undefined for none
	flip      bool                // v points up, and down in glTF
}

// glbFurtherOf lists the attributes to write: those per vertex. Names that glTF does not define
// begin with _.
func glbFurtherOf(s *geometry.Scene) (list []glbFurther) {
	for i := range s.Attributes {
		a := &s.Attributes[i]
		if a.PerDraw {
			continue
		}
		name := a.Name
		for own := glbDefines(a); !strings.HasPrefix(name, "_") && !own || slices.ContainsFunc(list, func(f glbFurther) bool { return f.name == name }); {
			name = "_" + name
		}
		f := glbFurther{name: name, shape: [...]string{"SCALAR", "VEC2", "VEC3", "VEC4"}[a.Format.Components()-1], attribute: a}
		stored, ok := GLBKeeps(a.Format), true
		if stored == vertexformat.Undefined {
			f.wide = a.Format.Wide(a.Format.Components())
			stored = f.wide
		}
		if f.component, f.fractions, ok = glbComponent(stored); !ok {
			f.component = gltfUnsignedInt // signed integers of 32 bits, whose bits stay
		}
		f.stride = (stored.Size() + 3) &^ 3
		f.flip = name == "TEXCOORD_0" && s.Look != nil && s.Look.UpV && stored == vertexformat.R32G32_SFLOAT
		list = append(list, f)
	}
	return list
}

// GLBInvalid lists the attributes of integers of 32 bits, whose bits a GLB keeps although glTF does
// not allow them there.
func GLBInvalid(s *geometry.Scene) (names []string) {
	if s == nil {
		return nil
	}
	for _, f := range glbFurtherOf(s) {
		if f.component == gltfUnsignedInt {
			names = append(names, CleanName(f.name))
		}
	}
	return names
}

// glbDefines reports whether glTF defines an attribute of this name and format.
func glbDefines(a *geometry.Attribute) bool {
	component, fractions, ok := glbComponent(a.Format)
	n, ok := a.Format.Components(), ok && (component == gltfFloat || fractions && gltfUnsigned(int64(component)))
	return ok && (a.Name == "TEXCOORD_0" && n == 2 || a.Name == "COLOR_0" && n >= 3)
}

// GLBKeeps returns the format itself where a GLB holds elements as they are, else Undefined: they
// are written with 32 bits per component, as a shader reads them.
func GLBKeeps(f vertexformat.Format) vertexformat.Format {
	if _, _, ok := glbComponent(f); ok {
		return f
	}
	return vertexformat.Undefined
}

// glbComponent returns glTF's type for the components of a format, and whether they are fractions.
func glbComponent(f vertexformat.Format) (component int, fractions, ok bool) {
	for _, c := range []struct {
		bits      int
		kind      string
		component int
	}{
		{32, "SFLOAT", gltfFloat}, {32, "UINT", gltfUnsignedInt}, {8, "UNORM", gltfUnsignedByte}, {8, "SNORM", gltfByte}, {8, "UINT", gltfUnsignedByte}, {8, "SINT", gltfByte},
		{16, "UNORM", gltfUnsignedShort}, {16, "SNORM", gltfShort}, {16, "UINT", gltfUnsignedShort}, {16, "SINT", gltfShort},
	} {
		if vertexformat.Array(f.Components(), c.bits, c.kind) == f {
			return c.component, strings.HasSuffix(c.kind, "NORM"), true
		}
	}
	return 0, false, false
}

// write writes the elements of so many vertices.
func (f *glbFurther) write(w io.Writer, count int) {
	var row []byte
	for i := range count {
		row = row[:0]
		switch element := f.attribute.Element(i); {
		case f.flip:
			uv := attributeNumbers(f.attribute, i)
			row = appendFloats(row, uv[0], 1-uv[1])
		case f.wide == vertexformat.Undefined:
			row = append(row, element...)
		default:
			numbers := f.attribute.Format.Decode(element)
			for _, bits := range numbers[:f.wide.Components()] {
				row = binary.LittleEndian.AppendUint32(row, bits)
			}
		}
		for len(row)%f.stride != 0 {
			row = append(row, 0)
		}
		must.Get(w.Write(row))
	}
}
