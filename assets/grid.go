package assets

import (
	"math"

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
// row from vertex `first` on. The quads come in strips of the given width from left to right, each row
// by row from far to near: with a narrow strip the previous row is still in a cache.
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

const (
	terrainStrip   = 16   // quads; two rows of it fit a post-transform cache of 34 entries
	terrainHeight  = 3.2  // scale of the noise, in scene units
	terrainCell    = 0.16 // lattice cells per scene unit, first octave
	terrainOctaves = 6
)

// terrain is a square of side gridSide whose heights are fractal noise. It has n x n quads in strips of 16: 2 n^2
// triangles over (n+1)^2 vertices. n changes only the sampling, not the shape.
func terrain(n int) *geometry.Scene {
	b := newBuilder((n+1)*(n+1), 6*n*n)
	// Heights extend one line beyond every edge, so that normals at the edges are as good as
	// inside. Three lines are kept: the current one and its neighbours.
	noise := newNoise(7)
	var lines [3][]float64
	for k := range lines {
		lines[k] = make([]float64, n+3)
		noise.heights(lines[k], gridCoord(k-1, n), n)
	}
	spacing := gridCoord(1, n) - gridCoord(0, n)
	for z := range n + 1 {
		before, line, after := lines[z%3], lines[(z+1)%3], lines[(z+2)%3]
		for x := range n + 1 {
			at := x + 1
			slope := vec{line[at-1] - line[at+1], 2 * spacing, before[at] - after[at]}
			b.vertex(vec{gridCoord(x, n), line[at], gridCoord(z, n)}, slope.Unit())
		}
		noise.heights(before, gridCoord(z+2, n), n)
	}
	b.gridQuads(0, n, n, terrainStrip)
	b.draw("terrain", mgl32.Vec4{0.45, 0.52, 0.30, 1})
	return b.scene
}

// noise is gradient noise over the integer lattice with a period of 256: Perlin, "Improving
// Noise", SIGGRAPH 2002, in two dimensions with 16 gradients.
type noise struct {
	order    [512]uint8 // a permutation of 0..255, twice
	gradient [16][2]float64
}

func newNoise(seed uint64) *noise {
	m := &noise{}
	for k := range 256 {
		m.order[k] = uint8(k)
	}
	r := newRandom(seed)
	for k := 255; k > 0; k-- {
		other := r.below(k + 1)
		m.order[k], m.order[other] = m.order[other], m.order[k]
	}
	copy(m.order[256:], m.order[:256])
	for k := range m.gradient {
		sin, cos := sincos((float64(k) + 0.5) / 16)
		m.gradient[k] = [2]float64{cos, sin}
	}
	return m
}

// heights fills one line of the terrain at z with fractal noise, whose octaves double in
// frequency and halve in height.
func (m *noise) heights(line []float64, z float64, n int) {
	frequency, height := terrainCell, terrainHeight
	clear(line)
	for octave := range terrainOctaves {
		// Shift each octave, so that the zeros of the octaves' lattices do not coincide.
		shift := 64 + float64(17.37*float64(octave))
		for k := range line {
			x := gridCoord(k-1, n)
			line[k] += float64(height * m.at(float64(x*frequency)+shift, float64(z*frequency)+shift))
		}
		frequency *= 2
		height /= 2
	}
}

// at returns the noise at a point of the plane, about -0.7..0.7. Both coordinates must be positive.
func (m *noise) at(x, z float64) float64 {
	cellX, cellZ := math.Floor(x), math.Floor(z)
	x -= cellX
	z -= cellZ
	i, j := int(cellX)&255, int(cellZ)&255
	near, far := int(m.order[i]), int(m.order[i+1])
	u, v := fade(x), fade(z)
	return lerp(
		lerp(m.corner(near+j, x, z), m.corner(far+j, x-1, z), u),
		lerp(m.corner(near+j+1, x, z-1), m.corner(far+j+1, x-1, z-1), u), v)
}

func (m *noise) corner(hash int, x, z float64) float64 {
	g := &m.gradient[m.order[hash&511]&15]
	return float64(g[0]*x) + float64(g[1]*z)
}

// fade is 6t^5 - 15t^4 + 10t^3.
func fade(t float64) float64 {
	return float64(float64(float64(t*t)*t) * (float64(t*(float64(t*6)-15)) + 10))
}

func lerp(a, b, t float64) float64 { return a + float64((b-a)*t) }

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

// patchesJoined is one draw with all triangles of patches, in the same order.
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

// patchesInstanced is n draws of one mesh: the patch at the origin.
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

// patch appends the tile of the heightfield at position `at`, translated by `moved`.
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
