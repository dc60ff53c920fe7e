package shade

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// anyElement in a path of indices stands for an index that only the running shader knows.
const anyElement = -1

// read is a part of a block's variable that the shader reads: the indices that lead to it.
type read struct {
	variable uint32
	path     []int
}

// reads lists the parts of blocks that a shader reads. Blocks are often shared with other
// shaders, so not all of their members matter.
func reads(v *module.Vertex) (list []read) {
	pointers := map[uint32]read{}
	for i := range v.Blocks {
		pointers[v.Blocks[i].ID] = read{variable: v.Blocks[i].ID}
	}
	for _, f := range v.Functions {
		for _, in := range f.Body {
			base, known := pointers[in.At(2)]
			if known && (in.Op == module.OpAccessChain || in.Op == module.OpInBoundsAccessChain) {
				to := read{base.variable, slices.Clone(base.path)}
				for _, id := range in.Operands[3:] {
					index := anyElement
					if n, ok := v.Constant(id); ok {
						index = int(n)
					}
					to.path = append(to.path, index)
				}
				pointers[in.Result()] = to
				continue
			}
			for _, at := range v.Module.References(in) {
				if of, known := pointers[in.Operands[at]]; known {
					list = append(list, of)
				}
			}
		}
	}
	return list
}

// overlaps reports whether one of the reads is part of what a path of indices leads to, or
// contains it.
func overlaps(reads []read, variable uint32, path []int) bool {
	return slices.ContainsFunc(reads, func(r read) bool {
		if r.variable != variable {
			return false
		}
		for i := range min(len(path), len(r.path)) {
			if r.path[i] != path[i] && r.path[i] != anyElement && path[i] != anyElement {
				return false
			}
		}
		return true
	})
}
