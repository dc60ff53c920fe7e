// Lanes of the device's own subgroups. A workgroup is one subgroup, since WGSL has no barrier of
// a subgroup.
var<workgroup> shSame: u32;

// One bit per lane, lane 0 lowest, 64 lanes in two words.
fn lanes_ballot(predicate: bool, lane: u32) -> vec2u { return subgroupBallot(predicate).xy; }

// A value that all lanes have. Loops with barriers may depend on it; it is a barrier, too.
fn lanes_same(value: u32, lane: u32) -> u32 {
    if (lane == 0u) { shSame = value; }
    return workgroupUniformLoad(&shSame);
}

// The sum of the values of the lanes below this one, and of all lanes.
fn lanes_sumBelow(value: u32, most: u32, lane: u32, total: ptr<function, u32>) -> u32 {
    *total = subgroupAdd(value);
    return subgroupExclusiveAdd(value);
}
