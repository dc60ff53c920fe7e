// A place holder until the table is there.
#ifndef VERTEXFORMAT_GLSL
#define VERTEXFORMAT_GLSL
uint vertexformat_size(uint format) { return 4u + (format - 100u) / 3u * 4u; }
uvec4 vertexformat_decode(uint format, uvec4 words) {
    uint size = vertexformat_size(format);
    return uvec4(words.x, size > 4u ? words.y : 0u, size > 8u ? words.z : 0u, size > 12u ? words.w : 0x3f800000u);
}
#endif
