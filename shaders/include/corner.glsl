// The outputs of the graphics pipeline's vertex shaders for raster/view.frag: few packed values,
// since every varying costs set-up per triangle.
#ifndef CORNER_GLSL
#define CORNER_GLSL

#ifdef MESH
#define CORNER_EACH [] // per vertex of the workgroup
#else
#define CORNER_EACH
#endif
layout(location = 0) out vec3 lightAndWeights CORNER_EACH;   // light 0..1; weights of the corners 1 and 2
layout(location = 1) flat out vec3 colorOrTimes CORNER_EACH; // linear RGB; in the counts view how often each corner was shaded, at most 6; in the varying view the output
#ifdef VARYING
#include "include/shown.glsl"
layout(location = 2) out vec3 shownValue CORNER_EACH; // an output of the vertex shader
#endif
#ifdef WITH_TEXTURES
#include "include/texture.glsl"
layout(location = 3) out vec2 texCoord;
layout(location = 4) flat out uint material; // as in Draw

// Passes on the draw's material, and the texture coordinates of a vertex of the pool.
void corner_texture(Draw draw, uint vertex) {
    material = draw.material;
    texCoord = vec2(0.0);
    if (material > 0u) texCoord = texture_vertex(materials[material - 1u], vertex);
}
#endif

// Whether pixels need the weights of their triangle's corners.
const bool CORNER_WEIGHS = VIEW == VIEW_COUNTS || EDGES > 0u || TEXTURED || DISTANCED;

// The weights of the corners 1 and 2 at a corner: 1 for the corner itself, else 0.
vec2 corner_weights(uint corner) { return CORNER_WEIGHS ? vec2(corner % 3u == 1u, corner % 3u == 2u) : vec2(0.0); }

vec3 corner_times(uvec3 times) { return vec3(min(times, uvec3(6u))); }

#endif
