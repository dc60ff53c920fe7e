package format

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// isUnit says whether a vector is as long as single precision can tell from its
// square.
func isUnit(square float64) bool { return math.Abs(square-1) < 1e-6 }

func squareLength(n mgl32.Vec3) float64 {
	x, y, z := float64(n[0]), float64(n[1]), float64(n[2])
	return x*x + y*y + z*z
}

// areUnit says whether unitNormals would change nothing.
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

// unitNormals scales a file's normals to length 1, but leaves alone those that
// are as long as single precision can tell. Those without a direction become
// +Z, as in Scene.MakeNormals.
func unitNormals(ctx context.Context, normals []mgl32.Vec3) error {
	return progress.Each(ctx, len(normals), func(from, to int) {
		for i, n := range normals[from:to] {
			if !isUnit(squareLength(n)) { // nothing is written where nothing changes
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
