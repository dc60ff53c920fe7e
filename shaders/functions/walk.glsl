// walk: moves agents at random over a grid of cells. apps/walk/cell.go is its
// reference: whole numbers only.
//
// Input   ids: cells, y * WALK_GRID + x, of an agent per corner
//         push.arguments: the step, the number of agents, the number of the first
//         agent (unless WALK_ORDERED), the seed
//         walkPotential[], walkPrior[], walkWeights[]: tables of walk.Tables
//         walkOrder[]: by corner: its agent, if WALK_ORDERED
// Output  walkNext[]: by corner: the agent's next cell; two more at the end, which
//         pad the next stream to triples with copies of the last
// Source  paper, section 6.3; the formula is our own

#extension GL_EXT_control_flow_attributes : require

#include "functions/philox.glsl"

// Rows of the grid with a margin of WALK_RADIUS cells, WALK_STRIDE vectors each. The
// margin's potential is so low that no move leads there.
layout(binding = BINDING_WALK_POTENTIAL, std430) readonly buffer WalkPotential { ivec4 walkPotential[]; };
// By shift, 0 to 3, and |dy|, WALK_VECTORS vectors each: by dx from -WALK_RADIUS - shift on,
// -log2 of the squared distance, in units of 2^-16; very low if the move would be too far.
layout(binding = BINDING_WALK_PRIOR, std430) readonly buffer WalkPrior { ivec4 walkPrior[]; };
layout(binding = BINDING_WALK_WEIGHTS, std430) readonly buffer WalkWeights { uint walkWeights[]; };
layout(binding = BINDING_WALK_ORDER, std430) readonly buffer WalkOrder { uint walkOrder[]; };
layout(binding = BINDING_WALK_NEXT, std430) writeonly buffer WalkNext { uint walkNext[]; };

const uint WALK_RADIUS = 16u;
const uint WALK_VECTORS = 9u; // of four cells each: those within WALK_RADIUS in a row, and three more
const uint WALK_STRIDE = (WALK_GRID + 2u * WALK_RADIUS + 3u) / 4u + 1u;
const uint WALK_OPTIONS = 8u;
const int WALK_NO_SCORE = -(1 << 28); // below the scores of possible moves, above those of impossible ones
const uint WALK_STAY = WALK_RADIUS << 6 | WALK_RADIUS;

// The result of shading a cell.
struct WalkMoves {
    uvec4 moves; // 16 bits each, most likely first: dx, dy as signed bytes
    uvec4 sums;  // 16 bits each: running sums of weights
};
#define Shaded WalkMoves

const bool FUNCTION_CORNERS = true;

// The best moves so far, best first. A place is (dy + WALK_RADIUS) << 6 | dx + WALK_RADIUS:
// of equal scores the lower place is better. Loops over these arrays are unrolled, so that
// they stay in registers.
int walk_score[WALK_OPTIONS];
uint walk_place[WALK_OPTIONS];

void walk_insert(int score, uint place) {
    [[unroll]] for (uint i = 0u; i < WALK_OPTIONS; i++) {
        bool better = score > walk_score[i] || score == walk_score[i] && place < walk_place[i];
        int otherScore = better ? walk_score[i] : score;
        uint otherPlace = better ? walk_place[i] : place;
        walk_score[i] = better ? score : walk_score[i];
        walk_place[i] = better ? place : walk_place[i];
        score = otherScore;
        place = otherPlace;
    }
}

// The i-th number in order of distance from a middle one. Short moves are mostly the best:
// if they come first, most others are rejected immediately.
uint walk_fromMiddle(uint middle, uint i) { return (i & 1u) != 0u ? middle + (i + 1u) / 2u : middle - i / 2u; }

// Examines the moves to a row: to the cells from walkPotential[at] on. The first cell has
// the given place.
void walk_row(uint at, uint prior, uint place) {
    // Most rows have no move that is good enough; this finds that without a branch.
    ivec4 best = ivec4(WALK_NO_SCORE);
    [[unroll]] for (uint k = 0u; k < WALK_VECTORS; k++) best = max(best, walkPotential[at + k] + walkPrior[prior + k]);
    if (max(max(best.x, best.y), max(best.z, best.w)) < walk_score[WALK_OPTIONS - 1u]) return;
    for (uint i = 0u; i < WALK_VECTORS; i++) {
        uint k = walk_fromMiddle(WALK_VECTORS / 2u, i);
        ivec4 score = walkPotential[at + k] + walkPrior[prior + k];
        bvec4 better = greaterThanEqual(score, ivec4(walk_score[WALK_OPTIONS - 1u]));
        uint left = uint(better.x) | uint(better.y) << 1 | uint(better.z) << 2 | uint(better.w) << 3;
        while (left != 0u) {
            uint c = uint(findLSB(left));
            left &= left - 1u;
            ivec2 pair = c < 2u ? score.xy : score.zw;
            walk_insert((c & 1u) == 0u ? pair.x : pair.y, place + 4u * k + c);
        }
    }
}

// The weight of the i-th of the best moves.
uint walk_weight(uint i) {
    uint below = uint(walk_score[0] - walk_score[i]) >> 8;
    if (walk_score[i] == WALK_NO_SCORE || below >= walkWeights.length()) return 0u;
    return walkWeights[below];
}

// The i-th of the best moves in 16 bits.
uint walk_move(uint i) {
    uint dx = (walk_place[i] & 63u) - WALK_RADIUS;
    uint dy = (walk_place[i] >> 6) - WALK_RADIUS;
    return dx & 0xffu | (dy & 0xffu) << 8;
}

WalkMoves function_shade(uint cell) {
    [[unroll]] for (uint i = 0u; i < WALK_OPTIONS; i++) {
        walk_score[i] = WALK_NO_SCORE;
        walk_place[i] = WALK_STAY;
    }
    uint x = cell % WALK_GRID;
    uint shift = x & 3u; // cells of a row's first vector that are too far away
    uint first = cell / WALK_GRID * WALK_STRIDE + x / 4u;
    uint prior = shift * (WALK_RADIUS + 1u) * WALK_VECTORS;
    for (uint i = 0u; i <= 2u * WALK_RADIUS; i++) {
        uint row = walk_fromMiddle(WALK_RADIUS, i);
        walk_row(first + row * WALK_STRIDE, prior + (i + 1u) / 2u * WALK_VECTORS, (row << 6) - shift);
    }
    WalkMoves s;
    uint sum = 0u;
    [[unroll]] for (uint i = 0u; i < WALK_OPTIONS; i += 2u) {
        uint low = sum + walk_weight(i);
        sum = low + walk_weight(i + 1u);
        s.sums[i / 2u] = low | sum << 16;
        s.moves[i / 2u] = walk_move(i) | walk_move(i + 1u) << 16;
    }
    return s;
}

void function_keep(uint cell, WalkMoves s) {}

void function_corner(uint k, WalkMoves s) {
    uint agents = push.arguments.y;
    if (k >= agents) return; // padding
    uint agent = WALK_ORDERED ? walkOrder[k] : push.arguments.z + k;
    uint word = philox(uvec4(agent, push.arguments.x, 0u, 0u), uvec2(push.arguments.w, 0u)).x;
    uint r = philox_below(word, s.sums.w >> 16);
    uint move = 0u;
    [[unroll]] for (uint left = WALK_OPTIONS; left > 0u; left--) {
        uint i = left - 1u;
        uint high = (i & 1u) * 16u;
        if ((s.sums[i / 2u] >> high & 0xffffu) > r) move = s.moves[i / 2u] >> high;
    }
    int dx = int(move << 24) >> 24;
    int dy = int(move << 16) >> 24;
    uint next = stream_index(k) + uint(dy * int(WALK_GRID) + dx);
    walkNext[k] = next;
    if (k == agents - 1u) {
        walkNext[k + 1u] = next;
        walkNext[k + 2u] = next;
    }
}
