// glslang: --target-env vulkan1.1
#version 450
// The simplest: a matrix of a uniform block, a factor of push constants.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec3 shade;
layout(set = 0, binding = 0) uniform Camera { mat4 modelViewProjection; mat3 normalMatrix; } camera;
layout(push_constant) uniform Push { float scale; } push;
void main() {
    shade = normalize(camera.normalMatrix * normal);
    gl_Position = camera.modelViewProjection * vec4(push.scale * position, 1.0);
}
