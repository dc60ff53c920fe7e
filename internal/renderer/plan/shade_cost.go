package plan

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// instructionCycles is the cost, in cycles, of each computing instruction that a vertex shader has in
// addition to those of a transform. Memory reads are not counted; their cost is part of this number. The
// number was chosen so that our own skin and displace, written as a user's shaders, cost about what
// renderer.Frame.VertexCycles says.
const instructionCycles = 16

// transformInstructions is the number of instructions in a product with a matrix.
const transformInstructions = 8

// vertexCycles returns the cost of shading a vertex in addition to transforming it, in cycles. For
// a user's vertex shader it is estimated from its instructions: those of a function are counted per
// call, those of a loop once. Draws are weighted by their indices.
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

// computing lists the classes of the instructions that `instructions` counts, by the headings of the SPIR-V specification.
var computing = []module.Class{"Arithmetic", "Bit", "Conversion", "Extension", "Relational"}

// instructions counts a vertex shader's computing instructions, at most renderer.MaxLoad: those of a
// function for each call, those of a loop once.
func instructions(v *module.Vertex) int {
	counts := map[uint32]int{}
	// Functions may call later and earlier functions, so repeat as often as calls can be nested.
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
