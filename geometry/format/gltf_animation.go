package format

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
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
	isChild := make([]bool, len(d.Nodes))
	parent := make([]int, len(d.Nodes))
	for i := range d.Nodes {
		for _, c := range d.Nodes[i].Children {
			isChild[c], parent[c] = true, i
		}
	}
	for stack := parentless(isChild); len(stack) > 0; {
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
		if isChild[i] {
			node.parent = a.number[parent[i]]
		}
		a.number[i] = len(a.made.nodes)
		a.made.nodes = append(a.made.nodes, node)
		for _, c := range n.Children {
			stack = append(stack, int(c))
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
	for i, v := range a.floats(input, place+" input", "SCALAR") {
		if c.times = append(c.times, v[0]); v[0] < 0 || i > 0 && v[0] <= c.times[i-1] {
			gltfFail(place+" input", "time %d is %g: times must increase from 0 on", i, v[0])
		}
	}
	kind := "VEC3"
	if c.path == rotation {
		kind = "VEC4"
	}
	c.values = a.floats(output, place+" output", kind)
	want := len(c.times)
	if c.spline {
		want *= 3
	}
	if len(c.values) != want {
		gltfFail(place+" output", "%d values for %d times, not %d", len(c.values), len(c.times), want)
	}
	a.made.length = max(a.made.length, c.times[len(c.times)-1])
}

// floats reads an accessor of floats or normalized integers. All values must be finite.
func (a *gltfAnimator) floats(accessor gltfInt, place, kind string) []mgl32.Vec4 {
	d := a.source.doc
	accessor.refer("accessor", len(d.Accessors), place)
	of := &d.Accessors[accessor.n]
	if of.Type != kind || of.ComponentType.n != gltfFloat && (!of.Normalized || kind == "SCALAR") {
		gltfFail(place, "%q of component type %d (normalized: %t) is not allowed", CleanName(of.Type), of.ComponentType.n, of.Normalized)
	}
	const valueBytes, keyWork = 32, 50
	a.source.budget.charge(of.Count.n, valueBytes, place)
	gltfMust(place, a.source.budget.Work(of.Count.n*keyWork))
	values := make([]mgl32.Vec4, of.Count.n)
	attribute := geometry.Attribute{Format: gltfFormat("", of)}
	attribute.Data = make([]byte, len(values)*attribute.Format.Size())
	a.source.fillAttribute(&attribute, "", int(accessor.n))
	for k := range values {
		for i, bits := range attribute.Format.Decode(attribute.Element(k)) {
			values[k][i] = math.Float32frombits(bits)
		}
		if !exact.Finite(values[k][:]...) {
			gltfFail(place, "element %d is not finite", k)
		}
	}
	return values
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
		s.Inverse.refer("accessor", len(a.source.doc.Accessors), place)
		of := &a.source.doc.Accessors[s.Inverse.n]
		if of.Type != "MAT4" || of.ComponentType.n != gltfFloat || of.Count.n < int64(len(s.Joints)) {
			gltfFail(place, "%d inverse bind matrices of %q, component type %d, for %d joints", of.Count.n, CleanName(of.Type), of.ComponentType.n, len(s.Joints))
		}
		set := func(k int, value []byte) {
			if k >= len(made.inverse) {
				return
			}
			for c := range 16 {
				made.inverse[k][c] = math.Float32frombits(binary.LittleEndian.Uint32(value[4*c:]))
			}
			if !exact.Finite(made.inverse[k][:]...) {
				gltfFail(place, "inverse bind matrix %d is not finite", k)
			}
		}
		a.source.open(int(s.Inverse.n))
		e := a.source.elements(int(s.Inverse.n))
		for k := range made.inverse {
			if e.data == nil {
				set(k, make([]byte, 64))
			} else {
				set(k, e.data[k*e.stride:])
			}
		}
		a.source.sparse(int(s.Inverse.n), set)
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
