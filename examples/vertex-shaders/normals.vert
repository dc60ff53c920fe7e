#version 450

// Shows normals: --view varying:color. It needs no uniforms file, since Frame's members are filled in by their names.

layout(set = 0, binding = 0) uniform Frame {
	mat4 model;
	mat4 viewProjection;
};

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;

layout(location = 0) out vec3 color; // x, y and z from -1 to 1 as red, green and blue from 0 to 1

void main() {
	gl_Position = viewProjection * model * vec4(position, 1.0);
	color = 0.5 + 0.5 * normalize(mat3(model) * normal); // right for models that are scaled equally along all axes
}
