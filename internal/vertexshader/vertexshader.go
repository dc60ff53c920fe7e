// Package vertexshader makes a user's vertex shader what a frame is shaded by: it compiles
// the file where it is no SPIR-V, reads the values of its blocks from a uniforms file,
// finds the mesh's data for its inputs by their names, and has the frame fill in matrices,
// camera and time (docs/vertex-shaders.md).
//
// It knows no flags and no device.
package vertexshader
