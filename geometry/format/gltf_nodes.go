package format

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// gltfInstance is one instance of a mesh.
type gltfInstance struct {
	mesh      int
	name      string // of the node, or of the mesh if the node has none; may be empty
	transform mgl32.Mat4
	local     mgl32.Mat4 // from the mesh to the node: the identity except with EXT_mesh_gpu_instancing
	node      int
	skin      int // -1 if it has none, or animations were not requested
	morphs    int // see gltfMotion.morphs
}

func (i *gltfInstance) drawName() string {
	return cmp.Or(CleanName(i.name), gltfPlace("mesh", i.mesh))
}

// mover returns the key of the instance's parts in gltfPlan.parts.
func (i *gltfInstance) mover() [3]int { return [3]int{i.mesh, i.skin, i.morphs} }

// walk lists the visible instances of meshes in drawing order: scene order, parents before their
// children. A document without nodes has one instance of each mesh. walk fails if a node has two
// parents or is in a cycle. So it takes no more steps than there are nodes and instances.
func (s *gltfSource) walk(motion *gltfMotion) []gltfInstance {
	d := s.doc
	parents, _ := d.checkNodes()
	roots := d.roots(parents)
	if len(d.Nodes) == 0 {
		all := make([]gltfInstance, len(d.Meshes))
		for i := range all {
			all[i] = gltfInstance{mesh: i, name: d.Meshes[i].Name, transform: mgl32.Ident4(), skin: -1, morphs: -1}
		}
		return all
	}
	var found []gltfInstance
	type step struct {
		node  int
		world mgl32.Mat4
	}
	stack := make([]step, 0, len(roots))
	for _, root := range slices.Backward(roots) {
		stack = append(stack, step{root, mgl32.Ident4()})
	}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &d.Nodes[at.node]
		if v := n.Extensions.Visibility; v != nil && v.Visible != nil && !*v.Visible {
			continue
		}
		local := n.transform(gltfPlace("node", at.node))
		world := at.world.Mul4(local)
		if !exact.Finite(world[:]...) {
			gltfFail(gltfPlace("node", at.node), "transform is not finite")
		}
		if n.Mesh.set {
			found = append(found, gltfInstance{int(n.Mesh.n), cmp.Or(n.Name, d.Meshes[n.Mesh.n].Name), world, mgl32.Ident4(), at.node, motion.skin(at.node), motion.morphs(at.node, int(n.Mesh.n))})
			if in := n.Extensions.Instancing; in != nil {
				found = s.instances(in, found, gltfPlace("node", at.node))
			}
		}
		for _, child := range slices.Backward(n.Children) {
			stack = append(stack, step{int(child), world})
		}
	}
	return found
}

// checkNodes checks references, and that the nodes form trees. It returns each node's parent, -1 for a root, and lists
// the nodes after their parents.
func (d *gltfDocument) checkNodes() (parents, order []int) {
	parents = slices.Repeat([]int{-1}, len(d.Nodes))
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.Mesh.set {
			n.Mesh.refer("mesh", len(d.Meshes), gltfPlace("node", i))
		}
		n.transform(gltfPlace("node", i))
		for _, c := range n.Children {
			if !c.in(len(d.Nodes)) {
				gltfFail(gltfPlace("node", i), "child is %d, but the document has %d nodes", c, len(d.Nodes))
			}
			if parents[c] >= 0 {
				gltfFail(gltfPlace("node", int(c)), "has two parents")
			}
			parents[c] = i
		}
	}
	// Since no node has two parents, nodes that no root reaches form cycles.
	reached := make([]bool, len(d.Nodes))
	order = parentless(parents)
	for at := 0; at < len(order); at++ {
		reached[order[at]] = true
		for _, c := range d.Nodes[order[at]].Children {
			order = append(order, int(c))
		}
	}
	if i := slices.Index(reached, false); i >= 0 {
		gltfFail(gltfPlace("node", i), "is its own ancestor")
	}
	return parents, order
}

// roots returns the root nodes of the scene to draw: all nodes without a parent if the document has
// no scenes. It checks all scenes.
func (d *gltfDocument) roots(parents []int) []int {
	if d.Scene.set {
		d.Scene.refer("default scene", len(d.Scenes), "scene")
	}
	var roots []int
	for i := range d.Scenes {
		seen := make(map[gltfRef]bool, len(d.Scenes[i].Nodes))
		for _, n := range d.Scenes[i].Nodes {
			place := gltfPlace("scene", i)
			switch {
			case !n.in(len(d.Nodes)):
				gltfFail(place, "node is %d, but the document has %d", n, len(d.Nodes))
			case parents[n] >= 0:
				gltfFail(place, "node %d is not a root", n)
			case seen[n]:
				gltfFail(place, "node %d is named twice", n)
			}
			seen[n] = true
			if int64(i) == d.Scene.n { // without a default scene n is 0, which is the first scene
				roots = append(roots, int(n))
			}
		}
	}
	if len(d.Scenes) == 0 {
		return parentless(parents)
	}
	return roots
}

func parentless(parents []int) (nodes []int) {
	for i, parent := range parents {
		if parent < 0 {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// transform returns the node's transform relative to its parent. The document gives it as a matrix
// or as translation, rotation and scale.
func (n *gltfNode) transform(place string) mgl32.Mat4 {
	for _, part := range []struct {
		name   string
		values []float64
		want   int
	}{{"matrix", n.Matrix, 16}, {"translation", n.Translation, 3}, {"rotation", n.Rotation, 4}, {"scale", n.Scale, 3}} {
		if part.values != nil && len(part.values) != part.want {
			gltfFail(place, "%s has %d numbers, not %d", part.name, len(part.values), part.want)
		}
	}
	m := mgl32.Ident4()
	if n.Matrix != nil {
		if n.Translation != nil || n.Rotation != nil || n.Scale != nil {
			gltfFail(place, "has both a matrix and translation, rotation or scale")
		}
		for i, f := range n.Matrix {
			m[i] = float32(f)
		}
		if row := m.Row(3); !row.ApproxEqualThreshold(mgl32.Vec4{0, 0, 0, 1}, 1e-4) {
			gltfFail(place, "matrix is not affine: its last row is %v", row)
		}
	}
	if t := n.Translation; t != nil {
		m = mgl32.Translate3D(float32(t[0]), float32(t[1]), float32(t[2]))
	}
	if r := n.Rotation; r != nil {
		length := math.Sqrt(r[0]*r[0] + r[1]*r[1] + r[2]*r[2] + r[3]*r[3])
		if !(length > 1e-12 && length < 1e12) {
			gltfFail(place, "rotation %v has no direction", r)
		}
		q := mgl32.Quat{
			W: float32(r[3] / length),
			V: mgl32.Vec3{float32(r[0] / length), float32(r[1] / length), float32(r[2] / length)},
		}
		m = m.Mul4(q.Mat4())
	}
	if s := n.Scale; s != nil {
		m = m.Mul4(mgl32.Scale3D(float32(s[0]), float32(s[1]), float32(s[2])))
	}
	if !exact.Finite(m[:]...) {
		gltfFail(place, "transform is not finite")
	}
	return m
}

// gltfInstancing is EXT_mesh_gpu_instancing: a node draws its mesh once for each element of the
// attributes.
// https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Vendor/EXT_mesh_gpu_instancing
type gltfInstancing struct {
	Attributes struct {
		Translation gltfInt `json:"TRANSLATION"`
		Rotation    gltfInt `json:"ROTATION"`
		Scale       gltfInt `json:"SCALE"`
	} `json:"attributes"`
}

// instances replaces the node's instance, the last in `found`, by one instance for each element of
// the instancing attributes. Without such attributes it returns `found` unchanged.
func (s *gltfSource) instances(in *gltfInstancing, found []gltfInstance, place string) []gltfInstance {
	place += " EXT_mesh_gpu_instancing"
	a, count := &in.Attributes, int64(-1)
	var columns [3]geometry.Attribute
	for i, accessor := range []gltfInt{a.Translation, a.Rotation, a.Scale} {
		if !accessor.set {
			continue
		}
		accessor.refer("accessor", len(s.doc.Accessors), place)
		a, kind := &s.doc.Accessors[accessor.n], [...]string{"VEC3", "VEC4", "VEC3"}[i]
		switch {
		case a.Type != kind || a.ComponentType.n != gltfFloat && !a.Normalized:
			gltfFail(place, "%q of component type %d (normalized: %t) is not allowed", CleanName(a.Type), a.ComponentType.n, a.Normalized)
		case count >= 0 && a.Count.n != count:
			gltfFail(place, "attributes have %d and %d elements", count, a.Count.n)
		}
		count = a.Count.n
		columns[i].Format = vertexformat.R32_SFLOAT.Wide(int(gltfVectors[kind]))
		s.budget.charge(count, int64(columns[i].Format.Size()), place)
		columns[i].Data = make([]byte, count*int64(columns[i].Format.Size()))
		s.fillAttribute(&columns[i], "", int(accessor.n))
	}
	if count < 0 {
		return found
	}
	const instanceBytes, instanceWork = 88, 500
	s.budget.charge(count, 2*instanceBytes, place)
	gltfMust(place, s.budget.Work(count*instanceWork))
	node := found[len(found)-1]
	found = slices.Grow(found[:len(found)-1], int(count))
	for k := range int(count) {
		var n gltfNode
		for i, values := range []*[]float64{&n.Translation, &n.Rotation, &n.Scale} {
			if columns[i].Data == nil {
				continue
			}
			for element := columns[i].Element(k); len(element) > 0; element = element[4:] {
				*values = append(*values, float64(math.Float32frombits(binary.LittleEndian.Uint32(element))))
			}
		}
		one := node
		one.local = n.transform(place)
		one.transform = node.transform.Mul4(one.local)
		if !exact.Finite(one.transform[:]...) {
			gltfFail(place, "transform %d is not finite", k)
		}
		found = append(found, one)
	}
	return found
}
