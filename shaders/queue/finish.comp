#version 450
#extension GL_GOOGLE_include_directive : require

// queue:finish: turns what a chunk left in the queues into the arguments of its
// indirect draw. A chunk that overflowed draws nothing: the host plans again.
//
// Input   queueStates[push.chunk]
// Output  its draw* members, the arguments of a draw, indexed or not
// Dispatch one invocation per chunk

#include "include/layout.glsl"

layout(local_size_x = 1) in;
layout(binding = BINDING_QUEUE_STATES, std430) buffer QueueStates { QueueState queueStates[]; };
layout(push_constant) uniform Push { ChunkPush push; };

void main() {
    bool whole = queueStates[push.chunk].overflowBits == 0u;
    queueStates[push.chunk].drawVertexCount = whole ? 3u * push.triangleCount : 0u;
    queueStates[push.chunk].drawInstanceCount = 1u;
    queueStates[push.chunk].drawFirstVertex = 0u;
    queueStates[push.chunk].drawVertexOffset = 0u;
    queueStates[push.chunk].drawFirstInstance = 0u;
}
