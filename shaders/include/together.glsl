// Triangles that TRIANGLE_LANES invocations draw together: the first three shade a corner each, and each
// draws every fourth row of pixels. A scene of few triangles then fills a GPU, which waits less for each
// triangle.
#ifndef TOGETHER_GLSL
#define TOGETHER_GLSL

#ifdef FUSED
const uint TOGETHER = TRIANGLE_LANES > 1u ? WORKGROUP : 1u; // words per array
shared int shTogetherX[TOGETHER]; // PlacedVertex
shared int shTogetherY[TOGETHER];
shared uint shTogetherZ[TOGETHER];

PlacedVertex together_corner(uint i) { return PlacedVertex(shTogetherX[i], shTogetherY[i], shTogetherZ[i]); }

// Draws the batch's triangles, if any invocations draw together.
bool together_draw(BatchInput batchInput, uint batchIndex, Batch batch) {
    if (TRIANGLE_LANES == 1u) return false;
    uint triangles = batch.indexCount / 3u;
    uint part = gl_LocalInvocationID.x % TRIANGLE_LANES;
    uint first = gl_LocalInvocationID.x - part;
    for (uint begin = 0u; begin < triangles; begin += WORKGROUP / TRIANGLE_LANES) {
        uint t = begin + first / TRIANGLE_LANES;
        if (t < triangles && part < 3u) {
            PlacedVertex v = shade_id(batchInput, stream_index(batch.firstIndex + 3u * t + part), batchIndex);
            shTogetherX[first + part] = v.x;
            shTogetherY[first + part] = v.y;
            shTogetherZ[first + part] = v.z;
        }
        barrier();
        if (t < triangles) fused_put(sink_place(batch.firstTriangle + t), together_corner(first), together_corner(first + 1u), together_corner(first + 2u), part);
        barrier();
    }
    return true;
}
#else
bool together_draw(BatchInput batchInput, uint batchIndex, Batch batch) { return false; }
#endif

#endif
