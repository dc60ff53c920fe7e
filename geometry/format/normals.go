package format

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// unitNormals scales a file's normals to length 1, but leaves alone those that
// are as long as single precision can tell. Those without a direction become
// +Z, as in Scene.MakeNormals.
func unitNormals(normals []mgl32.Vec3) {
	for i, n := range normals {
		x, y, z := float64(n[0]), float64(n[1]), float64(n[2])
		square := x*x + y*y + z*z
		switch {
		case math.Abs(square-1) < 1e-6:
		case square > 1e-60 && square < 1e78:
			inv := 1 / math.Sqrt(square)
			normals[i] = mgl32.Vec3{float32(x * inv), float32(y * inv), float32(z * inv)}
		default:
			normals[i] = mgl32.Vec3{0, 0, 1}
		}
	}
}
