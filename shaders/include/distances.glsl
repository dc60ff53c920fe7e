// Clip and cull distances of the vertex shader, for passes that draw: geometry passes store them
// where they shade.
#ifndef DISTANCES_GLSL
#define DISTANCES_GLSL

const uint DISTANCES = CLIP_DISTANCES + CULL_DISTANCES;

layout(binding = BINDING_DISTANCES, std430) readonly buffer Distances { float distances[]; }; // DISTANCES per (draw, vertex) pair, clip distances first

// The index of the first distance of each corner of a triangle.
uvec3 distances_corners(Draw draw, uvec3 ids) { return DISTANCES * (draw.countOffset + ids); }

vec3 distances_load(uvec3 corners, uint n) { return vec3(distances[corners.x + n], distances[corners.y + n], distances[corners.z + n]); }

// Whether a triangle is culled: some cull distance is negative at all of its corners.
bool distances_cull(uvec3 corners) {
    for (uint n = CLIP_DISTANCES; n < DISTANCES; n++) {
        if (all(lessThan(distances_load(corners, n), vec3(0.0)))) return true;
    }
    return false;
}

#endif
