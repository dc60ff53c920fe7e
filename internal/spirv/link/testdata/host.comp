// glslang: --target-env vulkan1.1
#version 460
// A host for tests: it has the declarations that internal/spirv/link requires, and writes the
// result of custom_vertex for every index of one draw.
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { uint draw; uint count; } push;
layout(binding = 0, std430) readonly buffer Positions { float positions[]; };
layout(binding = 1, std430) readonly buffer Normals { float normals[]; };
layout(binding = 2, std430) readonly buffer AttributeWords { uint attributeWords[]; };
layout(binding = 3, std430) readonly buffer Shadings { uint shadings[]; };
layout(binding = 4, std430) readonly buffer Values { uint values[]; };
layout(binding = 6, std140) uniform Uniforms { uvec4 uniforms; };
layout(binding = 5, std430) writeonly buffer Results { vec4 results[]; }; // position and shown output

uvec4 custom_fetch(uint format, uint first, uint element) {
    uvec4 words = uvec4(0u, 0u, 0u, 0x3f800000u);
    uint n = (format - 97u) / 3u; // of R32_SFLOAT to R32G32B32A32_SFLOAT: how many floats
    uint at = first / 4u + n * element;
    for (uint i = 0u; i < n; i++) words[i] = attributeWords[at + i];
    return words;
}

vec4 custom_vertex(uint draw, uint vertex, uint id, mat4 clip, out vec4 shown) {
    shown = uintBitsToFloat(custom_fetch(shadings[draw], values[draw], vertex));
    return clip * vec4(positions[vertex], normals[vertex], 0.0, float(id + uniforms.x));
}

void main() {
    uint id = gl_GlobalInvocationID.x;
    if (id >= push.count) return;
    vec4 shown;
    results[2u * id] = custom_vertex(push.draw, id, id, mat4(1.0), shown);
    results[2u * id + 1u] = shown;
}
