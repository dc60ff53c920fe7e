// glslang: --target-env vulkan1.2
#version 450
// Instructions that compilers write from SPIR-V 1.4 on: copies between layouts, selections of vectors.
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 chosen;
struct Bone { mat3 turn; vec3 shift[2]; };
layout(set = 0, binding = 0, std140) uniform Pose { Bone bones[3]; float blend; } pose;
layout(set = 0, binding = 1, std430) readonly buffer Rest { Bone bones[3]; } rest;
void main() {
    Bone local[3] = pose.bones;
    Bone other = rest.bones[1];
    bool first = pose.blend > 0.5;
    chosen = first ? local[2].shift[1] : other.shift[0];
    Bone b = first ? local[1] : other;
    gl_Position = vec4(b.turn * position + chosen, 1.0);
}
