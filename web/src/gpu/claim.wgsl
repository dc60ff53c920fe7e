// claim: a subgroup's ids claim the entries of a small table by plain stores; the last one to write
// an entry has it. shaders/geometry/claim.comp explains it, with the same names.
const TRIANGLES = (BATCH / 3u + LANES - 1u) / LANES; // of a lane, at most
const PLACES = 3u * TRIANGLES;                       // of a lane
const AGAIN = 2654435769u;                           // factor for ids that have lost
const BITS = firstLeadingBit(TABLE);

var<workgroup> shTable: array<u32, TABLE>;
var<private> mixed: array<u32, PLACES>;      // the lane's ids, mixed
var<private> slots: array<u32, PLACES>;      // and their slots

fn claim_has(places: u32, k: u32) -> bool { return ((places >> k) & 1u) != 0u; }
fn claim_entry(mixed: u32) -> u32 { return mixed >> (32u - BITS); }
fn claim_word(mixed: u32, place: u32, lane: u32) -> u32 { return (mixed << BITS) | (place * LANES + lane); }

// The inverse of an odd number, modulo 2^32.
fn claim_inverse(odd: u32) -> u32 {
    var inverse = odd;
    for (var i = 0u; i < 4u; i++) { inverse *= 2u - odd * inverse; }
    return inverse;
}

fn strategy(batch: Batch, number: u32, lane: u32) {
    let triangles = batch.count / 3u;
    var pending = 0u; // a bit per place whose id has no slot yet
    for (var t = 0u; t < TRIANGLES; t++) {
        let number = lane + t * LANES;
        let at = batch.first + 3u * min(number, triangles - 1u);
        for (var c = 0u; c < 3u; c++) { mixed[3u * t + c] = (indices[at + c] << 1u) * MULTIPLIER; }
        if (number < triangles) { pending |= 7u << (3u * t); }
    }
    var inverse = claim_inverse(MULTIPLIER);
    var listed = 0u; // a bit per place whose id this lane lists for shading
    var count = 0u;  // slots taken
    for (var round = 0u; round < 2u * BATCH; round++) {
        // First use: the pending places claim their entries.
        for (var k = 0u; k < PLACES; k++) {
            if (claim_has(pending, k)) { shTable[claim_entry(mixed[k])] = claim_word(mixed[k], k, lane); }
        }
        workgroupBarrier();
        var won = 0u;
        var owns = 0u;
        for (var k = 0u; k < PLACES; k++) {
            let difference = shTable[claim_entry(mixed[k])] ^ claim_word(mixed[k], k, lane);
            if (difference < 2u * TABLE) { won |= 1u << k; }
            if (difference == 0u) { owns |= 1u << k; }
        }
        won &= pending;
        owns &= pending;
        // Second use: the owners number their ids, and all places that won read their slots.
        var total: u32;
        var slot = count + lanes_sumBelow(countOneBits(owns), PLACES, lane, &total);
        count += total;
        workgroupBarrier();
        for (var k = 0u; k < PLACES; k++) {
            if (claim_has(owns, k)) {
                shTable[claim_entry(mixed[k])] = slot;
                slot++;
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < PLACES; k++) {
            if (claim_has(won, k)) { slots[k] = shTable[claim_entry(mixed[k])]; }
        }
        pending &= ~won;
        listed |= owns;
        if (lanes_same(lanes_count(lanes_ballot(pending != 0u, lane)), lane) == 0u) { break; }
        for (var k = 0u; k < PLACES; k++) { mixed[k] *= AGAIN; }
        inverse *= claim_inverse(AGAIN);
    }
    // Third use: the owners list their ids, a window of TABLE slots at a time, and all lanes shade.
    let all = lanes_same(count, lane);
    for (var window = 0u; window < all; window += TABLE) {
        workgroupBarrier();
        for (var k = 0u; k < PLACES; k++) {
            let at = slots[k] - window;
            if (claim_has(listed, k) && at < TABLE) { shTable[at] = (mixed[k] * inverse) >> 1u; }
        }
        workgroupBarrier();
        for (var i = lane; i < min(all - window, TABLE); i += LANES) { shade(shTable[i], batch.first + window + i); }
    }
    for (var t = 0u; t < TRIANGLES; t++) {
        let number = lane + t * LANES;
        if (number < triangles) { triangle(batch.first / 3u + number, batch.first, vec3u(slots[3u * t], slots[3u * t + 1u], slots[3u * t + 2u])); }
    }
}
