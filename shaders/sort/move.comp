#version 450
#extension GL_GOOGLE_include_directive : require

// Moves each key, with its value, to its place in the order of a digit.
//
// Input   sortKeys[push.count]; sortValues[push.count], unless SORT_FIRST: then a
//         key's value is its place
//         sortCounts[] as sort/scan leaves it
// Output  sortedKeys[], sortedValues[]: keys with the same digit keep their order;
//         sortedKeys[] ends with two more copies of the last, which pad to triples
// Source  not in the paper; ranks within a subgroup as in S. Ashkiani et al.: GPU
//         Multisplit, 2016
// Dispatch one workgroup per tile

#include "sort/tile.glsl"

layout(binding = BINDING_SORT_VALUES, std430) readonly buffer SortValues { uint sortValues[]; };
layout(binding = BINDING_SORTED_KEYS, std430) writeonly buffer SortedKeys { uint sortedKeys[]; };
layout(binding = BINDING_SORTED_VALUES, std430) writeonly buffer SortedValues { uint sortedValues[]; };

const uint DIGITS_OWN = (SORT_DIGITS + WORKGROUP - 1u) / WORKGROUP; // digits per invocation

shared uint shCount[SUBGROUPS * SORT_DIGITS]; // by subgroup and digit
shared uint shFirst[SORT_DIGITS];             // place in the tile of a digit's first key
shared uint shTarget[SORT_DIGITS];            // its target, minus shFirst
shared uint shTile[TILE];                     // the tile in its new order

// The lanes whose valid keys have the same digit as this one.
uvec2 move_peers(uint digit, bool valid) {
    uvec2 peers = lanes_ballot(valid);
    for (uint bit = 0u; bit < push.bits; bit++) {
        bool set = (digit >> bit & 1u) != 0u;
        uvec2 with = lanes_ballot(set);
        peers &= set ? with : ~with;
    }
    return peers;
}

// Replaces each subgroup's count of a digit by the sum over the preceding subgroups, and computes
// shFirst and shTarget of all digits.
void move_places(uint tile) {
    uint firstDigit = gl_LocalInvocationID.x * DIGITS_OWN;
    uvec2 own[DIGITS_OWN]; // keys with a digit: in the tile, in all
    uvec2 sum = uvec2(0u);
    for (uint i = 0u; i < DIGITS_OWN; i++) {
        uint digit = firstDigit + i;
        own[i] = uvec2(0u);
        if (digit < 1u << push.bits) {
            own[i].y = sortCounts[(push.tiles << push.bits) + digit];
            for (uint s = 0u; s < SUBGROUPS; s++) {
                uint count = shCount[s * SORT_DIGITS + digit];
                shCount[s * SORT_DIGITS + digit] = own[i].x;
                own[i].x += count;
            }
        }
        sum += own[i];
    }
    uvec2 before = tile_before(sum);
    for (uint i = 0u; i < DIGITS_OWN; i++) {
        uint digit = firstDigit + i;
        if (digit < 1u << push.bits) {
            shFirst[digit] = before.x;
            shTarget[digit] = before.y + sortCounts[digit * push.tiles + tile] - before.x;
        }
        before += own[i];
    }
    barrier();
}

void main() {
    uint tid = gl_LocalInvocationID.x;
    uint lane = lanes_lane();
    uint tile = min(dispatch_workgroup(), push.tiles - 1u); // surplus workgroups repeat the last tile
    uint held = min(push.count - tile * TILE, TILE);
    uint mine = lanes_subgroup() * LANES * SORT_OWN + lane; // a subgroup's keys are consecutive
    uint counts = lanes_subgroup() * SORT_DIGITS;

    for (uint i = tid; i < SUBGROUPS * SORT_DIGITS; i += WORKGROUP) shCount[i] = 0u;
    uint keys[SORT_OWN];
    for (uint i = 0u; i < SORT_OWN; i++) keys[i] = sortKeys[tile * TILE + min(mine + i * LANES, held - 1u)];
    lanes_start();
    barrier();

    // A key's rank among the subgroup's keys with its digit, then its place in the tile.
    uint places[SORT_OWN];
    for (uint i = 0u; i < SORT_OWN; i++) {
        bool valid = mine + i * LANES < held;
        uint digit = tile_digit(keys[i]);
        uvec2 peers = move_peers(digit, valid);
        uint rank = lanes_countBelow(peers, lane);
        places[i] = shCount[counts + digit] + rank;
        lanes_barrier();
        if (valid && rank == 0u) shCount[counts + digit] += lanes_count(peers);
        lanes_barrier();
    }
    barrier();
    move_places(tile);
    for (uint i = 0u; i < SORT_OWN; i++) {
        uint digit = tile_digit(keys[i]);
        places[i] += shFirst[digit] + shCount[counts + digit];
        if (mine + i * LANES < held) shTile[places[i]] = keys[i];
    }
    barrier();
    uint targets[SORT_OWN];
    for (uint i = 0u; i < SORT_OWN; i++) {
        uint at = min(i * WORKGROUP + tid, held - 1u);
        uint key = shTile[at];
        targets[i] = shTarget[tile_digit(key)] + at;
        sortedKeys[targets[i]] = key;
        if (targets[i] == push.count - 1u) {
            sortedKeys[push.count] = key;
            sortedKeys[push.count + 1u] = key;
        }
    }
    barrier();
    for (uint i = 0u; i < SORT_OWN; i++) {
        uint place = mine + i * LANES;
        if (place < held) shTile[places[i]] = SORT_FIRST ? tile * TILE + place : sortValues[tile * TILE + place];
    }
    barrier();
    for (uint i = 0u; i < SORT_OWN; i++) sortedValues[targets[i]] = shTile[min(i * WORKGROUP + tid, held - 1u)];
}
