// glslang: --target-env vulkan1.1
#version 450
// Doubles in a block and in functions: a planet far from the origin.
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 relative;
layout(set = 0, binding = 0, std140) uniform Planet { dvec3 centre; dmat3 turn; double radius; mat4 matrix; } planet;
dvec3 surface(dvec3 p) { return planet.turn * (normalize(p) * planet.radius) - planet.centre; }
void main() {
    relative = vec3(surface(dvec3(position)));
    gl_Position = planet.matrix * vec4(relative, 1.0);
}
