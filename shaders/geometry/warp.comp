#version 450
#extension GL_GOOGLE_include_directive : require

// warp: static batches, repeated indices found by subgroup voting.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  an iteration: at most LANES vertices, and a record a triangle
//         (indexed) or 3 vertices a triangle (expanded)
// Source  paper, Algorithm 1, with its pseudocode corrected. The vote over all
//         lanes, index by index, is done for a chunk of LANES indices at once:
//         a lane looks its index up among the ids held and among the lanes
//         before it, and one ballot numbers the new ones. Slots are the same.
// Dispatch one subgroup of LANES lanes a batch

#include "include/lanes.glsl"
#include "include/queue.glsl"

layout(constant_id = 7) const uint BATCH = 96u; // indices a batch, a multiple of 3

const uint NO_SLOT = 0xffffffffu;
const uint EXPANDED_LANES = QUEUE == QUEUE_EXPANDED ? WORKGROUP : 1u;

shared uint shUnique[WORKGROUP];           // ids held, in slot order
shared uint shIncoming[WORKGROUP];         // indices of the chunk
shared uint shMap[BATCH * SUBGROUPS];      // slot of each index done
shared uint shBase[SUBGROUPS];             // where the iteration's vertices go
shared vec4 shPosition[EXPANDED_LANES];    // shaded vertices, for assembly
shared uvec2 shAttributes[EXPANDED_LANES];

// Slot of an index: among the ids held, or given to the chunk's new ids in the
// order of their first lanes; LANES or more when no lane is free for it. fill
// grows by the ids that are new.
uint warp_findSlot(uint incoming, bool valid, uint lane, uint firstLane, inout uint fill) {
    uint slot = NO_SLOT;
    for (uint s = 0u; s < fill; s++) {
        if (shUnique[firstLane + s] == incoming) slot = s;
    }
    uint first = lane;
    for (uint j = lane; j-- > 0u;) {
        if (shIncoming[firstLane + j] == incoming) first = j;
    }
    bool isNew = valid && slot == NO_SLOT && first == lane;
    uvec2 newMask = lanes_ballot(isNew);
    if (slot == NO_SLOT) slot = fill + lanes_countBelow(newMask, first);
    if (isNew && slot < LANES) shUnique[firstLane + slot] = incoming;
    fill = min(fill + lanes_count(newMask), LANES);
    return slot;
}

ShadedVertex warp_shaded(uint i) { return ShadedVertex(shPosition[i], shAttributes[i]); }

// Writes the triangles of an iteration; mapStart is where its slots begin.
void warp_assemble(uint triangles, uint place, uint lane, uint firstLane, uint mapStart, uint base) {
    for (uint t = lane; t < triangles; t += LANES) {
        uvec3 slots = uvec3(shMap[mapStart + 3u * t], shMap[mapStart + 3u * t + 1u], shMap[mapStart + 3u * t + 2u]);
        if (QUEUE == QUEUE_INDEXED) {
            queue_writeTriangle(place + t, base, slots);
        } else {
            queue_writeCorner(place + t, 0u, warp_shaded(firstLane + slots.x));
            queue_writeCorner(place + t, 1u, warp_shaded(firstLane + slots.y));
            queue_writeCorner(place + t, 2u, warp_shaded(firstLane + slots.z));
        }
    }
}

void main() {
    uint lane = lanes_lane();
    uint firstLane = lanes_subgroup() * LANES;
    uint mapStart = lanes_subgroup() * BATCH;
    uint batchNumber = lanes_dispatchSubgroup();
    uint batchIndex = push.firstBatch + batchNumber;
    Batch batch = Batch(0u, 0u, 0u, 0u);
    if (batchNumber < push.batchCount) batch = batches[batchIndex];

    uint cStart = 0u;
    while (cStart < batch.indexCount) {
        uint fill = 0u;
        uint done = 0u;
        uint offset = cStart;
        while (offset < batch.indexCount && fill < LANES) {
            bool valid = offset + lane < batch.indexCount;
            uint incoming = valid ? indices[batch.firstIndex + offset + lane] : 0xffffffffu;
            shIncoming[firstLane + lane] = incoming;
            lanes_barrier();
            uint slot = warp_findSlot(incoming, valid, lane, firstLane, fill);
            bool failed = !valid || slot >= LANES;
            if (!failed) shMap[mapStart + done + lane] = slot;
            done += lanes_findFirst(lanes_ballot(failed));
            offset += LANES;
            lanes_barrier();
        }
        uint triangles = done / 3u;

        if (QUEUE == QUEUE_INDEXED && lane == 0u) shBase[lanes_subgroup()] = queue_allocate(fill);
        lanes_barrier();
        uint base = QUEUE == QUEUE_INDEXED ? shBase[lanes_subgroup()] : 0u;
        if (lane < fill) {
            ShadedVertex v = shade_vertex(batch.draw, shUnique[firstLane + lane], batchIndex);
            if (QUEUE == QUEUE_INDEXED) {
                queue_writeVertex(base + lane, v);
            } else {
                shPosition[firstLane + lane] = v.posClip;
                shAttributes[firstLane + lane] = v.attributes;
            }
        }
        lanes_barrier();
        uint place = queue_trianglePlace(batch.firstTriangle + cStart / 3u);
        if (WRITE) warp_assemble(triangles, place, lane, firstLane, mapStart, base);
        lanes_barrier();
        cStart += 3u * triangles;
    }
}
