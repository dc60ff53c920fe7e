package link

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

const version13 = 0x10300 // of SPIR-V, the first version with storage buffers

// hostParts are the parts of the host that programs use.
type hostParts struct {
	stage        module.Stage
	stub         module.Function
	parameters   []uint32 // of custom_vertex: draw, vertex, id, clip, shown
	stubPointers bool     // whether the first four are pointers

	fetch         uint32 // id of the function
	fetchPointers bool   // whether its parameters are pointers

	positions, normals, shadings, values buffer
	uniforms, skin                       *buffer // nil if there is none
}

// buffer is a storage buffer of the host.
type buffer struct {
	variable     uint32
	class        module.StorageClass
	set, binding uint32
}

func findParts(m *module.Module) (p hostParts) {
	if m.Version < version13 {
		must.Fail("the version is before 1.3")
	}
	for _, e := range m.EntryPoints() {
		p.stage = e.Stage
	}
	stub, ok := hostNamed(m, "custom_vertex")
	fetch, ok2 := hostNamed(m, "custom_fetch")
	if !ok || !ok2 {
		must.Fail("no functions custom_vertex and custom_fetch")
	}
	p.stub, p.fetch = m.Functions[stub], m.Functions[fetch].ID
	p.parameters, p.stubPointers = parameters(m, p.stub, 5)
	_, p.fetchPointers = parameters(m, m.Functions[fetch], 3)
	for name, b := range map[string]*buffer{"Positions": &p.positions, "Normals": &p.normals, "Shadings": &p.shadings, "Values": &p.values} {
		found := findBuffer(m, name)
		if found == nil {
			must.Fail("no buffer %s", name)
		}
		*b = *found
	}
	p.uniforms, p.skin = findBuffer(m, "Uniforms"), findBuffer(m, "Skin")
	return p
}

// parameters returns the parameters of a function; the first three must be uints or pointers to
// uints.
func parameters(m *module.Module, f module.Function, n int) (ids []uint32, pointers bool) {
	for _, in := range f.Body {
		if in.Op == module.OpFunctionParameter {
			ids = append(ids, in.Result())
		}
	}
	if len(ids) != n {
		must.Fail("%s has %d parameters, not %d", m.Name(f.ID), len(ids), n)
	}
	for i, id := range ids[:3] {
		t := m.Definition(m.Definition(id).Type())
		pointer := t.Op == module.OpTypePointer
		if pointer {
			t = m.Definition(t.At(2))
		}
		if t.Op != module.OpTypeInt || t.At(1) != 32 || i > 0 && pointer != pointers {
			must.Fail("%s: parameter %d is not a uint like the others", m.Name(f.ID), i)
		}
		pointers = pointer
	}
	return ids, pointers
}

// findBuffer finds a buffer by the name of its block; nil if there is none.
func findBuffer(m *module.Module, name string) *buffer {
	for _, in := range m.Globals {
		if in.Op != module.OpVariable {
			continue
		}
		pointer := m.Definition(in.At(0))
		if m.Name(pointer.At(2)) != name {
			continue
		}
		set, _ := m.Decoration(in.Result(), module.DescriptorSet)
		binding, ok := m.Decoration(in.Result(), module.Binding)
		if ok {
			return &buffer{in.Result(), module.StorageClass(in.At(2)), set, binding}
		}
	}
	return nil
}
