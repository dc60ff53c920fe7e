#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require

// WORKGROUP is used by the workgroup's size alone: the SPIR-V does not name it.
layout(constant_id = 3) const uint WORKGROUP = 64u;
layout(local_size_x_id = 3) in;
layout(set = 0, binding = 11, std430) buffer Words { uint64_t words[]; };

void main() {
    uvec4 mask = subgroupBallot(true);
    atomicMax(words[0], uint64_t(subgroupShuffle(mask.x, 0u)));
}
