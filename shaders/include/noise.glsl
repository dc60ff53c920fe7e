// Value noise with its derivative: random values at the points of a lattice, quintic
// interpolation between them.
//
// Input   a place in lattice units, and the octave, which has values of its own
// Output  xyz: the derivative; w: the value, in -1..1
// Source  textbook
#ifndef NOISE_GLSL
#define NOISE_GLSL

// A number in -1..1 for each of four lattice points, exact in 24 bits. point is their
// coordinates, multiplied and combined.
vec4 noise_random(uvec4 point) {
    point ^= point >> 15;
    point *= 0x2c1b3c6du;
    point ^= point >> 13;
    point *= 0x297a2d39u;
    point ^= point >> 16;
    precise vec4 value = vec4(point >> 8) * vec4(1.0 / 8388608.0) - vec4(1.0);
    return value;
}

vec4 noise_at(vec3 place, uint octave) {
    vec3 cell = floor(place);
    precise vec3 f = place - cell;
    precise vec3 blend = ((f * f) * f) * (f * (f * 6.0 - 15.0) + 10.0);
    precise vec3 slope = ((f * f) * 30.0) * (f * (f - 2.0) + 1.0);
    uvec3 low = uvec3(ivec3(cell)) * uvec3(0x8da6b343u, 0xd8163841u, 0xcb1ab31fu) + uvec3(octave * 0x9e3779b1u, 0u, 0u);
    uvec3 high = low + uvec3(0x8da6b343u, 0xd8163841u, 0xcb1ab31fu);
    // The four points with the lower x: (y, z) low low, low high, high low, high high.
    uvec4 yz = uvec4(low.y ^ low.z, low.y ^ high.z, high.y ^ low.z, high.y ^ high.z);
    vec4 left = noise_random(yz ^ low.x), right = noise_random(yz ^ high.x);

    // Blended along x, then y, then z; the differences are the derivatives.
    precise vec4 differenceX = right - left;
    precise vec4 alongX = left + blend.x * differenceX;
    precise vec2 differenceY = alongX.zw - alongX.xy;
    precise vec2 alongY = alongX.xy + blend.y * differenceY;
    precise vec2 slopeX = differenceX.xy + blend.y * (differenceX.zw - differenceX.xy);
    precise vec4 noise;
    noise.x = (slopeX.x + blend.z * (slopeX.y - slopeX.x)) * slope.x;
    noise.y = (differenceY.x + blend.z * (differenceY.y - differenceY.x)) * slope.y;
    noise.z = (alongY.y - alongY.x) * slope.z;
    noise.w = alongY.x + blend.z * (alongY.y - alongY.x);
    return noise;
}

#endif
