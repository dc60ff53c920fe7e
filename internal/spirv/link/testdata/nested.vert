// glslang: --target-env vulkan1.1
#version 450
// Structs in arrays in structs, in a storage and in a uniform block.
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 lit;
struct Light { vec3 direction; float power; vec2 range[2]; };
struct Group { Light lights[3]; mat3 turn; uint count; };
layout(set = 0, binding = 0, std140) uniform Lights { Group groups[2]; mat4 matrix; } lights;
layout(set = 0, binding = 4, std430) readonly buffer More { Group group; vec3 ambient; } more;
vec3 gather(Group g) {
    vec3 sum = vec3(0.0);
    for (uint i = 0u; i < min(g.count, 3u); i++) sum += g.turn * (g.lights[i].direction * g.lights[i].power) + g.lights[i].range[1].xyx;
    return sum;
}
void main() {
    lit = gather(lights.groups[1]) + gather(more.group) + more.ambient;
    gl_Position = lights.matrix * vec4(position, 1.0);
}
