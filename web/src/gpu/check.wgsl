// Counts the triangles whose records do not lead to the vertices of their indices, after a pass
// that stored ids.
@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read> vertices: array<vec4u>;
@group(0) @binding(2) var<storage, read> records: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> wrong: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) lane: u32) {
    let t = (workgroup.x + workgroup.y * workgroups.x) * 256u + lane;
    if (t >= arrayLength(&records)) { return; }
    let record = records[t];
    let places = vec3u(record.y) + (vec3u(record.x, record.x >> 10u, record.x >> 20u) & vec3u(1023u));
    let ids = vec3u(vertices[places.x].x, vertices[places.y].x, vertices[places.z].x);
    if (any(ids != vec3u(indices[3u * t], indices[3u * t + 1u], indices[3u * t + 2u]))) { atomicAdd(&wrong, 1u); }
}
