// The vertex shader. Passes that include this file call custom_vertex, whose body here is a
// stand-in: when a plan runs, the renderer replaces it in the SPIR-V by our vertex shader
// (vertex/*.vert), or by those of the user or of a captured frame, which any compiler may have made.
//
// Input   of ours: positions[], normals[], skin[], bones[] and clip, the draw's matrix from model
//         to clip space. Of others: attributeWords[]; values[]: their blocks; shadings[]: for each
//         draw its program, its numbers and its copies of blocks
// Output  a clip position, and the output that is shown
#ifndef CUSTOM_GLSL
#define CUSTOM_GLSL

layout(binding = BINDING_SKIN, std430) readonly buffer Skin { uvec2 skin[]; }; // vertex/skin.vert
layout(binding = BINDING_BONES, std430) readonly buffer Bones { vec4 bones[]; };
layout(binding = BINDING_ATTRIBUTE_WORDS, std430) readonly buffer AttributeWords { uint attributeWords[]; }; // one attribute after the other, elements in their formats
layout(binding = BINDING_SHADINGS, std430) readonly buffer Shadings { uint shadings[]; }; // a record per draw
layout(binding = BINDING_VALUES, std430) readonly buffer Values { uint values[]; };       // copies of all blocks, each kind side by side

layout(binding = BINDING_UNIFORMS, std140) uniform Uniforms { uvec4 uniforms; }; // copies of blocks that are uniform and few

// Bindings of blocks that end in a runtime array, so that values[] cannot hold
// copies of them. Joined modules declare them.
const uint OPEN_BINDING = 80u; // of the first
const uint OPEN_BLOCKS = 8u;

#include "include/vertexformat.glsl"

// The stub uses everything that programs may read, so that the compiler keeps it.
vec4 custom_vertex(uint draw, uint vertex, uint id, mat4 clip, out vec4 shown) {
    shown = uintBitsToFloat(custom_fetch(shadings[draw], values[draw], vertex) + skin[vertex].xyxy) + bones[vertex];
    return clip * vec4(shade_position(vertex) + shade_normal(vertex), float(id + uniforms.x));
}

#endif
