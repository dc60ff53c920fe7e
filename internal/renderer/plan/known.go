package plan

import (
	"encoding/binary"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// known holds the well-known values of a camera.
type known struct {
	camera         renderer.Camera
	width, height  int
	view           mgl32.Mat4 // world to eye
	projection     mgl32.Mat4 // eye to clip
	viewProjection mgl32.Mat4 // as for our own vertex shaders
}

func newKnown(c renderer.Camera, width, height int) *known {
	aspect := float32(width) / float32(height)
	k := &known{camera: c, width: width, height: height, viewProjection: c.ViewProj(aspect)}
	k.view, k.projection = c.View(), c.Projection(aspect)
	return k
}

// value returns a value, column by column, for a draw's transform.
func (k *known) value(w geometry.WellKnown, model *mgl32.Mat4) mgl32.Mat4 {
	switch w {
	case geometry.ModelMatrix:
		return *model
	case geometry.ViewMatrix:
		return k.view
	case geometry.ProjectionMatrix:
		return k.projection
	case geometry.ViewProjectionMatrix:
		return k.viewProjection
	case geometry.ModelViewMatrix:
		return product(&k.view, model)
	case geometry.ModelViewProjectionMatrix:
		return JoinCamera(&k.viewProjection, model)
	case geometry.NormalMatrix:
		m := product(&k.view, model)
		return normalMatrix(&m)
	case geometry.ModelNormalMatrix:
		return normalMatrix(model)
	case geometry.CameraPosition:
		return column(k.camera.Eye().Vec4(1))
	case geometry.ViewDirection:
		return column(k.camera.Forward().Vec4(0))
	case geometry.Time:
		return mgl32.Mat4{k.camera.Time}
	case geometry.Viewport:
		return mgl32.Mat4{float32(k.width), float32(k.height), 1 / float32(k.width), 1 / float32(k.height)}
	}
	m := k.value(w-geometry.InverseModelMatrix+geometry.ModelMatrix, model)
	return geometry.Narrow(wide(&m).Inv())
}

func column(v mgl32.Vec4) (m mgl32.Mat4) {
	copy(m[:], v[:])
	return m
}

func wide(m *mgl32.Mat4) (d mgl64.Mat4) {
	for i, x := range m {
		d[i] = float64(x)
	}
	return d
}

func product(a, b *mgl32.Mat4) mgl32.Mat4 { return geometry.Narrow(wide(a).Mul4(wide(b))) }

// normalMatrix returns the inverse transpose of a matrix's linear part, or zero if the matrix is
// singular.
func normalMatrix(m *mgl32.Mat4) mgl32.Mat4 {
	n := wide(m).Mat3().Inv().Transpose()
	return geometry.Narrow(n.Mat4())
}

// put writes a value to its place in a copy of the block.
func put(f *geometry.Filled, block []byte, value *mgl32.Mat4) {
	columns, rows := f.What.Shape()
	for c := range min(columns, f.Columns) {
		for r := range min(rows, f.Rows) {
			at := f.Offset + c*f.MatrixStride + 4*r
			if f.RowMajor {
				at = f.Offset + r*f.MatrixStride + 4*c
			}
			binary.LittleEndian.PutUint32(block[at:], math.Float32bits(value[4*c+r]))
		}
	}
}
