package envelope

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// The host's vectors are in double precision, the shader's in single. Every product is
// rounded before it is added: a conversion keeps Go from fusing the two.

type vec [3]float64

func double(p mgl32.Vec3) vec { return vec{float64(p[0]), float64(p[1]), float64(p[2])} }

func (a vec) add(b vec) vec { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func (a vec) sub(b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func (a vec) scale(s float64) vec {
	return vec{float64(a[0] * s), float64(a[1] * s), float64(a[2] * s)}
}

func (a vec) dot(b vec) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

func (a vec) cross(b vec) vec {
	return vec{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

func (a vec) length() float64 { return math.Sqrt(a.dot(a)) }

// sum1 is the sum of the components' magnitudes.
func (a vec) sum1() float64 { return math.Abs(a[0]) + math.Abs(a[1]) + math.Abs(a[2]) }

// unit scales a to length 1; 0 where it has none.
func (a vec) unit() vec {
	if n := a.length(); n > 0 {
		return a.scale(1 / n)
	}
	return vec{}
}

func (a vec) single() mgl32.Vec3 { return mgl32.Vec3{float32(a[0]), float32(a[1]), float32(a[2])} }

func add(a, b mgl32.Vec3) mgl32.Vec3 { return mgl32.Vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func sub(a, b mgl32.Vec3) mgl32.Vec3 { return mgl32.Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func scale(a mgl32.Vec3, s float32) mgl32.Vec3 {
	return mgl32.Vec3{float32(a[0] * s), float32(a[1] * s), float32(a[2] * s)}
}

func dot(a, b mgl32.Vec3) float32 {
	return float32(a[0]*b[0]) + float32(a[1]*b[1]) + float32(a[2]*b[2])
}

func cross(a, b mgl32.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{
		float32(a[1]*b[2]) - float32(a[2]*b[1]),
		float32(a[2]*b[0]) - float32(a[0]*b[2]),
		float32(a[0]*b[1]) - float32(a[1]*b[0]),
	}
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func sum1(a mgl32.Vec3) float32 { return abs(a[0]) + abs(a[1]) + abs(a[2]) }
