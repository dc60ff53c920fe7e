package renderer

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// VertexShader is the shader that a strategy runs once per unique vertex: shaders/vertex/NAME.vert
// with its name in VertexShaderNames.
type VertexShader uint32

// The vertex shaders. Skin and Displace do more work, and write a normal with every vertex, even
// with NoView.
const (
	Transform VertexShader = iota // transforms to clip space, nothing else
	Skin                          // four bones per vertex, read from a separate stream
	Displace                      // procedural noise moves each vertex along its normal
)

// VertexShaderNames are the names of the vertex shaders, in the order of the constants.
var VertexShaderNames = []string{"transform", "skin", "displace"}

func (v VertexShader) String() string { return nameOf(VertexShaderNames, uint32(v)) }

// vertexCycles is, by vertex shader, the load in cycles that costs as much as the shader. It lies between the costs
// measured on an H200 with claim and with naive-index: 990 and 2,400 for skin, 2,600 and 5,800 for displace.
var vertexCycles = []int{0, 1500, 4000}

// VertexCycles returns the cost of shading a vertex in addition to transforming it, in cycles.
func (f *Frame) VertexCycles() int { return f.Load + vertexCycles[f.VertexShader] }

// VertexText names the vertex shader for a title, as ", skin"; "" if it only transforms.
func (f *Frame) VertexText() string {
	switch {
	case f.Shading != nil:
		return ", " + f.Shading.Name
	case f.VertexShader == Transform:
		return ""
	}
	return ", " + f.VertexShader.String()
}

// SimpleLoad is the name of the load of a vertex shader that only transforms.
const SimpleLoad = "simple"

// LoadName names the cost of shading a vertex: simple, a number of cycles, or a vertex shader.
func (f *Frame) LoadName() string {
	switch {
	case f.Shading != nil:
		return f.Shading.Name
	case f.VertexShader != Transform:
		return f.VertexShader.String()
	case f.Load > 0:
		return strconv.Itoa(f.Load)
	}
	return SimpleLoad
}

// ShaderCode returns the name of the frame's vertex shader and, if it comes from a user or a
// capture, the SPIR-V of each of its programs; otherwise nil.
func (f *Frame) ShaderCode() (name string, programs [][]uint32) {
	if f.Shading == nil {
		return f.VertexShader.String(), nil
	}
	programs = make([][]uint32, 0, len(f.Shading.Programs))
	for i := range f.Shading.Programs {
		programs = append(programs, f.Shading.Programs[i].Vertex.Module.File)
	}
	return f.Shading.Name, programs
}

// checkShading returns an error for vertex shaders that do not match the frame.
func (f *Frame) checkShading() error {
	s := f.Shading
	switch {
	case s == nil && f.View == Varying:
		return errors.New("the varying view shows an output of a vertex shader that is given as a file, and there is none")
	case s == nil:
		return nil
	case f.View == Varying && s.Shown == "":
		return errors.New("the varying view shows an output of the vertex shader, and none is named")
	}
	if err := s.Validate(f.Scene); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}

// Distances returns how many clip and cull distances a vertex has: of each kind the most that one of
// the frame's vertex shaders writes.
func (f *Frame) Distances() (d module.Distances) {
	if f.Shading == nil {
		return d
	}
	for i := range f.Shading.Programs {
		of := f.Shading.Programs[i].Vertex.Distances()
		d.Clip, d.CullPlanes = max(d.Clip, of.Clip), max(d.CullPlanes, of.CullPlanes)
	}
	return d
}
