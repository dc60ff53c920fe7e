package format

import (
	"fmt"

	"github.com/shadeonce/shadeonce/internal/base/exact"
)

type gltfMorphed struct {
	Weights    []float64 `json:"weights"`
	Primitives GLTFList[struct {
		Targets GLTFList[gltfTarget] `json:"targets"`
		number  int                  // see gltfMotion.targets
	}] `json:"primitives"`
}

// gltfTarget is a morph target: what a weight adds to positions and normals.
type gltfTarget struct {
	Position gltfInt `json:"POSITION"`
	Normal   gltfInt `json:"NORMAL"`
}

// checkTargets checks the morph targets of a mesh, of which each primitive has as many.
func (m *gltfMotion) checkTargets(d *gltfDocument, mesh int) {
	of, want := &m.meshes[mesh], m.targetsOf(mesh)
	if n := len(of.Weights); n > 0 && n != want {
		gltfFail(gltfPlace("mesh", mesh), "%d weights for %d morph targets", n, want)
	}
	for k := range of.Primitives {
		p, place, position := &of.Primitives[k], gltfPrimitivePlace(mesh, k), d.Meshes[mesh].Primitives[k].Attributes.Position
		if len(p.Targets) != want {
			gltfFail(place, "%d morph targets, but primitive 0 has %d", len(p.Targets), want)
		}
		for i, t := range p.Targets {
			for _, accessor := range []gltfInt{t.Position, t.Normal} {
				if place := fmt.Sprintf("%s target %d", place, i); accessor.set {
					accessor.refer("accessor", len(d.Accessors), place)
					if n := d.Accessors[accessor.n].Count.n; position.set && n != d.Accessors[position.n].Count.n {
						gltfFail(place, "%d elements for %d positions", n, d.Accessors[position.n].Count.n)
					}
				}
			}
		}
		name, known := fmt.Sprint(p.Targets), false
		if p.number, known = m.targets[name]; !known {
			p.number = len(m.targets)
			m.targets[name] = p.number
		}
	}
}

// targetsOf returns the number of a mesh's morph targets.
func (m *gltfMotion) targetsOf(mesh int) int {
	if m == nil || len(m.meshes[mesh].Primitives) == 0 {
		return 0
	}
	return len(m.meshes[mesh].Primitives[0].Targets)
}

// morphs returns a node whose mesh has morph targets, since nodes have weights of their own; else -1.
func (m *gltfMotion) morphs(node, mesh int) int {
	if m.targetsOf(mesh) == 0 {
		return -1
	}
	return node
}

// weights returns the weights of a node's morph targets at rest.
func (a *gltfAnimator) weights(node int) []float32 {
	mesh, own, place := a.source.doc.Nodes[node].Mesh, a.gltfMotion.nodes[node].Weights, gltfPlace("node", node)
	if !mesh.set || a.targetsOf(int(mesh.n)) == 0 {
		return nil
	}
	made := make([]float32, a.targetsOf(int(mesh.n)))
	a.source.budget.charge(int64(len(made)), 4, place)
	if len(own) > 0 && len(own) != len(made) {
		gltfFail(place, "%d weights for %d morph targets", len(own), len(made))
	} else if len(own) == 0 {
		own = a.meshes[mesh.n].Weights
	}
	for i, weight := range own {
		if made[i] = float32(weight); !exact.Finite(made[i]) {
			gltfFail(place, "weight %d is %g", i, weight)
		}
	}
	return made
}

// morph reads the morph targets of a primitive. Ranges of the same targets share them.
func (a *gltfAnimator) morph(mesh, primitive int, r *gltfVertexRange) *morph {
	p, place := &a.meshes[mesh].Primitives[primitive], gltfPrimitivePlace(mesh, primitive)
	const targetBytes, targetWork = 48, 10
	gltfMust(place, a.source.budget.Work(gltfAdd(r.count, 1)*int64(len(p.Targets))*targetWork))
	if made := a.morphed[p.number]; made != nil {
		return made
	}
	a.source.budget.charge(int64(len(p.Targets)), targetBytes, place)
	made := &morph{}
	read := func(of gltfInt, place string) []float32 {
		if !of.set {
			return nil
		}
		if a.moves[of.n] == nil {
			a.moves[of.n] = a.numbers(of, place, "VEC3", gltfScaled)
		}
		return a.moves[of.n]
	}
	for i, t := range p.Targets {
		place := fmt.Sprintf("%s target %d", place, i)
		made.positions = append(made.positions, read(t.Position, place+" POSITION"))
		made.normals = append(made.normals, read(t.Normal, place+" NORMAL"))
	}
	a.morphed[p.number] = made
	return made
}
