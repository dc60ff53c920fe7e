package module

import (
	"cmp"
	"fmt"
)

// The kinds of numbers whose names are in numbers.txt and, for Go, in number_gen.go.
type (
	// StorageClass says where a pointer points.
	StorageClass uint32
	// Decoration is a decoration's number in the specification.
	Decoration uint32
	// BuiltIn is a built-in variable's number in the specification.
	BuiltIn uint32
	// Capability is a feature that a module requires of a device. Only capabilities that graphics and
	// compute shaders declare have names here.
	Capability uint32
)

// String returns a built-in variable's name in the specification.
func (b BuiltIn) String() string {
	return cmp.Or(builtInNames[b], fmt.Sprintf("built-in %d", uint32(b)))
}

// String returns the capability's name in the specification.
func (c Capability) String() string {
	return cmp.Or(capabilityNames[c], fmt.Sprintf("capability%d", uint32(c)))
}

// Stage is an entry point's execution model.
type Stage uint32

// Stages.
const (
	VertexStage   Stage = 0
	FragmentStage Stage = 4
	ComputeStage  Stage = 5
	MeshStage     Stage = 5365
)

// String returns the stage in lower case.
func (s Stage) String() string {
	names := []string{"vertex", "tessellation control", "tessellation evaluation", "geometry", "fragment", "compute", "kernel"}
	if int64(s) < int64(len(names)) {
		return names[s]
	}
	return fmt.Sprintf("execution model %d", uint32(s))
}
