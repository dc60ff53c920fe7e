// The shade function of rendering: the vertex shader, and counts.
#ifndef SHADE_GLSL
#define SHADE_GLSL

#ifdef OWN_VERTEX
#include "include/own.glsl"
#else
#include "include/vertex.glsl"
#include "include/cull.glsl"
#endif

layout(binding = BINDING_COUNTS, std430) buffer Counts { uint counts[]; }; // times shaded, one per (draw, vertex) pair

#ifdef OWN_VERTEX
vec4 shade_place(BatchInput batchInput, uint id) {
    if (COUNT) atomicAdd(counts[own_first(batchInput.draw) + id], 1u);
    return own_place(batchInput.draw, id);
}

OwnVertex shade_vertex(BatchInput batchInput, uint id, uint batchIndex) {
    if (COUNT) atomicAdd(counts[own_first(batchInput.draw) + id], 1u);
    return own_shade(batchInput.draw, id);
}
#else
// Positions vertex id of the batch's draw. Without CULL it also counts the vertex, and runs the extra load.
vec4 shade_place(BatchInput batchInput, uint id, out vec4 shown) {
    if (TALLY && CULL) atomicAdd(cullCounts[CULL_POSITIONED], 1u);
    if (COUNT && !CULL) atomicAdd(counts[batchInput.draw.countOffset + id], 1u);
    vec4 posClip = shade_run(batchInput, id, shown);
    if (LOAD > 0u && !CULL) posClip.w += shade_load(posClip.x);
    return posClip;
}

// Shades vertex id of the batch's draw; with CULL it only positions the vertex.
ShadedVertex shade_vertex(BatchInput batchInput, uint id, uint batchIndex) {
    vec4 shown;
    ShadedVertex v;
    v.posClip = shade_place(batchInput, id, shown);
    if (CULL) {
        v.attributes = uvec2(id, VIEW == VIEW_BATCHES ? batchIndex : batchInput.number);
    } else {
        v.attributes = shade_attributes(batchInput, id, batchIndex, v.posClip, shown);
    }
    return v;
}

// Shades the attributes of a vertex that has only been positioned. of is the value that
// shade_vertex left in its attributes.
uvec2 shade_survivor(BatchInput batchInput, uvec2 of) {
    if (COUNT) atomicAdd(counts[batchInput.draw.countOffset + of.x], 1u);
    vec4 shown;
    vec4 posClip = shade_run(batchInput, of.x, shown);
    return shade_attributes(batchInput, of.x, of.y, posClip, shown);
}
#endif

#endif
