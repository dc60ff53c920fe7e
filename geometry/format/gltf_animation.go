package format

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// gltfMotion holds a document's skins, morph targets and animations. It is nil if animations are
// not requested, or if there are none and every mesh at rest has its stored shape.
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
	nodes  GLTFList[gltfMoved]
	meshes GLTFList[gltfMorphed]
}

type gltfMoved struct {
	Skin    gltfInt   `json:"skin"`
	Weights []float64 `json:"weights"`
}

// gltfSets are the attributes of skins that are read, in pairs.
var gltfSets = [][2]string{{"JOINTS_0", "WEIGHTS_0"}, {"JOINTS_1", "WEIGHTS_1"}}

func gltfIsSet(name string) bool {
	return strings.HasPrefix(name, "JOINTS_") || strings.HasPrefix(name, "WEIGHTS_")
}

// sets returns how many of the pairs in gltfSets a primitive has, up to the first that it lacks.
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

// readMotion reads skins, morph targets and animations. It returns nil if there are no nodes, or no animations and
// every mesh at rest has its stored shape.
func (d *gltfDocument) readMotion(text []byte, budget gltfBudget) (m *gltfMotion, err error) {
	defer must.Catch(&err)
	m = &gltfMotion{}
	gltfUnmarshal(text, budget, map[string]any{"animations": &m.Animations, "skins": &m.Skins, "nodes": &m.nodes, "meshes": &m.meshes})
	if len(m.nodes) == 0 || len(m.Animations) == 0 && !m.shapes() {
		return nil, nil
	}
	for i := range m.meshes {
		m.checkTargets(i)
	}
	for i := range m.nodes {
		if skin := m.nodes[i].Skin; skin.set && !skin.in(len(m.Skins)) {
			return nil, gltfBad(gltfPlace("node", i), "skin is %v, but the document has %d", skin, len(m.Skins))
		}
	}
	return m, nil
}

// shapes reports whether any mesh may differ at rest from its stored shape: by a skin, or by weights of its morph targets.
func (m *gltfMotion) shapes() bool {
	weighs := func(weights []float64) bool {
		return slices.ContainsFunc(weights, func(weight float64) bool { return weight != 0 })
	}
	return slices.ContainsFunc(m.nodes, func(n gltfMoved) bool { return n.Skin.set || weighs(n.Weights) }) ||
		slices.ContainsFunc(m.meshes, func(of gltfMorphed) bool { return weighs(of.Weights) })
}

// skin returns the skin of a node; -1 if it has none.
func (m *gltfMotion) skin(node int) int {
	if m == nil || node >= len(m.nodes) || !m.nodes[node].Skin.set {
		return -1
	}
	return int(m.nodes[node].Skin.n)
}

// gltfAnimator makes the animations of a document.
type gltfAnimator struct {
	*gltfMotion
	source *gltfSource
	made   *rig
	number []int // by node of the document: its number in the rig

	morphed map[[2]int]*morph   // morph targets that have been read, by mesh and primitive
	moves   map[int64][]float32 // by accessor: what morph targets add to vertices; only accessors that have been read
}

// animate gives a scene the document's animations, which share skins and morph targets. It leaves out animations that
// cannot be read (all, if a skin or morph target cannot), and returns the first error. Without animations the scene
// gets its shape at rest.
func (p *gltfPlan) animate(s *gltfSource, scene *geometry.Scene) (err error) {
	defer must.Catch(&err)
	if p.motion == nil {
		return nil
	}
	a := gltfAnimator{p.motion, s, &rig{}, make([]int, len(s.doc.Nodes)), map[[2]int]*morph{}, map[int64][]float32{}}
	a.nodes()
	for i := range a.Skins {
		a.made.skins = append(a.made.skins, a.skin(i, scene))
	}
	for _, inst := range p.instances {
		at := placement{node: a.number[inst.node], local: inst.local, skin: inst.skin}
		for _, part := range p.partsOf(&inst) {
			r := &p.vertices[part.vertex]
			if at.sets, at.first = a.sets(r), uint32(r.first); inst.morphs >= 0 {
				at.morph = a.morph(inst.mesh, part.number, r)
			}
			a.made.draws = append(a.made.draws, at)
		}
	}
	for i, at := range a.made.draws {
		if at.skin >= 0 {
			a.checkJoints(scene, i, at.sets, &a.made.skins[at.skin])
		}
	}
	if len(a.Animations) == 0 {
		s.budget.charge(int64(len(scene.Positions)+len(scene.Normals)), 12, "the pose")
		*scene = *must.Get((&animation{rig: a.made}).pose(scene, 0))
	}
	for i := range a.Animations {
		made, fault := a.animation(i)
		if fault == nil {
			scene.Animations = append(scene.Animations, made)
		}
		err = cmp.Or(err, fault)
	}
	return err
}

// nodes lists the nodes after their parents.
func (a *gltfAnimator) nodes() {
	d := a.source.doc
	const nodeBytes = 256
	a.source.budget.charge(int64(len(d.Nodes)), nodeBytes, "nodes")
	parents, order := d.checkNodes()
	for number, i := range order {
		n := &d.Nodes[i]
		node := animationNode{parent: -1, matrix: n.transform(gltfPlace("node", i)), weights: a.weights(i)}
		node.parts = [...][4]float32{rotation: {3: 1}, scaling: {1, 1, 1}}
		for path, values := range [][]float64{n.Translation, n.Rotation, n.Scale} {
			for k, v := range values {
				node.parts[path][k] = float32(v)
			}
		}
		if r := (*mgl32.Vec4)(&node.parts[rotation]); n.Rotation != nil {
			*r = r.Normalize()
		}
		if parents[i] >= 0 {
			node.parent = a.number[parents[i]]
		}
		a.number[i] = number
		a.made.nodes = append(a.made.nodes, node)
	}
}

// animation reads an animation. Each sampler is read once.
func (a *gltfAnimator) animation(number int) (made *animation, err error) {
	defer must.Catch(&err)
	of, d := &a.Animations[number], a.source.doc
	made = &animation{rig: a.made, name: cmp.Or(CleanName(of.Name), gltfPlace("animation", number))}
	known := map[[3]int64][]channel{} // channels that have been read, by sampler, path and width
	for i := range of.Channels {
		c := &of.Channels[i]
		place := gltfPlace(gltfPlace("animation", number)+" channel", i)
		path, ok := map[string]moved{"translation": translation, "rotation": rotation, "scale": scaling, "weights": weighting}[c.Target.Path]
		if !ok || !c.Target.Node.set {
			continue // only extensions define such a target
		}
		c.Target.Node.refer("node", len(d.Nodes), place)
		node := a.number[c.Target.Node.n]
		width := [...]int{3, 4, 3, len(a.made.nodes[node].weights)}[path]
		if width == 0 {
			continue // the channel moves weights of a node without morph targets
		}
		c.Sampler.refer("sampler", len(of.Samplers), place)
		key := [3]int64{c.Sampler.n, int64(path), int64(width)}
		channels, ok := known[key]
		if !ok {
			s, one := &of.Samplers[c.Sampler.n], channel{path: path}
			switch s.Interpolation {
			case "", "LINEAR":
			case "STEP":
				one.step = true
			case "CUBICSPLINE":
				one.spline = true
			default:
				gltfFail(place, "interpolation %q is none of LINEAR, STEP, CUBICSPLINE", CleanName(s.Interpolation))
			}
			channels = a.sample(one, width, s.Input, s.Output, place)
			known[key] = channels
		}
		if path < weighting {
			if d.Nodes[c.Target.Node.n].Matrix != nil {
				gltfFail(place, "moves node %d, which has a matrix", c.Target.Node.n)
			}
			a.made.nodes[node].moves = true
		}
		const channelBytes = 96
		a.source.budget.charge(int64(len(channels)), 2*channelBytes, place)
		for _, one := range channels {
			one.node = node
			made.channels, made.length = append(made.channels, one), max(made.length, one.times[len(one.times)-1])
		}
	}
	return made, nil
}

// sample reads a channel whose keys have `width` numbers, and splits it into channels of up to four numbers each.
func (a *gltfAnimator) sample(c channel, width int, input, output gltfInt, place string) (channels []channel) {
	c.times = a.numbers(input, place+" input", "SCALAR", gltfFloats)
	for i, at := range c.times {
		if at < 0 || i > 0 && at <= c.times[i-1] {
			gltfFail(place+" input", "time %d is %g: times must increase from 0 on", i, at)
		}
	}
	kind, want := [...]string{"VEC3", "VEC4", "VEC3", "SCALAR"}[c.path], len(c.times)
	if c.spline {
		want *= 3
	}
	numbers := a.numbers(output, place+" output", kind, gltfNormalized)
	if len(numbers) != want*width {
		gltfFail(place+" output", "%d values for %d times, not %d", len(numbers)/int(gltfVectors[kind]), len(c.times), want*width/int(gltfVectors[kind]))
	}
	for ; c.first < width; c.first += 4 {
		c.values = make([]mgl32.Vec4, want)
		for key := range want {
			copy(c.values[key][:], numbers[key*width:][c.first:width])
		}
		channels = append(channels, c)
	}
	return channels
}

// The types that gltfAnimator.numbers accepts besides floats: none, normalized bytes and shorts, or all bytes and shorts.
const gltfFloats, gltfNormalized, gltfScaled = 0, 1, 2

// numbers reads an accessor of floats or packed integers. All must be finite.
func (a *gltfAnimator) numbers(accessor gltfInt, place, kind string, packed int) []float32 {
	s := a.source
	accessor.refer("accessor", len(s.doc.Accessors), place)
	of, rows := &s.doc.Accessors[accessor.n], gltfMatrices[kind]
	if of.Type != kind || of.ComponentType.n != gltfFloat && (packed == gltfFloats || packed == gltfNormalized && !of.Normalized || of.ComponentType.n == gltfUnsignedInt) {
		gltfFail(place, "%q of component type %d (normalized: %t) is not allowed", CleanName(of.Type), of.ComponentType.n, of.Normalized)
	}
	size := int(gltfVectors[kind] + rows*rows)
	const numberBytes, numberWork = 20, 20
	s.budget.charge(of.Count.n, int64(numberBytes*size), place)
	gltfMust(place, s.budget.Work(of.Count.n*int64(numberWork*size)))
	numbers := make([]float32, int(of.Count.n)*size)
	one := vertexformat.Array(1, int(8*gltfComponentBytes[of.ComponentType.n]), "SFLOAT")
	if of.ComponentType.n != gltfFloat {
		one = gltfFormat("", &gltfAccessor{ComponentType: of.ComponentType, Normalized: of.Normalized, Type: "SCALAR"})
	}
	s.open(int(accessor.n))
	s.each(progress.Silent(s.ctx), int(accessor.n), func(k int, element []byte) {
		for i := range size {
			x := math.Float32frombits(one.Decode(element[i*one.Size():])[0])
			if numbers[k*size+i] = x; !exact.Finite(x) {
				gltfFail(place, "element %d is not finite", k)
			}
		}
	})
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
		matrices := a.numbers(s.Inverse, place, "MAT4", gltfFloats)
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
// is negative or not finite.
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
