// Shared by the passes of culling and the vertex shader.
#ifndef CULL_GLSL
#define CULL_GLSL

// Indices into cullCounts[]: triangles by the first test that drops them, and how often a
// vertex was positioned and shaded.
const uint CULL_FRUSTUM = 0u;    // all corners are beyond one side of the view
const uint CULL_ZERO_AREA = 1u;  // on the subpixel grid
const uint CULL_BACK_FACE = 2u;  // of a draw that shows only its front faces
const uint CULL_NO_SAMPLE = 3u;  // it covers no pixel's centre
const uint CULL_SURVIVED = 4u;
const uint CULL_KINDS = 5u;
const uint CULL_POSITIONED = 5u; // vertices, by the geometry pass
const uint CULL_SHADED = 6u;     // vertices, by cull:shade or by the pass that also culls
const uint CULL_COUNTS = 7u;

const uint FACES_FILE = 0u; // a draw's flag says whether its back faces are dropped
const uint FACES_ALL = 1u;  // back faces of all draws are dropped
const uint FACES_NONE = 2u; // no back faces are dropped

const uint CULL_WORKGROUP = 64u;     // invocations, of both passes
const uint CULL_SHADE_PLACES = 256u; // places of the vertex queue per workgroup of cull:shade

layout(binding = BINDING_CULL_COUNTS, std430) buffer CullCounts { uint cullCounts[]; }; // CULL_COUNTS

#endif
