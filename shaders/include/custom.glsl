// Vertex shaders that are not ours. The module that is compiled from this file calls
// custom_vertex, whose body here is a stand-in: package shaders/link replaces it by the
// programs of a frame, which may be of any compiler.
//
// Input   attributeWords[], positions[], normals[]: what programs have as inputs;
//         values[]: their blocks; shadings[]: what they have of each draw
// Output  a clip position, and the output that is shown
#ifndef CUSTOM_GLSL
#define CUSTOM_GLSL

#include "include/vertexformat.glsl"

layout(binding = BINDING_ATTRIBUTE_WORDS, std430) readonly buffer AttributeWords { uint attributeWords[]; }; // attributes behind each other, elements in their formats
layout(binding = BINDING_SHADINGS, std430) readonly buffer Shadings { uint shadings[]; }; // a record per draw: link.Layout
layout(binding = BINDING_VALUES, std430) readonly buffer Values { uint values[]; };       // copies of all blocks, each kind side by side

// The bytes of an element of size bytes, which begin at byte first + size * element.
uvec4 custom_element(uint first, uint element, uint size) {
    uint at = first + size * element;
    uint word = at / 4u;
    uint shift = 8u * (at % 4u);
    uvec4 words = uvec4(0u);
    for (uint i = 0u; i < 4u; i++) {
        if (4u * i < size) words[i] = attributeWords[word + i];
    }
    if (size % 4u != 0u && shift > 0u) {
        uint last = attributeWords[word + (size + 3u) / 4u];
        uvec4 next = uvec4(words.yzw, 0u);
        next[(size + 3u) / 4u - 1u] = last;
        words = words >> shift | next << (32u - shift);
    }
    return words;
}

// What a program reads of an element of an attribute: the bits of four components.
uvec4 custom_fetch(uint format, uint first, uint element) {
    return vertexformat_decode(format, custom_element(first, element, vertexformat_size(format)));
}

// The stand-in touches all that programs may read, so that the compiler keeps it.
vec4 custom_vertex(uint draw, uint vertex, uint id, out vec4 shown) {
    shown = uintBitsToFloat(custom_fetch(shadings[draw], values[draw], vertex));
    return vec4(shade_position(vertex) + shade_normal(vertex), float(id));
}

#endif
