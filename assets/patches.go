package assets

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/shadeonce/shadeonce/geometry"
)

// A patch is a bumpy tile of 14 x 25 quads: 700 triangles over 390 vertices, row by row. Tiles
// lie a unit apart in a square. Coordinates and tile positions are binary fractions of few
// digits, so that moving a tile by its draw's transform gives the same numbers as moving its
// vertices.
const (
	patchWide, patchDeep = 14, 25
	patchStepX           = 1.0 / 16
	patchStepZ           = 1.0 / 32
	patchHeightSteps     = 1024.0 // heights are multiples of 1/1024
	patchHeight          = 0.4
	patchCell            = 1.7 // lattice cells per unit
	patchTriangles       = 2 * patchWide * patchDeep
	patchVertices        = (patchWide + 1) * (patchDeep + 1)
)

// patches is n draws of one patch each, all different, each with its own vertices, transform and
// colour.
func patches(n int) *geometry.Scene {
	b := newBuilder(n*patchVertices, 3*n*patchTriangles)
	m, r := newNoise(5), newRandom(47)
	for i := range n {
		at := patchPlace(i, n)
		b.patch(m, at, vec{})
		b.add(patchDraw(b.cut("patch", patchColor(r)), at))
	}
	return b.scene
}

// patchesJoined is the triangles of patches, in the same order, as one draw.
func patchesJoined(n int) *geometry.Scene {
	b := newBuilder(n*patchVertices, 3*n*patchTriangles)
	m := newNoise(5)
	for i := range n {
		at := patchPlace(i, n)
		b.patch(m, at, at)
	}
	b.draw("patches", mgl32.Vec4{0.55, 0.60, 0.65, 1})
	return b.scene
}

// patchesInstanced is n draws of one mesh, the patch in the middle.
func patchesInstanced(n int) *geometry.Scene {
	b := newBuilder(patchVertices, 3*patchTriangles)
	b.patch(newNoise(5), vec{}, vec{})
	one, r := b.cut("patch", mgl32.Vec4{}), newRandom(47)
	b.scene.Draws = make([]geometry.Draw, 0, n)
	for i := range n {
		one.Color = patchColor(r)
		b.add(patchDraw(one, patchPlace(i, n)))
	}
	return b.scene
}

// patchPlace returns the position of tile i of n: row by row in a square around the origin.
func patchPlace(i, n int) vec {
	side := int(math.Ceil(math.Sqrt(float64(n))))
	middle := float64(float64(side) / 2)
	return vec{float64(i%side) - middle, 0, float64(i/side) - middle}
}

func patchColor(r random) mgl32.Vec4 {
	return mgl32.Vec4{float32(r.between(0.15, 0.9)), float32(r.between(0.15, 0.9)), float32(r.between(0.15, 0.9)), 1}
}

func patchDraw(d geometry.Draw, at vec) geometry.Draw {
	d.Transform = place(at, vec{1, 1, 1})
	return d
}

// patch appends the tile of the heightfield at position at, translated by moved.
func (b *builder) patch(m *noise, at, moved vec) {
	height := func(x, z int) float64 {
		// The offset makes coordinates positive, as the noise requires.
		u := float64((at[0]+float64(float64(x)*patchStepX))*patchCell) + 4096.37
		v := float64((at[2]+float64(float64(z)*patchStepZ))*patchCell) + 4096.71
		return float64(math.Floor(float64(m.at(u, v)*patchHeight*patchHeightSteps)) / patchHeightSteps)
	}
	first := b.next()
	for z := range patchDeep + 1 {
		for x := range patchWide + 1 {
			slope := vec{
				float64((height(x-1, z) - height(x+1, z)) * patchStepZ), 2 * patchStepX * patchStepZ,
				float64((height(x, z-1) - height(x, z+1)) * patchStepX),
			}
			p := vec{float64(float64(x) * patchStepX), height(x, z), float64(float64(z) * patchStepZ)}
			b.vertex(p.Add(moved), slope.Unit())
		}
	}
	b.gridQuads(first, patchWide, patchDeep, patchWide)
}
