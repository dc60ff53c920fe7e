#version 450
#extension GL_GOOGLE_include_directive : require

// cull:triangles: drops the triangles of a chunk that would show nothing and marks the vertices
// of the others. It places corners as our compute rasterizer does. Triangles that cross the near
// or far plane or the guard band survive. include/verdict.glsl says what is dropped if the
// hardware rasterizer draws the picture (SLACK).
//
// Input   the queues, triangles * 3 vertices by place; of each vertex the draw
// Output  triangles[] or corners[]: a dropped triangle gets its first corner three
//         times, so that it covers nothing and no other triangle moves;
//         vertexMarks[]: a word per place; cullCounts[], where TALLY
// Dispatch one invocation per triangle

#define TRIANGLES_ACCESS // read and written
#include "include/verdict.glsl"
#include "include/marks.glsl"

layout(local_size_x = CULL_WORKGROUP) in;

layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) readonly buffer VertexAttributes { uvec2 vertexAttributes[]; }; // as written by shade_vertex
layout(binding = BINDING_DRAWS, std430) readonly buffer Draws { Draw draws[]; };
layout(binding = BINDING_QUEUE_STATES, std430) readonly buffer QueueStates { QueueState queueStates[]; };
layout(binding = BINDING_BATCHES, std430) readonly buffer Batches { Batch batches[]; };
layout(binding = BINDING_VERTEX_MARKS, std430) writeonly buffer VertexMarks { uint vertexMarks[]; };

shared uint shCulled[CULL_KINDS]; // the workgroup's triangles by kind

// The flags of a vertex's draw; 0 if they do not matter.
uint cull_flags(uint vertex) {
    if (FACES == FACES_NONE) return 0u;
    uint from = vertexAttributes[vertex].y;
    return draws[VIEW == VIEW_BATCHES ? batches[from].draw : from].flags;
}

void cull_drop(uint triangle, uint vertex) {
    if (CORNERS) {
        for (uint c = 1u; c < 3u; c++) corners[3u * triangle + c] = vertex;
    } else {
        triangles[triangle].x = record_pack(record_slots(triangles[triangle].x).xxx);
    }
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint triangle = CULL_WORKGROUP * dispatch_workgroup() + lane;
    if (TALLY) {
        if (lane < CULL_KINDS) shCulled[lane] = 0u;
        barrier();
    }
    // A chunk that overflowed is not drawn: the host plans the frame again.
    if (triangle < push.triangleCount && queueStates[push.chunk].overflowBits == 0u) {
        uvec3 v = raster_vertices(triangle);
        uint verdict = verdict_triangle(vertexPositions[v.x], vertexPositions[v.y], vertexPositions[v.z], cull_flags(v.x));
        if (TALLY) atomicAdd(shCulled[verdict], 1u);
        if (verdict == CULL_SURVIVED) {
            for (uint c = 0u; c < 3u; c++) vertexMarks[v[c]] = marks_epoch(push.chunk);
        } else {
            cull_drop(triangle, v.x);
        }
    }
    if (!TALLY) return;
    barrier();
    if (lane < CULL_KINDS && shCulled[lane] > 0u) atomicAdd(cullCounts[lane], shCulled[lane]);
}
