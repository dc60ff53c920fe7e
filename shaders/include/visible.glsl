// The visibility buffer: for each pixel the nearest triangle of all chunks so far, and among
// those of equal depth the first; zero if there is none. It is one 64-bit word per pixel.
// With NARROW, for devices without 64-bit atomics, it is three 32-bit words, which two
// passes over the triangles fill (STAGE).
#ifndef VISIBLE_GLSL
#define VISIBLE_GLSL

#include "include/setup.glsl"
#include "include/textured.glsl"

// The tiles to which a chunk has drawn: raster:resolve processes no others. In the first
// chunk it processes all tiles.
layout(binding = BINDING_TILE_MARKS, std430) buffer TileMarks { uint tileMarks[]; }; // per tile: number of the last chunk + 1

// Marks the tile of a pixel as drawn to.
void visible_mark(uvec2 at) {
    if (push.chunk == 0u) return;
    uint tile = at.y / RASTER_TILE * raster_tiles(RASTER_TILE).x + at.x / RASTER_TILE;
    if (tileMarks[tile] != push.chunk + 1u) atomicMax(tileMarks[tile], push.chunk + 1u);
}

#ifdef NARROW
layout(binding = BINDING_VISIBLE_DEPTHS, std430) buffer VisibleDepths { uint visibleDepths[]; }; // FAR_DEPTH - depth
// A triangle's number is larger for later chunks, and within a chunk for earlier triangles.
layout(binding = BINDING_VISIBLE_TRIANGLES, std430) buffer VisibleTriangles { uint visibleTriangles[]; };
layout(binding = BINDING_VISIBLE_BEFORE, std430) buffer VisibleBefore { uint visibleBefore[]; }; // visibleDepths[] before the chunk

// Draws a triangle of the chunk, given by its number, at a pixel.
void visible_write(uvec2 at, uint depth, uint triangle) {
    if (depth >= FAR_DEPTH) return;
    uint pixel = at.y * push.width + at.x;
    uint nearness = FAR_DEPTH - depth;
    if (STAGE == 0u) {
        if (nearness > visibleDepths[pixel]) atomicMax(visibleDepths[pixel], nearness);
    } else if (nearness == visibleDepths[pixel] && nearness > visibleBefore[pixel]) {
        atomicMax(visibleTriangles[pixel], push.firstTriangle + (push.triangleCount - triangle));
        visible_mark(at);
    }
}

// The depth of a pixel, and which triangle of the chunk it shows: at least the chunk's
// triangle count if it shows none.
void visible_read(uint pixel, out uint depth, out uint triangle) {
    depth = FAR_DEPTH - visibleDepths[pixel];
    triangle = push.triangleCount + push.firstTriangle - visibleTriangles[pixel];
}
#else
#extension GL_EXT_shader_atomic_int64 : require

// High half: FAR_DEPTH - depth; low half: complement of the triangle's number in the stream.
layout(binding = BINDING_VISIBLE, std430) buffer Visible { uint64_t visible[]; };

void visible_write(uvec2 at, uint depth, uint triangle) {
    if (depth >= FAR_DEPTH) return;
    uint pixel = at.y * push.width + at.x;
    // On GPUs, checking first whether the triangle is nearer costs more than the atomic, and no less before an alpha test.
    atomicMax(visible[pixel], uint64_t(FAR_DEPTH - depth) << 32 | uint64_t(~(push.firstTriangle + triangle)));
    visible_mark(at);
}

void visible_read(uint pixel, out uint depth, out uint triangle) {
    uint64_t word = visible[pixel];
    depth = FAR_DEPTH - uint(word >> 32);
    triangle = ~uint(word) - push.firstTriangle;
}
#endif

// A pixel of a box, and the edge functions there minus their biases: negative outside of the triangle.
struct BoxPixel {
    ivec2 at;
    ivec3 value;
};

bool visible_outside(ivec3 value) { return (value.x | value.y | value.z) < 0; }
bool visible_outside(i64vec3 value) { return int((value.x | value.y | value.z) >> 32) < 0; } // the sign is in the upper half

// Goes on to the next pixel of the row, or to the first one of the next row.
void visible_advance(inout BoxPixel p, ivec3 right, ivec3 down, ivec2 first, ivec2 last, int rows) {
    bool ends = p.at.x == last.x;
    p.value += ends ? down : right;
    p.at = ends ? ivec2(first.x, p.at.y + rows) : ivec2(p.at.x + 1, p.at.y);
}

// Draws a triangle whose edge functions fit 32 bits, and whose area is positive, to every
// rows-th row of the pixels from first to last. Other lanes of the subgroup draw other triangles. So there is one loop
// over all pixels: in nested loops all lanes would take as many steps as the widest box has columns times the highest has rows. Lanes
// leave the first loop at the first pixel that they cover, and together set up the depth, which takes a division. A return from
// within it would let each do that alone: on an H200 the fused pass then takes up to three times as long.
void visible_drawSmall(ivec2 a, ivec2 b, ivec2 c, uvec3 z, ivec2 first, ivec2 last, int rows, uint triangle, TexturedPlace place) {
    SmallEdges e = setup_smallEdges(a, b, c, first);
    int area = e.value.x + e.value.y + e.value.z;
    ivec3 down = rows * e.stepY - (last.x - first.x) * e.stepX;
    BoxPixel p = BoxPixel(first, e.value - e.bias);
    if (first.y > last.y) return;
    while (visible_outside(p.value) && p.at.y <= last.y) visible_advance(p, e.stepX, down, first, last, rows);
    if (p.at.y > last.y) return;
    DepthPlane plane = depth_planeSmall(z, area);
    Textured textured;
    if (DROPS) textured = textured_dropping(triangle, place);
    do {
        if (!visible_outside(p.value) && !(DROPS && textured_drops(textured, p.at))) {
            visible_write(uvec2(p.at), depth_atSmall(plane, p.value.y + e.bias.y, p.value.z + e.bias.z), triangle);
        }
        visible_advance(p, e.stepX, down, first, last, rows);
    } while (p.at.y <= last.y);
}

// Draws a triangle to one pixel of every block from first to last. e are its edge functions
// at first; each lane has its own pixel of the blocks.
void visible_drawBlocks(Edges e, DepthPlane plane, ivec2 first, ivec2 last, ivec2 block, uint triangle, TexturedPlace place) {
    i64vec3 across = int64_t(block.x) * e.stepX;
    i64vec3 down = int64_t(block.y) * e.stepY;
    e.value -= e.bias;
    Textured textured;
    if (DROPS) textured = textured_dropping(triangle, place);
    for (int y = first.y; y <= last.y; y += block.y) {
        i64vec3 value = e.value;
        for (int x = first.x; x <= last.x; x += block.x) {
            if (!visible_outside(value) && !(DROPS && textured_drops(textured, ivec2(x, y)))) {
                visible_write(uvec2(x, y), depth_at(plane, value.y + e.bias.y, value.z + e.bias.z), triangle);
            }
            value += across;
        }
        e.value += down;
    }
}

// The same with edge functions that fit 32 bits, which take fewer operations.
void visible_drawBlocks(SmallEdges e, DepthPlane plane, ivec2 first, ivec2 last, ivec2 block, uint triangle, TexturedPlace place) {
    ivec3 across = block.x * e.stepX;
    ivec3 down = block.y * e.stepY;
    e.value -= e.bias;
    Textured textured;
    if (DROPS) textured = textured_dropping(triangle, place);
    for (int y = first.y; y <= last.y; y += block.y) {
        ivec3 value = e.value;
        for (int x = first.x; x <= last.x; x += block.x) {
            if (!visible_outside(value) && !(DROPS && textured_drops(textured, ivec2(x, y)))) {
                visible_write(uvec2(x, y), depth_atSmall(plane, value.y + e.bias.y, value.z + e.bias.z), triangle);
            }
            value += across;
        }
        e.value += down;
    }
}

#endif
