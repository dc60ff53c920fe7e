package assets

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// gridSide is the side length of grid and terrain.
const gridSide = 20.0

// grid is a flat square of n x n quads in the plane y = 0, facing up, centred, with triangles row
// by row from far to near.
func grid(n int) *geometry.Scene {
	b := newBuilder((n+1)*(n+1), 6*n*n)
	for z := range n + 1 {
		for x := range n + 1 {
			b.vertex(vec{gridCoord(x, n), 0, gridCoord(z, n)}, vec{0, 1, 0})
		}
	}
	b.gridQuads(0, n, n, n)
	b.draw("grid", mgl32.Vec4{0.55, 0.60, 0.65, 1})
	return b.scene
}

// gridCoord returns the x or z of line k of a grid with n quads per side.
func gridCoord(k, n int) float64 {
	return float64(gridSide*float64(k)/float64(n)) - gridSide/2
}

// gridQuads appends wide x deep quads over (wide+1) x (deep+1) vertices, which are stored row by
// row from the first. The quads come in strips of that width from left to right, each row by row
// from far to near: with a narrow strip the previous row is still in a cache.
func (b *builder) gridQuads(first uint32, wide, deep, strip int) {
	row := uint32(wide + 1)
	for left := 0; left < wide; left += strip {
		right := min(left+strip, wide)
		for z := range deep {
			for x := left; x < right; x++ {
				v := first + uint32(z)*row + uint32(x)
				b.quad(v, v+row, v+row+1, v+1)
			}
		}
	}
}

// triangle is one triangle in the plane z = 0 that faces +Z.
func triangle(int) *geometry.Scene {
	b := newBuilder(3, 3)
	b.face(vec{-1, -0.75, 0}, vec{1, -0.75, 0}, vec{0, 1, 0})
	b.draw("triangle", mgl32.Vec4{0.90, 0.45, 0.20, 1})
	return b.scene
}

// cube spans -1..1 and has 24 vertices, four per face, for flat normals.
func cube(int) *geometry.Scene {
	b := newBuilder(24, 36)
	b.box(vec{-1, -1, -1}, vec{1, 1, 1})
	b.draw("cube", mgl32.Vec4{0.30, 0.55, 0.80, 1})
	return b.scene
}
