// What every strategy includes: the index stream in batches, the vertex shader, and the buffers
// that a strategy fills. A strategy is a file with
//
//     fn strategy(batch: Batch, number: u32, lane: u32)
//
// which all GROUP invocations of a workgroup call for one batch. gpu.js puts constants before:
// LANES, WORKGROUP, GROUP, BATCH, UNIQUE, TABLE and MULTIPLIER as in shaders/include, and SPARE (see
// warp.wgsl). In a native subgroup lane is the invocation's number there, for which gpu.js changes
// main().

struct Batch {
    first: u32, // into indices[]
    count: u32, // a multiple of 3
}

struct Run {
    clip: mat4x4f,
    batchCount: u32,
    load: u32,     // extra work of the vertex shader, as in shaders/include/vertex.glsl
    counting: u32, // 1: vertices are counted, and stored as ids, for the check; 0: for times, by the same pipeline
}

@group(0) @binding(0) var<storage, read> indices: array<u32>;              // triangles * 3
@group(0) @binding(1) var<storage, read> positions: array<f32>;            // vertices * 3
@group(0) @binding(2) var<storage, read> batches: array<Batch>;
@group(0) @binding(3) var<storage, read_write> vertices: array<vec4u>;     // bits of clip positions; a batch fills its own places
@group(0) @binding(4) var<storage, read_write> records: array<vec2u>;      // per triangle: three slots of 10 bits, and the place of slot 0
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>; // times shaded, per vertex
@group(0) @binding(6) var<uniform> run: Run;

const NO_ID = 0xffffffffu;

// The extra work: a chain that the compiler cannot shorten.
fn shade_load(seed: f32) -> f32 {
    var x = seed;
    for (var i = 0u; i < run.load / 4u; i++) { x = fma(x, 0.999, 0.001); }
    return x * 1e-37;
}

// Shades a vertex and stores it.
fn shade(id: u32, place: u32) {
    if (run.counting == 1u) {
        atomicAdd(&counts[id], 1u);
        vertices[place] = vec4u(id, 0u, 0u, 0u);
        return;
    }
    var clip = run.clip * vec4f(positions[3u * id], positions[3u * id + 1u], positions[3u * id + 2u], 1.0);
    if (run.load > 0u) { clip.w += shade_load(clip.x); }
    vertices[place] = bitcast<vec4u>(clip);
}

// Stores a triangle of the stream: the slots of its corners, from the place of slot 0.
fn triangle(number: u32, place: u32, slots: vec3u) {
    records[number] = vec2u(slots.x | (slots.y << 10u) | (slots.z << 20u), place);
}

// A workgroup takes a batch. Dispatches have two dimensions, since one has 65,535 workgroups at most.
@compute @workgroup_size(GROUP)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) lane: u32) {
    let number = workgroup.x + workgroup.y * workgroups.x;
    if (number < run.batchCount) { strategy(batches[number], number, lane); }
}
