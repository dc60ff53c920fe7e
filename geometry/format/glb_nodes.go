package format

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// addNode adds a node of the scene for a mesh. glTF allows only matrices that are translation,
// rotation and scale. A transform that also shears is written as a node and its child, M = T U S V
// with rotations U and V; when read back, it differs only by rounding.
func (l *glbLayout) addNode(name string, mesh int, m mgl32.Mat4) error {
	node := glbNode{Name: name, Mesh: &mesh}
	moved, none := mgl32.Ident4(), mgl32.Mat4{15: 1}
	copy(moved[12:15], m[12:15])
	copy(none[12:15], m[12:15])
	if m != moved {
		if row := m.Row(3); row != (mgl32.Vec4{0, 0, 0, 1}) {
			return fmt.Errorf("transform is not affine, which a GLB cannot hold: its last row is %v", row)
		}
		node.Matrix = glbNumbers(m[:])
	}
	l.roots = append(l.roots, len(l.nodes))
	switch {
	case m == mgl32.Ident4():
	case m == moved:
		node.Translation = glbNumbers(m[12:15])
	case m == none: // the matrix of a hidden draw
		node.Translation, node.Scale, node.Matrix = glbNumbers(m[12:15]), []float64{0, 0, 0}, nil
	case !glbDecomposes(m):
		u, s, v := glbSingular(m)
		l.nodes = append(l.nodes, glbNode{Children: []int{len(l.nodes) + 1}, Translation: glbNumbers(m[12:15]), Rotation: glbRotation(u), Scale: s[:]})
		node.Matrix, node.Rotation = nil, glbRotation(v.Transpose())
	}
	l.nodes = append(l.nodes, node)
	return nil
}

// glbDecomposes reports whether a matrix can be taken apart into rotation and scale: their product must
// have nearly the norm of the matrix's linear part. Khronos's validator has a similar test.
func glbDecomposes(m mgl32.Mat4) bool {
	const most = 4e-5 // the validator allows 5e-5, in its own rounding
	var was mgl64.Mat4
	for i := range m {
		was[i] = float64(m[i])
	}
	var scale mgl64.Vec3
	turned := mgl64.Ident4()
	for c := range scale {
		column := was.Col(c)
		scale[c] = column.Len()
		if c == 0 && was.Det() < 0 {
			scale[c] = -scale[c]
		}
		turned.SetCol(c, column.Mul(1/scale[c]))
	}
	now := mgl64.Mat4ToQuat(turned).Mat4().Mul4(mgl64.Scale3D(scale[0], scale[1], scale[2]))
	norm := func(m *mgl64.Mat4) (most float64) {
		for c := range scale {
			sum := 0.
			for _, f := range m.Col(c) {
				sum += math.Abs(f)
			}
			most = max(most, sum)
		}
		return most
	}
	return math.Abs(norm(&was)-norm(&now)) < most // false for a NaN, from a column of zeros
}

// glbSingular returns the singular value decomposition of a matrix's linear part: m = u s vᵀ, where u and
// v are rotations. It turns pairs of columns until all are orthogonal (one-sided Jacobi).
func glbSingular(m mgl32.Mat4) (u mgl64.Mat3, s mgl64.Vec3, v mgl64.Mat3) {
	var a [3]mgl64.Vec3
	w := [3]mgl64.Vec3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for c := range a {
		a[c] = mgl64.Vec3{float64(m[4*c]), float64(m[4*c+1]), float64(m[4*c+2])}
	}
	for range 30 { // at most 30 rounds; about five suffice
		for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			p, q := pair[0], pair[1]
			mixed := a[p].Dot(a[q])
			if mixed == 0 {
				continue
			}
			zeta := (a[q].Dot(a[q]) - a[p].Dot(a[p])) / (2 * mixed)
			t := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
			cos := 1 / math.Hypot(1, t)
			sin := cos * t
			for _, x := range []*[3]mgl64.Vec3{&a, &w} {
				x[p], x[q] = x[p].Mul(cos).Sub(x[q].Mul(sin)), x[p].Mul(sin).Add(x[q].Mul(cos))
			}
		}
	}
	var largest int
	for c := range a {
		if s[c] = a[c].Len(); s[c] > s[largest] {
			largest = c
		}
	}
	// Columns that are nearly zero have no direction: take any direction that makes u a rotation.
	x, y, z := largest, (largest+1)%3, (largest+2)%3
	if s[z] > s[y] {
		y, z = z, y
	}
	side := func(c int) mgl64.Vec3 { return a[c].Mul(1 / s[c]) }
	ux := side(x)
	uy := mgl64.Vec3{ux[1], -ux[0], 0}
	if math.Abs(ux[2]) > .9 {
		uy = mgl64.Vec3{0, ux[2], -ux[1]}
	}
	if s[y] > 1e-9*s[x] {
		uy = side(y)
	}
	uy = uy.Sub(ux.Mul(ux.Dot(uy))).Normalize()
	uz := ux.Cross(uy)
	if (y+1)%3 == x { // x, y, z are in odd order
		uz = uz.Mul(-1)
	}
	s[z] = a[z].Dot(uz) // negative if m mirrors
	u.SetCol(x, ux)
	u.SetCol(y, uy)
	u.SetCol(z, uz)
	return u, s, mgl64.Mat3FromCols(w[0], w[1], w[2])
}

// glbRotation returns a rotation as glTF writes it.
func glbRotation(m mgl64.Mat3) []float64 {
	q := mgl64.Mat4ToQuat(m.Mat4()).Normalize()
	return []float64{q.V[0], q.V[1], q.V[2], q.W}
}

// glbFurther is a further attribute as a GLB stores it.
type glbFurther struct {
	name      string
	shape     string // glTF's type, such as "VEC3"
	component int
	fractions bool
	stride    int // bytes per vertex, a multiple of 4 as glTF wants
	attribute *geometry.Attribute
	wide      vertexformat.Format // the format that elements are converted to; Undefined if they are not
	flip      bool                // v points up in the scene, and down in glTF
}

// glbFurtherOf lists the attributes to write: those per vertex. Names get a leading _ unless they have one, or
// glbDefines accepts the attribute. If a name is taken, it gets one more _.
func glbFurtherOf(s *geometry.Scene) (list []glbFurther) {
	for i := range s.Attributes {
		a := &s.Attributes[i]
		if a.PerDraw {
			continue
		}
		name := a.Name
		for own := glbDefines(a, list); !strings.HasPrefix(name, "_") && !own || slices.ContainsFunc(list, func(f glbFurther) bool { return f.name == name }); {
			name = "_" + name
		}
		f := glbFurther{name: name, shape: [...]string{"SCALAR", "VEC2", "VEC3", "VEC4"}[a.Format.Components()-1], attribute: a}
		stored, ok := GLBKeeps(a.Format), true
		if stored == vertexformat.Undefined {
			f.wide = a.Format.Wide(a.Format.Components())
			stored = f.wide
		}
		if f.component, f.fractions, ok = glbComponent(stored); !ok {
			f.component = gltfUnsignedInt // for signed integers of 32 bits, whose bits are kept
		}
		f.stride = (stored.Size() + 3) &^ 3
		f.flip = name == "TEXCOORD_0" && s.Look != nil && s.Look.UpV && stored == vertexformat.R32G32_SFLOAT
		list = append(list, f)
	}
	return list
}

// GLBInvalid lists the attributes that consist of 32-bit integers. A GLB keeps their bits, although
// glTF does not allow this type in attributes.
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

// glbDefines reports whether the attribute to write after those of the list is TEXCOORD_n or COLOR_n in a format that glTF
// defines for it. n must count from 0 without gaps.
func glbDefines(a *geometry.Attribute, list []glbFurther) bool {
	component, fractions, ok := glbComponent(a.Format)
	n, ok := a.Format.Components(), ok && (component == gltfFloat || fractions && gltfUnsigned(int64(component)))
	for _, defined := range []string{"TEXCOORD_", "COLOR_"} {
		of := 0
		for slices.ContainsFunc(list, func(f glbFurther) bool { return f.name == defined+strconv.Itoa(of) }) {
			of++
		}
		if a.Name == defined+strconv.Itoa(of) {
			return ok && (defined == "TEXCOORD_" && n == 2 || defined == "COLOR_" && n >= 3)
		}
	}
	return false
}

// GLBKeeps returns the format itself if a GLB holds its elements as they are. Otherwise it returns
// Undefined, and elements are written with 32 bits per component, as a shader reads them.
func GLBKeeps(f vertexformat.Format) vertexformat.Format {
	if _, _, ok := glbComponent(f); ok {
		return f
	}
	return vertexformat.Undefined
}

// glbComponent returns glTF's type for the components of a format, and whether they are fractions (normalized).
// ok is false if glTF has no such type.
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

// write writes the elements of the first `count` vertices.
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
