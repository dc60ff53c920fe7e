// What the graphics pipeline's vertex shaders pass to raster/view.frag: few packed values,
// since every varying costs set-up per triangle.
#ifndef CORNER_GLSL
#define CORNER_GLSL

#ifdef MESH
#define CORNER_EACH [] // per vertex of the workgroup
#else
#define CORNER_EACH
#endif
layout(location = 0) out vec3 lightAndWeights CORNER_EACH;   // light 0..1; weights of the corners 1 and 2
layout(location = 1) flat out vec3 colorOrTimes CORNER_EACH; // linear RGB; in the counts view how often each corner was shaded, at most 6
#ifdef VARYING
layout(location = 2) out vec3 shownColor CORNER_EACH; // linear RGB
#endif

// Whether pixels need the weights of their triangle's corners.
const bool CORNER_WEIGHS = VIEW == VIEW_COUNTS || EDGES > 0u;

// A corner's own weights: 1 for itself.
vec2 corner_weights(uint corner) { return CORNER_WEIGHS ? vec2(corner % 3u == 1u, corner % 3u == 2u) : vec2(0.0); }

vec3 corner_times(uvec3 times) { return vec3(min(times, uvec3(6u))); }

#endif
