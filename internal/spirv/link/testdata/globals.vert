// glslang: --target-env vulkan1.1
#version 450
// Variables outside functions, some of them with initial values.
layout(location = 0) in vec3 position;
layout(location = 0) out float total;
float sum = 0.25;
int calls = 0;
vec3 history[4] = vec3[](vec3(1), vec3(2), vec3(3), vec3(4));
void visit(vec3 p) {
    history[calls & 3] += p;
    sum += p.x;
    calls++;
}
void main() {
    for (int i = 0; i < 3; i++) visit(position * float(i));
    total = sum + float(calls);
    gl_Position = vec4(history[0] + history[3], 1.0);
}
