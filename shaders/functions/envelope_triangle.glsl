// The tables of an envelope, and its triangles and their boxes.
// apps/envelope/shade.go does the same in Go.
//
// All sums are precise, without fused multiply-adds and from left to right.
#ifndef ENVELOPE_TRIANGLE_GLSL
#define ENVELOPE_TRIANGLE_GLSL

#include "include/interface.glsl"

// Vectors of 16 bytes, so that each is one load: xyz are the bits of a vec3.
struct EnvelopeVertex {
    uvec4 position; // w: where the vertex's triangles begin in envelopeAround; they end where the next vertex's begin
    uvec4 step;     // its move from one level to the next; w: its highest level considering only its own triangles
};
struct EnvelopeNode {
    uvec4 lo; // w: the node to continue with if the box is apart
    uvec4 hi; // w: for a leaf its triangle's number plus 1; else 0
};

layout(binding = BINDING_ENVELOPE_VERTICES, std430) readonly buffer EnvelopeVertices { EnvelopeVertex envelopeVertices[]; };
layout(binding = BINDING_ENVELOPE_TRIANGLES, std430) readonly buffer EnvelopeTriangles { uvec4 envelopeTriangles[]; };
layout(binding = BINDING_ENVELOPE_AROUND, std430) readonly buffer EnvelopeAround { uint envelopeAround[]; };
layout(binding = BINDING_ENVELOPE_NODES, std430) readonly buffer EnvelopeNodes { EnvelopeNode envelopeNodes[]; };
layout(binding = BINDING_ENVELOPE_MOVED, std430) writeonly buffer EnvelopeMoved { vec4 envelopeMoved[]; };

// Mesa's CPU driver silently ends an invocation after 65,535 iterations of all its loops. So
// there an invocation counts them, and reports if it stops shading.
uint rounds_taken = 0u;
void rounds_add(uint rounds) {
    if (ENVELOPE_ROUNDS != 0u) rounds_taken += rounds;
}
bool rounds_spent() { return ENVELOPE_ROUNDS != 0u && rounds_taken > ENVELOPE_ROUNDS; }

struct Triangle {
    uint number;
    uvec3 corners;
    mat3 rest;  // corners at rest, one per column
    mat3 steps; // their moves from one level to the next
};

vec3 triangle_rest(uint v) { return uintBitsToFloat(envelopeVertices[v].position.xyz); }
vec3 triangle_step(uint v) { return uintBitsToFloat(envelopeVertices[v].step.xyz); }

Triangle triangle_load(uint number) {
    Triangle t;
    t.number = number;
    t.corners = envelopeTriangles[number].xyz;
    t.rest = mat3(triangle_rest(t.corners.x), triangle_rest(t.corners.y), triangle_rest(t.corners.z));
    t.steps = mat3(triangle_step(t.corners.x), triangle_step(t.corners.y), triangle_step(t.corners.z));
    return t;
}

struct Box {
    vec3 lo, hi;
};

const float BOX_FAR = 3e38;
const Box BOX_EMPTY = Box(vec3(BOX_FAR), vec3(-BOX_FAR));
const float BOX_GAP = 1.0 / 262144.0; // boxes must be farther apart than this to count as separate

// The position of a vertex at a level.
vec3 triangle_moved(vec3 rest, vec3 step, int level) {
    precise vec3 moved = rest + step * vec3(float(level));
    return moved;
}

// The box of a triangle's corners at rest, at a level, and everywhere in between.
Box triangle_box(Triangle t, int level) {
    vec3 a = triangle_moved(t.rest[0], t.steps[0], level);
    vec3 b = triangle_moved(t.rest[1], t.steps[1], level);
    vec3 c = triangle_moved(t.rest[2], t.steps[2], level);
    Box box;
    box.lo = min(min(min(t.rest[0], a), min(t.rest[1], b)), min(t.rest[2], c));
    box.hi = max(max(max(t.rest[0], a), max(t.rest[1], b)), max(t.rest[2], c));
    return box;
}

Box triangle_join(Box a, Box b) { return Box(min(a.lo, b.lo), max(a.hi, b.hi)); }

bool triangle_apart(Box a, Box b) {
    precise vec3 gaps = max(b.lo - a.hi, a.lo - b.hi);
    return max(max(gaps.x, gaps.y), gaps.z) > BOX_GAP;
}

bool triangle_boxesApart(Triangle t, Triangle s, int level) { return triangle_apart(triangle_box(t, level), triangle_box(s, level)); }

// The highest level below the given one at which the boxes are apart (triangle_apart); -1 if there is none.
int triangle_boxLevel(Triangle t, Triangle s, int level) {
    int lo = -1;
    int hi = level - 1;
    while (lo < hi) {
        rounds_add(1u);
        int mid = (lo + hi + 1) >> 1;
        if (triangle_boxesApart(t, s, mid)) lo = mid; else hi = mid - 1;
    }
    return lo;
}

#endif
