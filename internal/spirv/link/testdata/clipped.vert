// glslang: --target-env vulkan1.1
#version 450
// Clip and cull distances, the size of points, and an output that is read again.
layout(location = 0) in vec3 position;
layout(location = 0) out vec4 place;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
layout(set = 0, binding = 0) uniform Planes { mat4 matrix; vec4 planes[3]; };
void main() {
    gl_Position = matrix * vec4(position, 1.0);
    for (int i = 0; i < 2; i++) gl_ClipDistance[i] = dot(planes[i], gl_Position);
    gl_CullDistance[0] = dot(planes[2], vec4(position, 1.0));
    gl_PointSize = 1.0 + gl_ClipDistance[0];
    place = gl_Position / gl_Position.w;
}
