package renderer

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/shaders"
)

// Heat is the colour of a vertex shaded 1, 2, .. 6 and more times: green to
// dark red, as in the paper's reuse pictures.
var Heat = [6][3]float32{
	{0.16, 0.64, 0.22},
	{0.60, 0.80, 0.20},
	{0.96, 0.85, 0.22},
	{0.96, 0.58, 0.16},
	{0.88, 0.24, 0.14},
	{0.50, 0.02, 0.06},
}

// Background is the colour where nothing was drawn.
var Background = [3]float32{0.11, 0.12, 0.14}

// CameraData is what the shaders read of a camera.
func CameraData(c Camera, width, height int) shaders.Camera {
	data := shaders.Camera{
		ViewProj:       c.ViewProj(float32(width) / float32(height)),
		LightDirection: c.Forward().Vec4(0),
	}
	for i, rgb := range Heat {
		data.Heat[i] = [4]float32{rgb[0], rgb[1], rgb[2], 1}
	}
	return data
}

// DrawData is what the shaders read of the scene's draws.
func DrawData(s *geometry.Scene) []shaders.Draw {
	offsets := reuse.CountOffsets(s)
	data := make([]shaders.Draw, len(s.Draws))
	for i := range s.Draws {
		d := &s.Draws[i]
		data[i] = shaders.Draw{
			Transform: d.Transform, NormalRows: normalRows(d.Transform), Color: d.Color,
			VertexOffset: d.VertexOffset, CountOffset: offsets[i],
		}
	}
	return data
}

// normalRows is the cofactor matrix of the transform's linear part: the inverse
// transpose up to a scale, and defined where the transform is singular.
func normalRows(m mgl32.Mat4) [3][4]float32 {
	x, y, z := m.Col(0).Vec3(), m.Col(1).Vec3(), m.Col(2).Vec3()
	cx, cy, cz := y.Cross(z), z.Cross(x), x.Cross(y)
	var rows [3][4]float32
	for r := range rows {
		rows[r] = [4]float32{cx[r], cy[r], cz[r], 0}
	}
	return rows
}
