// warp: a chunk of LANES indices is looked up at once, an index per lane, and one ballot numbers
// the new ids (shaders/geometry/warp.comp). Iterations of a batch fill its places one after
// another; SPARE are those that a batch may need beyond one per index.
const NO_SLOT = 0xffffffffu;

var<workgroup> shUnique: array<u32, LANES>; // ids held
var<workgroup> shIncoming: array<u32, LANES>;
var<workgroup> shMap: array<u32, BATCH>; // slot of each index done

fn strategy(batch: Batch, number: u32, lane: u32) {
    var place = batch.first + number * SPARE;
    var start = 0u;
    while (start < batch.count) {
        var fill = 0u; // ids held
        var done = 0u; // indices that have a slot
        var offset = start;
        while (offset < batch.count && fill < LANES) {
            let valid = min(LANES, batch.count - offset);
            var incoming = NO_ID;
            if (lane < valid) { incoming = indices[batch.first + offset + lane]; }
            shIncoming[lane] = incoming;
            workgroupBarrier();
            var slot = NO_SLOT;
            for (var s = 0u; s < fill; s++) {
                if (shUnique[s] == incoming) { slot = s; }
            }
            var first = lane; // the lowest lane with the same index
            for (var j = lane; j > 0u; j--) {
                if (shIncoming[j - 1u] == incoming) { first = j - 1u; }
            }
            let isNew = lane < valid && slot == NO_SLOT && first == lane;
            let mask = lanes_ballot(isNew, lane);
            if (slot == NO_SLOT) { slot = fill + lanes_countBelow(mask, first); }
            // If all lanes are used, the chunk ends at the first id without a lane.
            let free = LANES - fill;
            let found = lanes_count(mask);
            var got = valid;
            if (found > free) { got = min(valid, lanes_nth(mask, free)); }
            let both = lanes_same((min(found, free) << 16u) | got, lane);
            if (isNew && slot < LANES) { shUnique[slot] = incoming; }
            if (lane < got) { shMap[done + lane] = slot; }
            fill += both >> 16u;
            done += both & 0xffffu;
            offset += LANES;
        }
        workgroupBarrier();
        if (lane < fill) { shade(shUnique[lane], place + lane); }
        for (var t = lane; t < done / 3u; t += LANES) {
            triangle((batch.first + start) / 3u + t, place, vec3u(shMap[3u * t], shMap[3u * t + 1u], shMap[3u * t + 2u]));
        }
        place += fill;
        start += max(done / 3u, 1u) * 3u; // at least one, so that it ends on a GPU that errs, too
        workgroupBarrier();
    }
}
