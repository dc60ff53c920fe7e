// Package shaders holds the SPIR-V of the renderer and describes it to Go. The GLSL is in the folder
// shaders of the project.
//
// The GLSL is sorted by stage:
//
//   - camera/ multiplies the camera's matrix with the draws' matrices
//   - vertex/ has our vertex shaders, which plans join with every pass that shades
//   - geometry/ finds repeated indices and shades each unique vertex once: a strategy per file
//   - functions/ has shade functions other than vertex shaders, which include/function.glsl includes
//   - cull/ drops triangles that show nothing, and shades attributes of the others
//   - queue/ works on the queues between the stages
//   - raster/ turns the triangle queue into pixels, or draws the scene itself
//   - overlay/ draws the viewer's panels
//   - sort/ sorts keys, each with a value: the agents of the random walk
//   - measure/ measures what a device can do
//   - include/ is shared by all, as in #include "include/layout.glsl"
//
// A stage file (.comp, .vert, .frag) is one shader, named by its path without the
// extension: geometry/warp. A file that is compiled in several ways has a line for
// each in variants.txt instead:
//
//	name = path DEFINE=VALUE ...
//
// A * in name and path stands for every stage file of a folder; -PATTERN after the path leaves some
// of them out. @mesh after the path makes a mesh shader of a compute shader. Variants that differ
// only in specialization constants, as most do, need no line.
//
// include/interface.glsl numbers all bindings and specialization constants. The
// structs of include/ are the only source of layouts. tools/spirv compiles every
// shader, reflects it, and writes spirv/*.spv and layout_gen.go: a Go struct for
// each struct of a buffer with its size ([Draw], DrawSize), the numeric constants
// of include/ (OVERFLOW_VERTICES is OverflowVertices), and [All], with a [Shader] for
// each. It refuses structs that two shaders declare differently, and bindings and
// constants that have two numbers, or share one. layout.h has the same structs and
// numbers for renderers in C and C++, beside the GLSL. All that tools/spirv writes is committed, so
// that neither users nor `go install` need a shader compiler:
//
//	go run ./tools/spirv          compile what changed
//	go run ./tools/spirv -check   fail if what is committed does not belong to the GLSL
//
// The package is pure Go and knows neither Vulkan nor what a frame is.
package shaders

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Shader is a compiled stage and its interface. It must not be changed.
type Shader struct {
	Name   string // for Find: "geometry/warp"
	Source string // stage file below the folder shaders
	Stage  Stage
	SPIRV  []byte // little-endian words; the entry point is main

	Bindings []Binding // by set and binding
	// Open has the bindings of link.HostBuffers: only users' vertex shaders read them, once they are joined
	// with this shader. It is nil if they cannot be joined with it.
	Open             []Binding
	SpecConstants    []SpecConstant
	PushConstantSize int // bytes

	LocalSize     [3]uint32 // workgroup, in invocations; zero if the stage is neither Compute nor Mesh
	LocalSizeSpec [3]string // name of the specialization constant that sets a dimension, or ""
	Capabilities  []string  // SPIR-V's names, sorted

	SourceHash string // SHA-256 over the stage file, its includes and defines
	SPIRVHash  string // SHA-256 over SPIRV
}

// What internal/spirv/module reads from a shader's SPIR-V.
type (
	Stage        = module.Stage
	Binding      = module.Descriptor // layout.h says what its buffer holds; Type is nil for our own shaders
	SpecConstant = module.SpecConstant
)

// The stages.
const (
	Compute  = module.ComputeStage
	Vertex   = module.VertexStage
	Fragment = module.FragmentStage
	Mesh     = module.MeshStage
)

// Find looks a shader up by name.
func Find(name string) (*Shader, error) {
	i := slices.IndexFunc(All, func(s *Shader) bool { return s.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("shaders: no shader is called %q", name)
	}
	return All[i], nil
}

// Must is Find for names in the code: it panics if there is no such shader.
func Must(name string) *Shader {
	s, err := Find(name)
	if err != nil {
		panic(err)
	}
	return s
}

// Words returns the shader's SPIR-V as words in the host's byte order.
func (s *Shader) Words() []uint32 {
	words, _ := module.Words(s.SPIRV) // compilers write whole words
	return words
}

// Needs reports whether the shader requires a SPIR-V capability, such as
// "GroupNonUniformBallot" or "Int64Atomics".
func (s *Shader) Needs(capability string) bool { return slices.Contains(s.Capabilities, capability) }

// Binding returns the descriptor with a name, or nil.
func (s *Shader) Binding(name string) *Binding {
	i := slices.IndexFunc(s.Bindings, func(b Binding) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Bindings[i]
}

// SpecConstant returns the specialization constant with a name, or nil.
func (s *Shader) SpecConstant(name string) *SpecConstant {
	i := slices.IndexFunc(s.SpecConstants, func(c SpecConstant) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &s.SpecConstants[i]
}

// SpecEntry says where a constant is in the data of a [Specialization].
type SpecEntry struct{ ID, Offset, Size uint32 }

// Specialization is what a pipeline needs to set specialization constants.
type Specialization struct {
	Entries []SpecEntry // by ID
	Data    []byte      // in the host's byte order
}

// Spec resolves specialization constants by name; others keep their defaults. A name that this
// shader lacks is skipped if another shader has it, since a compiler drops the constants that a
// stage does not use. A name that no shader has is an error, and so is a bool that is neither 0
// nor 1.
func (s *Shader) Spec(values map[string]uint32) (Specialization, error) {
	var out Specialization
	for _, c := range s.SpecConstants {
		value, given := values[c.Name]
		if !given {
			continue
		}
		if c.Kind == module.Bool && value > 1 {
			return Specialization{}, fmt.Errorf("shaders: %s: specialization constant %s is a bool, not %d", s.Name, c.Name, value)
		}
		out.Entries = append(out.Entries, SpecEntry{ID: c.ID, Offset: uint32(len(out.Data)), Size: 4})
		out.Data = binary.NativeEndian.AppendUint32(out.Data, value)
	}
	if len(out.Entries) == len(values) {
		return out, nil
	}
	for name := range values {
		known := func(other *Shader) bool { return other.SpecConstant(name) != nil }
		if !known(s) && !slices.ContainsFunc(All, known) {
			return Specialization{}, fmt.Errorf("shaders: %s: no shader has a specialization constant %s", s.Name, name)
		}
	}
	return out, nil
}

// WorkgroupSize returns the size of a workgroup, in invocations, with the given specialization
// constants.
func (s *Shader) WorkgroupSize(values map[string]uint32) [3]uint32 {
	size := s.LocalSize
	for i, name := range s.LocalSizeSpec {
		if value, given := values[name]; given && name != "" {
			size[i] = value
		}
	}
	return size
}

// pick returns rows of a table by index.
func pick[T any](from []T, rows ...int) []T {
	picked := make([]T, len(rows))
	for i, row := range rows {
		picked[i] = from[row]
	}
	return picked
}
