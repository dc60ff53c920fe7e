// claim for the queues: triangles have their own vertex slots.
#include "include/claim_held.glsl"

// The queue index of the batch's first vertex: in the batch's reserved slots if they are enough.
uint claim_allocate(uint place, uint triangles, uint count) {
    uint first = queue_fixedPlace(place);
    if (SINK_QUEUED && first + count > queue_fixedPlace(place + triangles)) {
        uint spilled = 0u;
        if (lanes_lane() == 0u) spilled = queue_spill(count);
        return claim_broadcast(spilled);
    }
    return first;
}
