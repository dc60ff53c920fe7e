#version 450
#extension GL_GOOGLE_include_directive : require

// Fetches a vertex from the vertex queue. corners[] is the index buffer of the indexed form, so
// that the device's own cache runs this once for several corners; in the expanded form
// gl_VertexIndex = 3 * place + corner. It is 3 * place + corner in the indexed form, too, for
// views that weigh a triangle's corners: corners[] is then read here. Without extensions a vertex
// cannot know otherwise which corner it is.
//
// Input   vertexPositions[], vertexAttributes[], counts[], corners[]
// Output  clip position; light and weights of the corners; the triangle's colour, or how
//         often each of its corners was shaded (flat); VARYING: the vertex's output
// Dispatch vkCmdDrawIndexedIndirect or vkCmdDrawIndirect over queueStates[chunk]

#include "include/layout.glsl"
#include "include/color.glsl"
#include "include/light.glsl"
#include "include/corner.glsl"

layout(binding = BINDING_VERTEX_POSITIONS, std430) readonly buffer VertexPositions { vec4 vertexPositions[]; };
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) readonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(binding = BINDING_COUNTS, std430) readonly buffer Counts { uint counts[]; };
layout(binding = BINDING_CORNERS, std430) readonly buffer Corners { uint corners[]; };

#ifdef WITH_TEXTURES
layout(binding = BINDING_INDICES, std430) readonly buffer Indices { uint indices[]; };
layout(binding = BINDING_BATCHES, std430) readonly buffer Batches { Batch batches[]; };
layout(binding = BINDING_DRAWS, std430) readonly buffer Draws { Draw draws[]; };
layout(push_constant) uniform Push { ChunkPush push; };
#include "include/find.glsl"
#endif
#ifdef WITH_DISTANCES
#include "include/distances.glsl"
out gl_PerVertex {
    vec4 gl_Position;
    float gl_ClipDistance[8]; // as many as devices have
};

// Passes a triangle's clip distances to the pipeline. If cull distances drop the triangle, it is
// moved out of the view.
void queue_distances(Found found, uint corner) {
    uvec3 corners = distances_corners(draws[found.draw], uvec3(indices[found.firstIndex], indices[found.firstIndex + 1u], indices[found.firstIndex + 2u]));
    for (uint n = 0u; n < 8u; n++) gl_ClipDistance[n] = n < CLIP_DISTANCES ? distances[corners[corner] + n] : 0.0;
    if (distances_cull(corners)) gl_Position = vec4(0.0, 0.0, -1.0, 1.0);
}
#endif

uint queue_vertex(uint corner) { return CORNERS && CORNER_WEIGHS ? corners[corner] : corner; }
uint queue_times(uint corner) { return counts[vertexAttributes[queue_vertex(corner)].x]; }

void main() {
    uint corner = uint(gl_VertexIndex);
    uint vertex = queue_vertex(corner);
    uvec2 attributes = vertexAttributes[vertex];
    gl_Position = vertexPositions[vertex];
    vec4 unpacked = unpackUnorm4x8(attributes.y);
#ifdef VARYING
    if (VIEW_SHOWN) unpacked = vec4(shown_load(attributes), shown_dimmed(attributes) ? LIGHT_DIMMED : 1.0);
    shownValue = unpacked.rgb;
#endif
    lightAndWeights = vec3(unpacked.a, corner_weights(corner));
    colorOrTimes = VIEW == VIEW_BATCHES ? color_hash(attributes.x) : unpacked.rgb;
#ifdef WITH_TEXTURES
    Found found = find_triangle(corner / 3u);
    corner_texture(draws[found.draw], draws[found.draw].vertexOffset + indices[found.firstIndex + corner % 3u]);
#ifdef WITH_DISTANCES
    queue_distances(found, corner % 3u);
#endif
#endif
    if (VIEW == VIEW_COUNTS && corner % 3u == 0u) {
        colorOrTimes = corner_times(uvec3(queue_times(corner), queue_times(corner + 1u), queue_times(corner + 2u)));
    }
}
