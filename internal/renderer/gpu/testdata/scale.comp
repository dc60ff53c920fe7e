#version 450
// out[i] = in[i] * SCALE + push.add, and the subgroup's size behind the last.
#extension GL_KHR_shader_subgroup_basic : require
layout(constant_id = 3) const uint WORKGROUP = 32u; // always given: glslang makes the size 1 otherwise
layout(constant_id = 5) const uint SCALE = 2u;
layout(local_size_x_id = 3) in;
layout(set = 0, binding = 0, std430) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint count; uint add; } push;
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < push.count) result[i] = source[i] * SCALE + push.add;
    if (i == 0u) result[push.count] = gl_SubgroupSize;
}
