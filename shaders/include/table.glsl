// A hash table of a workgroup's ids in shared memory: multiplicative hashing, linear
// probing. The first invocation that inserts an id gives it the next slot and lists it.
#ifndef TABLE_GLSL
#define TABLE_GLSL

#include "include/unique.glsl"

const uint NO_ID = 0xffffffffu;

shared uint shKey[TABLE];  // an id, or NO_ID. TABLE is at least UNIQUE, so every id finds an entry
shared uint shSlot[TABLE]; // the id's slot
shared uint shCount;       // slots taken

void table_clear() {
    for (uint i = gl_LocalInvocationID.x; i < TABLE; i += WORKGROUP) shKey[i] = NO_ID;
    if (gl_LocalInvocationID.x == 0u) shCount = 0u;
    barrier();
}

// The entry that the probe-th attempt for an id looks at.
uint table_entry(uint id, uint probe) { return ((id * 2654435769u >> 12) + probe) & (TABLE - 1u); }

// Inserts an id. False if the entry has another id.
bool table_take(uint entry, uint id) {
    uint held = atomicCompSwap(shKey[entry], NO_ID, id);
    if (held == NO_ID) {
        uint slot = atomicAdd(shCount, 1u);
        shSlot[entry] = slot;
        if (slot < UNIQUE) shUnique[slot] = id;
    }
    return held == NO_ID || held == id;
}

#endif
