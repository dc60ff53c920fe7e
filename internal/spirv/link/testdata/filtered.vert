// glslang: --target-env vulkan1.1
#version 450
// Images that are filtered at coordinates within and outside of them. Their blocks say how: linearly or not, repeated or clamped.
layout(location = 0) in vec4 position;
layout(binding = 0) uniform sampler2D linear;
layout(binding = 1) uniform sampler2D nearest;
layout(binding = 2) uniform sampler2D clamped;
layout(binding = 3) uniform sampler2D nearestClamped;

void main() {
    vec2 at = 3.0 * position.xy;
    gl_Position = position + textureLod(linear, at, 0.0) + 2.0 * textureLod(nearest, at.yx, 0.0) + 3.0 * textureLod(clamped, at + 0.5, 0.0) + 4.0 * texture(nearestClamped, at);
}
