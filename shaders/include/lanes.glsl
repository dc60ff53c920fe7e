// Subgroup operations over LANES lanes. Where the device's subgroups have as many
// (NATIVE), its own ballot runs, and a workgroup holds SUBGROUPS independent
// subgroups. Elsewhere a workgroup is one virtual subgroup, which ballots through
// shared memory: the same results, at the price of barriers. All lanes must reach
// every operation: a lane that has nothing to do says so by a value and never returns
// early.
#ifndef LANES_GLSL
#define LANES_GLSL

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require

#include "include/interface.glsl"

WORKGROUP_SIZE;
const uint SUBGROUPS = WORKGROUP / LANES;

// Masks of the virtual ballot: 32 lanes per word, two words per mask. Three masks are used
// in turn, so that one barrier per ballot is enough: while one is filled, the previous one
// may still be read, and the next one is already clear.
shared uint shBallot[NATIVE ? 1 : 6];
uint lanes_turn = 0u;

// The subgroup's number in its workgroup.
uint lanes_subgroup() { return NATIVE ? gl_SubgroupID : 0u; }

// This invocation's lane, 0..LANES-1.
uint lanes_lane() { return NATIVE ? gl_SubgroupInvocationID : gl_LocalInvocationID.x; }

// Orders the subgroup's accesses to shared memory.
void lanes_barrier() {
    if (NATIVE) {
        subgroupMemoryBarrierShared();
        subgroupBarrier();
    } else {
        barrier();
    }
}

// Must be called once before the first ballot.
void lanes_start() {
    if (NATIVE) return;
    for (uint i = lanes_lane(); i < 6u; i += LANES) shBallot[i] = 0u;
    barrier();
}

// One bit per lane, lane 0 lowest, 64 lanes in two words. If the subgroup is virtual, the
// ballot also orders its accesses to shared memory.
uvec2 lanes_ballot(bool predicate) {
    if (NATIVE) return subgroupBallot(predicate).xy;
    uint lane = lanes_lane();
    uint mine = 2u * lanes_turn;
    uint before = 2u * ((lanes_turn + 2u) % 3u);
    if (predicate) atomicOr(shBallot[mine + (lane >> 5)], 1u << (lane & 31u));
    barrier();
    // All lanes have passed this ballot's barrier, so none still reads the previous mask.
    if (lane < 2u) shBallot[before + lane] = 0u;
    lanes_turn = (lanes_turn + 1u) % 3u;
    return uvec2(shBallot[mine], shBallot[mine + 1u]);
}

uint lanes_count(uvec2 mask) { return uint(bitCount(mask.x) + bitCount(mask.y)); }

// The number of set lanes below the given one: its rank among them.
uint lanes_countBelow(uvec2 mask, uint lane) {
    uvec2 below = lane < 32u ? uvec2((1u << lane) - 1u, 0u) : uvec2(~0u, (1u << (lane - 32u)) - 1u);
    return lanes_count(mask & below);
}

// The sum of the values (each at most `most`) of the lanes below this one, and of all lanes.
uint lanes_sumBelow(uint value, uint most, out uint total) {
    uint below = 0u;
    total = 0u;
    for (uint bit = 0u; (most >> bit) > 0u; bit++) {
        uvec2 mask = lanes_ballot((value >> bit & 1u) != 0u);
        below += lanes_countBelow(mask, lanes_lane()) << bit;
        total += lanes_count(mask) << bit;
    }
    return below;
}

// The n-th set lane, counted from 0; it must exist. Binary search: it continues in the lower
// half if that has more than n set lanes, else in the upper half.
uint lanes_nth(uvec2 mask, uint n) {
    uint lane = 0u;
    for (uint step = 32u; step > 0u; step >>= 1) {
        uint below = lanes_countBelow(mask, lane + step) - lanes_countBelow(mask, lane);
        if (below <= n) {
            n -= below;
            lane += step;
        }
    }
    return lane;
}

#endif
