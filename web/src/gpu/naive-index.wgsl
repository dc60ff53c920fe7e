// naive-index: one thread per index, which it shades (shaders/geometry/naive-index.comp).
fn strategy(batch: Batch, number: u32, lane: u32) {
    for (var i = lane; i < batch.count; i += WORKGROUP) {
        let at = batch.first + i;
        shade(indices[at], at);
        if (i % 3u == 0u) { triangle(at / 3u, at, vec3u(0u, 1u, 2u)); }
    }
}
