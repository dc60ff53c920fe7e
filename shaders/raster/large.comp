#version 450
#extension GL_GOOGLE_include_directive : require

// raster:large and, with CLIPPED, raster:clipped: each tile of the picture draws the
// triangles of the class that reach it, a segment of the list per workgroup. Each
// lane sets up one triangle and lists it if its box and edges meet the tile; then all
// lanes together draw the listed ones in turn. A clipped triangle is a fan, of which
// each round takes one part.
//
// Input   rasterTriangles[] of the class, the queues
// Output  the visibility buffer
// Dispatch indirect, one workgroup per tile and segment

#include "include/visible.glsl"
#ifdef CLIPPED
#include "include/clip.glsl"
const uint CLASS = LIST_CLIPPED;
#else
const uint CLASS = LIST_LARGE;
#endif

layout(local_size_x = RASTER_WORKGROUP) in;
layout(binding = BINDING_RASTER_LISTS, std430) readonly buffer RasterLists { RasterList rasterLists[]; };

const ivec2 BLOCK = ivec2(8, int(RASTER_WORKGROUP) / 8); // pixels that the lanes process at once
const int TILE = int(RASTER_TILE);

// A triangle that reaches the tile.
struct Reaching {
    ivec2 a, b, c;
    uint number; // place in the triangle queue
    DepthPlane plane;
};

shared Reaching shReaching[RASTER_WORKGROUP];
shared uint shReachingCount;
shared uint shRounds; // parts of the largest fan

// Whether some pixel's centre in the tile may be inside: each edge function is evaluated at
// the corner of the tile where it is largest.
bool large_reaches(Triangle t, ivec2 tileMin, ivec2 tileMax, out DepthPlane plane) {
    Edges e = setup_edges(t.a.sub, t.b.sub, t.c.sub, tileMin);
    plane = depth_plane(uvec3(t.a.z, t.b.z, t.c.z), e.value.x + e.value.y + e.value.z);
    ivec2 span = tileMax - tileMin;
    i64vec3 most = e.value + int64_t(span.x) * max(e.stepX, i64vec3(0l)) + int64_t(span.y) * max(e.stepY, i64vec3(0l));
    return setup_covers(most, e.bias) && all(lessThanEqual(t.boxMin, tileMax)) && all(greaterThanEqual(t.boxMax, tileMin));
}

void large_draw(Reaching r, ivec2 first, ivec2 tileMax) {
    visible_drawBlocks(setup_edges(r.a, r.b, r.c, first), r.plane, first, tileMax, BLOCK, r.number);
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint count = raster_length(rasterLists[RASTER_LISTS * push.chunk + CLASS].count);
    uvec2 tiles = raster_tiles();
    uint tile = dispatch_workgroup() % (tiles.x * tiles.y);
    uint segment = dispatch_workgroup() / (tiles.x * tiles.y); // beyond the last if the dispatch was rounded up
    count = min(count, RASTER_SEGMENT * (segment + 1u));
    ivec2 tileMin = TILE * ivec2(tile % tiles.x, tile / tiles.x);
    ivec2 tileMax = min(tileMin + TILE, ivec2(push.width, push.height)) - 1;
    ivec2 first = tileMin + ivec2(lane % uint(BLOCK.x), lane / uint(BLOCK.x));
    for (uint begin = RASTER_SEGMENT * segment; begin < count; begin += RASTER_WORKGROUP) {
        uint triangle = 0u;
        uint parts = 0u;
        vec4 p0, p1, p2;
        if (begin + lane < count) {
            triangle = rasterTriangles[raster_place(CLASS, begin + lane)];
            raster_positions(triangle, p0, p1, p2);
            parts = 1u;
        }
#ifdef CLIPPED
        Place places[CLIP_CORNERS];
        if (parts > 0u) {
            clip_triangle(p0, p1, p2, places, parts);
            parts = max(parts, 2u) - 2u;
        }
#endif
        if (lane == 0u) shRounds = 0u;
        barrier();
        atomicMax(shRounds, parts);
        barrier();
        uint rounds = shRounds;
        for (uint part = 0u; part < rounds; part++) {
            if (lane == 0u) shReachingCount = 0u;
            barrier();
            Triangle t;
            bool drawn = part < parts;
#ifdef CLIPPED
            drawn = drawn && setup_triangle(places[0], places[min(part + 1u, CLIP_CORNERS - 1u)], places[min(part + 2u, CLIP_CORNERS - 1u)], t);
#else
            drawn = drawn && setup_load(p0, p1, p2, t);
#endif
            DepthPlane plane;
            if (drawn && large_reaches(t, tileMin, tileMax, plane)) {
                shReaching[atomicAdd(shReachingCount, 1u)] = Reaching(t.a.sub, t.b.sub, t.c.sub, triangle, plane);
            }
            barrier();
            for (uint i = 0u; i < shReachingCount; i++) large_draw(shReaching[i], first, tileMax);
            barrier();
        }
    }
}
