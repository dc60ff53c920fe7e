// Lanes of a virtual subgroup, which votes through shared memory: for devices whose subgroups
// have no fixed size, and browsers without subgroups.
var<workgroup> shBallot: array<atomic<u32>, 2>;
var<workgroup> shMask: vec2u;

// See native.wgsl. All lanes must call it; it is a barrier.
fn lanes_ballot(predicate: bool, lane: u32) -> vec2u {
    if (predicate) { atomicOr(&shBallot[lane >> 5u], 1u << (lane & 31u)); }
    workgroupBarrier();
    if (lane == 0u) { shMask = vec2u(atomicExchange(&shBallot[0], 0u), atomicExchange(&shBallot[1], 0u)); }
    return workgroupUniformLoad(&shMask);
}

fn lanes_same(value: u32, lane: u32) -> u32 { return value; } // all lanes know that it is the same

// most bounds the values.
fn lanes_sumBelow(value: u32, most: u32, lane: u32, total: ptr<function, u32>) -> u32 {
    var below = 0u;
    *total = 0u;
    for (var bit = 0u; (most >> bit) > 0u; bit++) {
        let mask = lanes_ballot(((value >> bit) & 1u) != 0u, lane);
        below += lanes_countBelow(mask, lane) << bit;
        *total += lanes_count(mask) << bit;
    }
    return below;
}
