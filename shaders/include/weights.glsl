// The weights of a triangle's corners at a pixel's centre, for passes without varyings.
#ifndef WEIGHTS_GLSL
#define WEIGHTS_GLSL

struct Weights {
    vec3 corners; // perspective-correct; divided by their sum they add up to 1
    vec3 perX, perY; // by how much they grow per pixel
    vec3 w; // of the corners, in the same scale
};

// Weights are homogeneous edge functions of the corners relative to the pixel, so that no
// triangle has to be clipped, and small ones keep their precision.
// Source  Olano and Greer, Triangle scan conversion using 2D homogeneous coordinates, 1997
Weights weights_at(vec4 p0, vec4 p1, vec4 p2, uvec2 pixel) {
    uvec3 most = max(max(floatBitsToUint(p0.xyw) & 0x7fffffffu, floatBitsToUint(p1.xyw) & 0x7fffffffu), floatBitsToUint(p2.xyw) & 0x7fffffffu);
    int exponent = int(max(max(most.x, most.y), most.z) >> 23);
    float scale = uintBitsToFloat(uint(clamp(253 - exponent, 1, 252)) << 23); // exact: the largest becomes about 1
    vec2 halfSize = 0.5 * vec2(push.width, push.height);
    vec2 at = vec2(pixel) + 0.5 - halfSize;
    precise vec3 w = vec3(p0.w, p1.w, p2.w) * scale;
    precise vec3 x = vec3(p0.x, p1.x, p2.x) * scale * halfSize.x - at.x * w; // pixels from this one, times w
    precise vec3 y = vec3(p0.y, p1.y, p2.y) * scale * halfSize.y - at.y * w;
    precise vec3 corners = x.yzx * y.zxy - x.zxy * y.yzx;
    precise vec3 perX = w.zxy * y.yzx - w.yzx * y.zxy;
    precise vec3 perY = x.zxy * w.yzx - x.yzx * w.zxy;
    if (exact_dot(corners, vec3(1.0)) < 0.0) return Weights(-corners, -perX, -perY, w);
    return Weights(corners, perX, perY, w);
}

// The least sum of weights to divide by. Below it nothing is left of the weights, and the first
// corner's value is taken.
const float WEIGHTS_LEAST = 8.271806125530277e-25; // 2^-80

// The weights with negative ones, which a pixel at an edge may have, set to 0: interpolated values
// stay between the corners' values.
vec3 weights_inside(Weights w) { return max(w.corners, 0.0); }

#endif
