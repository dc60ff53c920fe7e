// glslang: --target-env vulkan1.1
#version 450
// Arrays of blocks, an output block, an invariant position.
layout(location = 0) in vec3 position;
invariant gl_Position;
layout(location = 1) out Surface { vec3 normal; vec2 uv[2]; float fog; } surface;
layout(set = 0, binding = 0) uniform View { mat4 matrix; vec4 fog; } views[3];
layout(set = 0, binding = 1, std430) readonly buffer Offsets { vec3 offset; float factor; } offsets[2];
void main() {
    vec3 p = position + offsets[0].offset * offsets[1].factor;
    surface.normal = normalize(p);
    surface.uv[1] = p.xy;
    gl_Position = views[2].matrix * vec4(p, 1.0);
    surface.fog = dot(views[0].fog, gl_Position);
}
