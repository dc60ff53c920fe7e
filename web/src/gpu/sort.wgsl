// sort: a workgroup sorts its batch's indices; equal ones are then neighbours
// (shaders/geometry/sort.comp).
const WORDS = (BATCH + 31u) / 32u;

var<workgroup> shId: array<u32, BATCH>;       // ids, finally in ascending order
var<workgroup> shPosition: array<u32, BATCH>; // position in the batch of shId[i]
var<workgroup> shSlot: array<u32, BATCH>;     // slot of each index
var<workgroup> shUnique: array<u32, UNIQUE>;
var<workgroup> shMark: array<atomic<u32>, WORDS>; // one bit per element of shId: whether it is the first with its id
var<workgroup> shRank: array<u32, WORDS + 1>;     // marks in the words before

fn sort_exchange(i: u32, j: u32) {
    let idI = shId[i];
    let idJ = shId[j];
    if (idI <= idJ) { return; }
    shId[i] = idJ;
    shId[j] = idI;
    let positionI = shPosition[i];
    shPosition[i] = shPosition[j];
    shPosition[j] = positionI;
}

// Bitonic sort of shId[0..count), which also moves shPosition. Elements beyond count would be the
// largest and never move, so they need not exist.
fn sort_bitonic(count: u32, lane: u32) {
    let whole = 2u << firstLeadingBit(max(count, 2u) - 1u); // a power of two, at least count
    for (var size = 2u; size <= whole; size *= 2u) {
        for (var stride = size / 2u; stride > 0u; stride /= 2u) {
            workgroupBarrier();
            let reversed = select(stride, size - 1u, 2u * stride == size);
            for (var pair = lane; pair < whole / 2u; pair += WORKGROUP) {
                let i = 2u * pair - (pair & (stride - 1u));
                let j = i ^ reversed;
                if (j < count) { sort_exchange(i, j); }
            }
        }
    }
    workgroupBarrier();
}

fn sort_isFirst(i: u32) -> bool { return i == 0u || shId[i] != shId[max(i, 1u) - 1u]; }

fn strategy(batch: Batch, number: u32, lane: u32) {
    for (var i = lane; i < batch.count; i += WORKGROUP) {
        shId[i] = indices[batch.first + i];
        shPosition[i] = i;
    }
    sort_bitonic(batch.count, lane);
    for (var i = lane; i < batch.count; i += WORKGROUP) {
        if (sort_isFirst(i)) { atomicOr(&shMark[i / 32u], 1u << (i & 31u)); }
    }
    workgroupBarrier();
    for (var word = lane; word <= WORDS; word += WORKGROUP) {
        var sum = 0u;
        for (var before = 0u; before < word; before++) { sum += countOneBits(atomicLoad(&shMark[before])); }
        shRank[word] = sum;
    }
    workgroupBarrier();
    for (var i = lane; i < batch.count; i += WORKGROUP) {
        let upTo = 0xffffffffu >> (31u - (i & 31u));
        let slot = shRank[i / 32u] + countOneBits(atomicLoad(&shMark[i / 32u]) & upTo) - 1u;
        if (sort_isFirst(i)) { shUnique[slot] = shId[i]; }
        shSlot[shPosition[i]] = slot;
    }
    workgroupBarrier();
    for (var i = lane; i < shRank[WORDS]; i += WORKGROUP) { shade(shUnique[i], batch.first + i); }
    for (var t = lane; t < batch.count / 3u; t += WORKGROUP) {
        triangle(batch.first / 3u + t, batch.first, vec3u(shSlot[3u * t], shSlot[3u * t + 1u], shSlot[3u * t + 2u]));
    }
}
