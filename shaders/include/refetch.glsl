// Finds a triangle of the stream by its number, and shades its corners again. Passes that
// draw without a vertex queue do this for the triangles they need. They do it in a loop, so that
// they have one copy of the vertex shader: the time of compiling grows with the copies, and a
// captured frame may have hundreds of shaders in one. Drivers unroll the loop for small shaders.
#ifndef REFETCH_GLSL
#define REFETCH_GLSL

#ifdef OWN_VERTEX
#include "include/own.glsl"
#else
#include "include/vertex.glsl"
#endif

// The batch of a triangle of the chunk: an index into batches[]. Triangles are numbered by batch (include/group.glsl).
uint refetch_batch(uint triangle) { return (push.firstTriangle + triangle) / (BATCH / 3u) - push.batchNumber; }

// The data to find a triangle's corners.
struct Refetched {
    uint batchIndex; // index into batches[]; with ONE_DRAW only for the view that shows it
    uint draw;
    uvec3 ids;
};

// Finds a triangle of the chunk. Nothing is searched: its number says which batch it belongs to, or, with ONE_DRAW,
// where it is in the draw.
Refetched refetch_find(uint triangle) {
    Refetched r;
    uint first;
    if (SOLE) {
        r.batchIndex = VIEW == VIEW_BATCHES ? refetch_batch(triangle) : 0u;
        r.draw = 0u;
        first = 3u * triangle;
    } else {
        uint place = push.firstTriangle + triangle;
        r.batchIndex = ONE_DRAW && VIEW != VIEW_BATCHES ? push.firstBatch : refetch_batch(triangle);
        Batch batch = batches[r.batchIndex];
        r.draw = batch.draw;
        first = batch.firstIndex + 3u * (ONE_DRAW ? place - batch.firstTriangle : place % (BATCH / 3u));
    }
    r.ids = uvec3(stream_index(first), stream_index(first + 1u), stream_index(first + 2u));
    return r;
}

#ifdef OWN_VERTEX
vec4 refetch_position(BatchInput batchInput, uint id) { return own_place(batchInput.draw, id); }
#else
vec4 refetch_position(BatchInput batchInput, uint id) {
    vec4 shown;
    return shade_run(batchInput, id, shown);
}

void refetch_vertex(BatchInput batchInput, uint id, uint batchIndex, out vec4 posClip, out uvec2 attributes) {
    vec4 shown;
    posClip = shade_run(batchInput, id, shown);
    attributes = shade_attributes(batchInput, id, batchIndex, posClip, shown);
}
#endif

void refetch_positions(BatchInput batchInput, uvec3 ids, out vec4 p0, out vec4 p1, out vec4 p2) {
    p1 = p2 = vec4(0.0);
    for (uint corner = 0u; corner < 3u; corner++, ids = ids.yzx) {
        p0 = p1;
        p1 = p2;
        p2 = refetch_position(batchInput, ids.x);
    }
}

#endif
