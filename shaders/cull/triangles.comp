#version 450
#extension GL_GOOGLE_include_directive : require

// cull:triangles: drops the triangles of a chunk that would show nothing and marks the
// vertices of the others. It places corners as the rasterizer does. Triangles that
// cross the near or far plane or the guard band survive. Where another rasterizer
// draws the picture (SLACK), only what covers nothing on either is dropped.
//
// Input   the queues, triangles * 3 vertices by place; of each vertex the draw
// Output  triangles[] or corners[]: a dropped triangle gets its first corner three
//         times, so that it covers nothing and no other triangle moves;
//         vertexMarks[]: a word per place; cullCounts[], where TALLY
// Dispatch one invocation per triangle

#define TRIANGLES_ACCESS // read and written
#include "include/setup.glsl"
#include "include/cull.glsl"
#include "include/marks.glsl"

layout(local_size_x = CULL_WORKGROUP) in;

layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) readonly buffer VertexAttributes { uvec2 vertexAttributes[]; }; // as shade_vertex leaves them
layout(binding = BINDING_DRAWS, std430) readonly buffer Draws { Draw draws[]; };
layout(binding = BINDING_QUEUE_STATES, std430) readonly buffer QueueStates { QueueState queueStates[]; };
layout(binding = BINDING_BATCHES, std430) readonly buffer Batches { Batch batches[]; };
layout(binding = BINDING_VERTEX_MARKS, std430) writeonly buffer VertexMarks { uint vertexMarks[]; };

shared uint shCulled[CULL_KINDS]; // the workgroup's triangles by kind

// Whether a point is certainly inside all planes and, with a margin, the guard band.
// It only multiplies, since devices round divisions differently.
bool cull_inside(vec4 p) {
    precise vec2 reach = abs(p.xy) * vec2(push.width, push.height);
    precise float guard = (1.75 * GUARD_PX) * p.w;
    return p.w >= SMALLEST_W && floatBitsToInt(p.z) >= 0 && p.z <= p.w && reach.x <= guard && reach.y <= guard;
}

// Whether a box's only pixel centre lies outside the triangle. Triangles whose edge
// functions exceed 32 bits are left to the rasterizer.
bool cull_misses(ivec2 a, ivec2 b, ivec2 c, bool swapped, ivec2 span, ivec2 pixel) {
    if (max(span.x, span.y) >= SMALL_SPAN) return false;
    SmallEdges e = setup_smallEdges(a, swapped ? c : b, swapped ? b : c, pixel);
    return any(lessThan(e.value, e.bias));
}

// What becomes of a triangle: a CULL_* kind. flags are those of its draw.
uint cull_verdict(vec4 p0, vec4 p1, vec4 p2, uint flags) {
    if (!setup_finite(p0) || !setup_finite(p1) || !setup_finite(p2)) return CULL_SURVIVED;
    if ((setup_beyond(p0) & setup_beyond(p1) & setup_beyond(p2)) != 0u) return CULL_FRUSTUM;
    if (!cull_inside(p0) || !cull_inside(p1) || !cull_inside(p2)) return CULL_SURVIVED;
    Place a, b, c;
    if (!setup_projectAll(p0, p1, p2, a, b, c)) return CULL_SURVIVED;
    int64_t area = setup_area(a.sub, b.sub, c.sub);
    if (area == 0l && (SLACK == 0 || p0 == p1 || p1 == p2 || p2 == p0)) return CULL_ZERO_AREA;
    // y grows downwards: a front face, counter-clockwise, has a negative area.
    bool oneSided = FACES == FACES_ALL || FACES == FACES_FILE && (flags & DRAW_ONE_SIDED) != 0u;
    bool back = (flags & DRAW_MIRRORED) != 0u ? area < 0l : area > 0l;
    if (oneSided && back) return CULL_BACK_FACE;
    ivec2 least = min(min(a.sub, b.sub), c.sub);
    ivec2 most = max(max(a.sub, b.sub), c.sub);
    ivec2 boxMin = max((least - SLACK + (SUBPIXEL - 1)) >> 8, ivec2(0));
    ivec2 boxMax = min((most + SLACK) >> 8, ivec2(push.width, push.height) - 1);
    if (any(greaterThan(boxMin, boxMax))) return CULL_NO_SAMPLE;
    if (SLACK == 0 && boxMin == boxMax && cull_misses(a.sub, b.sub, c.sub, area < 0l, most - least, boxMin)) return CULL_NO_SAMPLE;
    return CULL_SURVIVED;
}

// The flags of a vertex's draw; 0 where they decide nothing.
uint cull_flags(uint vertex) {
    if (FACES == FACES_NONE) return 0u;
    uint from = vertexAttributes[vertex].y;
    return draws[VIEW == VIEW_BATCHES ? batches[from].draw : from].flags;
}

void cull_drop(uint triangle, uint vertex) {
    if (CORNERS) {
        for (uint c = 1u; c < 3u; c++) corners[3u * triangle + c] = vertex;
    } else {
        triangles[triangle].x = (triangles[triangle].x & 1023u) * 0x100401u;
    }
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint triangle = CULL_WORKGROUP * dispatch_workgroup() + lane;
    if (TALLY) {
        if (lane < CULL_KINDS) shCulled[lane] = 0u;
        barrier();
    }
    // A chunk that overflowed is not drawn: the host plans again.
    if (triangle < push.triangleCount && queueStates[push.chunk].overflowBits == 0u) {
        uvec3 v = raster_vertices(triangle);
        uint verdict = cull_verdict(vertexPositions[v.x], vertexPositions[v.y], vertexPositions[v.z], cull_flags(v.x));
        if (TALLY) atomicAdd(shCulled[verdict], 1u);
        if (verdict == CULL_SURVIVED) {
            for (uint c = 0u; c < 3u; c++) vertexMarks[v[c]] = marks_epoch(push.chunk);
        } else {
            cull_drop(triangle, v.x);
        }
    }
    if (!TALLY) return;
    barrier();
    if (lane < CULL_KINDS && shCulled[lane] > 0u) atomicAdd(cullCounts[lane], shCulled[lane]);
}
