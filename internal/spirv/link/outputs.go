package link

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Execution modes of mesh shaders.
const (
	modeVertices   = 26
	modePrimitives = 5270
)

// SizeOutputs changes how many vertices and primitives a mesh shader declares, which no
// specialization constant can: devices give a workgroup memory for as many, so that fewer
// workgroups run at a time where it declares more than it needs.
func SizeOutputs(words []uint32, vertices, primitives uint32) (_ []uint32, err error) {
	defer must.Catch(&err)
	m := must.Get(module.Decode(words))
	wanted := map[uint32]uint32{} // by the number declared
	for _, in := range m.Head {
		switch {
		case in.Op == module.OpExecutionMode && in.At(1) == modeVertices:
			wanted[in.At(2)] = vertices
		case in.Op == module.OpExecutionMode && in.At(1) == modePrimitives:
			wanted[in.At(2)] = primitives
		}
	}
	if len(wanted) != 2 {
		must.Fail("no mesh shader that declares two numbers of outputs")
	}
	arrays := map[uint32]bool{}
	for _, in := range m.Globals {
		if in.Op == module.OpVariable && module.StorageClass(in.At(2)) == module.Output {
			arrays[m.Definition(in.At(0)).At(2)] = true
		}
	}
	out, bound := append([]uint32(nil), words[:module.HeaderWords]...), m.Bound
	put := func(op module.Op, operands ...uint32) {
		out = append(append(out, uint32(len(operands)+1)<<16|uint32(op)), operands...)
	}
	for at := module.HeaderWords; at < len(words); at += int(words[at] >> 16) {
		in := module.Instruction{Op: module.Op(words[at]), Operands: words[at+1 : at+int(words[at]>>16)]}
		length := m.Definition(in.At(2)) // of an array type
		number, sized := wanted[length.At(2)]
		switch {
		case in.Op == module.OpExecutionMode && (in.At(1) == modeVertices || in.At(1) == modePrimitives):
			put(in.Op, in.At(0), in.At(1), wanted[in.At(2)])
		case in.Op == module.OpTypeArray && arrays[in.At(0)] && sized:
			put(module.OpConstant, length.At(0), bound, number)
			put(in.Op, in.At(0), in.At(1), bound)
			bound++
		default:
			put(in.Op, in.Operands...)
		}
	}
	out[3] = bound
	return out, nil
}
