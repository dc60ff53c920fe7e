// IEEE doubles in integer arithmetic: sums, products and quotients rounded to
// nearest, ties to even, on every device that has 64-bit integers. Each operation
// costs tens of instructions, so this is for rare cases. Infinities and numbers
// below 2^-1022 do not occur, since all operands come from finite floats.
// With DOUBLES the device adds and multiplies; it need not round quotients as IEEE says.
#ifndef DOUBLE_GLSL
#define DOUBLE_GLSL

#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require

const uint64_t DOUBLE_SIGN = 0x8000000000000000ul;
const uint64_t DOUBLE_HIDDEN = 0x0010000000000000ul; // the leading bit, which is not stored
const uint64_t DOUBLE_FRACTION = DOUBLE_HIDDEN - 1ul;

int double_exponent(uint64_t a) { return int(uint(a >> 52) & 2047u); }
uint64_t double_mantissa(uint64_t a) { return (a & DOUBLE_FRACTION) | DOUBLE_HIDDEN; }
bool double_isZero(uint64_t a) { return (a << 1) == 0ul; }
bool double_isNegative(uint64_t a) { return (a & DOUBLE_SIGN) != 0ul && !double_isZero(a); }
uint64_t double_negate(uint64_t a) { return a ^ DOUBLE_SIGN; }

// Rounds a mantissa whose leading bit is bit 62; bit 0 is set if anything was cut off.
uint64_t double_round(uint64_t sign, int exponent, uint64_t mantissa) {
    uint64_t rest = mantissa & 1023ul;
    uint64_t kept = mantissa >> 10;
    if (rest > 512ul || (rest == 512ul && (kept & 1ul) != 0ul)) kept++;
    return sign + (uint64_t(exponent - 1) << 52) + kept; // the leading bit adds 1 to the exponent
}

uint64_t double_from(float f) {
    uint word = floatBitsToUint(f);
    uint64_t sign = uint64_t(word & 0x80000000u) << 32;
    int exponent = int(word >> 23 & 255u);
    uint fraction = word & 0x7fffffu;
    if (exponent == 0) {
        if (fraction == 0u) return sign;
        int shift = 23 - findMSB(fraction);
        fraction = fraction << shift & 0x7fffffu;
        exponent = 1 - shift;
    }
    return sign | uint64_t(exponent + 896) << 52 | uint64_t(fraction) << 29;
}

// Rounds to nearest; zero where the float would be denormal.
float double_toFloat(uint64_t a) {
    uint sign = uint(a >> 32) & 0x80000000u;
    int exponent = double_exponent(a) - 896;
    if (double_isZero(a) || exponent <= 0) return uintBitsToFloat(sign);
    if (exponent >= 255) return uintBitsToFloat(sign | 0x7f800000u);
    uint64_t fraction = a & DOUBLE_FRACTION;
    uint word = (uint(exponent) << 23) + uint(fraction >> 29);
    uint rest = uint(fraction) & 0x1fffffffu;
    if (rest > 0x10000000u || (rest == 0x10000000u && (word & 1u) != 0u)) word++;
    return uintBitsToFloat(sign | word);
}

#ifdef DOUBLES
uint64_t double_add(uint64_t a, uint64_t b) {
    precise double sum = uint64BitsToDouble(a) + uint64BitsToDouble(b);
    return doubleBitsToUint64(sum);
}

uint64_t double_multiply(uint64_t a, uint64_t b) {
    precise double product = uint64BitsToDouble(a) * uint64BitsToDouble(b);
    return doubleBitsToUint64(product);
}
#else
uint64_t double_add(uint64_t a, uint64_t b) {
    if (double_isZero(a)) return double_isZero(b) ? a & b : b;
    if (double_isZero(b)) return a;
    if ((a & ~DOUBLE_SIGN) < (b & ~DOUBLE_SIGN)) {
        uint64_t swap = a;
        a = b;
        b = swap;
    }
    int exponent = double_exponent(a);
    int apart = exponent - double_exponent(b);
    uint64_t large = double_mantissa(a) << 10;
    uint64_t small = double_mantissa(b) << 10;
    if (apart > 62) {
        small = 1ul;
    } else if (apart > 0) {
        uint64_t lost = small & ((1ul << apart) - 1ul);
        small = small >> apart | (lost != 0ul ? 1ul : 0ul);
    }
    if (((a ^ b) & DOUBLE_SIGN) == 0ul) {
        uint64_t sum = large + small;
        if ((sum >> 63) == 0ul) return double_round(a & DOUBLE_SIGN, exponent, sum);
        return double_round(a & DOUBLE_SIGN, exponent + 1, sum >> 1 | (sum & 1ul));
    }
    uint64_t difference = large - small;
    if (difference == 0ul) return 0ul;
    uint high = uint(difference >> 32);
    int shift = 62 - (high != 0u ? 32 + findMSB(high) : findMSB(uint(difference)));
    return double_round(a & DOUBLE_SIGN, exponent - shift, difference << shift);
}

uint64_t double_multiply(uint64_t a, uint64_t b) {
    uint64_t sign = (a ^ b) & DOUBLE_SIGN;
    if (double_isZero(a) || double_isZero(b)) return sign;
    uint64_t x = double_mantissa(a) << 11;
    uint64_t y = double_mantissa(b) << 11;
    uint64_t x0 = x & 0xfffffffful;
    uint64_t y0 = y & 0xfffffffful;
    uint64_t x1 = x >> 32;
    uint64_t y1 = y >> 32;
    uint64_t low = x0 * y0;
    uint64_t middle = x1 * y0 + (low >> 32);
    uint64_t other = x0 * y1 + (middle & 0xfffffffful);
    uint64_t high = x1 * y1 + (middle >> 32) + (other >> 32);
    bool rest = ((low | other) & 0xfffffffful) != 0ul; // whether the product has bits below its upper half
    int exponent = double_exponent(a) + double_exponent(b) - 1023;
    if ((high >> 63) != 0ul) {
        rest = rest || (high & 1ul) != 0ul;
        high >>= 1;
        exponent++;
    }
    return double_round(sign, exponent, high | (rest ? 1ul : 0ul));
}

#endif

uint64_t double_subtract(uint64_t a, uint64_t b) { return double_add(a, double_negate(b)); }

// By long division; b is not zero.
uint64_t double_divide(uint64_t a, uint64_t b) {
    uint64_t sign = (a ^ b) & DOUBLE_SIGN;
    if (double_isZero(a)) return sign;
    uint64_t rest = double_mantissa(a);
    uint64_t divisor = double_mantissa(b);
    int exponent = double_exponent(a) - double_exponent(b) + 1023;
    if (rest < divisor) {
        rest <<= 1;
        exponent--;
    }
    uint64_t quotient = 1ul;
    rest -= divisor;
    float inverse = 1.0 / float(divisor);
    [[dont_unroll]] for (uint i = 0u; i < 6u; i++) { // ten bits each; as a float a digit is off by one at most
        rest <<= 10;
        uint64_t digit = uint64_t(float(rest) * inverse);
        int64_t left = int64_t(rest - digit * divisor);
        if (left < 0l) {
            digit--;
            left += int64_t(divisor);
        } else if (left >= int64_t(divisor)) {
            digit++;
            left -= int64_t(divisor);
        }
        rest = uint64_t(left);
        quotient = quotient << 10 | digit;
    }
    quotient <<= 2;
    return double_round(sign, exponent, quotient | (rest != 0ul ? 1ul : 0ul));
}

#endif
