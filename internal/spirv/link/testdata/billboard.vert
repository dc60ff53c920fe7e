// glslang: --target-env vulkan1.1
#version 450
// Billboards: four vertices by VertexIndex, a centre by InstanceIndex.
layout(location = 0) out vec2 corner;
struct Particle { vec3 centre; float size; };
layout(set = 0, binding = 0, std430) readonly buffer Particles { Particle particles[16]; };
layout(set = 0, binding = 1) uniform View { mat4 view; mat4 projection; };
const vec2 corners[4] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(-1, 1), vec2(1, 1));
void main() {
    corner = corners[gl_VertexIndex & 3];
    Particle p = particles[gl_InstanceIndex & 15];
    vec4 centre = view * vec4(p.centre, 1.0);
    gl_Position = projection * (centre + vec4(corner * p.size, 0.0, 0.0));
    gl_PointSize = p.size;
}
