// The common part of the passes of the sort, a least significant digit radix sort: keys are sorted
// by one digit after another, the lowest first. A workgroup takes a tile of keys. No workgroup
// waits for another, so they need not run at the same time.
//
// Each digit takes three consecutive dispatches: sort/count, sort/scan, sort/move.
#ifndef TILE_GLSL
#define TILE_GLSL

#include "include/lanes.glsl"
#include "include/dispatch.glsl"

const uint SORT_DIGITS = 256u;          // values of a digit
const uint TILE = WORKGROUP * SORT_OWN; // keys per workgroup

struct SortPush {
    uint count; // number of keys
    uint tiles;
    uint shift; // the digit's lowest bit
    uint bits;  // number of bits of the digit, at most 8
};
layout(push_constant) uniform Push { SortPush push; };

layout(binding = BINDING_SORT_KEYS, std430) readonly buffer SortKeys { uint sortKeys[]; };
// For each digit the counts of push.tiles tiles; then a total per digit.
layout(binding = BINDING_SORT_COUNTS, std430) buffer SortCounts { uint sortCounts[]; };

uint tile_digit(uint key) { return key >> push.shift & (1u << push.bits) - 1u; }

shared uvec2 shSums[WORKGROUP];

// The sum of the values of all previous invocations. shSums holds the sums up to and
// including each invocation until the next call. All invocations must call it.
uvec2 tile_before(uvec2 value) {
    uint tid = gl_LocalInvocationID.x;
    uvec2 sum = value;
    barrier();
    shSums[tid] = sum;
    for (uint step = 1u; step < WORKGROUP; step <<= 1) {
        barrier();
        uvec2 other = tid >= step ? shSums[tid - step] : uvec2(0u);
        barrier();
        sum += other;
        shSums[tid] = sum;
    }
    barrier();
    return sum - value;
}

#endif
