#ifndef STRUCTS_GLSL
#define STRUCTS_GLSL

const uint FLAG_FIRST = 0x80000000u;
const int OFFSET_LEAST = -2;
const float SCALE_DEFAULT = 0.25;
const uint FLAG_MADE = FLAG_FIRST >> 1; // an expression: not for Go

#include "nested.glsl"

struct Padded {
    uint id;         // 0
    vec3 axis;       // 16
    float angle;     // 28
    vec2 uv;         // 32
    Inner inner[2];  // 48
    mat3 basis;      // 112, columns of 16 bytes
    mat4 model;      // 160
    mat2 turn;       // 224, columns of 8 bytes
    float weights[3]; // 240
    ivec3 rows[2];   // 256, elements of 16 bytes
    uvec2 range;     // 288
    uint type;       // 296, then 4 bytes of padding
};

#endif
