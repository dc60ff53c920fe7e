#version 450
#extension GL_GOOGLE_include_directive : require

// raster:sifted: computes exact places for the triangles that the fused pass has noted, and draws
// or lists them as that pass does without SIFT.
//
// Input   sifted[], a bit per triangle of the chunk
// Output  the visibility buffer; rasterTriangles[] of the triangles that are not small
// Dispatch a workgroup for every 32 * RASTER_SIFTED_LANES triangles. Each lane counts the bits of
//         a word. Then each lane takes one triangle after another, whichever words have their bits

#include "include/fused.glsl"

#ifdef OWN_VERTEX
#error OWN_VERTEX: fused passes of other renderers draw or list every triangle, and note none
#endif

layout(local_size_x = RASTER_SIFTED_LANES) in;
layout(binding = BINDING_SIFTED, std430) buffer Sifted { uint sifted[]; };

shared uint shWords[RASTER_SIFTED_LANES];
shared uint shEnds[RASTER_SIFTED_LANES]; // bits of this lane's word and of those before

// The position of set bit n of a word; n counts the set bits from 0.
uint sifted_bit(uint word, uint n) {
    for (uint i = 0u; i < n; i++) word &= word - 1u;
    return uint(findLSB(word));
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint first = RASTER_SIFTED_LANES * dispatch_workgroup();
    uint word = 32u * (first + lane) < push.triangleCount ? sifted[fused_sifted(first + lane)] : 0u;
    if (LEAN && word != 0u) sifted[fused_sifted(first + lane)] = 0u; // as the next frame takes it
    shWords[lane] = word;
    uint end = uint(bitCount(word));
    for (uint distance = 1u; distance < RASTER_SIFTED_LANES; distance *= 2u) {
        shEnds[lane] = end;
        barrier();
        if (lane >= distance) end += shEnds[lane - distance];
        barrier();
    }
    shEnds[lane] = end;
    barrier();
    for (uint i = lane; i < shEnds[RASTER_SIFTED_LANES - 1u]; i += RASTER_SIFTED_LANES) {
        uint of = 0u; // the lane whose word has bit i
        for (uint step = RASTER_SIFTED_LANES / 2u; step > 0u; step /= 2u) {
            if (shEnds[of + step - 1u] <= i) of += step;
        }
        uint bit = sifted_bit(shWords[of], i - (of > 0u ? shEnds[of - 1u] : 0u));
        uint triangle = 32u * (first + of) + bit;
        vec4 p0, p1, p2;
        raster_positions(triangle, p0, p1, p2);
        fused_triangle(triangle, fused_place(p0), fused_place(p1), fused_place(p2), 0u);
    }
}
