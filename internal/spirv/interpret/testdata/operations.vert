// glslang: --target-env vulkan1.1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// An operation by its number, on vectors of floats and of integers.
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 2) in ivec4 i;
layout(location = 3) in ivec4 j;
layout(location = 0) out vec4 x;
layout(location = 1) flat out ivec4 n;
layout(push_constant) uniform Push { int operation; };
uvec4 u = uvec4(i), v = uvec4(j);
ivec4 whole(bvec4 k) { return ivec4(k); }
void main() {
    gl_Position = vec4(0.0);
    x = vec4(0.0);
    n = ivec4(0);
    switch (operation) {
    case 0: x = a + b; break;
    case 1: x = a - b; break;
    case 2: x = a * b; break;
    case 3: x = a / b; break;
    case 4: x = mod(a, b); break;
    case 5: n = i + j; break;
    case 6: n = i * j; break;
    case 7: n = i / j; break;
    case 8: n = ivec4(u / v); break;
    case 9: n = ivec4(u % v); break;
    case 10: n = i << (j & 31); break;
    case 11: n = i >> (j & 31); break;
    case 12: n = ivec4(u >> (v & 31u)); break;
    case 13: n = whole(lessThan(a, b)); break;
    case 14: n = whole(greaterThanEqual(a, b)); break;
    case 15: n = whole(equal(a, b)); break;
    case 16: n = whole(notEqual(a, b)); break;
    case 17: n = whole(lessThan(i, j)); break;
    case 18: n = whole(lessThan(u, v)); break;
    case 19: n = ivec4(a); break;
    case 20: n = ivec4(uvec4(a)); break;
    case 21: x = vec4(i); break;
    case 22: x = vec4(u); break;
    case 23: x = floor(a); break;
    case 24: x = fract(a); break;
    case 25: x = roundEven(a); break;
    case 26: x = sign(a); break;
    case 27: x = abs(a); break;
    case 28: x = min(a, b); break;
    case 29: x = max(a, b); break;
    case 30: x = clamp(a, vec4(-1.0), vec4(2.0)); break;
    case 31: x = mix(a, b, 0.25); break;
    case 32: x = step(a, b); break;
    case 33: x = smoothstep(vec4(0.0), vec4(4.0), a); break;
    case 34: x = sqrt(a); break;
    case 35: x = sin(a); break;
    case 36: x = pow(a, b); break;
    case 37: x = exp2(a); break;
    case 38: n = whole(isnan(a)); break;
    case 39: n = whole(isinf(a)); break;
    case 40: n = findMSB(i); break;
    case 41: n = findLSB(i); break;
    case 42: n = bitCount(i); break;
    case 43: n = bitfieldExtract(i, 4, 9); break;
    case 44: n = ivec4(bitfieldExtract(u, 4, 9)); break;
    case 45: n = ivec4(packUnorm4x8(a), packSnorm4x8(a), packUnorm2x16(a.xy), packSnorm2x16(a.xy)); break;
    case 46: n = ivec4(packHalf2x16(a.xy), packHalf2x16(a.zw), 0, 0); break;
    case 47: x = vec4(unpackHalf2x16(u.x), unpackHalf2x16(u.y)); break;
    case 48: x = mix(a, b, lessThan(a, b)); break;
    case 49: x[i.x] = a[i.y]; break;
    case 50: n.x = any(lessThan(a, b)) ? 1 : 0; n.y = all(lessThan(a, b)) ? 1 : 0; break;
    case 51: x = -a; break;
    case 52: x = intBitsToFloat(i); n = floatBitsToInt(a); break;
    case 53: x = vec4(cross(a.xyz, b.xyz), dot(a, b)); break;
    case 54: x = refract(a, b, 0.5); break;
    case 55: x = atan(a, b); break;
    case 56: for (;;) n.x += 1; break;
    case 57: n = abs(i); break;
    case 58: n = clamp(i, ivec4(-3), ivec4(3)); break;
    case 59: n = ~i ^ (j | i) & j; break;
    case 60: { vec4 integral; x = modf(a, integral); n = floatBitsToInt(integral); break; }
    case 61: x = frexp(a, n); break;
    case 62: n = ivec4(int8_t(i.x), int16_t(i.y), uint8_t(i.z), int(int64_t(i.w) >> 4)); break;
    case 63: { mat2x3 m = transpose(mat3x2(a.xyz, b.xyz)); x = vec4(m[0].yz, m[1].yz); break; }
    }
}
