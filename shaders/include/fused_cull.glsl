// Culling in the fused pass: triangles of positioned vertices are tested, and the vertices
// of those that survive are shaded.
#ifndef FUSED_CULL_GLSL
#define FUSED_CULL_GLSL

#ifdef OWN_VERTEX
bool fused_survives(BatchInput batchInput, PlacedVertex a, PlacedVertex b, PlacedVertex c) { return true; }
void fused_shade(BatchInput batchInput, uint id) {}
#else
// The CULL_* kind of a triangle, as in cull/triangles.comp.
uint fused_verdict(uint flags, PlacedVertex a, PlacedVertex b, PlacedVertex c) {
    if ((placed_beyond(a) & placed_beyond(b) & placed_beyond(c) & PLACED_BEYOND) != 0) return CULL_FRUSTUM;
    if (placed_anyNowhere(a, b, c) || (placed_flags(a) & placed_flags(b) & placed_flags(c) & PLACED_INSIDE) == 0) return CULL_SURVIVED;
    return verdict_placed(placed_sub(a), placed_sub(b), placed_sub(c), true, flags);
}

// Adds 1 to cullCounts[kind] for each of the lanes that call it together.
void fused_tally(uint kind) {
    if (!TALLY) return;
    uvec4 lanes = subgroupBallot(true);
    if (gl_SubgroupInvocationID == subgroupBallotFindLSB(lanes)) atomicAdd(cullCounts[kind], subgroupBallotBitCount(lanes));
}

bool fused_survives(BatchInput batchInput, PlacedVertex a, PlacedVertex b, PlacedVertex c) {
    uint verdict = fused_verdict(batchInput.draw.flags, a, b, c);
    [[dont_unroll]] for (uint kind = 0u; kind < CULL_KINDS; kind++) {
        if (verdict == kind) fused_tally(kind);
    }
    return verdict == CULL_SURVIVED;
}

// Shades a vertex of a surviving triangle: counts it, and executes the load. Its attributes
// are shaded later, for visible pixels (include/refetch.glsl).
void fused_shade(BatchInput batchInput, uint id) {
    fused_tally(CULL_SHADED);
    if (COUNT) atomicAdd(counts[batchInput.draw.countOffset + id], 1u);
    // Never true, but no compiler knows that, so it cannot remove the load.
    if (LOAD > 0u && shade_load(float(id)) > 1.0) atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_VERTICES);
}
#endif

#endif
