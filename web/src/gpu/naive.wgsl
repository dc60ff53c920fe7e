// naive: one thread per triangle, every index shaded (shaders/geometry/naive.comp).
fn strategy(batch: Batch, number: u32, lane: u32) {
    for (var t = lane; t < batch.count / 3u; t += LANES) {
        let at = batch.first + 3u * t;
        for (var c = 0u; c < 3u; c++) { shade(indices[at + c], at + c); }
        triangle(at / 3u, at, vec3u(0u, 1u, 2u));
    }
}
