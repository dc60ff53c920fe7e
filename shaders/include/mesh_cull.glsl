// Culling in a mesh shader: vertices are positioned and held until the triangles are tested; those
// of surviving triangles are then shaded and output. A dropped triangle has one vertex three times,
// so that no other triangle moves.
#ifndef MESH_CULL_GLSL
#define MESH_CULL_GLSL

#ifdef OWN_VERTEX
void mesh_hold(uint place, uint i, Shaded v) {}
void mesh_test(BatchInput batchInput, uint place, uint base, uvec3 slots) {}
void mesh_survivors(BatchInput batchInput, uint count) {}
void mesh_alone(BatchInput batchInput, uint batchIndex, uint place, uint k) {}
#else
#include "include/verdict.glsl"

shared uint shTested[CULL ? MESH_TRIANGLES : 1u]; // records of the batch's triangles, each of which its invocation alone reads
uint mesh_base;         // place of the group's first vertex
uint mesh_own;          // the invocation's first triangle, in the batch; others follow GROUP apart
uint mesh_owned = 0u;   // number of the invocation's triangles

void emit_survive(uint i);
bool emit_survives(uint i);

void mesh_place(uint i, vec4 posClip) {
    if (mesh_shows()) gl_MeshVerticesEXT[i].gl_Position = posClip;
}

bool mesh_survives(BatchInput batchInput, vec4 p0, vec4 p1, vec4 p2) {
    uint verdict = verdict_triangle(p0, p1, p2, batchInput.draw.flags);
    if (TALLY) atomicAdd(cullCounts[verdict], 1u);
    return verdict == CULL_SURVIVED;
}

// Shades a vertex of a surviving triangle.
Shaded mesh_shade(BatchInput batchInput, Shaded v) {
    if (TALLY) atomicAdd(cullCounts[CULL_SHADED], 1u);
    v.attributes = shade_survivor(batchInput, v.attributes);
    if (VIEW == VIEW_NONE && LOAD > 0u) v.posClip.w += 1e-37 * float(v.attributes.x); // no fragment shader needs the load's result
    return v;
}

// Stores the position of a vertex, because triangles dropped later may name it.
void mesh_hold(uint place, uint i, Shaded v) {
    mesh_base = place - i;
    if (SINK_QUEUED) mesh_place(place - mesh_firstPlace, v.posClip);
}

void mesh_test(BatchInput batchInput, uint place, uint base, uvec3 slots) {
    uint triangle = place - mesh_firstTriangle;
    if (mesh_owned == 0u) mesh_own = triangle;
    mesh_owned++;
    mesh_base = base;
    if (mesh_survives(batchInput, emit_held(slots.x).posClip, emit_held(slots.y).posClip, emit_held(slots.z).posClip)) {
        for (uint c = 0u; c < 3u; c++) emit_survive(slots[c]);
    } else {
        slots = slots.xxx;
    }
    shTested[triangle] = record_pack(slots);
}

// Drops a triangle that has its own vertices.
void mesh_drop(uint triangle) {
    mesh_place(3u * triangle, vec4(0.0));
    sink_record(mesh_firstTriangle + triangle, mesh_firstPlace + 3u * triangle, uvec3(0u));
}

// Shades and outputs the vertices of surviving triangles.
void mesh_survivors(BatchInput batchInput, uint count) {
    group_barrier();
    for (uint i = group_invocation(); i < count; i += GROUP) {
        if (!emit_survives(i)) continue;
        Shaded v = mesh_shade(batchInput, emit_held(i));
        if (SINK_QUEUED) {
            mesh_vertex(mesh_base + i - mesh_firstPlace, 0u, v);
        } else {
            emit_hold(i, v);
        }
    }
    if (!SINK_QUEUED) group_barrier();
    for (uint k = 0u; k < mesh_owned; k++) {
        uint triangle = mesh_own + k * GROUP;
        uvec3 slots = record_slots(shTested[triangle]);
        if (!SINK_QUEUED && slots.x == slots.y && slots.y == slots.z) {
            mesh_drop(triangle);
        } else {
            shaded_triangle(mesh_firstTriangle + triangle, mesh_base, slots);
        }
    }
    mesh_owned = 0u;
}

// A triangle that one invocation shades for itself alone.
void mesh_alone(BatchInput batchInput, uint batchIndex, uint place, uint k) {
    Shaded v[3];
    for (uint c = 0u; c < 3u; c++) v[c] = shade_id(batchInput, stream_index(k + c), batchIndex);
    if (!mesh_survives(batchInput, v[0].posClip, v[1].posClip, v[2].posClip)) {
        mesh_drop(place - mesh_firstTriangle);
        return;
    }
    for (uint c = 0u; c < 3u; c++) sink_corner(place, c, mesh_shade(batchInput, v[c]));
}
#endif

#endif
