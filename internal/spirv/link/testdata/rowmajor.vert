// glslang: --target-env vulkan1.1
#version 450
// Row-major matrices and their columns, rows and elements.
layout(location = 0) in vec3 position;
layout(location = 0) out vec4 column;
layout(set = 0, binding = 0, std140, row_major) uniform Rows { mat4 matrix; mat4x3 bones[4]; layout(column_major) mat3 plain; float last; } rows;
void main() {
    column = vec4(rows.bones[2][1], rows.matrix[3][2]) + vec4(rows.plain[1], rows.last);
    gl_Position = rows.matrix * vec4(rows.bones[1] * vec4(position, 1.0), 1.0);
}
