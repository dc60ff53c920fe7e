// glslang: --target-env vulkan1.0
#version 450
// Indices from attributes into everything with elements. Indices out of range give the last element:
// number 2 for x, 3 for y and z, 6 for w. The constant index 5 of the bones is out of range, too.
layout(location = 0) in vec3 position;
layout(location = 2) in ivec4 at;
layout(location = 0) out vec4 read;
layout(location = 1) out vec4 written[3];
layout(set = 0, binding = 0) uniform Camera { mat4 poses[3]; vec4 scales[7]; };
layout(set = 0, binding = 1) readonly buffer Bones { uint first; vec4 bones[]; };
const float table[4] = float[](0.125, 0.25, 0.5, 0.75);
float kept[4];
vec2 last(inout vec2 list[7], int i) {
    list[i] += 0.25;
    return list[6];
}
void main() {
    vec2 local[7] = vec2[](vec2(0.0), vec2(0.1), vec2(0.2), vec2(0.3), vec2(0.4), vec2(0.5), vec2(0.6));
    for (int i = 0; i < 4; i++) kept[i] = 0.0625 * i;
    kept[at.y] += 0.5;
    vec4 row = poses[at.x][at.y];
    row[at.z] += table[at.y];
    read = vec4(bones[at.x].y, bones[uint(at.x)][at.z], kept[3], scales[at.w].x);
    written[0] = written[1] = written[2] = vec4(0.0);
    written[at.x] = vec4(last(local, at.w), (row * 0.5)[at.z], row.w);
    gl_Position = vec4(position, 0.0) + row + read + written[2] + bones[5];
}
