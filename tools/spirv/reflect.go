package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/shaders/link"
	spirv "github.com/shadeonce/shadeonce/shaders/module"
)

// binding becomes a shaders.Binding.
type binding struct {
	Set, Binding        uint32
	Name                string
	Kind                string // name of a shaders.BindingKind
	Count               uint32
	ReadOnly, WriteOnly bool
	Struct              string // Go struct of the part before the runtime array
	Bytes               uint64 // of that part
	Element             string // Go type of the runtime array's elements
	ElementBytes        uint64
}

// specConstant becomes a shaders.SpecConstant.
type specConstant struct {
	ID      uint32
	Name    string
	Type    string // name of a shaders.ScalarType
	Default uint32
}

// reflection is everything that Go needs to know about a shader's SPIR-V.
type reflection struct {
	Stage         string // name of a shaders.Stage
	EntryPoint    string
	Bindings      []binding
	Open          []binding // that only vertex shaders of others read
	PushStruct    string
	PushBytes     uint64
	SpecConstants []specConstant
	LocalSize     [3]uint32
	LocalSizeSpec [3]string // specialization constant of a dimension
	Capabilities  []string
	Structs       []*structLayout // by name
}

// reflectSPIRV describes a SPIR-V binary with one entry point. The binary may be arbitrary; if it
// cannot be described, that is an error. specNames are names by id for specialization constants
// without a name in the binary: those that only the workgroup's size uses.
func reflectSPIRV(data []byte, specNames map[uint32]string) (*reflection, error) {
	m, err := parseBinary(data)
	if err != nil {
		return nil, fmt.Errorf("SPIR-V: %w", err)
	}
	entries := m.EntryPoints()
	if len(entries) != 1 {
		return nil, fmt.Errorf("%d entry points, not one", len(entries))
	}
	out := &reflection{EntryPoint: entries[0].Name}
	switch entries[0].Stage {
	case spirv.ComputeStage:
		out.Stage = "Compute"
	case spirv.VertexStage:
		out.Stage = "Vertex"
	case spirv.FragmentStage:
		out.Stage = "Fragment"
	default:
		return nil, fmt.Errorf("execution model %d is not compute, vertex or fragment", uint32(entries[0].Stage))
	}
	for c := range m.Capabilities() {
		out.Capabilities = append(out.Capabilities, c.String())
	}
	slices.Sort(out.Capabilities)
	if out.SpecConstants, err = m.specConstants(specNames); err != nil {
		return nil, err
	}
	if err := m.localSize(entries[0].Function, out); err != nil {
		return nil, err
	}
	r := &resolver{m: m, structs: map[uint32]*structLayout{}, busy: map[uint32]bool{}}
	for _, v := range m.Globals {
		if v.Op != spirv.OpVariable {
			continue
		}
		if err := r.interfaceVariable(v, out); err != nil {
			return nil, err
		}
	}
	if err := out.sortBindings(); err != nil {
		return nil, err
	}
	for _, b := range out.Bindings {
		if slices.Contains(link.HostBuffers, b.Name) {
			out.Open = append(out.Open, b)
		}
	}
	out.Bindings = slices.DeleteFunc(out.Bindings, func(b binding) bool { return slices.Contains(link.HostBuffers, b.Name) })
	return out, r.sortStructs(out)
}

func (out *reflection) sortBindings() error {
	slices.SortFunc(out.Bindings, func(a, b binding) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding), cmp.Compare(a.Name, b.Name))
	})
	for i := 1; i < len(out.Bindings); i++ {
		if a, b := out.Bindings[i-1], out.Bindings[i]; a.Set == b.Set && a.Binding == b.Binding {
			return fmt.Errorf("%s and %s share set %d, binding %d", a.Name, b.Name, a.Set, a.Binding)
		}
	}
	return nil
}

func (r *resolver) sortStructs(out *reflection) error {
	byName := map[string]*structLayout{}
	for _, s := range r.structs {
		if other, again := byName[s.Name]; again {
			if why := s.differs(other); why != "" {
				return fmt.Errorf("struct %s has two layouts (std140 and std430?): %s", s.Name, why)
			}
			continue
		}
		byName[s.Name] = s
		out.Structs = append(out.Structs, s)
	}
	slices.SortFunc(out.Structs, func(a, b *structLayout) int { return cmp.Compare(a.Name, b.Name) })
	return nil
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

func (m *compiled) specConstants(specNames map[uint32]string) ([]specConstant, error) {
	named := map[uint32]bool{}
	for _, c := range m.constants() {
		id := c.Result()
		if specID, ok := m.Decoration(id, spirv.SpecID); ok && m.Name(id) == "" {
			m.names[id] = specNames[specID]
		} else {
			named[id] = ok
		}
	}
	var all []specConstant
	for _, c := range m.constants() {
		id := c.Result()
		specID, ok := m.Decoration(id, spirv.SpecID)
		if !ok {
			continue
		}
		s := specConstant{ID: specID, Name: m.Name(id)}
		if !validName(s.Name) {
			return nil, fmt.Errorf("specialization constant %d has no name", specID)
		}
		t, err := m.scalar(c.At(0))
		switch {
		case c.Op == spirv.OpSpecConstantTrue || c.Op == spirv.OpSpecConstantFalse:
			s.Type = "Bool"
			if c.Op == spirv.OpSpecConstantTrue {
				s.Default = 1
			}
		case c.Op == spirv.OpSpecConstant && err == nil && t.size == 4:
			s.Type = map[string]string{"uint32": "Uint", "int32": "Int", "float32": "Float"}[t.text]
			s.Default = c.At(2)
		default:
			return nil, fmt.Errorf("specialization constant %s is not a bool or a number of 32 bits", s.Name)
		}
		at := slices.IndexFunc(all, func(other specConstant) bool { return other.ID == specID })
		if at < 0 {
			all = append(all, s)
			continue
		}
		// The compiler makes a second constant for the workgroup's size. Its default is that of the
		// layout, not of the constant.
		if other := all[at]; other.Name != s.Name || other.Type != s.Type {
			return nil, fmt.Errorf("specialization constants %s and %s share id %d", other.Name, s.Name, specID)
		}
		if named[id] {
			all[at] = s
		}
	}
	slices.SortFunc(all, func(a, b specConstant) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// constants returns the binary's constants in order.
func (m *compiled) constants() []spirv.Instruction {
	return slices.DeleteFunc(slices.Clone(m.Globals), func(in spirv.Instruction) bool { return in.Op.Class() != "Constant" })
}

func (m *compiled) scalar(id uint32) (goType, error) {
	t := m.Definition(id)
	if t.Op != spirv.OpTypeInt && t.Op != spirv.OpTypeFloat {
		return goType{}, errors.New("no number")
	}
	return scalarType(t)
}

// localSize finds the workgroup's size: the WorkgroupSize built-in if there is one, which
// overrides the execution mode.
func (m *compiled) localSize(entry uint32, out *reflection) error {
	if out.Stage != "Compute" {
		return nil
	}
	for _, c := range m.constants() {
		if b, ok := m.Decoration(c.Result(), spirv.BuiltInVariable); ok && b == uint32(spirv.WorkgroupSize) {
			if len(c.Operands) != 5 {
				return errors.New("the workgroup's size is not a constant of three")
			}
			return m.localSizeFrom(c.Operands[2:5], out)
		}
	}
	for _, mode := range m.Head {
		o := mode.Operands
		if mode.Op != spirv.OpExecutionMode && mode.Op != spirv.OpExecutionModeID || o[0] != entry || len(o) != 5 {
			continue
		}
		if o[1] == modeLocalSizeID {
			return m.localSizeFrom(o[2:5], out)
		}
		if o[1] == modeLocalSize {
			out.LocalSize = [3]uint32(o[2:5])
			return nil
		}
	}
	return errors.New("no workgroup size")
}

func (m *compiled) localSizeFrom(ids []uint32, out *reflection) error {
	for i, id := range ids {
		c := m.Definition(id)
		if c.Op != spirv.OpConstant && c.Op != spirv.OpSpecConstant {
			return errors.New("the workgroup's size is neither a constant nor a specialization constant")
		}
		out.LocalSize[i] = c.At(2)
		if c.Op == spirv.OpSpecConstant {
			out.LocalSizeSpec[i] = m.Name(id)
		}
	}
	return nil
}
