// Where multi keeps places and depths of all vertices for the pass that draws the triangles.
#ifndef MULTI_FUSED_GLSL
#define MULTI_FUSED_GLSL

#ifdef MULTI_TAKES
#define MULTI_KEPT readonly
#else
#define MULTI_KEPT writeonly
#endif

// x and y of all vertices, then all depths, of which an element has two: of most triangles only the places are read.
layout(binding = BINDING_SCRATCH_ATTRIBUTES, std430) restrict MULTI_KEPT buffer ScratchAttributes { uvec2 scratchAttributes[]; };

#ifdef MULTI_TAKES
// A vertex as it was placed, but with its number in place of its depth: fused_draw asks for depths.
PlacedVertex multi_placed(uint number) {
    uvec2 place = scratchAttributes[number];
    return PlacedVertex(int(place.x), int(place.y), number);
}

uint multi_depth(uint number) { return scratchAttributes[push.vertexCapacity + number / 2u][number & 1u]; }
#else
void multi_keep(uint number, PlacedVertex v) {
    scratchAttributes[number] = uvec2(v.x, v.y);
    scratchAttributes[push.vertexCapacity + number / 2u][number & 1u] = v.z;
}
#endif

#endif
