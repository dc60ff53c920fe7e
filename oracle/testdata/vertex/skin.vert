#version 450

// skin: renderer.Skin, in the same order of sums, with its stream as two attributes.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 joints;
layout(location = 3) in uvec4 weights; // of 255
layout(set = 0, binding = 0) uniform Object {
    mat4 clip;
    mat3 normalMatrix;
};
layout(set = 0, binding = 1, std430) readonly buffer Bones { vec4 bones[192]; }; // 3 rows a bone
layout(location = 0) out vec3 normalWorld;

float sum3(vec3 a, vec3 b) {
    precise float d = (a.x * b.x + a.y * b.y) + a.z * b.z;
    return d;
}

vec4 row(uvec4 bone, vec4 weight, uint r) {
    precise vec4 sum = ((vec4(weight.x) * bones[bone.x + r] + vec4(weight.y) * bones[bone.y + r]) +
                        vec4(weight.z) * bones[bone.z + r]) + vec4(weight.w) * bones[bone.w + r];
    return sum;
}

float placed(vec4 row, vec3 p) {
    precise float sum = sum3(row.xyz, p) + row.w;
    return sum;
}

vec3 unit(vec3 v) {
    float lengthSquared = clamp(sum3(v, v), 1e-30, 1e30);
    precise float halved = 0.5 * lengthSquared;
    precise float y = uintBitsToFloat(0x5f375a86u - (floatBitsToUint(lengthSquared) >> 1));
    for (uint i = 0u; i < 3u; i++) y = y * (1.5 - (halved * y) * y);
    precise vec3 u = v * vec3(y);
    return u;
}

void main() {
    uvec4 bone = 3u * joints;
    precise vec4 weight = vec4(weights) * vec4(1.0 / 255.0);
    vec4 rowX = row(bone, weight, 0u), rowY = row(bone, weight, 1u), rowZ = row(bone, weight, 2u);
    vec3 p = vec3(placed(rowX, position), placed(rowY, position), placed(rowZ, position));
    vec3 n = vec3(sum3(rowX.xyz, normal), sum3(rowY.xyz, normal), sum3(rowZ.xyz, normal));
    precise vec4 q = ((clip[0] * p.x + clip[1] * p.y) + clip[2] * p.z) + clip[3];
    gl_Position = q;
    precise vec3 turned = (normalMatrix[0] * n.x + normalMatrix[1] * n.y) + normalMatrix[2] * n.z;
    normalWorld = unit(turned);
}
