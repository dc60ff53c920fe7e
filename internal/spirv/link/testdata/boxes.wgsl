// Boxes without attributes, from a storage buffer; a fragment stage in the same module.
struct Box { centre: vec3<f32>, size: f32, colour: vec4<f32> }
@group(1) @binding(0) var<storage, read> boxes: array<Box>;
@group(1) @binding(1) var<uniform> matrix: mat4x4<f32>;
struct Out { @builtin(position) position: vec4<f32>, @location(0) colour: vec4<f32> }
@vertex
fn box(@builtin(vertex_index) vertex: u32) -> Out {
    let b = boxes[(vertex / 8u) % arrayLength(&boxes)];
    let corner = vec3<f32>(f32(vertex & 1u), f32((vertex >> 1u) & 1u), f32((vertex >> 2u) & 1u)) * 2.0 - 1.0;
    return Out(matrix * vec4<f32>(b.centre + b.size * corner, 1.0), b.colour);
}
@fragment
fn paint(@location(0) colour: vec4<f32>) -> @location(0) vec4<f32> { return colour + dpdx(colour); }
