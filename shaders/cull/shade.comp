#version 450
#extension GL_GOOGLE_include_directive : require

// cull:shade: shades the attributes of the vertices that a triangle of the chunk
// still needs. What no one needs keeps the numbers that the geometry pass left:
// no pixel shows it.
//
// Input   vertexMarks[]: a word a place of the vertex queue;
//         vertexAttributes[] of those marked: their vertex, and draw or batch
// Output  their attributes, in place; counts[], where COUNT; cullCounts[], where TALLY
// Dispatch one invocation a place of the vertex queue

#include "include/shade.glsl"
#include "include/marks.glsl"

layout(local_size_x = CULL_WORKGROUP) in;

layout(set = 0, binding = 8, std430) buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(set = 0, binding = 15, std430) readonly buffer VertexMarks { uint vertexMarks[]; };

shared uint shShaded; // of the workgroup

void main() {
    uint place = CULL_WORKGROUP * (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) + gl_LocalInvocationID.x;
    bool marked = place < push.vertexCapacity && vertexMarks[min(place, push.vertexCapacity - 1u)] == marks_epoch(push.chunk);
    if (TALLY) {
        if (gl_LocalInvocationID.x == 0u) shShaded = 0u;
        barrier();
        if (marked) atomicAdd(shShaded, 1u);
        barrier();
        if (gl_LocalInvocationID.x == 0u && shShaded > 0u) atomicAdd(cullCounts[CULL_SHADED], shShaded);
    }
    if (!marked) return;
    uint id = vertexAttributes[place].x;
    uint from = vertexAttributes[place].y;
    uint batchIndex = VIEW == VIEW_BATCHES ? from : 0u;
    BatchInput batchInput = shade_begin(VIEW == VIEW_BATCHES ? batches[from].draw : from);
    if (COUNT) atomicAdd(counts[batchInput.draw.countOffset + id], 1u);
    vec4 posObject;
    vec3 normalObject;
    shade_object(batchInput, id, posObject, normalObject);
    vertexAttributes[place] = shade_attributes(batchInput, id, batchIndex, posObject, normalObject);
}
