// Envelopes: moves a vertex to the highest level at which its triangles certainly meet
// no others. apps/envelope/shade.go does the same in Go, and says why.
//
// The level is the least of the levels of pairs: the vertex's own triangles with all
// others. The lanes of a subgroup wait for each other, so the work is sorted into loops
// that take all lanes about as long:
//
//  1. walk the tree until a list is full of triangles whose boxes meet that of all own triangles;
//  2. for each own triangle, try its box with those on the list;
//  3. where the boxes meet, try one axis, which separates nearly all pairs;
//  4. when all own triangles have had their turn, or too many pairs wait, try the other axes for these.
#ifndef ENVELOPE_GLSL
#define ENVELOPE_GLSL

#include "functions/envelope_pair.glsl"

const uint ENVELOPE_LISTED = 32u;  // most triangles on the list, one bit each
const uint ENVELOPE_WAITING = 64u; // most pairs that wait for the other axes

uint envelope_listed[ENVELOPE_LISTED];   // the triangles' nodes
uint envelope_waiting[ENVELOPE_WAITING]; // place on the list | parts that no axis has separated << 5 | own triangle << 9

// Walks on from a node until the list is full or the tree ends. Returns the list's length.
uint envelope_walk(inout uint at, Box umbrella) {
    uint listed = 0u;
    while (at < uint(envelopeNodes.length()) && listed < ENVELOPE_LISTED && !rounds_spent()) {
        rounds_add(1u);
        uvec4 lo = envelopeNodes[at].lo;
        uvec4 hi = envelopeNodes[at].hi;
        bool skip = triangle_apart(umbrella, Box(uintBitsToFloat(lo.xyz), uintBitsToFloat(hi.xyz)));
        if (!skip && hi.w != 0u) envelope_listed[listed++] = at;
        at = skip ? lo.w : at + 1u;
    }
    return listed;
}

// The number of a triangle on the list.
uint envelope_number(uint place) { return envelopeNodes[envelope_listed[place]].hi.w - 1u; }

// The triangles on the list whose boxes overlap that of an own triangle, one bit each. A pair of
// two own triangles would come up twice; taken has a bit for each own triangle on the list whose
// turn is over, so that it is left out the second time.
uint envelope_meeting(uint own, Box box, uint listed, inout uint taken) {
    uint meeting = 0u;
    for (uint i = 0u; i < listed; i++) {
        EnvelopeNode node = envelopeNodes[envelope_listed[i]];
        bool apart = triangle_apart(box, Box(uintBitsToFloat(node.lo.xyz), uintBitsToFloat(node.hi.xyz)));
        if (node.hi.w == own + 1u) taken |= 1u << i;
        if (!apart) meeting |= 1u << i;
    }
    return meeting & ~taken;
}

// The highest level, at most the given one, at which all waiting pairs are separated; below
// 0 if some are not separated at rest.
int envelope_part(uint first, uint waitingCount, int level) {
    Triangle t, s;
    Pair pair;
    ivec4 best;
    uint turn;
    uint waiting = 0u; // parts of the pair
    uint next = 0u;
    while ((waiting != 0u || next < waitingCount) && level > 0 && !rounds_spent()) {
        rounds_add(1u);
        if (waiting == 0u) {
            uint entry = envelope_waiting[next++];
            t = triangle_load(envelopeAround[first + (entry >> 9)]);
            s = triangle_load(envelope_number(entry & 31u));
            pair = pair_new(t, s);
            best = ivec4(-1);
            turn = 0u;
            if (pair.count > 1u || !triangle_boxesApart(t, s, level)) waiting = entry >> 5 & 15u;
        }
        if (waiting != 0u) {
            pair_try(pair, turn++, level, waiting, best);
            if (turn == PAIR_TURNS && waiting != 0u) {
                int own = pair_highest(waiting, best);
                if (pair.count == 1u) own = max(own, triangle_boxLevel(t, s, level));
                level = own;
                waiting = 0u;
            }
        }
    }
    return level;
}

const float ENVELOPE_UNSHADED = -1.0;

struct EnvelopeResult {
    vec4 moved; // position, and level or ENVELOPE_UNSHADED
};
#define Shaded EnvelopeResult

const bool FUNCTION_CORNERS = false;

EnvelopeResult function_shade(uint v) {
    EnvelopeVertex vertex = envelopeVertices[v];
    vec3 position = uintBitsToFloat(vertex.position.xyz);
    uint first = vertex.position.w;
    uint end = envelopeVertices[v + 1u].position.w;
    int level = first < end ? int(vertex.step.w) : 0;
    Box umbrella = BOX_EMPTY; // of all own triangles
    for (uint n = first; n < end && !rounds_spent(); n++) {
        rounds_add(1u);
        umbrella = triangle_join(umbrella, triangle_box(triangle_load(envelopeAround[n]), level));
    }
    uint at = 0u;
    while (level > 0 && !rounds_spent()) {
        uint listed = envelope_walk(at, umbrella);
        if (listed == 0u) break;
        umbrella = BOX_EMPTY;
        uint taken = 0u;
        uint waitingCount = 0u;
        for (uint n = first; n < end && level > 0 && !rounds_spent(); n++) {
            Triangle t = triangle_load(envelopeAround[n]);
            Box box = triangle_box(t, level);
            umbrella = triangle_join(umbrella, box);
            uint meeting = envelope_meeting(t.number, box, listed, taken);
            rounds_add(4u + listed + uint(bitCount(meeting)));
            while (meeting != 0u) {
                uint i = uint(findLSB(meeting));
                meeting &= meeting - 1u;
                Pair pair = pair_new(t, triangle_load(envelope_number(i)));
                uint waiting = pair_tryFirst(pair, level);
                if (waiting != 0u) envelope_waiting[waitingCount++] = i | waiting << 5 | (n - first) << 9;
                if (pair.count == 0u && !pair_still(pair)) level = -1;
            }
            if (n + 1u == end || waitingCount + ENVELOPE_LISTED > ENVELOPE_WAITING) {
                level = envelope_part(first, waitingCount, level);
                waitingCount = 0u;
            }
        }
    }
    level = max(level, 0);
    vec3 moved = triangle_moved(position, uintBitsToFloat(vertex.step.xyz), level);
    return EnvelopeResult(rounds_spent() ? vec4(position, ENVELOPE_UNSHADED) : vec4(moved, float(level)));
}

void function_keep(uint v, EnvelopeResult result) { envelopeMoved[v] = result.moved; }

void function_corner(uint k, EnvelopeResult result) {}

#endif
