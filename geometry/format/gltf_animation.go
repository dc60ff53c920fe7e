package format

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// gltfMotion is what a document says about movement; nil if it does not move, or nobody asked.
type gltfMotion struct {
	Animations GLTFList[struct {
		Name     string `json:"name"`
		Channels GLTFList[struct {
			Sampler gltfInt `json:"sampler"`
			Target  struct {
				Node gltfInt `json:"node"`
				Path string  `json:"path"`
			} `json:"target"`
		}] `json:"channels"`
		Samplers GLTFList[struct {
			Input         gltfInt `json:"input"`
			Output        gltfInt `json:"output"`
			Interpolation string  `json:"interpolation"`
		}] `json:"samplers"`
	}]
	Skins GLTFList[struct {
		Inverse gltfInt           `json:"inverseBindMatrices"`
		Joints  GLTFList[gltfRef] `json:"joints"`
	}]
	nodes []struct {
		Skin gltfInt `json:"skin"`
	}
}

// gltfSets are the attributes of skins that are read, in pairs.
var gltfSets = [][2]string{{"JOINTS_0", "WEIGHTS_0"}, {"JOINTS_1", "WEIGHTS_1"}}

func gltfIsSet(name string) bool {
	return strings.HasPrefix(name, "JOINTS_") || strings.HasPrefix(name, "WEIGHTS_")
}

// sets returns how many of the pairs a primitive has.
func (a *gltfAnimator) sets(r *gltfVertexRange) (sets int) {
	has := func(name string) bool {
		at := slices.IndexFunc(r.further, func(f gltfNamed) bool { return f.name == name })
		if at < 0 {
			return false
		}
		if kind := a.source.doc.Accessors[r.further[at].accessor].Type; kind != "VEC4" {
			gltfFail(r.place+" "+name, "%q is not VEC4", CleanName(kind))
		}
		return true
	}
	for sets < len(gltfSets) && has(gltfSets[sets][0]) && has(gltfSets[sets][1]) {
		sets++
	}
	return sets
}

// readMotion reads skins and animations.
func (d *gltfDocument) readMotion(text []byte, budget gltfBudget) (m *gltfMotion, err error) {
	defer must.Catch(&err)
	m = &gltfMotion{}
	nodes := GLTFList[struct {
		Skin gltfInt `json:"skin"`
	}]{}
	gltfUnmarshal(text, budget, map[string]any{"animations": &m.Animations, "skins": &m.Skins, "nodes": &nodes})
	if m.nodes = nodes; len(m.Animations) == 0 || len(m.nodes) == 0 {
		return nil, nil
	}
	for i := range m.nodes {
		if skin := m.nodes[i].Skin; skin.set && !skin.in(len(m.Skins)) {
			return nil, gltfBad(gltfPlace("node", i), "skin is %v, but the document has %d", skin, len(m.Skins))
		}
	}
	return m, nil
}

// skin returns the skin of a node; -1 if it has none.
func (m *gltfMotion) skin(node int) int {
	if m == nil || node >= len(m.nodes) || !m.nodes[node].Skin.set {
		return -1
	}
	return int(m.nodes[node].Skin.n)
}

// gltfAnimator makes an animation of a document.
type gltfAnimator struct {
	*gltfMotion
	source *gltfSource
	made   *animation
	number []int // in the animation, of each node
}

// animate gives a scene the first animation of the document, and all skins.
func (p *gltfPlan) animate(s *gltfSource, scene *geometry.Scene) (err error) {
	defer must.Catch(&err)
	if p.motion == nil {
		return nil
	}
	a := gltfAnimator{p.motion, s, &animation{}, make([]int, len(s.doc.Nodes))}
	a.nodes()
	a.channels()
	for i := range a.Skins {
		a.made.skins = append(a.made.skins, a.skin(i, scene))
	}
	for _, inst := range p.instances {
		at := placement{node: a.number[inst.node], local: inst.local, skin: inst.skin}
		for _, part := range p.partsOf(&inst) {
			at.sets = a.sets(&p.vertices[part.vertex])
			a.made.draws = append(a.made.draws, at)
		}
	}
	for i, at := range a.made.draws {
		if at.skin >= 0 {
			a.checkJoints(scene, i, at.sets, &a.made.skins[at.skin])
		}
	}
	scene.Animation = a.made
	return nil
}

// nodes lists the nodes after their parents.
func (a *gltfAnimator) nodes() {
	d := a.source.doc
	const nodeBytes = 256
	a.source.budget.charge(int64(len(d.Nodes)), nodeBytes, "nodes")
	parent := map[gltfRef]int{}
	for stack := parentless(d.checkNodes()); len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &d.Nodes[i]
		node := animationNode{parent: -1, matrix: n.transform(gltfPlace("node", i))}
		node.parts = [...][4]float32{rotation: {3: 1}, scaling: {1, 1, 1}}
		for path, values := range [][]float64{n.Translation, n.Rotation, n.Scale} {
			for k, v := range values {
				node.parts[path][k] = float32(v)
			}
		}
		if r := (*mgl32.Vec4)(&node.parts[rotation]); n.Rotation != nil {
			*r = r.Normalize()
		}
		if up, below := parent[gltfRef(i)]; below {
			node.parent = up
		}
		a.number[i] = len(a.made.nodes)
		a.made.nodes = append(a.made.nodes, node)
		for _, c := range n.Children {
			stack, parent[c] = append(stack, int(c)), a.number[i]
		}
	}
}

// channels reads the channels of the first animation. Each sampler is read once.
func (a *gltfAnimator) channels() {
	first, d := &a.Animations[0], a.source.doc
	known := map[[2]int64]channel{} // by sampler and path
	for i := range first.Channels {
		c := &first.Channels[i]
		place := gltfPlace("animation 0 channel", i)
		path, ok := map[string]moved{"translation": translation, "rotation": rotation, "scale": scaling}[c.Target.Path]
		if !ok || !c.Target.Node.set {
			continue // weights of morph targets, and what extensions move
		}
		c.Target.Node.refer("node", len(d.Nodes), place)
		c.Sampler.refer("sampler", len(first.Samplers), place)
		key := [2]int64{c.Sampler.n, int64(path)}
		made, ok := known[key]
		if !ok {
			s := &first.Samplers[c.Sampler.n]
			switch s.Interpolation {
			case "", "LINEAR":
			case "STEP":
				made.step = true
			case "CUBICSPLINE":
				made.spline = true
			default:
				gltfFail(place, "interpolation %q is none of LINEAR, STEP, CUBICSPLINE", CleanName(s.Interpolation))
			}
			made.path = path
			a.sample(&made, s.Input, s.Output, place)
			known[key] = made
		}
		if d.Nodes[c.Target.Node.n].Matrix != nil {
			gltfFail(place, "moves node %d, which has a matrix", c.Target.Node.n)
		}
		made.node = a.number[c.Target.Node.n]
		a.made.nodes[made.node].moves = true
		a.made.channels = append(a.made.channels, made)
	}
}

// sample reads the keys of a channel.
func (a *gltfAnimator) sample(c *channel, input, output gltfInt, place string) {
	c.times = a.numbers(input, place+" input", "SCALAR")
	for i, at := range c.times {
		if at < 0 || i > 0 && at <= c.times[i-1] {
			gltfFail(place+" input", "time %d is %g: times must increase from 0 on", i, at)
		}
	}
	kind, want := "VEC3", len(c.times)
	if c.path == rotation {
		kind = "VEC4"
	}
	if c.spline {
		want *= 3
	}
	for value := range slices.Chunk(a.numbers(output, place+" output", kind), int(gltfVectors[kind])) {
		var v mgl32.Vec4
		copy(v[:], value)
		c.values = append(c.values, v)
	}
	if len(c.values) != want {
		gltfFail(place+" output", "%d values for %d times, not %d", len(c.values), len(c.times), want)
	}
	a.made.length = max(a.made.length, c.times[len(c.times)-1])
}

// numbers reads an accessor of floats or normalized integers. All must be finite.
func (a *gltfAnimator) numbers(accessor gltfInt, place, kind string) []float32 {
	s := a.source
	accessor.refer("accessor", len(s.doc.Accessors), place)
	of, rows := &s.doc.Accessors[accessor.n], gltfMatrices[kind]
	if of.Type != kind || of.ComponentType.n != gltfFloat && (!of.Normalized || gltfVectors[kind] < 3) {
		gltfFail(place, "%q of component type %d (normalized: %t) is not allowed", CleanName(of.Type), of.ComponentType.n, of.Normalized)
	}
	size := int(gltfVectors[kind] + rows*rows)
	const numberBytes, numberWork = 16, 20
	s.budget.charge(of.Count.n, int64(numberBytes*size), place)
	gltfMust(place, s.budget.Work(of.Count.n*int64(numberWork*size)))
	numbers := make([]float32, int(of.Count.n)*size)
	one := vertexformat.Array(1, int(8*gltfComponentBytes[of.ComponentType.n]), "SFLOAT")
	if of.ComponentType.n != gltfFloat {
		one = gltfFormat("", &gltfAccessor{ComponentType: of.ComponentType, Normalized: true, Type: "SCALAR"})
	}
	set := func(k int, element []byte) {
		for i := range size {
			x := math.Float32frombits(one.Decode(element[i*one.Size():])[0])
			if numbers[k*size+i] = x; !exact.Finite(x) {
				gltfFail(place, "element %d is not finite", k)
			}
		}
	}
	s.open(int(accessor.n))
	if e := s.elements(int(accessor.n)); e.data != nil {
		for k := range e.count {
			set(k, e.data[k*e.stride:])
		}
	}
	s.sparse(int(accessor.n), set)
	return numbers
}

// skin reads the joints of a skin.
func (a *gltfAnimator) skin(i int, scene *geometry.Scene) (made skin) {
	s, place := &a.Skins[i], gltfPlace("skin", i)
	const jointBytes = 72
	a.source.budget.charge(int64(len(s.Joints)), jointBytes, place)
	for _, joint := range s.Joints {
		if !joint.in(len(a.number)) {
			gltfFail(place, "joint is %d, but the document has %d nodes", joint, len(a.number))
		}
		made.joints, made.inverse = append(made.joints, a.number[joint]), append(made.inverse, mgl32.Ident4())
	}
	if s.Inverse.set {
		matrices := a.numbers(s.Inverse, place, "MAT4")
		if len(matrices) < 16*len(made.inverse) {
			gltfFail(place, "%d inverse bind matrices for %d joints", len(matrices)/16, len(made.inverse))
		}
		for k := range made.inverse {
			copy(made.inverse[k][:], matrices[16*k:])
		}
	}
	for k, pair := range gltfSets {
		for i, name := range pair {
			made.sets[k][i] = slices.IndexFunc(scene.Attributes, func(a geometry.Attribute) bool { return a.Name == name })
		}
	}
	return made
}

// checkJoints fails if a vertex of a draw names a joint that its skin does not have, or has a weight that
// is not finite.
func (a *gltfAnimator) checkJoints(scene *geometry.Scene, draw, sets int, skin *skin) {
	d := &scene.Draws[draw]
	const vertexWork = 50
	place := fmt.Sprintf("draw %q", d.Name)
	gltfMust(place, a.source.budget.Work(int64(d.VertexCount)*int64(sets)*vertexWork))
	for v := int(d.VertexOffset); v < int(d.VertexOffset+d.VertexCount); v++ {
		for set := range sets {
			joints, weights := attributeValues(&scene.Attributes[skin.sets[set][0]], v), attributeValues(&scene.Attributes[skin.sets[set][1]], v)
			for k, weight := range weights {
				switch {
				case !exact.Finite(weight) || weight < 0:
					gltfFail(place, "weight of vertex %d is %g", v-int(d.VertexOffset), weight)
				case weight > 0 && !(joints[k] >= 0 && joints[k] < float32(len(skin.joints))):
					gltfFail(place, "vertex %d names joint %g of %d", v-int(d.VertexOffset), joints[k], len(skin.joints))
				}
			}
		}
	}
}
