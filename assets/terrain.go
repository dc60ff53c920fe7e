package assets

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/shadeonce/shadeonce/geometry"
)

const (
	terrainStrip   = 16   // quads; two rows of it fit a post-transform cache of 34 entries
	terrainHeight  = 3.2  // scale of the noise, in scene units
	terrainCell    = 0.16 // lattice cells per scene unit, first octave
	terrainOctaves = 6
)

// terrain is a square heightfield of n x n quads, fractal noise over gridSide: 2 n^2 triangles
// over (n+1)^2 vertices, in strips of 16 quads. n changes only the sampling, not the shape.
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

// at returns the noise at a point of the plane, about -0.7..0.7; both coordinates are positive.
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
