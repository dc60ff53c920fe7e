// Depth in whole numbers, parts of 2^31: the same on every device and in
// renderer/soft/depth.go, whose names these are.
#ifndef DEPTH_GLSL
#define DEPTH_GLSL

const uint FAR_DEPTH = 0x80000000u; // what the picture is cleared to

// Holds a depth within 0..1; what is finer is cut off.
uint depth_fix(float z) { return uint(min(max(z, 0.0), 1.0) * 2147483648.0); }

// The leading 24 bits, so that what is nearer than 1 stays so.
float depth_float(uint fixedDepth) {
    int drop = max(findMSB(fixedDepth) - 23, 0);
    return float(fixedDepth >> drop << drop) * (1.0 / 2147483648.0); // exact
}

// A triangle's depth as a function of its edge functions.
struct DepthPlane {
    uint z0, z1, z2;
    int shift;       // that brings the area to 32 bits: to the right, or left where negative
    uint reciprocal; // 2^63 / area at 32 bits
};

int depth_highestBit(uint64_t x) {
    uint high = uint(x >> 32);
    return high != 0u ? 32 + findMSB(high) : findMSB(uint(x));
}

// A value from 0 to the area, in 32 bits.
uint64_t depth_normal(int shift, int64_t value) {
    return shift > 0 ? uint64_t(value) >> shift : uint64_t(value) << -shift;
}

DepthPlane depth_plane(uvec3 z, int64_t area) {
    int shift = depth_highestBit(uint64_t(area)) - 31;
    return DepthPlane(z.x, z.y, z.z, shift, uint(0x7ffffffffffffffful / depth_normal(shift, area)));
}

// An edge function over the area, in parts of 2^30.
int64_t depth_weight(DepthPlane p, int64_t edge) {
    return int64_t(depth_normal(p.shift, edge) * uint64_t(p.reciprocal) >> 33);
}

// The depth where edge functions 1 and 2 have these values.
uint depth_at(DepthPlane p, int64_t e1, int64_t e2) {
    int64_t z0 = int64_t(p.z0);
    int64_t dz1 = int64_t(p.z1) - z0;
    int64_t dz2 = int64_t(p.z2) - z0;
    return uint(z0 + ((depth_weight(p, e1) * dz1 + depth_weight(p, e2) * dz2) >> 30));
}

#endif
