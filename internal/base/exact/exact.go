// Package exact has vectors whose sums have the same bits on every machine. Go lets a
// compiler fuse x*y + z into one rounding, and on some platforms it does. An explicit
// conversion forbids it, so every product here is converted before it is added.
package exact

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Vec is a point or direction in double precision.
type Vec [3]float64

// Double widens a vector.
func Double(p mgl32.Vec3) Vec { return Vec{float64(p[0]), float64(p[1]), float64(p[2])} }

// Single rounds a vector.
func (a Vec) Single() mgl32.Vec3 { return mgl32.Vec3{float32(a[0]), float32(a[1]), float32(a[2])} }

func (a Vec) Add(b Vec) Vec { return Vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a Vec) Sub(b Vec) Vec { return Vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a Vec) Scale(s float64) Vec {
	return Vec{float64(a[0] * s), float64(a[1] * s), float64(a[2] * s)}
}
func (a Vec) Dot(b Vec) float64 { return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2]) }

// Cross returns the vector product.
func (a Vec) Cross(b Vec) Vec {
	return Vec{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// Length returns the Euclidean length.
func (a Vec) Length() float64 { return math.Sqrt(a.Dot(a)) }

// Sum1 returns the sum of the components' magnitudes.
func (a Vec) Sum1() float64 { return math.Abs(a[0]) + math.Abs(a[1]) + math.Abs(a[2]) }

// Unit scales a to length 1; the zero vector stays zero.
func (a Vec) Unit() Vec {
	if n := a.Length(); n > 0 {
		return a.Scale(1 / n)
	}
	return Vec{}
}

// The functions below do the same in single precision, like a shader.

func Add(a, b mgl32.Vec3) mgl32.Vec3 { return mgl32.Vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func Sub(a, b mgl32.Vec3) mgl32.Vec3 { return mgl32.Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func Scale(a mgl32.Vec3, s float32) mgl32.Vec3 {
	return mgl32.Vec3{float32(a[0] * s), float32(a[1] * s), float32(a[2] * s)}
}
func Dot(a, b mgl32.Vec3) float32 {
	return float32(a[0]*b[0]) + float32(a[1]*b[1]) + float32(a[2]*b[2])
}

// Cross returns the vector product.
func Cross(a, b mgl32.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{
		float32(a[1]*b[2]) - float32(a[2]*b[1]),
		float32(a[2]*b[0]) - float32(a[0]*b[2]),
		float32(a[0]*b[1]) - float32(a[1]*b[0]),
	}
}

// Sum1 returns the sum of the components' magnitudes.
func Sum1(a mgl32.Vec3) float32 { return abs(a[0]) + abs(a[1]) + abs(a[2]) }

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// Finite reports whether no value is infinite or NaN.
func Finite(values ...float32) bool {
	for _, f := range values {
		if math.Float32bits(f)&0x7f800000 == 0x7f800000 {
			return false
		}
	}
	return true
}
