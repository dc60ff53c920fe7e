// Shared by the batch:* passes, which cut the stream into dynamic batches on the
// device. The stream is cut into tiles of TILE triangles. A batch has at most REACH
// triangles, so one that begins in a tile ends less than REACH triangles behind it.
// One number therefore decides which batches begin in a tile: its entry, the
// triangle (0 to REACH - 1) at which its first batch begins.
#ifndef BATCHING_GLSL
#define BATCHING_GLSL

#include "include/layout.glsl"


const uint BATCHING_MOST = 1536u;       // largest BATCH: distances within a batch, in triangles, fit 9 bits
const uint BATCHING_WINDOW = 1023u;     // triangles that a workgroup reads: a tile and the REACH - 1 behind it
const uint BATCHING_TABLE = 4096u;      // entries of its hash table; a window has up to 3069 ids
const uint BATCHING_WORKGROUP = 128u;   // invocations per workgroup
const uint BATCHING_GROUP_TILES = 64u;  // tiles per group
const uint BATCHING_EXIT_BITS = 10u;    // bits of a map that hold the next entry; the others count batches begun

const uint REACH = BATCH / 3u;                 // triangles per batch at most, and so the entries of a tile
const uint TILE = BATCHING_WINDOW + 1u - REACH; // triangles per tile
const uint LENGTH_WORDS = (TILE + 1u) / 2u;    // of a tile's batch lengths, two per word

// Where a draw's triangles are. One more range ends the list, at the stream's length.
struct DrawRange {
    uint firstTriangle; // place of its first triangle in the whole stream
    uint firstIndex;    // into indices[]
};

// The result of the passes: the arguments of an indirect dispatch over all batches
// (a VkDispatchIndirectCommand), and the number of batches.
struct BatchState {
    uint groupsX;
    uint groupsY;
    uint groupsZ;
    uint batchCount;
};

layout(push_constant) uniform Push { ChunkPush push; }; // triangleCount: of the stream; batchCount: places in batches[]

uint batching_tiles() { return (push.triangleCount + TILE - 1u) / TILE; }
uint batching_groups() { return (batching_tiles() + BATCHING_GROUP_TILES - 1u) / BATCHING_GROUP_TILES; }

// Unpacks what a tile or a group makes of an entry. x: the entry of the next tile or
// group; y: batches begun.
uvec2 batching_follow(uint map) {
    return uvec2(map & ((1u << BATCHING_EXIT_BITS) - 1u), map >> BATCHING_EXIT_BITS);
}

#endif
