// Envelopes: moves a vertex to the highest level at which its triangles certainly meet
// no others. geometry/apps/envelope/shade.go does the same in Go, and says why.
#ifndef ENVELOPE_GLSL
#define ENVELOPE_GLSL

#include "include/interface.glsl"
#include "functions/envelope_pair.glsl"

struct EnvelopeVertex {
    vec3 position;
    int cap;    // its highest level as far as its own triangles go
    vec3 step;  // its way from one level to the next
    uint first; // where its triangles begin in around[]; the next vertex tells the end
};

struct EnvelopeNode {
    vec3 lo;
    uint skip; // where to go on if the box is apart
    vec3 hi;
    uint leaf; // of a leaf: place of its first triangle in leaves[], times 8, plus how many there are; else 0
};

layout(binding = BINDING_ENVELOPE_VERTICES, std430) readonly buffer EnvelopeVertices { EnvelopeVertex envelopeVertices[]; };
layout(binding = BINDING_ENVELOPE_AROUND, std430) readonly buffer EnvelopeAround { uvec4 envelopeAround[]; };
layout(binding = BINDING_ENVELOPE_NODES, std430) readonly buffer EnvelopeNodes { EnvelopeNode envelopeNodes[]; };
layout(binding = BINDING_ENVELOPE_LEAVES, std430) readonly buffer EnvelopeLeaves { uvec4 envelopeLeaves[]; };
layout(binding = BINDING_ENVELOPE_MOVED, std430) writeonly buffer EnvelopeMoved { vec4 envelopeMoved[]; };

const float ENVELOPE_GAP = 1.0 / 262144.0; // boxes must be farther apart than that to count as parted

struct Shaded {
    vec4 moved; // position and level
};

const bool FUNCTION_CORNERS = false;

Triangle envelope_triangle(uvec4 corners) {
    Triangle t;
    t.corners = corners;
    for (uint i = 0u; i < 3u; i++) {
        t.rest[i] = envelopeVertices[corners[i]].position;
        t.steps[i] = envelopeVertices[corners[i]].step;
    }
    return t;
}

vec3 envelope_moved(vec3 position, vec3 way, int level) {
    precise vec3 moved = position + way * vec3(float(level));
    return moved;
}

struct Box {
    vec3 lo, hi;
};

// Where a triangle's corners rest and where they are at a level, and all between.
Box envelope_box(Triangle t, int level) {
    vec3 a = envelope_moved(t.rest[0], t.steps[0], level);
    vec3 b = envelope_moved(t.rest[1], t.steps[1], level);
    vec3 c = envelope_moved(t.rest[2], t.steps[2], level);
    Box box;
    box.lo = min(min(min(t.rest[0], a), min(t.rest[1], b)), min(t.rest[2], c));
    box.hi = max(max(max(t.rest[0], a), max(t.rest[1], b)), max(t.rest[2], c));
    return box;
}

bool envelope_apart(Box a, Box b) {
    precise vec3 gaps = max(b.lo - a.hi, a.lo - b.hi);
    return max(max(gaps.x, gaps.y), gaps.z) > ENVELOPE_GAP;
}

// The box of a vertex's triangles, up to a level.
Box envelope_umbrella(uint first, uint end, int level) {
    Box all = Box(vec3(PAIR_FAR), vec3(-PAIR_FAR));
    for (uint n = first; n < end; n++) {
        Box box = envelope_box(envelope_triangle(envelopeAround[n]), level);
        all.lo = min(all.lo, box.lo);
        all.hi = max(all.hi, box.hi);
    }
    return all;
}

bool envelope_boxesApart(Triangle t, Triangle s, int level) { return envelope_apart(envelope_box(t, level), envelope_box(s, level)); }

// The highest level below the given one at which the boxes are apart; -1 where there is none.
int envelope_boxLevel(Triangle t, Triangle s, int level) {
    int lo = -1;
    int hi = level - 1;
    while (lo < hi) {
        int mid = (lo + hi + 1) >> 1;
        if (envelope_boxesApart(t, s, mid)) lo = mid; else hi = mid - 1;
    }
    return lo;
}

Shaded function_shade(uint v) {
    EnvelopeVertex own = envelopeVertices[v];
    uint first = own.first;
    uint end = envelopeVertices[v + 1u].first;
    uint nodes = uint(envelopeNodes.length());
    int level = own.cap;
    if (first == end) level = 0;
    Box umbrella = envelope_umbrella(first, end, level);

    uint at = level > 0 ? 0u : nodes; // the next node
    uint leaf = 0u;        // the next triangle of the leaf,
    uint leafEnd = 0u;
    uint n = end;          // the next of the vertex's own triangles
    Triangle s, t;
    Pair pair;
    uint waiting = 0u;
    uint axis = 0u;
    bool highest = false;
    int best, least;
    for (;;) {
        if (waiting == 0u) {
            while (n == end && leaf == leafEnd && at < nodes) {
                EnvelopeNode node = envelopeNodes[at];
                if (envelope_apart(umbrella, Box(node.lo, node.hi))) {
                    at = node.skip;
                } else {
                    at++;
                    leaf = node.leaf >> 3;
                    leafEnd = leaf + (node.leaf & 7u);
                }
            }
            if (n == end) {
                if (leaf == leafEnd) break;
                s = envelope_triangle(envelopeLeaves[leaf++]);
                if (!envelope_apart(umbrella, envelope_box(s, level))) n = first;
            }
            if (n < end) {
                t = envelope_triangle(envelopeAround[n++]);
                bool ownS = any(equal(s.corners.xyz, uvec3(v)));
                bool skip = t.corners.w == s.corners.w || ownS && t.corners.w > s.corners.w || envelope_boxesApart(t, s, level);
                if (!skip) {
                    pair = pair_new(t, s);
                    bool still = t.steps == mat3(0.0) && s.steps == mat3(0.0);
                    waiting = still ? 0u : (1u << pair.count) - 1u;
                    if (!still && pair.count == 0u) level = -1;
                    axis = 0u;
                    highest = false;
                }
            }
        }
        if (waiting != 0u) {
            Shadow h;
            bool ok = pair_along(pair, pair_axis(pair, axis), h);
            axis++;
            if (!highest) {
                for (uint i = 0u; i < pair.count; i++) {
                    if (ok && pair_parts(h, pair.parts >> 6u * i & 63u, float(level))) waiting &= ~(1u << i);
                }
                if (axis == PAIR_AXES && waiting != 0u) {
                    axis = 0u;
                    highest = true;
                    best = -1;
                    least = level;
                }
            } else {
                uint part = pair.parts >> 6u * uint(findLSB(waiting)) & 63u;
                if (ok && pair_parts(h, part, float(best + 1))) {
                    int lo = best + 1;
                    int hi = level - 1;
                    while (lo < hi) {
                        int mid = (lo + hi + 1) >> 1;
                        if (pair_parts(h, part, float(mid))) lo = mid; else hi = mid - 1;
                    }
                    best = lo;
                }
                if (axis == PAIR_AXES || best == level - 1) {
                    if (pair.count == 1u) best = max(best, envelope_boxLevel(t, s, level));
                    least = min(least, best);
                    waiting &= waiting - 1u;
                    axis = 0u;
                    best = -1;
                    if (waiting == 0u) {
                        level = least;
                        umbrella = envelope_umbrella(first, end, max(level, 0));
                    }
                }
            }
        }
        if (level <= 0) break;
    }
    level = max(level, 0);
    return Shaded(vec4(envelope_moved(own.position, own.step, level), float(level)));
}

void function_keep(uint id, Shaded s) { envelopeMoved[id] = s.moved; }

#endif
