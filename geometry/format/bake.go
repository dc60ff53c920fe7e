package format

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// bakedDraw is a draw in world space: what writers of formats without
// transforms write.
type bakedDraw struct {
	positions, normals []mgl32.Vec3 // of the draw; normals empty when the scene has none
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
	// The matrix of cofactors is the inverse transpose times the determinant. It
	// exists where the inverse does not.
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
