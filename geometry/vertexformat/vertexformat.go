// Package vertexformat holds the formats of vertex attributes, named as Vulkan names
// them, and how an element of each becomes the four components that a vertex shader
// reads.
package vertexformat

import "fmt"

// Format is how the components of an attribute's element lie in memory, little endian.
type Format uint8

// Class is the type of the components that a vertex shader reads.
type Class uint8

// The classes.
const (
	Float Class = iota + 1 // 32-bit floats; those that an element lacks are 0, 0, 1
	Sint                   // 32-bit signed integers; 0, 0, 1
	Uint                   // 32-bit unsigned integers; 0, 0, 1
)

// The formats that glTF, PLY and captured frames have.
const (
	Undefined Format = iota
	R32_SFLOAT
	R32G32_SFLOAT
	R32G32B32_SFLOAT
	R32G32B32A32_SFLOAT
)

type info struct {
	name  string
	size  int
	class Class
}

var formats = []info{
	Undefined:           {"undefined", 0, 0},
	R32_SFLOAT:          {"R32_SFLOAT", 4, Float},
	R32G32_SFLOAT:       {"R32G32_SFLOAT", 8, Float},
	R32G32B32_SFLOAT:    {"R32G32B32_SFLOAT", 12, Float},
	R32G32B32A32_SFLOAT: {"R32G32B32A32_SFLOAT", 16, Float},
}

// String is the format's name, as Vulkan has it without VK_FORMAT_.
func (f Format) String() string {
	if int(f) < len(formats) {
		return formats[f].name
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// Size is the bytes of an element.
func (f Format) Size() int { return formats[f].size }

// Class is the type of the components that a shader reads.
func (f Format) Class() Class { return formats[f].class }
