// glslang: --target-env vulkan1.1 -I../../../shaders
#version 450
#extension GL_GOOGLE_include_directive : require
// The decoding of elements by shaders/include/vertexformat.glsl.
layout(constant_id = 0) const uint FORMAT = 9;
layout(set = 0, binding = 0, std430) readonly buffer Words { uint attributeWords[]; };
#include "include/vertexformat.glsl"
layout(location = 0) flat out uvec4 components;
void main() {
    components = custom_fetch(FORMAT, 4, uint(gl_VertexIndex));
    gl_Position = vec4(0.0);
}
