package plan

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
)

// Scenes have no skins, so skinning gets one made from the vertex pool: a chain of bones along
// the box's longest axis, in a pose that winds and twists a little. It depends only on the
// scene's positions. The pool is treated as one model: a scene assembled from parts by its draws'
// transforms comes apart.

// boneCount is the number of bones in the chain. A bone's number must fit 8 bits.
const boneCount = 64

// boneRows is the number of rows of a bone's 3x4 matrix.
const boneRows = 3

const skinBytes = 8 // per vertex: four bones and their weights

// The pose: how far the chain turns from its axis, and how far one end is twisted against the
// other, in radians. With a little more turn, a scene as wide as it is long would fold into itself.
const (
	poseTurn  = 0.3
	poseTwist = 0.8
)

// chain places the bones of a scene. Along `axis`, bone b is at start + b*step. Along the two other
// axes it is in the middle of the box.
type chain struct {
	axis        int
	center      [3]float64
	start, step float64 // step is 0 in a scene without extent
}

func newChain(s *geometry.Scene) chain {
	box := geometry.BoxOf(s.Positions...)
	low, high := exact.Double(box.Min), exact.Double(box.Max)
	var c chain
	for k := range low {
		c.center[k] = low[k]/2 + high[k]/2
		if high[k]-low[k] > high[c.axis]-low[c.axis] {
			c.axis = k
		}
	}
	c.start, c.step = low[c.axis], (high[c.axis]-low[c.axis])/(boneCount-1)
	return c
}

// SkinData returns what skinning reads besides positions: for every vertex of the pool, the numbers
// of the four nearest bones and their weights, 8 bits each. The weights are those of a cubic
// B-spline, so that the surface stays smooth, and add up to 255.
func SkinData(s *geometry.Scene) [][2]uint32 {
	c := newChain(s)
	data := make([][2]uint32, len(s.Positions))
	for i := range data {
		data[i] = c.skin(s.Positions[i])
	}
	return data
}

func (c *chain) skin(p mgl32.Vec3) (packed [2]uint32) {
	at := 0.0
	if c.step > 0 {
		at = max(0, min(boneCount-1, (float64(p[c.axis])-c.start)/c.step))
	}
	first := math.Floor(at)
	f := at - first
	g := 1 - f
	spline := [4]float64{
		float64(g*g) * g / 6,
		(float64(float64(f*f)*(3*f-6)) + 4) / 6,
		(float64(float64(g*g)*(3*g-6)) + 4) / 6,
		float64(f*f) * f / 6,
	}
	// The second and the third weight are never small, so the third takes the rounding error.
	left := 255
	for k, w := range spline {
		bone := max(0, min(boneCount-1, int(first)+k-1))
		packed[0] |= uint32(bone) << (8 * k)
		if k != 2 {
			weight := int(w*255 + 0.5)
			packed[1] |= uint32(weight) << (8 * k)
			left -= weight
		}
	}
	packed[1] |= uint32(left) << 16
	return packed
}

// BoneData returns the pose: for every bone the rows of the 3x4 matrix that moves vertices from
// rest to the pose, in model space.
func BoneData(s *geometry.Scene) [][4]float32 {
	c := newChain(s)
	u, v := (c.axis+1)%3, (c.axis+2)%3
	// The chain is built from its first joint, and then moved so that its joints keep their average position.
	var turns [boneCount][3][3]float64
	var joints [boneCount][3]float64
	var drift [3]float64
	for b := range boneCount {
		along := float64(b) / (boneCount - 1)
		turns[b] = turned(c.axis, u, v, poseTurn*math.Sin(2*math.Pi*along), poseTwist*(along-0.5))
		joints[b] = c.center
		joints[b][c.axis] = c.start
		for k := range 3 {
			if b > 0 {
				joints[b][k] = joints[b-1][k] + float64(turns[b-1][k][c.axis]*c.step)
			}
			drift[k] += (joints[b][k] - c.center[k]) / boneCount
		}
	}
	rows := make([][4]float32, boneRows*boneCount)
	for b := range boneCount {
		rest := c.center
		rest[c.axis] = c.start + float64(float64(b)*c.step)
		for r := range boneRows {
			offset := joints[b][r] - drift[r]
			for k := range 3 {
				rows[boneRows*b+r][k] = float32(turns[b][r][k])
				offset -= float64(turns[b][r][k] * rest[k])
			}
			rows[boneRows*b+r][3] = float32(offset)
		}
	}
	return rows
}

// turned returns the rotation by `twist` radians about the axis, and then by `turn` radians from the
// axis towards axis `u`.
func turned(axis, u, v int, turn, twist float64) (m [3][3]float64) {
	sinTurn, cosTurn := math.Sincos(turn)
	sinTwist, cosTwist := math.Sincos(twist)
	m[axis][axis], m[u][axis] = cosTurn, sinTurn
	m[axis][u], m[u][u], m[v][u] = -float64(sinTurn*cosTwist), float64(cosTurn*cosTwist), sinTwist
	m[axis][v], m[u][v], m[v][v] = float64(sinTurn*sinTwist), -float64(cosTurn*sinTwist), cosTwist
	return m
}
