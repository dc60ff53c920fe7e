package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/link"
	spirv "github.com/shadeonce/shadeonce/shaders/module"
)

// binding becomes a shaders.Binding.
type binding struct {
	Set, Binding        uint32
	Name                string
	Kind                string // name of a shaders.BindingKind
	ReadOnly, WriteOnly bool
	Struct              string // Go struct of the part before the runtime array
	Element             string // Go type of the runtime array's elements
}

// specConstant becomes a shaders.SpecConstant.
type specConstant struct {
	ID   uint32
	Name string
	Type string // name of a shaders.ScalarType
}

// reflection is everything that Go needs to know about a shader's SPIR-V.
type reflection struct {
	Stage         string // name of a shaders.Stage
	Bindings      []binding
	Open          []binding // that only vertex shaders of others read
	PushBytes     int
	SpecConstants []specConstant
	LocalSize     [3]uint32
	LocalSizeSpec [3]string // specialization constant of a dimension
	Capabilities  []string
	Structs       []*structLayout // by name
}

// reflector fills a reflection.
type reflector struct {
	*spirv.Module
	specNames map[uint32]string // by id, of specialization constants without a name in the binary
	layouts   layouts
	*reflection
}

// reflectSPIRV describes a SPIR-V binary in little-endian order with one entry point, which spirv-val
// has found valid. A binary that cannot be described is an error. specNames are names by id for
// specialization constants without a name in the binary: those that only the workgroup's size uses.
func reflectSPIRV(data []byte, specNames map[uint32]string) (_ *reflection, err error) {
	defer must.Catch(&err)
	r := &reflector{must.Get(spirv.Decode(must.Get(spirv.Words(data)))), specNames, layouts{}, &reflection{}}
	entries := r.EntryPoints()
	if len(entries) != 1 || entries[0].Name != "main" {
		return nil, fmt.Errorf("%d entry points, not main alone", len(entries))
	}
	stages := map[spirv.Stage]string{spirv.ComputeStage: "Compute", spirv.VertexStage: "Vertex", spirv.FragmentStage: "Fragment", spirv.MeshStage: "Mesh"}
	if r.Stage = stages[entries[0].Stage]; r.Stage == "" {
		return nil, fmt.Errorf("execution model %d is not compute, vertex, fragment or mesh", uint32(entries[0].Stage))
	}
	for c := range r.Module.Capabilities() {
		r.reflection.Capabilities = append(r.reflection.Capabilities, c.String())
	}
	slices.Sort(r.reflection.Capabilities)
	r.findSpecConstants()
	r.findLocalSize(entries[0].Function)
	for _, v := range r.Globals {
		if v.Op == spirv.OpVariable {
			r.variable(v)
		}
	}
	r.sortBindings()
	r.Structs = slices.SortedFunc(maps.Values(r.layouts), func(a, b *structLayout) int { return cmp.Compare(a.Name, b.Name) })
	return r.reflection, nil
}

// variable adds a buffer or the push constants; it skips inputs, outputs and shared memory. The
// operands of a variable are its pointer type, its id and its storage class.
func (r *reflector) variable(v spirv.Instruction) {
	id, typeID, class := v.Result(), r.Definition(v.At(0)).At(2), spirv.StorageClass(v.At(2))
	switch class {
	case spirv.UniformConstant:
		must.Fail("%s is an image or a sampler: only buffers are supported", r.Name(id))
	case spirv.Uniform, spirv.StorageBuffer, spirv.PushConstant:
	default:
		return
	}
	b := binding{Name: r.Name(typeID), Kind: "StorageBuffer"}
	defer must.Place("%s", b.Name)
	t := must.Get(r.BlockType(typeID))
	head, element := r.layouts.block(t)
	if class == spirv.PushConstant {
		r.PushBytes = head.Size
		return
	}
	if head != nil {
		b.Struct = head.Name
	}
	if _, legacy := r.Decoration(typeID, spirv.BufferBlock); class == spirv.Uniform && !legacy {
		b.Kind = "UniformBuffer"
	}
	var hasSet, hasBinding bool
	b.Set, hasSet = r.Decoration(id, spirv.DescriptorSet)
	b.Binding, hasBinding = r.Decoration(id, spirv.Binding)
	if b.Name == "" || !hasSet || !hasBinding {
		must.Fail("descriptor %q needs a name, a set and a binding", b.Name)
	}
	b.Element, b.ReadOnly, b.WriteOnly = element, r.marked(id, t, spirv.NonWritable), r.marked(id, t, spirv.NonReadable)
	r.Bindings = append(r.Bindings, b)
}

// marked reports whether a buffer, or every member of its block, has a decoration.
func (r *reflector) marked(id uint32, t *spirv.Type, d spirv.Decoration) bool {
	if _, whole := r.Decoration(id, d); whole {
		return true
	}
	for i := range t.Members {
		if _, ok := r.MemberDecoration(t.ID, i, d); !ok {
			return false
		}
	}
	return true
}

// sortBindings sorts the bindings, and moves those of others' vertex shaders to Open.
func (r *reflector) sortBindings() {
	slices.SortFunc(r.Bindings, func(a, b binding) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding), cmp.Compare(a.Name, b.Name))
	})
	for i := 1; i < len(r.Bindings); i++ {
		if a, b := r.Bindings[i-1], r.Bindings[i]; a.Set == b.Set && a.Binding == b.Binding {
			must.Fail("%s and %s share set %d, binding %d", a.Name, b.Name, a.Set, a.Binding)
		}
	}
	for _, b := range r.Bindings {
		if slices.Contains(link.HostBuffers, b.Name) {
			r.Open = append(r.Open, b)
		}
	}
	r.Bindings = slices.DeleteFunc(r.Bindings, func(b binding) bool { return slices.Contains(link.HostBuffers, b.Name) })
}

// specName returns the name of a specialization constant.
func (r *reflector) specName(id uint32) string {
	specID, _ := r.Decoration(id, spirv.SpecID)
	return cmp.Or(r.Name(id), r.specNames[specID])
}

func (r *reflector) findSpecConstants() {
	kinds := map[spirv.Kind]string{spirv.Bool: "Bool", spirv.Int: "Int", spirv.Uint: "Uint", spirv.Float: "Float"}
	for _, c := range r.Globals {
		specID, ok := r.Decoration(c.Result(), spirv.SpecID)
		if !ok {
			continue
		}
		t := must.Get(r.BlockType(c.At(0)))
		s := specConstant{specID, r.specName(c.Result()), kinds[t.Kind]}
		if s.Name == "" || s.Type == "" || t.Width != 32 {
			must.Fail("specialization constant %s is not a bool or a number of 32 bits", s.Name)
		}
		if !slices.Contains(r.SpecConstants, s) { // the compiler makes a second constant for the workgroup's size
			r.SpecConstants = append(r.SpecConstants, s)
		}
	}
	slices.SortFunc(r.SpecConstants, func(a, b specConstant) int { return cmp.Compare(a.ID, b.ID) })
}

// findLocalSize finds the workgroup's size: the WorkgroupSize built-in if there is one, which
// overrides the execution mode.
func (r *reflector) findLocalSize(entry uint32) {
	const modeLocalSize = 17
	if !r.hasWorkgroups() {
		return
	}
	for _, mode := range r.Head {
		if o := mode.Operands; mode.Op == spirv.OpExecutionMode && o[0] == entry && o[1] == modeLocalSize {
			r.LocalSize = [3]uint32(o[2:5])
		}
	}
	for _, c := range r.Globals {
		if b, ok := r.Decoration(c.Result(), spirv.BuiltInVariable); !ok || b != uint32(spirv.WorkgroupSize) {
			continue
		}
		for i, id := range c.Operands[2:5] {
			dimension := r.Definition(id)
			if dimension.Op != spirv.OpConstant && dimension.Op != spirv.OpSpecConstant {
				must.Fail("the workgroup's size is neither a constant nor a specialization constant")
			}
			if r.LocalSize[i] = dimension.At(2); dimension.Op == spirv.OpSpecConstant {
				r.LocalSizeSpec[i] = r.specName(id)
			}
		}
	}
	if r.LocalSize == [3]uint32{} {
		must.Fail("no workgroup size")
	}
}

// hasWorkgroups reports whether the stage's invocations come in workgroups.
func (r *reflection) hasWorkgroups() bool { return r.Stage == "Compute" || r.Stage == "Mesh" }
