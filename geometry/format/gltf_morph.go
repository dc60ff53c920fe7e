package format

import (
	"fmt"

	"github.com/shadeonce/shadeonce/internal/base/exact"
)

// gltfMorphed is a mesh's morph targets: weights at rest, and what each target adds to positions and normals.
type gltfMorphed struct {
	Weights    []float64 `json:"weights"`
	Primitives GLTFList[struct {
		Targets GLTFList[struct {
			Position gltfInt `json:"POSITION"`
			Normal   gltfInt `json:"NORMAL"`
		}] `json:"targets"`
	}] `json:"primitives"`
}

// targets returns the number of a mesh's morph targets.
func (m *gltfMotion) targets(mesh int) int {
	if m == nil || len(m.meshes[mesh].Primitives) == 0 {
		return 0
	}
	return len(m.meshes[mesh].Primitives[0].Targets)
}

// checkTargets fails if a mesh's primitives differ in their number of morph targets.
func (m *gltfMotion) checkTargets(mesh int) {
	for k, p := range m.meshes[mesh].Primitives {
		if n, want := len(p.Targets), m.targets(mesh); n != want {
			gltfFail(gltfPrimitivePlace(mesh, k), "%d morph targets, but primitive 0 has %d", n, want)
		}
	}
}

// morphs returns the node if its mesh has morph targets, else -1. Such nodes share no vertices, since each has its own weights.
func (m *gltfMotion) morphs(node, mesh int) int {
	if m.targets(mesh) == 0 {
		return -1
	}
	return node
}

// weights returns the weights of a node's morph targets at rest, or nil if its mesh has none.
func (a *gltfAnimator) weights(node int) []float32 {
	mesh, given, place := a.source.doc.Nodes[node].Mesh, a.gltfMotion.nodes[node].Weights, gltfPlace("node", node)
	if !mesh.set || a.targets(int(mesh.n)) == 0 {
		return nil
	} else if len(given) == 0 {
		given = a.meshes[mesh.n].Weights
	}
	made := make([]float32, a.targets(int(mesh.n)))
	a.source.budget.charge(int64(len(made)), 4, place)
	if len(given) > 0 && len(given) != len(made) {
		gltfFail(place, "%d weights for %d morph targets", len(given), len(made))
	}
	for i, weight := range given {
		if made[i] = float32(weight); !exact.Finite(made[i]) {
			gltfFail(place, "weight %d is %g", i, weight)
		}
	}
	return made
}

// morph returns the morph targets of a primitive. It reads them once and keeps them.
func (a *gltfAnimator) morph(mesh, primitive int, r *gltfVertexRange) *morph {
	targets, place, key := a.meshes[mesh].Primitives[primitive].Targets, gltfPrimitivePlace(mesh, primitive), [2]int{mesh, primitive}
	const targetBytes, targetWork = 48, 10
	gltfMust(place, a.source.budget.Work((r.count+1)*int64(len(targets))*targetWork))
	if a.morphed[key] != nil {
		return a.morphed[key]
	}
	a.source.budget.charge(int64(len(targets)), targetBytes, place)
	made := &morph{}
	for i, t := range targets {
		for k, of := range []gltfInt{t.Position, t.Normal} {
			place, moves := fmt.Sprintf("%s target %d", place, i), []float32(nil)
			if of.set {
				if a.moves[of.n] == nil {
					a.moves[of.n] = a.numbers(of, place, "VEC3", gltfScaled)
				}
				if moves = a.moves[of.n]; int64(len(moves)) != 3*r.count {
					gltfFail(place, "%d elements for %d positions", len(moves)/3, r.count)
				}
			}
			made[k] = append(made[k], moves)
		}
	}
	a.morphed[key] = made
	return made
}
