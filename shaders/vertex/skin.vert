#version 450
#extension GL_GOOGLE_include_directive : require

// vertex/skin: linear blend skinning, four bones per vertex: each reads 8 bytes of its own and
// four 3x4 matrices.
//
// Input   position and normal in model space; skin and bones; clip, the draw's matrix from
//         model to clip space
// Output  clip position in the pose, and the normal in model space, not of unit length
// Source  the field's standard form: matrices are blended, then applied
// Dispatch joined with every pass that shades (include/custom.glsl)

#include "include/interface.glsl"
#include "include/exact.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec2 skin; // x: four bones, 8 bits each; y: their weights, unorm8
layout(location = 4) in mat4 clip;
layout(binding = BINDING_BONES, std430) readonly buffer Bones { vec4 bones[]; }; // bones * 3 rows of a 3x4 matrix
layout(location = 0) out vec3 normalPosed;

uvec4 skin_bytes(uint packed) { return (uvec4(packed) >> uvec4(0u, 8u, 16u, 24u)) & 255u; }

// Row 0..2 of the blended matrix; bone holds where the matrices begin.
vec4 skin_row(uvec4 bone, vec4 weight, uint row) {
    precise vec4 sum = ((vec4(weight.x) * bones[bone.x + row] + vec4(weight.y) * bones[bone.y + row]) +
                        vec4(weight.z) * bones[bone.z + row]) + vec4(weight.w) * bones[bone.w + row];
    return sum;
}

float skin_position(vec4 row, vec3 p) {
    precise float sum = exact_dot(row.xyz, p) + row.w;
    return sum;
}

void main() {
    uvec4 bone = 3u * skin_bytes(skin.x);
    precise vec4 weight = vec4(skin_bytes(skin.y)) * vec4(1.0 / 255.0);
    vec4 rowX = skin_row(bone, weight, 0u), rowY = skin_row(bone, weight, 1u), rowZ = skin_row(bone, weight, 2u);
    vec3 posed = vec3(skin_position(rowX, position), skin_position(rowY, position), skin_position(rowZ, position));
    normalPosed = vec3(exact_dot(rowX.xyz, normal), exact_dot(rowY.xyz, normal), exact_dot(rowZ.xyz, normal));
    gl_Position = exact_transform(clip, vec4(posed, 1.0));
}
