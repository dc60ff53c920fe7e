// glslang: --target-env vulkan1.1
#version 450
// A tessellated bicubic patch: the vertices are points of a grid on it.
layout(location = 0) out vec2 uv;
layout(set = 0, binding = 0) uniform Patch { mat4 matrix; vec4 controls[16]; int side; } patches;
vec4 bernstein(float t) {
    float s = 1.0 - t;
    return vec4(s * s * s, 3.0 * t * s * s, 3.0 * t * t * s, t * t * t);
}
void main() {
    if (patches.side < 2) {
        gl_Position = vec4(0.0);
        return;
    }
    uv = vec2(gl_VertexIndex % patches.side, gl_VertexIndex / patches.side) / float(patches.side - 1);
    vec4 bu = bernstein(uv.x), bv = bernstein(uv.y);
    vec3 p = vec3(0.0);
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) p += bv[row] * bu[column] * patches.controls[4 * row + column].xyz;
    gl_Position = patches.matrix * vec4(p, 1.0);
}
