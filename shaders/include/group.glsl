// The group of invocations that processes a batch: a subgroup of LANES lanes if
// include/lanes.glsl was included before, else the whole workgroup.
#ifndef GROUP_GLSL
#define GROUP_GLSL

#include "include/stream.glsl"
#include "include/dispatch.glsl"

#ifdef LANES_GLSL
#define GROUP LANES      // invocations of a group
#define GROUPS SUBGROUPS // groups of a workgroup
uint group_invocation() { return lanes_lane(); }
uint group_inWorkgroup() { return lanes_subgroup(); }
uint group_inDispatch() { return dispatch_workgroup() * SUBGROUPS + lanes_subgroup(); }
void group_barrier() { lanes_barrier(); }
#else
WORKGROUP_SIZE;
#define GROUP WORKGROUP
#define GROUPS 1u
uint group_invocation() { return gl_LocalInvocationID.x; }
uint group_inWorkgroup() { return 0u; }
uint group_inDispatch() { return dispatch_workgroup(); }
void group_barrier() { barrier(); }
#endif

// The group's batch and its number. Groups beyond the last batch get an empty one.
Batch group_batch(out uint batchIndex) {
    uint number = group_inDispatch();
    batchIndex = push.firstBatch + min(number, push.batchCount - 1u);
    Batch batch = Batch(0u, 0u, 0u, 0u); // the first, with SOLE
    if (!(EVEN && SOLE)) batch = batches[EVEN ? push.firstBatch : batchIndex];
    if (EVEN) { // all groups read the first batch of the dispatch, from which the others follow
        uint skipped = BATCH / 3u * (SOLE ? batchIndex : batchIndex - push.firstBatch);
        batch.firstIndex += 3u * skipped;
        batch.firstTriangle += skipped;
        batch.indexCount = 3u * min(BATCH / 3u, push.firstTriangle + push.triangleCount - batch.firstTriangle);
    }
#ifdef FUSED
    // Each batch takes as many numbers as the largest has triangles, so that passes which know a triangle by its
    // number need not search for its batch.
    if (!ONE_DRAW) batch.firstTriangle = BATCH / 3u * (push.batchNumber + batchIndex);
#endif
    if (number >= push.batchCount) batch.indexCount = 0u;
    return batch;
}

#endif
