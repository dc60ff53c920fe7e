// Arithmetic that gives the same bits on every device and in Go: products and
// sums alone, spelled out and precise, since a division or a square root may
// round as a device likes.
#ifndef EXACT_GLSL
#define EXACT_GLSL

float exact_dot(vec3 a, vec3 b) {
    precise float d = (a.x * b.x + a.y * b.y) + a.z * b.z;
    return d;
}

// v at unit length, within 3 parts in 10 million; what is next to zero stays
// short. Newton's method on the inverse square root, from a guess that halves
// the exponent.
vec3 exact_unit(vec3 v) {
    float lengthSquared = clamp(exact_dot(v, v), 1e-30, 1e30);
    precise float halved = 0.5 * lengthSquared;
    precise float y = uintBitsToFloat(0x5f375a86u - (floatBitsToUint(lengthSquared) >> 1));
    for (uint i = 0u; i < 3u; i++) y = y * (1.5 - (halved * y) * y);
    precise vec3 u = v * vec3(y);
    return u;
}

// A number within -1..1 in 16 bits, to nearest.
uint exact_packSnorm16(float x) {
    precise float scaled = clamp(x, -1.0, 1.0) * 32767.0 + 0.5;
    return uint(int(floor(scaled))) & 0xffffu;
}

#endif
