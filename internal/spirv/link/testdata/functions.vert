// glslang: --target-env vulkan1.1
#version 450
// The library of GLSL: functions that return several values, bits of integers.
layout(location = 0) in vec3 position;
layout(location = 0) out vec4 parts;
layout(location = 1) flat out uvec3 wide;
void main() {
    float whole;
    int exponent;
    parts.x = modf(position.x * 8.0, whole);
    parts.y = frexp(position.y + 3.0, exponent);
    parts.z = ldexp(parts.y, exponent + 1);
    parts.w = fma(whole, 0.25, inversesqrt(position.z * position.z + 1.0));
    uint n = floatBitsToUint(position.x);
    uint high, low, carry;
    umulExtended(n, 0x9e3779b9u, high, low);
    uint sum = uaddCarry(high, low, carry);
    wide = uvec3(sum ^ carry, bitfieldInsert(bitfieldReverse(n), low, 4, 9), uint(findMSB(n) + bitCount(n)));
    mat3 m = outerProduct(position, position.yzx) + mat3(2.0);
    gl_Position = vec4(inverse(m) * transpose(m) * reflect(position, vec3(0, 1, 0)), determinant(m));
}
