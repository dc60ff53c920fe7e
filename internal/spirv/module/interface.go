package module

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Interface holds what a host needs to make a pipeline from a module with one entry point.
type Interface struct {
	Stage         Stage
	Capabilities  []string     // SPIR-V's names, sorted
	Descriptors   []Descriptor // by set and binding
	Push          *Type        // push constants; nil without any
	SpecConstants []SpecConstant
	LocalSize     [3]uint32 // size of a workgroup in invocations; zero for a stage without workgroups
	LocalSizeSpec [3]string // name of the specialization constant that sets a dimension, or ""
}

// Descriptor is a buffer that a module declares.
type Descriptor struct {
	Set, Binding        uint32
	Name                string // of the block
	Type                *Type
	Uniform             bool // whether it is a uniform buffer; otherwise it is a storage buffer
	ReadOnly, WriteOnly bool
}

// SpecConstant is a constant of 32 bits that a pipeline may set.
type SpecConstant struct {
	ID      uint32
	Name    string
	Kind    Kind   // Bool, Int, Uint or Float
	Default uint32 // set in Vertex.Specializations; 0 in an Interface
}

// interfaceReader fills an Interface.
type interfaceReader struct {
	*Module
	specNames map[uint32]string
	out       *Interface
}

// Interface describes a module whose only entry point is main. specNames names, by SpecId,
// specialization constants without a name in the binary: those used only for the workgroup's size.
func (m *Module) Interface(specNames map[uint32]string) (_ *Interface, err error) {
	defer must.Catch(&err)
	entries := m.EntryPoints()
	if len(entries) != 1 || entries[0].Name != "main" {
		return nil, fmt.Errorf("%d entry points, not main alone", len(entries))
	}
	r := &interfaceReader{m, specNames, &Interface{Stage: entries[0].Stage}}
	if !slices.Contains([]Stage{ComputeStage, VertexStage, FragmentStage, MeshStage}, r.out.Stage) {
		return nil, fmt.Errorf("execution model %d is not compute, vertex, fragment or mesh", uint32(r.out.Stage))
	}
	for _, c := range m.Capabilities() {
		r.out.Capabilities = append(r.out.Capabilities, c.String())
	}
	slices.Sort(r.out.Capabilities)
	r.findSpecConstants()
	r.findLocalSize(entries[0].Function)
	for _, v := range m.Globals {
		if v.Op == OpVariable {
			r.variable(v)
		}
	}
	r.sortDescriptors()
	return r.out, nil
}

// variable adds a buffer or the push constants; it skips inputs, outputs and shared memory. The
// operands of a variable are its pointer type, its id and its storage class.
func (r *interfaceReader) variable(v Instruction) {
	id, typeID, class := v.Result(), r.Definition(v.At(0)).At(2), StorageClass(v.At(2))
	switch class {
	case UniformConstant:
		must.Fail("%s is an image or a sampler: only buffers are supported", r.Name(id))
	case Uniform, StorageBuffer, PushConstant:
	default:
		return
	}
	d := Descriptor{Name: r.Name(typeID)}
	defer must.Place("%s", d.Name)
	d.Type = must.Get(r.BlockType(typeID))
	if class == PushConstant {
		r.out.Push = d.Type
		return
	}
	_, legacy := r.Decoration(typeID, BufferBlock)
	d.Uniform = class == Uniform && !legacy
	var hasSet, hasBinding bool
	d.Set, hasSet = r.Decoration(id, DescriptorSet)
	d.Binding, hasBinding = r.Decoration(id, Binding)
	if d.Name == "" || !hasSet || !hasBinding {
		must.Fail("descriptor %q needs a name, a set and a binding", d.Name)
	}
	d.ReadOnly, d.WriteOnly = r.marked(id, d.Type, NonWritable), r.marked(id, d.Type, NonReadable)
	r.out.Descriptors = append(r.out.Descriptors, d)
}

// marked reports whether a buffer, or every member of its block, has the decoration d.
func (r *interfaceReader) marked(id uint32, t *Type, d Decoration) bool {
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

func (r *interfaceReader) sortDescriptors() {
	list := r.out.Descriptors
	slices.SortFunc(list, func(a, b Descriptor) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding), cmp.Compare(a.Name, b.Name))
	})
	for i := 1; i < len(list); i++ {
		if a, b := list[i-1], list[i]; a.Set == b.Set && a.Binding == b.Binding {
			must.Fail("%s and %s share set %d, binding %d", a.Name, b.Name, a.Set, a.Binding)
		}
	}
}

// specName returns the name of a specialization constant.
func (r *interfaceReader) specName(id uint32) string {
	specID, _ := r.Decoration(id, SpecID)
	return cmp.Or(r.Name(id), r.specNames[specID])
}

func (r *interfaceReader) findSpecConstants() {
	for _, c := range r.Globals {
		specID, ok := r.Decoration(c.Result(), SpecID)
		if !ok {
			continue
		}
		t := must.Get(r.BlockType(c.At(0)))
		s := SpecConstant{ID: specID, Name: r.specName(c.Result()), Kind: t.Kind}
		if s.Name == "" || !slices.Contains([]Kind{Bool, Int, Uint, Float}, t.Kind) || t.Width != 32 {
			must.Fail("specialization constant %s is not a bool or a number of 32 bits", s.Name)
		}
		if !slices.Contains(r.out.SpecConstants, s) { // the compiler makes a second constant for the workgroup's size
			r.out.SpecConstants = append(r.out.SpecConstants, s)
		}
	}
	slices.SortFunc(r.out.SpecConstants, func(a, b SpecConstant) int { return cmp.Compare(a.ID, b.ID) })
}

// findLocalSize finds the workgroup's size. The WorkgroupSize built-in, if there is one, overrides the
// execution mode.
func (r *interfaceReader) findLocalSize(entry uint32) {
	const modeLocalSize = 17
	if r.out.Stage != ComputeStage && r.out.Stage != MeshStage {
		return // other stages have no workgroups
	}
	for _, mode := range r.Head {
		if o := mode.Operands; mode.Op == OpExecutionMode && len(o) >= 5 && o[0] == entry && o[1] == modeLocalSize {
			r.out.LocalSize = [3]uint32(o[2:5])
		}
	}
	for _, c := range r.Globals {
		if b, ok := r.Decoration(c.Result(), BuiltInVariable); !ok || b != uint32(WorkgroupSize) || len(c.Operands) < 5 {
			continue
		}
		for i, id := range c.Operands[2:5] {
			dimension := r.Definition(id)
			if dimension.Op != OpConstant && dimension.Op != OpSpecConstant {
				must.Fail("the workgroup's size is neither a constant nor a specialization constant")
			}
			if r.out.LocalSize[i] = dimension.At(2); dimension.Op == OpSpecConstant {
				r.out.LocalSizeSpec[i] = r.specName(id)
			}
		}
	}
	if r.out.LocalSize == [3]uint32{} {
		must.Fail("no workgroup size")
	}
}

// Part is an output, or a column or element of one.
type Part struct {
	Variable
	Index []uint32 // indices of matrix columns and array elements that lead to the part, from outside to inside; empty for the whole output
	Of    *Type    // type of the part
}

// Showable returns the outputs that can be shown: all but the position.
func (v *Vertex) Showable() []Variable {
	list := slices.Clip(v.Outputs)
	for _, o := range []Variable{v.ClipDistance, v.CullDistance} {
		if o.Type != nil {
			list = append(list, o)
		}
	}
	return list
}

// Part finds an output by its name; ok is false if there is none. name[2] is a column of a matrix or an element
// of an array.
func (v *Vertex) Part(name string) (p Part, ok bool) {
	whole, index := name, []uint32(nil)
	for {
		for _, o := range v.Showable() {
			if o.Name == whole {
				return within(o, index)
			}
		}
		at := strings.LastIndexByte(whole, '[')
		if at < 0 || !strings.HasSuffix(whole, "]") {
			return p, false
		}
		n, err := strconv.ParseUint(whole[at+1:len(whole)-1], 10, 31)
		if err != nil {
			return p, false
		}
		whole, index = whole[:at], append([]uint32{uint32(n)}, index...)
	}
}

func within(o Variable, index []uint32) (p Part, ok bool) {
	p = Part{o, index, o.Type}
	for _, i := range index {
		if p.Of.Kind != Matrix && p.Of.Kind != Array || int(i) >= p.Of.Count {
			return p, false
		}
		p.Of = p.Of.Elem
	}
	return p, true
}

// Shows reports whether the part is one number or a vector of numbers, which can be shown.
func (p Part) Shows() bool { return p.Of.Kind <= Vector && p.Of.Scalar().Kind != Bool }

// FlatlyShown reports whether the part must not be interpolated: it is declared flat, or its numbers are not floats.
func (p Part) FlatlyShown() bool {
	return p.Flat || p.Of.Scalar() != nil && p.Of.Scalar().Kind != Float
}

// mostParts bounds how many parts of an output are listed.
const mostParts = 64

// Parts lists the names of an output's parts that are neither matrices nor arrays: itself, or its
// columns or elements, at most mostParts of them.
func (o Variable) Parts() (names []string) {
	var list func(name string, t *Type)
	list = func(name string, t *Type) {
		if t.Kind != Matrix && t.Kind != Array {
			names = append(names, name)
			return
		}
		for i := 0; i < t.Count && len(names) < mostParts; i++ {
			list(fmt.Sprintf("%s[%d]", name, i), t.Elem)
		}
	}
	list(o.Name, o.Type)
	return names
}

// MostDistances is how many distances a vertex may have on most devices, clip and cull distances together.
const MostDistances = 8

// Distances are the sizes of the arrays of clip and cull distances.
type Distances struct{ Clip, CullPlanes int }

// Total returns how many distances a vertex has.
func (d Distances) Total() int { return d.Clip + d.CullPlanes }

// Distances returns how many clip and cull distances the shader writes.
func (v *Vertex) Distances() (d Distances) {
	if v.ClipDistance.Type != nil {
		d.Clip = v.ClipDistance.Type.Count
	}
	if v.CullDistance.Type != nil {
		d.CullPlanes = v.CullDistance.Type.Count
	}
	return d
}

// placeDistance sets ClipDistance or CullDistance if the shader writes it: compilers declare both in
// every block of built-in outputs, written or not.
func (v *Vertex) placeDistance(one Variable) {
	if !v.writes(one) {
		return
	}
	if t := one.Type; t.Kind != Array || t.Elem.String() != "float" || t.Count > MostDistances {
		must.Fail("built-in %s is %s, not an array of at most %d floats", one.BuiltIn, t, MostDistances)
	}
	one.Name = "gl_" + one.BuiltIn.String()
	if one.BuiltIn == ClipDistance {
		v.ClipDistance = one
	} else {
		v.CullDistance = one
	}
	if n := v.Distances().Total(); n > MostDistances {
		must.Fail("%d clip and cull distances, more than %d", n, MostDistances)
	}
}

// writes reports whether any instruction may write an output. If that is a member of a struct, uses of the whole struct count too.
func (v *Vertex) writes(one Variable) bool {
	for _, in := range v.Body {
		for _, at := range v.Module.References(in) {
			if in.Operands[at] != one.ID || in.Op == OpLoad {
				continue
			}
			if chain := in.Op == OpAccessChain || in.Op == OpInBoundsAccessChain; !chain || one.Member < 0 {
				return true
			}
			if member, _ := v.Constant(in.At(3)); int(member) == one.Member {
				return true
			}
		}
	}
	return false
}
