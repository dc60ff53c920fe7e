package format

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
)

// addNode adds a node of the scene for a mesh. glTF allows only matrices that are translation,
// rotation and scale: a transform that also shears becomes a node and its child, M = T U S V with
// rotations U and V, and is read back but for rounding.
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
	case m == none: // a draw that is hidden
		node.Translation, node.Scale, node.Matrix = glbNumbers(m[12:15]), []float64{0, 0, 0}, nil
	case !glbDecomposes(m):
		u, s, v := glbSingular(m)
		l.nodes = append(l.nodes, glbNode{Children: []int{len(l.nodes) + 1}, Translation: glbNumbers(m[12:15]), Rotation: glbRotation(u), Scale: s[:]})
		node.Matrix, node.Rotation = nil, glbRotation(v.Transpose())
	}
	l.nodes = append(l.nodes, node)
	return nil
}

// glbDecomposes reports whether the linear part of a matrix, put together again from rotation and
// scale, has nearly the same norm. Khronos's validator asks for the like.
func glbDecomposes(m mgl32.Mat4) bool {
	const most = 4e-5 // 5e-5 there, in its own rounding
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

// glbSingular returns the singular value decomposition of the linear part: m = u s vᵀ, u and v
// rotations. It turns pairs of columns until all are orthogonal (one-sided Jacobi).
func glbSingular(m mgl32.Mat4) (u mgl64.Mat3, s mgl64.Vec3, v mgl64.Mat3) {
	var a [3]mgl64.Vec3
	w := [3]mgl64.Vec3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for c := range a {
		a[c] = mgl64.Vec3{float64(m[4*c]), float64(m[4*c+1]), float64(m[4*c+2])}
	}
	for range 30 { // it takes about five
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
	// Columns that are nearly zero have no direction: any that makes u a rotation serves.
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
