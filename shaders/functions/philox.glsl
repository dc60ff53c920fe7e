// Philox4x32-10, random words of a counter and a key (Salmon, Moraes, Dror, Shaw:
// Parallel Random Numbers: As Easy as 1, 2, 3; 2011). apps/walk/philox.go
// computes the same.
#ifndef PHILOX_GLSL
#define PHILOX_GLSL

uvec4 philox(uvec4 counter, uvec2 key) {
    for (uint round = 0u; round < 10u; round++) {
        uint hi0, lo0, hi1, lo1;
        umulExtended(0xD2511F53u, counter.x, hi0, lo0);
        umulExtended(0xCD9E8D57u, counter.z, hi1, lo1);
        counter = uvec4(hi1 ^ counter.y ^ key.x, lo1, hi0 ^ counter.w ^ key.y, lo0);
        key += uvec2(0x9E3779B9u, 0xBB67AE85u);
    }
    return counter;
}

// Scales a random word to 0..n-1.
uint philox_below(uint word, uint n) {
    uint hi, lo;
    umulExtended(word, n, hi, lo);
    return hi;
}

#endif
