// glslang: --target-env vulkan1.1
#version 450
// Procedural displacement: noise of a hash of integers, in octaves.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 0) out float height;
layout(push_constant) uniform Push { mat4 matrix; float amplitude; int octaves; } push;
float hash(ivec3 cell) {
    uint h = uint(cell.x) * 0x8da6b343u ^ uint(cell.y) * 0xd8163841u ^ uint(cell.z) * 0xcb1ab31fu;
    h ^= h >> 13;
    h *= 0x5bd1e995u;
    h ^= h >> 15;
    return float(h & 0xffffu) / 65535.0;
}
float noise(vec3 p) {
    ivec3 cell = ivec3(floor(p));
    vec3 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    float sum = 0.0;
    for (int i = 0; i < 8; i++) {
        ivec3 corner = ivec3(i & 1, i >> 1 & 1, i >> 2);
        vec3 w = mix(1.0 - f, f, vec3(corner));
        sum += w.x * w.y * w.z * hash(cell + corner);
    }
    return sum;
}
void main() {
    height = 0.0;
    float scale = 1.0;
    for (int octave = 0; octave < push.octaves; octave++) {
        if (octave >= 8) break;
        height += noise(position * scale) / scale;
        scale *= 2.0;
    }
    gl_Position = push.matrix * vec4(position + push.amplitude * height * normal, 1.0);
}
