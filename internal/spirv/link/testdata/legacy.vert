// glslang: --target-env vulkan1.0
#version 450
// Storage blocks in the form of SPIR-V 1.0.
layout(location = 0) in vec3 position;
layout(location = 0) out float picked;
layout(set = 3, binding = 9, std430) readonly buffer Table { mat4 matrix; float entries[12]; } table;
layout(set = 3, binding = 10, std430) readonly buffer Open { vec4 rows[]; } open;
void main() {
    picked = table.entries[gl_VertexIndex % 12] + open.rows[gl_InstanceIndex % open.rows.length()].y;
    gl_Position = table.matrix * vec4(position, 1.0);
}
