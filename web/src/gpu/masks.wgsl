// Masks of lanes, as in shaders/include/lanes.glsl.
fn lanes_count(mask: vec2u) -> u32 { return countOneBits(mask.x) + countOneBits(mask.y); }

// The number of set lanes below the given one: its rank among them.
fn lanes_countBelow(mask: vec2u, lane: u32) -> u32 {
    let low = vec2u((1u << (lane & 31u)) - 1u, 0u);
    return lanes_count(mask & select(vec2u(~0u, low.x), low, lane < 32u));
}

// The n-th set lane, counted from 0; it must exist.
fn lanes_nth(mask: vec2u, n: u32) -> u32 {
    var lane = 0u;
    var left = n;
    for (var step = 32u; step > 0u; step >>= 1u) {
        let below = lanes_countBelow(mask, lane + step) - lanes_countBelow(mask, lane);
        if (below <= left) {
            left -= below;
            lane += step;
        }
    }
    return lane;
}
