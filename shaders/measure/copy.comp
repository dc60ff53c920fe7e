#version 450

// Copies a buffer to another: the bandwidth that a compute shader reaches.
//
// Input   source[], 16 bytes each
// Output  result[], the same
// Source  not in the paper
// Dispatch one workgroup every ELEMENTS * WORKGROUP elements

layout(constant_id = 2) const uint WORKGROUP = 256u; // invocations
layout(constant_id = 11) const uint ELEMENTS = 4u;   // an invocation copies, their loads under way at once
layout(local_size_x = 32, local_size_x_id = 2, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, std430) readonly buffer Source { uvec4 source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Result { uvec4 result[]; };

void main() {
    uint first = gl_WorkGroupID.x * ELEMENTS * WORKGROUP + gl_LocalInvocationID.x;
    uint last = min(uint(source.length()), uint(result.length())) - 1u;
    uvec4 held[ELEMENTS];
    for (uint k = 0u; k < ELEMENTS; k++) held[k] = source[min(first + k * WORKGROUP, last)];
    for (uint k = 0u; k < ELEMENTS; k++) {
        if (first + k * WORKGROUP <= last) result[first + k * WORKGROUP] = held[k];
    }
}
