// Procedural displacement: four octaves of value noise over the position move a
// vertex along its normal, and the noise's own derivative tilts the normal.
//
// Input   position and normal in model space
// Output  both on the displaced surface; the normal not of unit length
// Source  textbook: random values at the points of a lattice, quintic
//         interpolation between them
#ifndef DISPLACE_GLSL
#define DISPLACE_GLSL

#include "include/exact.glsl"

const uint DISPLACE_OCTAVES = 4u;

// A number in -1..1 for each of four lattice points, exact in 24 bits. point is their
// coordinates, multiplied and combined.
vec4 displace_random(uvec4 point) {
    point ^= point >> 15;
    point *= 0x2c1b3c6du;
    point ^= point >> 13;
    point *= 0x297a2d39u;
    point ^= point >> 16;
    precise vec4 value = vec4(point >> 8) * vec4(1.0 / 8388608.0) - vec4(1.0);
    return value;
}

// Noise at a place in lattice units: xyz is its derivative, w its value, in -1..1.
vec4 displace_noise(vec3 place, uint octave) {
    vec3 cell = floor(place);
    precise vec3 f = place - cell;
    precise vec3 blend = ((f * f) * f) * (f * (f * 6.0 - 15.0) + 10.0);
    precise vec3 slope = ((f * f) * 30.0) * (f * (f - 2.0) + 1.0);
    uvec3 low = uvec3(ivec3(cell)) * uvec3(0x8da6b343u, 0xd8163841u, 0xcb1ab31fu) + uvec3(octave * 0x9e3779b1u, 0u, 0u);
    uvec3 high = low + uvec3(0x8da6b343u, 0xd8163841u, 0xcb1ab31fu);
    // The four points with the lower x: (y, z) low low, low high, high low, high high.
    uvec4 yz = uvec4(low.y ^ low.z, low.y ^ high.z, high.y ^ low.z, high.y ^ high.z);
    vec4 left = displace_random(yz ^ low.x), right = displace_random(yz ^ high.x);

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

void displace_surface(inout vec4 posObject, inout vec3 normalObject) {
    precise vec3 place = posObject.xyz * DISPLACE_CELLS;
    precise vec4 sum = vec4(0.0);
    precise float weight = 1.0; // of an octave's value; its lattice is finer by as much, so derivatives all weigh 1
    for (uint octave = 0u; octave < DISPLACE_OCTAVES; octave++) {
        vec4 noise = displace_noise(place, octave);
        sum = sum + noise * vec4(vec3(1.0), weight);
        place = place * 2.0;
        weight = weight * 0.5;
    }
    precise float height = DISPLACE_HEIGHT * sum.w;
    precise float steepness = DISPLACE_HEIGHT * DISPLACE_CELLS;
    precise vec3 gradient = sum.xyz * steepness;
    // The gradient's part along the normal does not tilt the surface.
    float along = exact_dot(gradient, normalObject);
    precise vec3 moved = posObject.xyz + normalObject * height;
    precise vec3 tilted = normalObject - (gradient - normalObject * along);
    posObject.xyz = moved;
    normalObject = tilted;
}

#endif
