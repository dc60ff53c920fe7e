// Arithmetic that gives the same bits on every device and in Go: only products and sums,
// written out and precise. Devices may round divisions and square roots differently.
#ifndef EXACT_GLSL
#define EXACT_GLSL

float exact_dot(vec3 a, vec3 b) {
    precise float d = (a.x * b.x + a.y * b.y) + a.z * b.z;
    return d;
}

// All strategies and the CPU transform vertices with this, since a strategy must not change
// a pixel.
vec4 exact_transform(mat4 m, vec4 p) {
    precise vec4 q;
    q.x = ((m[0].x * p.x + m[1].x * p.y) + m[2].x * p.z) + m[3].x * p.w;
    q.y = ((m[0].y * p.x + m[1].y * p.y) + m[2].y * p.z) + m[3].y * p.w;
    q.z = ((m[0].z * p.x + m[1].z * p.y) + m[2].z * p.z) + m[3].z * p.w;
    q.w = ((m[0].w * p.x + m[1].w * p.y) + m[2].w * p.z) + m[3].w * p.w;
    return q;
}

// 1 / the length of v, or less near zero: with two steps within 5 parts in a million, with three within 3 in 10 million.
// Newton's method on the inverse square root, from a guess that halves the exponent.
float exact_inverseLength(vec3 v, uint steps) {
    float lengthSquared = clamp(exact_dot(v, v), 1e-30, 1e30);
    precise float halved = 0.5 * lengthSquared;
    precise float y = uintBitsToFloat(0x5f375a86u - (floatBitsToUint(lengthSquared) >> 1));
    for (uint i = 0u; i < steps; i++) y = y * (1.5 - (halved * y) * y);
    return y;
}

// v at unit length; a vector near zero stays short.
vec3 exact_unit(vec3 v) {
    precise vec3 u = v * vec3(exact_inverseLength(v, 3u));
    return u;
}

// The RGB of a packed colour.
vec3 exact_unpackColor(uint color) {
    precise vec3 unpacked = vec3(uvec3(color, color >> 8, color >> 16) & 255u) * vec3(1.0 / 255.0);
    return unpacked;
}

// A number in -1..1 in 16 bits, rounded to nearest.
uint exact_packSnorm16(float x) {
    precise float scaled = clamp(x, -1.0, 1.0) * 32767.0 + 0.5;
    return uint(int(floor(scaled))) & 0xffffu;
}

#endif
