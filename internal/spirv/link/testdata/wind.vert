// glslang: --target-env vulkan1.3
#version 450
#pragma use_vulkan_memory_model
// Grass in the wind: a place per instance, a phase that follows time.
layout(location = 0) in vec3 position;
layout(location = 5) in vec4 place; // per instance: centre and size
layout(location = 0) out float bend;
layout(set = 0, binding = 0) uniform Scene { mat4 viewProjection; vec4 wind; float time; } scene;
float gust(vec2 at) { return sin(0.7 * at.x + 1.3 * at.y + scene.time) * 0.5 + 0.5; }
void main() {
    vec3 p = place.xyz + place.w * position;
    bend = position.y * position.y * gust(p.xz);
    p += bend * scene.wind.xyz;
    gl_Position = scene.viewProjection * vec4(p, 1.0);
}
