package assets

import (
	"github.com/go-gl/mathgl/mgl32"
	"github.com/shadeonce/shadeonce/geometry"
)

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
