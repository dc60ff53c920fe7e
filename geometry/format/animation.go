package format

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
)

// animation moves a scene's draws and vertices as time passes. Its channels change nodes of a forest and
// weights of morph targets. Nodes move draws and, through skins, vertices. No index changes, so a strategy
// shades every vertex equally often in every pose.
type animation struct {
	*rig
	name     string
	length   float32 // duration in seconds
	channels []channel
}

// rig holds the parts that a scene's animations move.
type rig struct {
	nodes []animationNode
	skins []skin
	draws []placement // by draw of the scene
}

// animationNode is a node at rest. Nodes are listed after their parents.
type animationNode struct {
	parent  int // -1 for a root
	matrix  mgl32.Mat4
	parts   [scaling + 1][4]float32 // translation, rotation and scale, instead of matrix if a channel moves the node
	moves   bool
	weights []float32 // weights of its mesh's morph targets at rest
}

// moved is the part of a node that a channel changes.
type moved int

const (
	translation moved = iota
	rotation          // a quaternion: x, y, z, w
	scaling
	weighting // weights of morph targets
)

// channel changes one part of a node.
type channel struct {
	node   int
	path   moved
	first  int  // for weighting: the first of up to four targets whose weights the channel changes
	step   bool // keeps each value until the next key
	spline bool // each key has a tangent before its value and one after
	times  []float32
	values []mgl32.Vec4 // one per key; three for splines
}

// skin moves vertices with joints, each of which follows a node. Vertices have attributes with the numbers and weights
// of their joints.
type skin struct {
	joints  []int        // by joint: its node
	inverse []mgl32.Mat4 // by joint: from the mesh into the joint's space at rest
	// sets are indices of scene attributes: {joints, weights} of each set of four joints. Vertices have
	// up to two sets.
	sets [2][2]int
}

// placement says which node moves a draw, with which skin and morph targets.
type placement struct {
	node  int
	local mgl32.Mat4 // from the draw's mesh to its node
	skin  int        // -1 if there is none; else the skin moves the vertices, and the node does not
	sets  int        // how many of skin.sets its vertices have
	first uint32     // number of the draw's first vertex in the file
	morph *morph     // morph targets, which move vertices before a skin does; nil for none
}

// morph holds, by target, what a primitive's morph targets add to its vertices: three numbers per
// vertex, or nil for nothing.
type morph [2][][]float32 // [0] to positions, [1] to normals

// Name returns the file's name for the animation, or its number if it has none.
func (a *animation) Name() string { return a.name }

// Length returns how long the animation takes, in seconds.
func (a *animation) Length() float32 { return a.length }

// Pose implements geometry.Animation. It fails if the scene is not the animation's, or the pose is not finite.
func (a *animation) Pose(s *geometry.Scene, seconds float32) (*geometry.Scene, error) {
	if !slices.Contains(s.Animations, geometry.Animation(a)) || len(a.draws) != len(s.Draws) {
		return nil, errors.New("the animation is another scene's")
	}
	return a.pose(s, seconds)
}

func (a *animation) pose(s *geometry.Scene, seconds float32) (*geometry.Scene, error) {
	worlds, weights := a.at(seconds)
	posed := *s
	posed.Draws, posed.Positions, posed.Normals = slices.Clone(s.Draws), slices.Clone(s.Positions), slices.Clone(s.Normals)
	placed := map[[2]uint32]bool{} // ranges of vertices that are placed
	for i := range posed.Draws {
		d, p := &posed.Draws[i], a.draws[i]
		if d.Transform = worlds[p.node].Mul4(p.local); p.skin >= 0 {
			d.Transform = mgl32.Ident4()
		}
		if of := [2]uint32{d.VertexOffset, d.VertexCount}; (p.morph != nil || p.skin >= 0) && !placed[of] {
			placed[of] = true
			if p.morph != nil {
				p.morph.place(&posed, d, p.first, weights[p.node])
			}
			if p.skin >= 0 {
				a.skins[p.skin].place(&posed, d, p.sets, worlds)
			}
		}
		if !exact.Finite(d.Transform[:]...) {
			return nil, fmt.Errorf("draw %d is not finite at %g s", i, seconds)
		}
	}
	for i := range posed.Positions {
		if !exact.Finite(posed.Positions[i][:]...) {
			return nil, fmt.Errorf("vertex %d is not finite at %g s", i, seconds)
		}
	}
	return &posed, nil
}

// place moves the vertices of a draw by the morph targets, each times its weight. `first` is the number of the
// draw's first vertex in the file.
func (m *morph) place(s *geometry.Scene, d *geometry.Draw, first uint32, weights []float32) {
	for v := d.VertexOffset; v < d.VertexOffset+d.VertexCount; v++ {
		k := v - first
		if s.Origin != nil {
			k = s.Origin[v] - first
		}
		var sum [2]mgl32.Vec3
		for t, weight := range weights {
			for i := range m {
				if moves := m[i][t]; weight != 0 && moves != nil {
					sum[i] = sum[i].Add(mgl32.Vec3(moves[3*k:][:3]).Mul(weight))
				}
			}
		}
		s.Positions[v] = s.Positions[v].Add(sum[0])
		if len(s.Normals) > 0 && sum[1] != (mgl32.Vec3{}) {
			turn(&s.Normals[v], s.Normals[v].Add(sum[1]))
		}
	}
}

// turn gives a normal the direction of a vector, unless the vector is zero or not finite.
func turn(normal *mgl32.Vec3, to mgl32.Vec3) {
	if length := to.Len(); length > 0 && exact.Finite(length) {
		*normal = to.Mul(1 / length)
	}
}

// place moves the vertices of a draw by a skin. Vertices without weights stay.
func (skin *skin) place(s *geometry.Scene, d *geometry.Draw, sets int, worlds []mgl32.Mat4) {
	joints := make([]mgl32.Mat4, len(skin.joints))
	for i, node := range skin.joints {
		joints[i] = worlds[node].Mul4(skin.inverse[i])
	}
	for v := int(d.VertexOffset); v < int(d.VertexOffset+d.VertexCount); v++ {
		var sum mgl32.Mat4
		total := float32(0)
		for _, set := range skin.sets[:sets] {
			named, weights := attributeValues(&s.Attributes[set[0]], v), attributeValues(&s.Attributes[set[1]], v)
			for k, weight := range weights {
				if joint := int(named[k]); weight > 0 && joint < len(joints) {
					sum, total = sum.Add(joints[joint].Mul(weight)), total+weight
				}
			}
		}
		if total <= 0 {
			continue
		}
		m := sum.Mul(1 / total)
		s.Positions[v] = m.Mul4x1(s.Positions[v].Vec4(1)).Vec3()
		if len(s.Normals) > 0 {
			turn(&s.Normals[v], cofactors(m.Mat3()).Mul3x1(s.Normals[v]))
		}
	}
}

// at returns, for each node, the matrix from its space to the scene's and the weights of its morph targets. Times
// beyond the animation's length start again from 0.
func (a *animation) at(seconds float32) (worlds []mgl32.Mat4, weights [][]float32) {
	if a.length > 0 {
		seconds = float32(math.Mod(float64(seconds), float64(a.length)))
	}
	parts := make([][scaling + 1][4]float32, len(a.nodes))
	weights = make([][]float32, len(a.nodes))
	for i := range a.nodes {
		parts[i], weights[i] = a.nodes[i].parts, a.nodes[i].weights
	}
	for i := range a.channels {
		c := &a.channels[i]
		v := c.at(seconds)
		if c.path < weighting {
			parts[c.node][c.path] = v
			continue
		}
		if c.first == 0 {
			weights[c.node] = slices.Clone(weights[c.node])
		}
		copy(weights[c.node][c.first:], v[:])
	}
	worlds = make([]mgl32.Mat4, len(a.nodes))
	for i := range a.nodes {
		n, m := &a.nodes[i], a.nodes[i].matrix
		if n.moves {
			t, r, s := parts[i][translation], parts[i][rotation], parts[i][scaling]
			m = mgl32.Translate3D(t[0], t[1], t[2]).Mul4(quatOf(r).Mat4()).Mul4(mgl32.Scale3D(s[0], s[1], s[2]))
		}
		if worlds[i] = m; n.parent >= 0 {
			worlds[i] = worlds[n.parent].Mul4(m)
		}
	}
	return worlds, weights
}

// at returns the channel's value at a time: before the first key and after the last one, the value
// of that key. Rotations have unit length; linear interpolation turns them the shorter way around.
func (c *channel) at(seconds float32) mgl32.Vec4 {
	next := sort.Search(len(c.times), func(i int) bool { return c.times[i] > seconds })
	value := func(key int) mgl32.Vec4 {
		if c.spline {
			return c.values[3*key+1]
		}
		return c.values[key]
	}
	var v mgl32.Vec4
	switch key := next - 1; {
	case key < 0:
		v = value(0)
	case next == len(c.times) || c.step:
		v = value(key)
	default:
		span := c.times[next] - c.times[key]
		u, from, to := (seconds-c.times[key])/span, value(key), value(next)
		switch {
		case c.spline:
			out, in, u2, u3 := c.values[3*key+2].Mul(span), c.values[3*next].Mul(span), u*u, u*u*u
			v = from.Mul(2*u3 - 3*u2 + 1).Add(out.Mul(u3 - 2*u2 + u)).Add(to.Mul(3*u2 - 2*u3)).Add(in.Mul(u3 - u2))
		case c.path == rotation:
			turn := mgl32.QuatSlerp(quatOf(from), quatOf(to), u)
			v = turn.V.Vec4(turn.W)
		default:
			v = from.Mul(1 - u).Add(to.Mul(u))
		}
	}
	if c.path == rotation {
		turn := quatOf(v).Normalize()
		v = turn.V.Vec4(turn.W)
	}
	return v
}

// quatOf returns the quaternion x, y, z, w.
func quatOf(v mgl32.Vec4) mgl32.Quat { return mgl32.Quat{W: v[3], V: v.Vec3()} }
