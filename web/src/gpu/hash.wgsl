// hash: a workgroup enters its batch's indices into a table in shared memory
// (shaders/geometry/hash.comp).
const TRIANGLES = (BATCH / 3u + WORKGROUP - 1u) / WORKGROUP; // of an invocation, at most

var<workgroup> shKey: array<atomic<u32>, TABLE>; // an id, or NO_ID
var<workgroup> shSlot: array<u32, TABLE>;
var<workgroup> shUnique: array<u32, UNIQUE>;
var<workgroup> shCount: atomic<u32>;

// The entry of an id, which is inserted if it is not there yet. The exchange may fail without a
// cause, and is then tried again.
fn hash_insert(id: u32) -> u32 {
    var entry = ((id * 2654435769u) >> 12u) & (TABLE - 1u);
    for (var probe = 0u; probe < TABLE;) { // the table has more entries than ids
        let held = atomicCompareExchangeWeak(&shKey[entry], NO_ID, id);
        if (held.exchanged) {
            let slot = atomicAdd(&shCount, 1u);
            shSlot[entry] = slot;
            shUnique[slot] = id;
            return entry;
        }
        if (held.old_value == id) { return entry; }
        if (held.old_value != NO_ID) {
            entry = (entry + 1u) & (TABLE - 1u);
            probe++;
        }
    }
    return entry;
}

fn strategy(batch: Batch, number: u32, lane: u32) {
    var corners: array<vec3u, TRIANGLES>; // first ids, then their entries
    for (var k = 0u; k < TRIANGLES; k++) {
        let at = batch.first + 3u * min(lane + k * WORKGROUP, batch.count / 3u - 1u);
        corners[k] = vec3u(indices[at], indices[at + 1u], indices[at + 2u]);
    }
    for (var i = lane; i < TABLE; i += WORKGROUP) { atomicStore(&shKey[i], NO_ID); }
    workgroupBarrier();
    for (var k = 0u; k < TRIANGLES; k++) {
        if (lane + k * WORKGROUP < batch.count / 3u) {
            corners[k] = vec3u(hash_insert(corners[k].x), hash_insert(corners[k].y), hash_insert(corners[k].z));
        }
    }
    workgroupBarrier();
    for (var i = lane; i < atomicLoad(&shCount); i += WORKGROUP) { shade(shUnique[i], batch.first + i); }
    for (var k = 0u; k < TRIANGLES; k++) {
        let t = lane + k * WORKGROUP;
        if (t < batch.count / 3u) {
            triangle(batch.first / 3u + t, batch.first, vec3u(shSlot[corners[k].x], shSlot[corners[k].y], shSlot[corners[k].z]));
        }
    }
}
