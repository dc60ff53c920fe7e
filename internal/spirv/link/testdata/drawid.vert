// glslang: --target-env vulkan1.1
#version 460
// The built-in inputs that number vertices, instances and draws.
layout(location = 0) in vec3 position;
layout(location = 0) out ivec4 numbers;
layout(set = 0, binding = 0) uniform Camera { mat4 matrix; };
void main() {
    numbers = ivec4(gl_VertexIndex, gl_InstanceIndex, gl_BaseVertex, gl_BaseInstance);
    gl_Position = matrix * vec4(position + float(gl_DrawID), 1.0);
}
