// The words of claim's subgroups: their tables, and later lists of ids.
#ifndef CLAIM_TABLE_GLSL
#define CLAIM_TABLE_GLSL

shared uint shTable[ROOM * SUBGROUPS];

// The position of word i of the subgroup: the first TABLE words are its table.
uint claim_at(uint i) { return lanes_subgroup() * ROOM + i; }

// Third use: the listed places write the ids numbered from window on. inverse undoes the
// mixing.
void claim_list(uint listed, uint window, uint size, uint list, uint inverse) {
    lanes_barrier();
    [[unroll]] for (uint k = 0u; k < PLACES; k++) {
        uint at = claim_slot(k) - window;
        if (claim_has(listed, k) && at < size) shTable[claim_at(list + at)] = claim_mixed[k] * inverse >> 1;
    }
    lanes_barrier();
}

// Lane 0's value.
uint claim_broadcast(uint value) {
    lanes_barrier();
    if (lanes_lane() == 0u) shTable[claim_at(0u)] = value;
    lanes_barrier();
    return shTable[claim_at(0u)];
}

#endif
