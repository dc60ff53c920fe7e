// Linear blend skinning, four bones per vertex: 8 bytes of the vertex's stream and
// four 3x4 matrices.
//
// Input   skin[] of the vertex, bones[]; position and normal in model space
// Output  both in the pose; the normal not of unit length
// Source  the field's standard form: matrices are blended, then applied
#ifndef SKIN_GLSL
#define SKIN_GLSL

#include "include/exact.glsl"

layout(binding = BINDING_SKIN, std430) readonly buffer Skin { uvec2 skin[]; };  // x: four bones, 8 bits each; y: their weights, unorm8
layout(binding = BINDING_BONES, std430) readonly buffer Bones { vec4 bones[]; }; // bones * 3 rows of a 3x4 matrix

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

void skin_pose(uint vertex, inout vec4 posObject, inout vec3 normalObject) {
    uvec2 packed = skin[vertex];
    uvec4 bone = 3u * skin_bytes(packed.x);
    precise vec4 weight = vec4(skin_bytes(packed.y)) * vec4(1.0 / 255.0);
    vec4 rowX = skin_row(bone, weight, 0u), rowY = skin_row(bone, weight, 1u), rowZ = skin_row(bone, weight, 2u);
    vec3 p = posObject.xyz, n = normalObject;
    posObject.xyz = vec3(skin_position(rowX, p), skin_position(rowY, p), skin_position(rowZ, p));
    normalObject = vec3(exact_dot(rowX.xyz, n), exact_dot(rowY.xyz, n), exact_dot(rowZ.xyz, n));
}

#endif
