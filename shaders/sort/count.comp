#version 450
#extension GL_GOOGLE_include_directive : require

// Counts the digits of each tile.
//
// Input   sortKeys[push.count]
// Output  sortCounts[digit * push.tiles + tile]
// Source  not in the paper
// Dispatch one workgroup per tile

#include "sort/tile.glsl"

shared uint shCount[SORT_DIGITS];

void main() {
    uint tid = gl_LocalInvocationID.x;
    uint tile = dispatch_workgroup();
    for (uint digit = tid; digit < SORT_DIGITS; digit += WORKGROUP) shCount[digit] = 0u;
    barrier();
    uint keys[SORT_OWN];
    for (uint i = 0u; i < SORT_OWN; i++) keys[i] = sortKeys[min(tile * TILE + i * WORKGROUP + tid, push.count - 1u)];
    for (uint i = 0u; i < SORT_OWN; i++) {
        if (tile * TILE + i * WORKGROUP + tid < push.count) atomicAdd(shCount[tile_digit(keys[i])], 1u);
    }
    barrier();
    if (tile >= push.tiles) return;
    for (uint digit = tid; digit < 1u << push.bits; digit += WORKGROUP) sortCounts[digit * push.tiles + tile] = shCount[digit];
}
