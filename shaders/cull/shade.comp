#version 450
#extension GL_GOOGLE_include_directive : require

// cull:shade: shades the attributes of the vertices that a surviving triangle of the
// chunk needs. All others keep the numbers that the geometry pass left, which no
// pixel shows.
//
// Input   vertexMarks[]: a word per place of the vertex queue;
//         vertexAttributes[] of those marked: vertex, and draw or batch
// Output  their attributes, in place; counts[], where COUNT; cullCounts[], where TALLY
// Dispatch one workgroup per CULL_SHADE_PLACES places of the vertex queue. It lists
//         the marked ones first, so that all its lanes have work

#include "include/shade.glsl"
#include "include/marks.glsl"
#include "include/dispatch.glsl"

layout(local_size_x = CULL_WORKGROUP) in;

layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(binding = BINDING_VERTEX_MARKS, std430) readonly buffer VertexMarks { uint vertexMarks[]; };

shared uint shMarked[CULL_SHADE_PLACES]; // places, in no particular order
shared uint shCount;                     // number of marked places

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint first = CULL_SHADE_PLACES * dispatch_workgroup() + lane;
    if (lane == 0u) shCount = 0u;
    barrier();
    for (uint k = 0u; k < CULL_SHADE_PLACES; k += CULL_WORKGROUP) {
        uint place = first + k;
        if (place < push.vertexCapacity && vertexMarks[place] == marks_epoch(push.chunk)) shMarked[atomicAdd(shCount, 1u)] = place;
    }
    barrier();
    uint count = min(shCount, CULL_SHADE_PLACES);
    if (TALLY && lane == 0u && count > 0u) atomicAdd(cullCounts[CULL_SHADED], count);
    for (uint i = lane; i < count; i += CULL_WORKGROUP) {
        uint place = shMarked[i];
        uvec2 of = vertexAttributes[place];
        BatchInput batchInput = shade_begin(VIEW == VIEW_BATCHES ? batches[of.y].draw : of.y);
        vertexAttributes[place] = shade_survivor(batchInput, of);
    }
}
