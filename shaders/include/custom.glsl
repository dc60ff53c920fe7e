// The vertex shader. Passes that include this file call custom_vertex, whose body here is a
// stand-in: the renderer replaces it in the SPIR-V when a plan runs, by ours (vertex/*.vert), or
// by those of the user or of a captured frame, which may be of any compiler.
//
// Input   positions[], normals[], skin[], bones[] and clip, the draw's matrix from model to
//         clip space: what ours read. What others read: attributeWords[]; values[]: their
//         blocks; shadings[]: what they have of each draw
// Output  a clip position, and the output that is shown
#ifndef CUSTOM_GLSL
#define CUSTOM_GLSL

layout(binding = BINDING_SKIN, std430) readonly buffer Skin { uvec2 skin[]; }; // vertex/skin.vert
layout(binding = BINDING_BONES, std430) readonly buffer Bones { vec4 bones[]; };
layout(binding = BINDING_ATTRIBUTE_WORDS, std430) readonly buffer AttributeWords { uint attributeWords[]; }; // attributes behind each other, elements in their formats
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
