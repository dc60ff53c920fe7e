package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	spirv "github.com/shadeonce/shadeonce/internal/spirv/module"
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

// reflectSPIRV describes a SPIR-V binary in little-endian order with one entry point, which spirv-val
// has found valid. A binary that cannot be described is an error. specNames are as for
// module.Interface.
func reflectSPIRV(data []byte, specNames map[uint32]string) (_ *reflection, err error) {
	defer must.Catch(&err)
	of := must.Get(must.Get(spirv.Decode(must.Get(spirv.Words(data)))).Interface(specNames))
	stages := map[spirv.Stage]string{spirv.ComputeStage: "Compute", spirv.VertexStage: "Vertex", spirv.FragmentStage: "Fragment", spirv.MeshStage: "Mesh"}
	r := &reflection{Stage: stages[of.Stage], LocalSize: of.LocalSize, LocalSizeSpec: of.LocalSizeSpec, Capabilities: of.Capabilities}
	kinds := map[spirv.Kind]string{spirv.Bool: "Bool", spirv.Int: "Int", spirv.Uint: "Uint", spirv.Float: "Float"}
	for _, c := range of.SpecConstants {
		r.SpecConstants = append(r.SpecConstants, specConstant{c.ID, c.Name, kinds[c.Kind]})
	}
	structs := layouts{}
	if of.Push != nil {
		head, _ := structs.block(of.Push)
		r.PushBytes = head.Size
	}
	for i := range of.Descriptors {
		r.add(structs.binding(&of.Descriptors[i]))
	}
	r.Structs = slices.SortedFunc(maps.Values(structs), func(a, b *structLayout) int { return cmp.Compare(a.Name, b.Name) })
	return r, nil
}

// binding describes a descriptor with the structs of its block.
func (l layouts) binding(d *spirv.Descriptor) binding {
	defer must.Place("%s", d.Name)
	head, element := l.block(d.Type)
	b := binding{Set: d.Set, Binding: d.Binding, Name: d.Name, Kind: "StorageBuffer", ReadOnly: d.ReadOnly, WriteOnly: d.WriteOnly, Element: element}
	if d.Uniform {
		b.Kind = "UniformBuffer"
	}
	if head != nil {
		b.Struct = head.Name
	}
	return b
}

// add adds a binding to those of its kind.
func (r *reflection) add(b binding) {
	if slices.Contains(link.HostBuffers, b.Name) {
		r.Open = append(r.Open, b)
	} else {
		r.Bindings = append(r.Bindings, b)
	}
}

// hasWorkgroups reports whether the stage's invocations come in workgroups.
func (r *reflection) hasWorkgroups() bool { return r.Stage == "Compute" || r.Stage == "Mesh" }
