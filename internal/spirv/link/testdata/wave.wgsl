// Waves of water, as WGSL has it: no variables for inputs and outputs.
struct Frame { matrix: mat4x4<f32>, waves: array<vec4<f32>, 4>, time: f32 }
struct Out { @builtin(position) position: vec4<f32>, @location(0) normal: vec3<f32>, @location(1) @interpolate(flat) instance: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;
var<private> steps: u32 = 2u;
fn height(at: vec2<f32>) -> vec3<f32> {
    var sum = vec3<f32>(0.0);
    for (var i = 0u; i < 4u; i++) {
        let w = frame.waves[i];
        let phase = dot(w.xy, at) + frame.time * w.w;
        sum += w.z * vec3<f32>(w.x * cos(phase), 1.0 * sin(phase), w.y * cos(phase));
        steps += 1u;
    }
    return sum;
}
@vertex
fn main(@location(0) position: vec3<f32>, @builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Out {
    var out: Out;
    let h = height(position.xz);
    out.normal = normalize(vec3<f32>(-h.x, 1.0, -h.z));
    out.position = frame.matrix * vec4<f32>(position.x, position.y + h.y, position.z, 1.0);
    out.instance = instance + vertex * steps;
    return out;
}
