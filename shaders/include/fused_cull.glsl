// Culling in the fused pass: triangles of placed vertices are tested, and the vertices
// of those that survive shaded.
#ifndef FUSED_CULL_GLSL
#define FUSED_CULL_GLSL

#ifdef OWN_VERTEX
bool sink_survives(BatchInput batchInput, PlacedVertex a, PlacedVertex b, PlacedVertex c) { return true; }
void sink_shade(BatchInput batchInput, uint id) {}
#else
// What becomes of a triangle, as cull/triangles.comp has it: a CULL_* kind.
uint fused_verdict(uint flags, PlacedVertex a, PlacedVertex b, PlacedVertex c) {
    if ((fused_beyond(a) & fused_beyond(b) & fused_beyond(c) & FUSED_BEYOND) != 0) return CULL_FRUSTUM;
    if (min(min(a.x, b.x), c.x) == NOWHERE || (a.x & b.x & c.x & FUSED_INSIDE) == 0) return CULL_SURVIVED;
    return verdict_placed(fused_sub(a), fused_sub(b), fused_sub(c), true, flags);
}

// Adds to one of cullCounts[] for all lanes that call it together.
void fused_tally(uint kind) {
    if (!TALLY) return;
    uvec4 lanes = subgroupBallot(true);
    if (gl_SubgroupInvocationID == subgroupBallotFindLSB(lanes)) atomicAdd(cullCounts[kind], subgroupBallotBitCount(lanes));
}

bool sink_survives(BatchInput batchInput, PlacedVertex a, PlacedVertex b, PlacedVertex c) {
    uint verdict = fused_verdict(batchInput.draw.flags, a, b, c);
    [[dont_unroll]] for (uint kind = 0u; kind < CULL_KINDS; kind++) {
        if (verdict == kind) fused_tally(kind);
    }
    return verdict == CULL_SURVIVED;
}

// Shades a vertex of a surviving triangle: counts that, and takes the load. Its
// attributes are shaded where a pixel shows them (include/refetch.glsl).
void sink_shade(BatchInput batchInput, uint id) {
    fused_tally(CULL_SHADED);
    if (COUNT) atomicAdd(counts[batchInput.draw.countOffset + id], 1u);
    // Never true, which no compiler knows: it cannot leave the load out.
    if (LOAD > 0u && shade_load(float(id)) > 1.0) atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_VERTICES);
}
#endif

#endif
