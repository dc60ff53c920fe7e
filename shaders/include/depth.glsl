// Depth in whole numbers, from 0 to 2^31: the same on every device and in
// renderer/soft/depth.go, whose names these are.
#ifndef DEPTH_GLSL
#define DEPTH_GLSL

const uint FAR_DEPTH = 0x80000000u; // depth of a cleared picture

// Clamps a depth to 0..1 and truncates it to whole parts.
uint depth_fix(float z) { return uint(min(max(z, 0.0), 1.0) * 2147483648.0); }

// A triangle's depth as a function of its edge functions.
struct DepthPlane {
    uint z0, z1, z2;
    int shift;       // to the left, which brings the area's highest bit to that of its type
    uint reciprocal; // 2^63 / the area in 32 bits
};

int depth_highestBit(uint64_t x) {
    uint high = uint(x >> 32);
    return high != 0u ? 32 + findMSB(high) : findMSB(uint(x));
}

// The upper 32 bits of a value between 0 and the area, shifted as the area is.
uint depth_normal(int shift, int64_t value) { return uint((uint64_t(value) << shift) >> 32); }

// (2^63 - 1) / an area of 2^31 or more, rounded down, however the device divides: the first
// quotient is too small by at most 2^13, the second by at most one.
uint depth_reciprocal(uint area) {
    float divisor = float(area);
    uint quotient = uint(9.223372036854775807e18 / divisor * 0.99999904);
    uint high, low;
    umulExtended(quotient, area, high, low);
    uint64_t remainder = uint64_t(0x7fffffffu - high) << 32 | uint64_t(~low);
    uint more = uint((float(0x7fffffffu - high) * 4294967296.0 + float(~low)) / divisor);
    int64_t rest = int64_t(remainder) - int64_t(uint64_t(more) * uint64_t(area));
    quotient += more;
    if (rest < 0l) return quotient - 1u;
    return rest >= int64_t(area) ? quotient + 1u : quotient;
}

DepthPlane depth_planeOf(uvec3 z, int shift, uint area) { return DepthPlane(z.x, z.y, z.z, shift, depth_reciprocal(area)); }

DepthPlane depth_plane(uvec3 z, int64_t area) {
    int shift = 63 - depth_highestBit(uint64_t(area));
    return depth_planeOf(z, shift, depth_normal(shift, area));
}

// depth_plane for an area that fits 31 bits.
DepthPlane depth_planeSmall(uvec3 z, int area) {
    int shift = 31 - findMSB(area);
    return depth_planeOf(z, shift, uint(area) << shift);
}

// An edge function, in 32 bits, divided by the area; 2^30 is 1.
uint depth_weightOf(DepthPlane p, uint edge) {
    uint high, low;
    umulExtended(edge, p.reciprocal, high, low);
    return high >> 1;
}

uint depth_weight(DepthPlane p, int64_t edge) { return depth_weightOf(p, depth_normal(p.shift, edge)); }

// z0 + (weight1 * (z1 - z0) + weight2 * (z2 - z0)) / 2^30, rounded down. Within the triangle no weight is negative.
uint depth_of(DepthPlane p, uint weight1, uint weight2) {
    uint weight0 = (1u << 30) - weight1 - weight2;
    return uint((uint64_t(weight0) * uint64_t(p.z0) + uint64_t(weight1) * uint64_t(p.z1) + uint64_t(weight2) * uint64_t(p.z2)) >> 30);
}

// The depth at the point of the triangle where edge functions 1 and 2 have these values.
uint depth_at(DepthPlane p, int64_t e1, int64_t e2) { return depth_of(p, depth_weight(p, e1), depth_weight(p, e2)); }

uint depth_atSmall(DepthPlane p, int e1, int e2) {
    return depth_of(p, depth_weightOf(p, uint(e1) << p.shift), depth_weightOf(p, uint(e2) << p.shift));
}

#endif
