package format

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// isUnit says whether a vector is as long as single precision can tell from its
// square.
func isUnit(square float64) bool { return math.Abs(square-1) < 1e-6 }

func squareLength(n mgl32.Vec3) float64 {
	x, y, z := float64(n[0]), float64(n[1]), float64(n[2])
	return x*x + y*y + z*z
}

// areUnit says whether unitNormals would change nothing.
func areUnit(normals []mgl32.Vec3) bool {
	return geometry.FirstBad(len(normals), 1<<18, func(from, to int) int {
		for i, n := range normals[from:to] {
			if !isUnit(squareLength(n)) {
				return from + i
			}
		}
		return -1
	}) < 0
}

// unitNormals scales a file's normals to length 1, but leaves alone those that
// are as long as single precision can tell. Those without a direction become
// +Z, as in Scene.MakeNormals.
func unitNormals(normals []mgl32.Vec3) {
	for i, n := range normals {
		x, y, z := float64(n[0]), float64(n[1]), float64(n[2])
		square := squareLength(n)
		switch {
		case isUnit(square):
		case square > 1e-60 && square < 1e78:
			inv := 1 / math.Sqrt(square)
			normals[i] = mgl32.Vec3{float32(x * inv), float32(y * inv), float32(z * inv)}
		default:
			normals[i] = mgl32.Vec3{0, 0, 1}
		}
	}
}
