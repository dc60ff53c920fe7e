package subdivide_test

import (
	"math"

	"github.com/shadeonce/shadeonce/geometry/apps"
)

type vec [3]float64

// double is the position of corner k.
func double(m *apps.Mesh, k int) vec {
	p := m.Positions[m.Triangles[k]]
	return vec{float64(p[0]), float64(p[1]), float64(p[2])}
}

func sub(a, b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func cross(a, b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func dot(a, b vec) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func length(a vec) float64 { return math.Sqrt(dot(a, a)) }
