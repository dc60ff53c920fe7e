// The record of a triangle in the queue: the slots of its corners, 10 bits each.
#ifndef RECORD_GLSL
#define RECORD_GLSL

uint record_pack(uvec3 slots) { return slots.x | slots.y << 10 | slots.z << 20; }
uvec3 record_slots(uint record) { return uvec3(record, record >> 10, record >> 20) & 1023u; }

#endif
