package link

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// classOf returns the storage class of a block in its own module.
func classOf(b module.Block) module.StorageClass {
	switch {
	case b.Kind == module.PushConstants:
		return module.PushConstant
	case b.Kind == module.UniformBlock || b.Legacy:
		return module.Uniform
	}
	return module.StorageBuffer
}

// InUniforms reports whether a program's blocks of a kind may be in Uniforms. The layout rules of
// uniform buffers are stricter than those of push constants. In an old module storage blocks have
// the class of uniform blocks, and their pointers cannot be told apart.
func InUniforms(v *module.Vertex, kind module.BlockKind) bool {
	if kind == module.StorageBlock || kind == module.FetchedImage {
		return false
	}
	for _, b := range v.Blocks {
		if kind == module.UniformBlock && b.Legacy || b.Kind == kind && !aligned(b.Type) {
			return false
		}
	}
	return true
}

// aligned reports whether a type has the layout of a uniform buffer and only 32-bit numbers.
func aligned(t *module.Type) bool {
	const most = 16
	switch t.Kind {
	case module.Array:
		return t.Stride%most == 0 && aligned(t.Elem)
	case module.Struct:
		for _, m := range t.Members {
			composite := m.Type.Kind == module.Array || m.Type.Kind == module.Struct || m.Type.Kind == module.Matrix
			if composite && m.Offset%most != 0 || m.MatrixStride%most != 0 || !aligned(m.Type) {
				return false
			}
		}
		return true
	case module.RuntimeArray:
		return false
	}
	return t.Scalar().Width == 32
}

// checkUniforms fails if blocks cannot be in Uniforms.
func checkUniforms(p Program, uniforms *buffer) {
	for i, b := range p.Vertex.Blocks {
		if p.Blocks[i].Copies == 0 {
			continue
		}
		if uniforms == nil {
			must.Fail("host: no uniform Uniforms")
		}
		if !InUniforms(p.Vertex, b.Kind) {
			must.Fail("%s %s cannot lie in a uniform buffer", b.Kind, b.Name)
		}
		for k, other := range p.Vertex.Blocks {
			if other.Kind == b.Kind && p.Blocks[k].Copies == 0 {
				must.Fail("%s %s in Uniforms, %s not", b.Kind, b.Name, other.Name)
			}
		}
	}
}
