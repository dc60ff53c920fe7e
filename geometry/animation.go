package geometry

import (
	"fmt"
	"math"
	"sort"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Animation moves a scene's draws and vertices as time passes: channels move the nodes of a forest,
// which place draws and, by skins, vertices. It changes no index, so every pose is shaded alike.
type Animation struct {
	Length   float32 // seconds
	Nodes    []AnimationNode
	Channels []Channel
	Skins    []Skin
	Draws    []Placement // of each draw
}

// AnimationNode is a node at rest. Nodes are listed after their parents.
type AnimationNode struct {
	Parent int // -1 for a root
	Matrix mgl32.Mat4
	Parts  [Scaling + 1][4]float32 // by Path; used in place of the matrix where a channel moves the node
	Moves  bool
}

// Path is the part of a node's transform that a channel changes.
type Path int

const (
	Translation Path = iota
	Rotation         // a quaternion: x, y, z, w
	Scaling
)

// Channel changes one part of a node.
type Channel struct {
	Node   int
	Path   Path
	Step   bool // keeps each value until the next key
	Spline bool // each key has a tangent before its value and one after
	Times  []float32
	Values []mgl32.Vec4 // one per key; three for splines
}

// Skin places vertices by the nodes that their joints name.
type Skin struct {
	Joints  []int        // nodes
	Inverse []mgl32.Mat4 // of each joint: from the mesh into the joint's space at rest
	// Sets are the scene's attributes with the joints of a vertex, and with their weights. Vertices have
	// up to two such pairs.
	Sets [2][2]int
}

// Placement says what moves a draw.
type Placement struct {
	Node  int
	Local mgl32.Mat4 // from the draw's mesh to its node
	Skin  int        // -1 if there is none; else vertices are placed by the skin and not by the node
	Sets  int        // number of pairs that its vertices have
}

// Posed returns the scene as its animation has it at a time, which begins again after the last key.
// The scene itself is unchanged, and so are its indices, which both share. Scenes without an
// animation are returned as they are.
func (s *Scene) Posed(seconds float32) (*Scene, error) {
	a := s.Animation
	if a == nil || len(a.Draws) != len(s.Draws) {
		return s, nil
	}
	worlds := a.worlds(seconds)
	posed := *s
	posed.Draws = append([]Draw(nil), s.Draws...)
	posed.Positions = append([]mgl32.Vec3(nil), s.Positions...)
	posed.Normals = append([]mgl32.Vec3(nil), s.Normals...)
	placed := map[[2]uint32]bool{} // ranges of vertices
	for i := range posed.Draws {
		d, p := &posed.Draws[i], a.Draws[i]
		if p.Skin < 0 {
			d.Transform = worlds[p.Node].Mul4(p.Local)
		} else {
			d.Transform = mgl32.Ident4()
			if of := [2]uint32{d.VertexOffset, d.VertexCount}; !placed[of] {
				placed[of] = true
				posed.place(d, p.Sets, &a.Skins[p.Skin], worlds)
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

// place moves the vertices of a draw by a skin. Vertices without weights stay.
func (s *Scene) place(d *Draw, sets int, skin *Skin, worlds []mgl32.Mat4) {
	joints := make([]mgl32.Mat4, len(skin.Joints))
	for i, node := range skin.Joints {
		joints[i] = worlds[node].Mul4(skin.Inverse[i])
	}
	for v := int(d.VertexOffset); v < int(d.VertexOffset+d.VertexCount); v++ {
		var sum mgl32.Mat4
		total := float32(0)
		for _, set := range skin.Sets[:sets] {
			named, weights := s.Attributes[set[0]].Values(v), s.Attributes[set[1]].Values(v)
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
			// The cofactors turn normals as the inverse transpose does, and need no inverse.
			x, y, z := m.Col(0).Vec3(), m.Col(1).Vec3(), m.Col(2).Vec3()
			n := s.Normals[v]
			n = y.Cross(z).Mul(n[0]).Add(z.Cross(x).Mul(n[1])).Add(x.Cross(y).Mul(n[2]))
			if length := n.Len(); length > 0 && exact.Finite(length) {
				s.Normals[v] = n.Mul(1 / length)
			}
		}
	}
}

// Values returns an element as floats.
func (a *Attribute) Values(k int) (v mgl32.Vec4) {
	for i, bits := range a.Format.Decode(a.Element(k)) {
		if v[i] = float32(bits); a.Format.Class() == vertexformat.Float {
			v[i] = math.Float32frombits(bits)
		}
	}
	return v
}

// worlds returns the matrix of each node at a time.
func (a *Animation) worlds(seconds float32) []mgl32.Mat4 {
	if a.Length > 0 {
		seconds = float32(math.Mod(float64(seconds), float64(a.Length)))
	}
	parts := make([][Scaling + 1][4]float32, len(a.Nodes))
	for i := range a.Nodes {
		parts[i] = a.Nodes[i].Parts
	}
	for i := range a.Channels {
		c := &a.Channels[i]
		parts[c.Node][c.Path] = c.At(seconds)
	}
	worlds := make([]mgl32.Mat4, len(a.Nodes))
	for i := range a.Nodes {
		n, m := &a.Nodes[i], a.Nodes[i].Matrix
		if n.Moves {
			t, r, s := parts[i][Translation], parts[i][Rotation], parts[i][Scaling]
			turn := mgl32.Quat{W: r[3], V: mgl32.Vec3{r[0], r[1], r[2]}}
			m = mgl32.Translate3D(t[0], t[1], t[2]).Mul4(turn.Mat4()).Mul4(mgl32.Scale3D(s[0], s[1], s[2]))
		}
		if worlds[i] = m; n.Parent >= 0 {
			worlds[i] = worlds[n.Parent].Mul4(m)
		}
	}
	return worlds
}

// At returns the channel's value at a time: that of the first or last key outside of its keys. Rotations
// have unit length, and go the shorter way.
func (c *Channel) At(seconds float32) mgl32.Vec4 {
	next := sort.Search(len(c.Times), func(i int) bool { return c.Times[i] > seconds })
	value := func(key int) mgl32.Vec4 {
		if c.Spline {
			return c.Values[3*key+1]
		}
		return c.Values[key]
	}
	var v mgl32.Vec4
	switch key := next - 1; {
	case key < 0:
		v = value(0)
	case next == len(c.Times) || c.Step:
		v = value(key)
	default:
		span := c.Times[next] - c.Times[key]
		u, from, to := (seconds-c.Times[key])/span, value(key), value(next)
		switch {
		case c.Spline:
			out, in, u2, u3 := c.Values[3*key+2].Mul(span), c.Values[3*next].Mul(span), u*u, u*u*u
			v = from.Mul(2*u3 - 3*u2 + 1).Add(out.Mul(u3 - 2*u2 + u)).Add(to.Mul(3*u2 - 2*u3)).Add(in.Mul(u3 - u2))
		case c.Path == Rotation:
			v = turned(from, to, u)
		default:
			v = from.Mul(1 - u).Add(to.Mul(u))
		}
	}
	if c.Path == Rotation {
		length := v.Len()
		if !(length > 1e-12) {
			return mgl32.Vec4{0, 0, 0, 1}
		}
		return v.Mul(1 / length)
	}
	return v
}

// turned goes along the great circle from one unit quaternion to another.
func turned(from, to mgl32.Vec4, u float32) mgl32.Vec4 {
	cos := from.Dot(to)
	if cos < 0 {
		to, cos = to.Mul(-1), -cos
	}
	const nearly = .9995 // then the chord is as good
	if cos > nearly {
		return from.Mul(1 - u).Add(to.Mul(u))
	}
	angle := math.Acos(float64(cos))
	weight := func(share float32) float32 { return float32(math.Sin(float64(share)*angle) / math.Sin(angle)) }
	return from.Mul(weight(1 - u)).Add(to.Mul(weight(u)))
}
