package format

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// isUnit reports whether a squared length is 1 as far as single precision can tell.
func isUnit(square float64) bool { return math.Abs(square-1) < 1e-6 }

func squareLength(n mgl32.Vec3) float64 {
	x, y, z := float64(n[0]), float64(n[1]), float64(n[2])
	return x*x + y*y + z*z
}

// areUnit reports whether unitNormals would change nothing.
func areUnit(ctx context.Context, normals []mgl32.Vec3) (bool, error) {
	first, err := geometry.FirstBad(ctx, len(normals), 1<<18, func(from, to int) int {
		for i, n := range normals[from:to] {
			if !isUnit(squareLength(n)) {
				return from + i
			}
		}
		return -1
	})
	return first < 0, err
}

// unitNormals scales a file's normals to length 1, but does not change those whose length is 1 as
// far as single precision can tell. Those without a direction become +Z, as in Scene.MakeNormals.
func unitNormals(ctx context.Context, normals []mgl32.Vec3) error {
	return progress.Each(ctx, len(normals), func(from, to int) {
		for i, n := range normals[from:to] {
			if !isUnit(squareLength(n)) { // leave unit vectors untouched
				normals[from+i] = unitNormal(n)
			}
		}
	})
}

func unitNormal(n mgl32.Vec3) mgl32.Vec3 {
	x, y, z := float64(n[0]), float64(n[1]), float64(n[2])
	square := squareLength(n)
	switch {
	case isUnit(square):
		return n
	case square > 1e-60 && square < 1e78:
		inv := 1 / math.Sqrt(square)
		return mgl32.Vec3{float32(x * inv), float32(y * inv), float32(z * inv)}
	default:
		return mgl32.Vec3{0, 0, 1}
	}
}

// bakedDraw is a draw in world space, which writers of formats without transforms write.
type bakedDraw struct {
	positions, normals []mgl32.Vec3 // normals are empty if the scene has none
	identity           bool
	transform          mgl32.Mat4
	normalTransform    mgl32.Mat3
}

func bake(s *geometry.Scene, i int) bakedDraw {
	d := &s.Draws[i]
	end := d.VertexOffset + d.VertexCount
	b := bakedDraw{
		positions: s.Positions[d.VertexOffset:end],
		identity:  d.Transform == mgl32.Ident4(),
		transform: d.Transform,
	}
	if len(s.Normals) > 0 {
		b.normals = s.Normals[d.VertexOffset:end]
	}
	// The matrix of cofactors is the inverse transpose times the determinant. It exists even if
	// the inverse does not.
	m := d.Transform.Mat3()
	x, y, z := m.Col(0), m.Col(1), m.Col(2)
	b.normalTransform = mgl32.Mat3FromCols(y.Cross(z), z.Cross(x), x.Cross(y))
	if m.Det() < 0 {
		b.normalTransform = b.normalTransform.Mul(-1)
	}
	return b
}

func (b *bakedDraw) position(i int) mgl32.Vec3 {
	if b.identity {
		return b.positions[i]
	}
	return b.transform.Mul4x1(b.positions[i].Vec4(1)).Vec3()
}

func (b *bakedDraw) normal(i int) mgl32.Vec3 {
	if b.identity {
		return b.normals[i]
	}
	return unitNormal(b.normalTransform.Mul3x1(b.normals[i]))
}
