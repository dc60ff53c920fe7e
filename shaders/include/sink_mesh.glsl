// The output of a mesh shader: a batch's vertices and triangles go from its workgroup to the
// hardware rasterizer. There is no queue, so nothing is allocated and nothing overflows.
//
// QUEUE chooses the vertices to output: each unique one once, or three per triangle, for views in
// which a vertex must know which corner it is (include/corner.glsl).
#ifndef SINK_MESH_GLSL
#define SINK_MESH_GLSL

// All devices allow 256 vertices and 256 triangles. 85 triangles fit even if each has three vertices of its own.
const uint MESH_VERTICES = 255u;
const uint MESH_TRIANGLES = 85u;
#ifdef OWN_BATCH // another renderer's largest batch, in indices, which bounds what a batch outputs
layout(triangles, max_vertices = OWN_BATCH, max_primitives = OWN_BATCH / 3) out;
#else
layout(triangles, max_vertices = MESH_VERTICES, max_primitives = MESH_TRIANGLES) out;
#endif
out gl_MeshPerVertexEXT { vec4 gl_Position; } gl_MeshVerticesEXT[];

#include "include/sink_shaded.glsl"
#ifndef OWN_VERTEX
#include "include/color.glsl"
#include "include/corner.glsl"
#endif

const bool SINK_HELD = QUEUE == QUEUE_EXPANDED || CULL;
#define SINK_CULLS CULL
#define SINK_ALONE (CULL ? 3u : 1u)

#ifdef OWN_VERTEX
void sink_refuse() { SetMeshOutputsEXT(0u, 0u); }
#endif

// Whether anything is output: not while the pass only counts.
bool mesh_shows() { return WRITE && (!CULL || PHASE != 0u); }

// In the counts view, how often each corner was shaded. An invocation reads only its own writes.
#ifndef OWN_VERTEX
shared uint shTimes[VIEW == VIEW_COUNTS ? MESH_VERTICES : 1u];
#endif

uint mesh_firstTriangle; // of the batch
uint mesh_firstPlace;    // of its vertices
uint mesh_allocated = 0u;

void sink_begin(uint firstTriangle, uint triangles, uint firstPlace, uint vertices) {
    mesh_firstTriangle = firstTriangle;
    mesh_firstPlace = firstPlace;
    SetMeshOutputsEXT(!mesh_shows() ? 0u : SINK_QUEUED ? vertices : 3u * triangles, mesh_shows() ? triangles : 0u);
}

// The first invocation alone calls this.
uint sink_allocate(uint count) {
    uint first = mesh_allocated;
    mesh_allocated += count;
    return first;
}

uint sink_place(uint triangle) { return triangle; }

// Outputs vertex i of the workgroup. With CORNER_WEIGHS it is the given corner of a triangle.
void mesh_vertex(uint i, uint corner, Shaded v) {
    if (!mesh_shows()) return;
#ifdef OWN_VERTEX
    own_emit(i, v);
#else
    gl_MeshVerticesEXT[i].gl_Position = v.posClip;
    if (!HAS_ATTRIBUTES) return;
    vec4 unpacked = unpackUnorm4x8(v.attributes.y);
#ifdef VARYING
    unpacked = vec4(shown_load(v.attributes), shown_dimmed(v.attributes) ? LIGHT_DIMMED : 1.0);
    shownValue[i] = unpacked.rgb;
#endif
    lightAndWeights[i] = vec3(unpacked.a, corner_weights(corner));
    if (VIEW == VIEW_COUNTS) {
        // The triangle's first vertex has the counts of all corners; the last corner to be written
        // completes them. Mesa 25 does not write single components of an output.
        uint first = i - corner;
        shTimes[i] = counts[v.attributes.x];
        colorOrTimes[first] = corner_times(uvec3(shTimes[first], shTimes[first + 1u], shTimes[first + 2u]));
    } else {
        colorOrTimes[i] = VIEW == VIEW_BATCHES ? color_hash(v.attributes.x) : unpacked.rgb;
    }
#endif
}

void sink_record(uint place, uint base, uvec3 slots) {
    if (mesh_shows()) gl_PrimitiveTriangleIndicesEXT[place - mesh_firstTriangle] = base - mesh_firstPlace + slots;
}

// Outputs a corner of a triangle as a vertex of its own.
void sink_corner(uint place, uint corner, Shaded v) {
    uint first = 3u * (place - mesh_firstTriangle);
    mesh_vertex(first + corner, corner, v);
    if (corner == 0u) sink_record(place, mesh_firstPlace + first, uvec3(0u, 1u, 2u));
}

#include "include/mesh_cull.glsl"

void sink_vertex(uint place, uint i, uint id, Shaded v) {
    if (SINK_QUEUED && !CULL) mesh_vertex(place - mesh_firstPlace, 0u, v);
    if (SINK_HELD) emit_hold(i, v);
    if (CULL) mesh_hold(place, i, v);
}

void sink_triangle(BatchInput batchInput, uint place, uint base, uvec3 slots) {
    if (CULL) {
        mesh_test(batchInput, place, base, slots);
    } else {
        shaded_triangle(place, base, slots);
    }
}

void sink_end(BatchInput batchInput, uint count) {
    if (CULL) mesh_survivors(batchInput, count);
}

void sink_alone(BatchInput batchInput, uint batchIndex, uint place, uint corner, uint k) {
    if (CULL) {
        mesh_alone(batchInput, batchIndex, place, k);
    } else {
        sink_corner(place, corner, shade_id(batchInput, stream_index(k), batchIndex));
    }
}

#endif
