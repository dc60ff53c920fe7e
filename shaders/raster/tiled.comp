#version 450
#extension GL_GOOGLE_include_directive : require

// raster:tiled and, with CLIPPED, raster:clipped: draws, for each tile of the picture, the
// triangles of the class that reach it, a segment of the list per workgroup. Each lane sets up
// one triangle, and lists it if its box and edges meet the tile. Then all lanes together draw
// the listed triangles in turn. Of a clipped triangle, which is a fan, each part is listed by itself.
//
// Input   rasterTriangles[] of the class, the queues
// Output  the visibility buffer
// Dispatch indirect, one workgroup per tile and segment

#include "include/visible.glsl"
#ifdef CLIPPED
#include "include/clip.glsl"
const uint TILED_CLASS = LIST_CLIPPED;
const uint TILED_SIDE = RASTER_CLIPPED_TILE; // pixels
const uint TILED_LANES = RASTER_CLIPPED_LANES; // of a workgroup
const uint TILED_CORNERS = CLIP_CORNERS; // of what is left of a triangle
#else
const uint TILED_CLASS = LIST_TILED;
const uint TILED_SIDE = RASTER_TILE;
const uint TILED_LANES = 128u; // of a workgroup: each draws eight pixels of a tile that a triangle covers
const uint TILED_CORNERS = 3u;
#endif

layout(local_size_x = TILED_LANES) in;
layout(binding = BINDING_RASTER_LISTS, std430) readonly buffer RasterLists { RasterList rasterLists[]; };

const ivec2 BLOCK = ivec2(8, int(TILED_LANES) / 8); // pixels that the lanes process at once

// A triangle, or a part of a clipped one, that may cover pixels of the tile (tiled_reaches).
struct Reaching {
    ivec2 a, b, c;
    uint number; // place in the triangle queue
    DepthPlane plane;
};

shared Reaching shReaching[TILED_LANES];
shared uint shReachingCount;

// The corners of a triangle, a fan around the first. Returns how many there are: none if it is found without clipping
// that the triangle misses the tile.
uint tiled_corners(uint triangle, ivec2 tileMin, ivec2 tileMax, out Place places[TILED_CORNERS]) {
    vec4 p0, p1, p2;
    raster_positions(triangle, p0, p1, p2);
    uint corners = 0u;
#ifdef CLIPPED
    if (!clip_misses(p0, p1, p2, tileMin, tileMax)) clip_triangle(p0, p1, p2, places, corners);
#else
    if (setup_projectAll(p0, p1, p2, places[0], places[1], places[2])) corners = 3u;
#endif
    return corners;
}

// Whether a pixel centre in the tile may be inside: each edge function is evaluated at the corner
// of the tile where it is largest.
bool tiled_reaches(Triangle t, ivec2 tileMin, ivec2 tileMax, out DepthPlane plane) {
    Edges e = setup_edges(t.a.sub, t.b.sub, t.c.sub, tileMin);
    plane = depth_plane(uvec3(t.a.z, t.b.z, t.c.z), e.value.x + e.value.y + e.value.z);
    ivec2 span = tileMax - tileMin;
    i64vec3 most = e.value + int64_t(span.x) * max(e.stepX, i64vec3(0l)) + int64_t(span.y) * max(e.stepY, i64vec3(0l));
    return setup_covers(most, e.bias) && all(lessThanEqual(t.boxMin, tileMax)) && all(greaterThanEqual(t.boxMax, tileMin));
}

void tiled_draw(Reaching r, ivec2 first, ivec2 tileMax) {
    visible_drawBlocks(setup_edges(r.a, r.b, r.c, first), r.plane, first, tileMax, BLOCK, r.number, textured_unknown());
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint count = raster_length(rasterLists[RASTER_LISTS * push.chunk + TILED_CLASS].count);
    uvec2 tiles = raster_tiles(TILED_SIDE);
    uint tile = dispatch_workgroup() % (tiles.x * tiles.y);
    uint segment = dispatch_workgroup() / (tiles.x * tiles.y); // beyond the last if the dispatch was rounded up
    count = min(count, RASTER_SEGMENT * (segment + 1u));
    ivec2 tileMin = int(TILED_SIDE) * ivec2(tile % tiles.x, tile / tiles.x);
    ivec2 tileMax = min(tileMin + int(TILED_SIDE), ivec2(push.width, push.height)) - 1;
    ivec2 first = tileMin + ivec2(lane % uint(BLOCK.x), lane / uint(BLOCK.x));
    for (uint begin = RASTER_SEGMENT * segment; begin < count; begin += TILED_LANES) {
        uint triangle = 0u;
        uint parts = 0u;
        Place places[TILED_CORNERS];
        if (begin + lane < count) {
            triangle = rasterTriangles[raster_place(TILED_CLASS, begin + lane)];
            parts = max(tiled_corners(triangle, tileMin, tileMax, places), 2u) - 2u;
        }
        uint part = 0u;
        uint reaching;
        do { // once, unless more parts reach the tile than the list holds
            if (lane == 0u) shReachingCount = 0u;
            barrier();
            for (; part < parts; part++) {
                Triangle t;
                DepthPlane plane;
                if (!setup_triangle(places[0], places[part + 1u], places[part + 2u], t) || !tiled_reaches(t, tileMin, tileMax, plane)) continue;
                uint place = atomicAdd(shReachingCount, 1u);
                if (place >= TILED_LANES) break;
                shReaching[place] = Reaching(t.a.sub, t.b.sub, t.c.sub, triangle, plane);
            }
            barrier();
            reaching = shReachingCount;
            for (uint i = 0u; i < min(reaching, TILED_LANES); i++) tiled_draw(shReaching[i], first, tileMax);
            barrier();
        } while (reaching > TILED_LANES);
    }
}
