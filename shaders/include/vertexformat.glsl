// Converts elements of vertex attributes to the four components that a vertex shader reads, by the
// numbers of formats in VkFormat. shaders/vertexformat is the same in Go, bit for bit: everything
// is done in integers, since a division of floats need not be exact.
//
// Includers declare uint attributeWords[], one word longer than its attributes. Callers pass the
// format as a constant, so that compilers keep only the code for that format.

#ifndef VERTEXFORMAT_GLSL
#define VERTEXFORMAT_GLSL

const uint FORMAT_UNORM = 0, FORMAT_SNORM = 1, FORMAT_USCALED = 2, FORMAT_SSCALED = 3;
const uint FORMAT_UINT = 4, FORMAT_SINT = 5, FORMAT_FLOAT = 6;

// a / (2^width - 1) as the nearest float, for a of at most 16 bits. Its binary digits repeat
// those of a.
uint format_fraction(uint a, uint width) {
    if (a == 0)
        return 0;
    if (a == (1u << width) - 1)
        return floatBitsToUint(1.0);
    uint zeros = width - 1 - findMSB(a);
    uint digits = (a << zeros | a >> (width - zeros)) << (32 - width);
    for (uint known = width; known < 32; known *= 2)
        digits |= digits >> known;
    return ((125 - zeros) << 23) + (digits >> 8) + (digits >> 7 & 1);
}

// A 16-bit float as a 32-bit float. Floats of 11 and 10 bits are 16-bit floats without sign and lowest bits.
uint format_widen(uint raw) {
    uint sign = (raw & 0x8000) << 16, exponent = raw >> 10 & 31, fraction = raw & 1023;
    if (exponent == 31)
        return sign | 0x7f800000 | fraction << 13;
    if (exponent > 0)
        return sign | (exponent + 112) << 23 | fraction << 13;
    if (fraction == 0)
        return sign;
    uint top = findMSB(fraction);
    return sign | (top + 103) << 23 | (fraction << (23 - top) & 0x7fffff);
}

// The value that a shader reads from a component of width bits.
uint format_number(uint kind, uint width, uint raw) {
    if (width == 32)
        return raw;
    int value = bitfieldExtract(int(raw), 0, int(width));
    uint most = (1u << (width - 1)) - 1;
    switch (kind) {
    case FORMAT_UNORM:
        return format_fraction(raw, width);
    case FORMAT_SNORM:
        return format_fraction(min(uint(abs(value)), most), width - 1) | (value < 0 ? 0x80000000u : 0);
    case FORMAT_USCALED:
        return floatBitsToUint(float(raw));
    case FORMAT_SSCALED:
        return floatBitsToUint(float(value));
    case FORMAT_SINT:
        return uint(value);
    case FORMAT_FLOAT:
        return format_widen(raw);
    }
    return raw;
}

// The word at a byte offset.
uint format_word(uint at, bool aligned) {
    uint word = attributeWords[at / 4], shift = at % 4 * 8;
    if (aligned || shift == 0)
        return word;
    return word >> shift | attributeWords[at / 4 + 1] << (32 - shift);
}

// Element number `element` of an array that begins at byte firstByte, a multiple of 4.
uvec4 custom_fetch(uint format, uint firstByte, uint element) {
    uint kind, components = 4, bits = 8;
    if (format < 58) { // R8, R8G8, R8G8B8, none, R8G8B8A8, B8G8R8A8, A8B8G8R8
        kind = (format - 9) % 7;
        components = min((format - 9) / 7 + 1, 4);
    } else if (format < 70) { // A2R10G10B10, A2B10G10R10
        kind = (format - 58) % 6;
        bits = 10;
    } else if (format < 98) { // R16 to R16G16B16A16
        kind = (format - 70) % 7;
        components = (format - 70) / 7 + 1;
        bits = 16;
    } else if (format < 110) { // R32 to R32G32B32A32
        kind = FORMAT_UINT;
        components = (format - 98) / 3 + 1;
        bits = 32;
    } else { // B10G11R11
        kind = FORMAT_FLOAT;
        components = 3;
        bits = 11;
    }
    uint size = bits % 8 == 0 ? components * bits / 8 : 4, at = firstByte + element * size;
    bool aligned = size % 4 == 0;
    uvec4 raw = uvec4(format_word(at, aligned), 0, 0, 0);
    if (size > 4)
        raw.y = format_word(at + 4, aligned);
    if (size > 8)
        raw.z = format_word(at + 8, aligned);
    if (size > 12)
        raw.w = format_word(at + 12, aligned);
    if (bits == 8)
        raw = uvec4(raw.x, raw.x >> 8, raw.x >> 16, raw.x >> 24) & 255;
    if (bits == 10)
        raw = uvec4(raw.x & 1023, raw.x >> 10 & 1023, raw.x >> 20 & 1023, raw.x >> 30);
    if (bits == 16)
        raw = uvec4(raw.x, raw.x >> 16, raw.y, raw.y >> 16) & 65535;
    if (bits == 11) // as 16-bit floats
        raw = uvec4((raw.x & 2047) << 4, (raw.x >> 11 & 2047) << 4, raw.x >> 22 << 5, 0);
    bool blueFirst = format >= 44 && format < 51 || format >= 58 && format < 64;
    if (blueFirst)
        raw.xz = raw.zx;
    bool whole = bits == 32 ? (format - 98) % 3 < 2 : kind == FORMAT_UINT || kind == FORMAT_SINT;
    uvec4 result = uvec4(0, 0, 0, whole ? 1 : floatBitsToUint(1.0));
    result.x = format_number(kind, bits, raw.x);
    if (components > 1)
        result.y = format_number(kind, bits, raw.y);
    if (components > 2)
        result.z = format_number(kind, bits, raw.z);
    if (components > 3)
        result.w = format_number(kind, bits == 10 ? 2 : bits, raw.w);
    return result;
}

#endif
