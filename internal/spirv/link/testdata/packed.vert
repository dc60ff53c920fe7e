// glslang: --target-env vulkan1.1
#version 450
// Compressed attributes as integers: half positions, an octahedral normal, a tangent of
// 10:10:10:2 bits.
layout(location = 0) in uvec2 halves;
layout(location = 1) in uint octahedral;
layout(location = 2) in uint tangent;
layout(location = 0) out vec3 normal;
layout(location = 1) out vec4 direction;
layout(set = 0, binding = 0) uniform Camera { mat4 matrix; };
vec3 decode(vec2 e) {
    vec3 n = vec3(e, 1.0 - abs(e.x) - abs(e.y));
    if (n.z < 0.0) n.xy = (1.0 - abs(n.yx)) * vec2(n.x >= 0.0 ? 1.0 : -1.0, n.y >= 0.0 ? 1.0 : -1.0);
    return normalize(n);
}
void main() {
    vec3 p = vec3(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y).x);
    normal = decode(unpackSnorm2x16(octahedral));
    ivec3 t = ivec3(bitfieldExtract(int(tangent), 0, 10), bitfieldExtract(int(tangent), 10, 10), bitfieldExtract(int(tangent), 20, 10));
    direction = vec4(vec3(t) / 511.0, float(tangent >> 30) - 1.0);
    gl_Position = matrix * vec4(p, 1.0);
}
