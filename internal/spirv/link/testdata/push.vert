// glslang: --target-env vulkan1.2
#version 450
// Push constants with structs within structs and arrays.
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 colour;
struct Material { vec3 tint; float shine; };
struct Object { mat4 matrix; Material materials[2]; ivec2 choice; };
layout(push_constant) uniform Push { layout(offset = 16) Object object; uint flags; } push;
void main() {
    Material m = push.object.materials[push.object.choice.x & 1];
    colour = vec4(m.tint, m.shine);
    if ((push.flags & 1u) != 0u) colour = colour.bgra;
    gl_Position = push.object.matrix * position;
}
