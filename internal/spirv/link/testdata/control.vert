// glslang: --target-env vulkan1.1
#version 450
// Switches, loops, early returns and parameters that are written.
layout(location = 0) in vec3 position;
layout(location = 1) in int kind;
layout(location = 0) out vec4 colour;
layout(location = 1) flat out int steps;
layout(set = 0, binding = 0) uniform Camera { mat4 matrix; int limit; };
bool collatz(inout uint n, out int count) {
    for (count = 0; n != 1u; count++) {
        if (count > limit) return false;
        if ((n & 1u) == 0u) {
            n >>= 1;
            continue;
        }
        n = 3u * n + 1u;
    }
    return true;
}
vec4 choose(int k) {
    switch (k) {
    case 0: return vec4(1, 0, 0, 1);
    case 1:
    case 2: break;
    case -5: {
        int i = 0;
        do { i += 3; } while (i < limit);
        return vec4(float(i));
    }
    default: return vec4(0.5);
    }
    return vec4(0, 1, 0, 1);
}
void main() {
    uint n = uint(abs(kind)) + 1u;
    bool done = collatz(n, steps);
    colour = choose(kind);
    gl_Position = matrix * vec4(position, 1.0);
    if (!done) return;
    gl_Position.x += 0.001 * float(steps);
}
