#version 450
#extension GL_GOOGLE_include_directive : require

// Replaces each tile's count of a digit by the sum over all tiles before it.
//
// Input   sortCounts[digit * push.tiles + tile]
// Output  the same buffer, with the digits' totals after the tiles' counts
// Source  not in the paper
// Dispatch one workgroup per digit

#include "sort/tile.glsl"

void main() {
    uint tid = gl_LocalInvocationID.x;
    uint digit = gl_WorkGroupID.x;
    uint row = digit * push.tiles;
    uint total = 0u;
    for (uint first = 0u; first < push.tiles; first += TILE) {
        uint at = first + tid * SORT_OWN;
        uint own[SORT_OWN];
        uint sum = 0u;
        for (uint i = 0u; i < SORT_OWN; i++) {
            own[i] = at + i < push.tiles ? sortCounts[row + at + i] : 0u;
            sum += own[i];
        }
        uint before = total + tile_before(uvec2(sum, 0u)).x;
        for (uint i = 0u; i < SORT_OWN; i++) {
            if (at + i < push.tiles) sortCounts[row + at + i] = before;
            before += own[i];
        }
        total += shSums[WORKGROUP - 1u].x;
    }
    if (tid == 0u) sortCounts[(push.tiles << push.bits) + digit] = total;
}
