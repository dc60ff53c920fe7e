package plan

import (
	"slices"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// instructionCycles is what an instruction of a vertex shader costs that computes
// something, beside what transforming costs: it makes our own skin and displace, as a user
// writes them, about as expensive as renderer.Frame.VertexCycles says. Loads are in it.
const instructionCycles = 16

// transformInstructions are those that a product with a matrix takes.
const transformInstructions = 8

// vertexCycles is what shading a vertex costs beside transforming it, in cycles. That of
// a vertex shader that is not ours is estimated by its instructions: those of a function
// count for each call of it, those of a loop once. Draws weigh as many as they have
// indices.
func vertexCycles(f *renderer.Frame) int {
	s := f.Shading
	if s == nil {
		return f.VertexCycles()
	}
	each := make([]float64, len(s.Programs))
	for i := range s.Programs {
		each[i] = instructionCycles * float64(max(0, instructions(s.Programs[i].Vertex)-transformInstructions))
	}
	sum, indices := 0.0, 0.0
	for i := range s.Draws {
		n := float64(f.Scene.Draws[i].IndexCount)
		if indices += n; s.Draws[i].Program >= 0 {
			sum += n * each[s.Draws[i].Program]
		}
	}
	return f.Load + int(sum/max(1, indices))
}

// computing are the classes of instructions that compute something.
var computing = []module.Class{"Arithmetic", "Bit", "Conversion", "Extension", "Relational"}

// instructions counts those that a vertex shader runs and that compute something.
func instructions(v *module.Vertex) int {
	counts := map[uint32]int{}
	// Functions may call those listed behind them and those before: as often as calls are nested.
	for range v.Functions {
		for _, f := range v.Functions {
			n := 0
			for _, in := range f.Body {
				switch {
				case in.Op == module.OpFunctionCall:
					n += counts[in.At(2)]
				case slices.Contains(computing, in.Op.Class()):
					n++
				}
			}
			counts[f.ID] = min(n, renderer.MaxLoad)
		}
	}
	return counts[v.Entry.Function]
}
