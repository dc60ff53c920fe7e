package main

import (
	"cmp"
	"fmt"
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
	Bytes               uint64 // of that part
	Element             string // Go type of the runtime array's elements
	ElementBytes        uint64
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
	PushBytes     uint64
	SpecConstants []specConstant
	LocalSize     [3]uint32
	LocalSizeSpec [3]string // specialization constant of a dimension
	Capabilities  []string
	Structs       []*structLayout // by name
}

// reflectSPIRV describes a SPIR-V binary with one entry point. A valid
// binary that cannot be described is an error. specNames are names by id for specialization constants
// without a name in the binary: those that only the workgroup's size uses.
func reflectSPIRV(data []byte, specNames map[uint32]string) (_ *reflection, err error) {
	defer must.Catch(&err)
	m := parseBinary(data)
	entries := m.EntryPoints()
	if len(entries) != 1 || entries[0].Name != "main" {
		return nil, fmt.Errorf("%d entry points, not main alone", len(entries))
	}
	stages := map[spirv.Stage]string{spirv.ComputeStage: "Compute", spirv.VertexStage: "Vertex", spirv.FragmentStage: "Fragment", spirv.MeshStage: "Mesh"}
	out := &reflection{Stage: stages[entries[0].Stage]}
	if out.Stage == "" {
		return nil, fmt.Errorf("execution model %d is not compute, vertex, fragment or mesh", uint32(entries[0].Stage))
	}
	for c := range m.Capabilities() {
		out.Capabilities = append(out.Capabilities, c.String())
	}
	slices.Sort(out.Capabilities)
	out.SpecConstants = m.specConstants(specNames)
	m.localSize(entries[0].Function, out)
	r := &resolver{m: m, structs: map[uint32]*structLayout{}}
	for _, v := range m.Globals {
		if v.Op == spirv.OpVariable {
			r.interfaceVariable(v, out)
		}
	}
	out.sortBindings()
	for _, b := range out.Bindings {
		if slices.Contains(link.HostBuffers, b.Name) {
			out.Open = append(out.Open, b)
		}
	}
	out.Bindings = slices.DeleteFunc(out.Bindings, func(b binding) bool { return slices.Contains(link.HostBuffers, b.Name) })
	r.sortStructs(out)
	return out, nil
}

func (out *reflection) sortBindings() {
	slices.SortFunc(out.Bindings, func(a, b binding) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding), cmp.Compare(a.Name, b.Name))
	})
	for i := 1; i < len(out.Bindings); i++ {
		if a, b := out.Bindings[i-1], out.Bindings[i]; a.Set == b.Set && a.Binding == b.Binding {
			must.Fail("%s and %s share set %d, binding %d", a.Name, b.Name, a.Set, a.Binding)
		}
	}
}

func (r *resolver) sortStructs(out *reflection) {
	byName := map[string]*structLayout{}
	for _, s := range r.structs {
		if other, again := byName[s.Name]; again {
			if why := s.differs(other); why != "" {
				must.Fail("struct %s has two layouts (std140 and std430?): %s", s.Name, why)
			}
			continue
		}
		byName[s.Name] = s
		out.Structs = append(out.Structs, s)
	}
	slices.SortFunc(out.Structs, func(a, b *structLayout) int { return cmp.Compare(a.Name, b.Name) })
}

// differs returns how two structs with one name differ; "" if they do not.
func (s *structLayout) differs(other *structLayout) string {
	if s.Size != other.Size {
		return fmt.Sprintf("%d and %d bytes", min(s.Size, other.Size), max(s.Size, other.Size))
	}
	if len(s.Fields) != len(other.Fields) {
		return fmt.Sprintf("%d and %d members", min(len(s.Fields), len(other.Fields)), max(len(s.Fields), len(other.Fields)))
	}
	for i, f := range s.Fields {
		if g := other.Fields[i]; f != g {
			a, b := fmt.Sprintf("%s %s at %d", f.Name, f.GLSL, f.Offset), fmt.Sprintf("%s %s at %d", g.Name, g.GLSL, g.Offset)
			return min(a, b) + " against " + max(a, b)
		}
	}
	return ""
}

func (m *compiled) specConstants(specNames map[uint32]string) []specConstant {
	var all []specConstant
	for _, c := range m.constants() {
		id := c.Result()
		specID, ok := m.Decoration(id, spirv.SpecID)
		if !ok {
			continue
		}
		if m.Name(id) == "" {
			m.names[id] = specNames[specID]
		}
		s := specConstant{ID: specID, Name: m.Name(id)}
		if !validName(s.Name) {
			must.Fail("specialization constant %d has no name", specID)
		}
		t := m.Definition(c.At(0))
		kind := map[spirv.Op]string{spirv.OpTypeInt: "Uint", spirv.OpTypeFloat: "Float"}[t.Op]
		if t.Op == spirv.OpTypeInt && t.At(2) != 0 {
			kind = "Int"
		}
		switch {
		case c.Op == spirv.OpSpecConstantTrue || c.Op == spirv.OpSpecConstantFalse:
			s.Type = "Bool"
		case c.Op == spirv.OpSpecConstant && kind != "" && t.At(1) == 32:
			s.Type = kind
		default:
			must.Fail("specialization constant %s is not a bool or a number of 32 bits", s.Name)
		}
		at := slices.IndexFunc(all, func(other specConstant) bool { return other.ID == specID })
		if at < 0 {
			all = append(all, s)
			continue
		}
		// The compiler makes a second constant for the workgroup's size.
		if other := all[at]; other != s {
			must.Fail("specialization constants %s and %s share id %d", other.Name, s.Name, specID)
		}
	}
	slices.SortFunc(all, func(a, b specConstant) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// constants returns the binary's constants in order.
func (m *compiled) constants() []spirv.Instruction {
	return slices.DeleteFunc(slices.Clone(m.Globals), func(in spirv.Instruction) bool { return in.Op.Class() != "Constant" })
}

// localSize finds the workgroup's size: the WorkgroupSize built-in if there is one, which
// overrides the execution mode.
func (m *compiled) localSize(entry uint32, out *reflection) {
	if !out.hasWorkgroups() {
		return
	}
	for _, c := range m.constants() {
		if b, ok := m.Decoration(c.Result(), spirv.BuiltInVariable); ok && b == uint32(spirv.WorkgroupSize) {
			m.localSizeFrom(c.Operands[2:5], out)
			return
		}
	}
	for _, mode := range m.Head {
		o := mode.Operands
		if mode.Op != spirv.OpExecutionMode && mode.Op != spirv.OpExecutionModeID || o[0] != entry {
			continue
		}
		if o[1] == modeLocalSizeID {
			m.localSizeFrom(o[2:5], out)
			return
		}
		if o[1] == modeLocalSize {
			out.LocalSize = [3]uint32(o[2:5])
			return
		}
	}
	must.Fail("no workgroup size")
}

// hasWorkgroups reports whether the stage's invocations come in workgroups.
func (out *reflection) hasWorkgroups() bool { return out.Stage == "Compute" || out.Stage == "Mesh" }

func (m *compiled) localSizeFrom(ids []uint32, out *reflection) {
	for i, id := range ids {
		c := m.Definition(id)
		if c.Op != spirv.OpConstant && c.Op != spirv.OpSpecConstant {
			must.Fail("the workgroup's size is neither a constant nor a specialization constant")
		}
		out.LocalSize[i] = c.At(2)
		if c.Op == spirv.OpSpecConstant {
			out.LocalSizeSpec[i] = m.Name(id)
		}
	}
}
