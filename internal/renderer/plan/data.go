package plan

import (
	"fmt"
	"maps"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// lookSpec adds the constants of shaders that colour pixels to a specialization.
func (p *planner) lookSpec(spec map[string]uint32) map[string]uint32 {
	f := &p.Frame
	light := renderer.FullLight
	if f.View != renderer.Shaded {
		light = f.Look.Light
	}
	out := map[string]uint32{
		"VIEW": uint32(f.View), "SMOOTH": flag(f.Look.Smooth), "LIGHT": math.Float32bits(light.Strength()), "EDGES": uint32(f.Look.Edges*8 + 0.5),
		"SHOWN_ABS": flag(f.Look.Range.Abs), "SHOWN_FLAT": flag(shownFlatly(f)),
	}
	maps.Copy(out, spec)
	for i, c := range f.Palette.Colors() {
		out[fmt.Sprintf("HEAT_%d", i+1)] = uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16
	}
	return out
}

// CameraData returns what the shaders read of a camera.
func CameraData(c renderer.Camera, width, height int) shaders.Camera {
	return shaders.Camera{
		ViewProj:       c.ViewProj(float32(width) / float32(height)),
		LightDirection: c.Forward().Vec4(0),
	}
}

// DrawData returns what the shaders read of the draws of a frame's scene, or of a window's. Marks
// are by draw; nil for none.
func DrawData(f *renderer.Frame, s *geometry.Scene, marks []renderer.Mark) []shaders.Draw {
	offsets := f.CountOffsets(s)
	data := make([]shaders.Draw, len(s.Draws))
	for i := range s.Draws {
		d := &s.Draws[i]
		data[i] = shaders.Draw{
			Transform: d.Transform, NormalRows: normalRows(d.Transform), Color: d.Color,
			IndexCount: d.IndexCount, FirstIndex: d.FirstIndex, VertexOffset: d.VertexOffset, FirstInstance: uint32(i),
			CountOffset: offsets[i], Flags: drawFlags(d), Material: d.Material,
		}
		if marks != nil {
			data[i].Flags |= marks[i].Flags()
		}
		if unshaded(f, i) {
			data[i].Flags |= shaders.DrawUnshaded
		}
	}
	runs(data)
	return data
}

// normalRows returns the cofactor matrix of the transform's linear part: the inverse transpose up
// to a scale, and defined even if the transform is singular. It is scaled to a largest element of
// 1, since it grows with the square of the transform's own scale, and has the inverse's sign.
func normalRows(m mgl32.Mat4) [3][4]float32 {
	var columns [3][3]float64
	for c := range columns {
		for r := range columns[c] {
			columns[c][r] = float64(m[4*c+r])
		}
	}
	var rows [3][3]float64
	largest := 0.0
	for r := range rows {
		for c := range rows[r] {
			a, b := columns[(c+1)%3], columns[(c+2)%3]
			rows[r][c] = a[(r+1)%3]*b[(r+2)%3] - a[(r+2)%3]*b[(r+1)%3]
			largest = max(largest, math.Abs(rows[r][c]))
		}
	}
	var out [3][4]float32
	if largest == 0 {
		return out
	}
	determinant := 0.0
	for r := range rows {
		determinant += columns[0][r] * rows[r][0]
	}
	if determinant < 0 { // mirrored, as the normals are then
		largest = -largest
	}
	for r := range out {
		for c := range 3 {
			out[r][c] = float32(rows[r][c] / largest)
		}
	}
	return out
}
