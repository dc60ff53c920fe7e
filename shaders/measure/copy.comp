#version 450
#extension GL_GOOGLE_include_directive : require

// Copies a buffer, to measure the bandwidth that a compute shader reaches.
//
// Input   source[], 16 bytes each
// Output  result[], the same
// Source  not in the paper
// Dispatch one workgroup per ELEMENTS * WORKGROUP elements

#include "include/interface.glsl"

WORKGROUP_SIZE;

layout(binding = BINDING_SOURCE, std430) readonly buffer Source { uvec4 source[]; };
layout(binding = BINDING_RESULT, std430) writeonly buffer Result { uvec4 result[]; };

void main() {
    uint first = gl_WorkGroupID.x * ELEMENTS * WORKGROUP + gl_LocalInvocationID.x;
    uint last = min(uint(source.length()), uint(result.length())) - 1u;
    uvec4 held[ELEMENTS];
    for (uint k = 0u; k < ELEMENTS; k++) held[k] = source[min(first + k * WORKGROUP, last)];
    for (uint k = 0u; k < ELEMENTS; k++) {
        if (first + k * WORKGROUP <= last) result[first + k * WORKGROUP] = held[k];
    }
}
