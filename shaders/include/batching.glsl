// What the batch:* passes share, which cut the stream into dynamic batches on
// the device. They take it in tiles of TILE triangles. A batch that begins in a
// tile has at most REACH triangles, so that it ends in the tile or at most REACH
// triangles behind it: which batches a tile begins depends on one number, the
// entry, where in the tile (0 to REACH - 1) its first batch begins.
#ifndef BATCHING_GLSL
#define BATCHING_GLSL

#include "include/layout.glsl"


const uint BATCHING_MOST = 1536u;       // indices: 9 bits hold how far behind a triangle of the same batch is
const uint BATCHING_WINDOW = 1023u;     // triangles that a workgroup looks at: a tile and REACH - 1 behind it
const uint BATCHING_TABLE = 4096u;      // entries of its hash table, which all indices of a window may enter
const uint BATCHING_WORKGROUP = 128u;   // its invocations
const uint BATCHING_GROUP_TILES = 64u;  // tiles a group
const uint BATCHING_EXIT_BITS = 10u;    // of a map: the next tile's entry; the other bits: batches begun

const uint REACH = BATCH / 3u;                 // triangles a batch at most: entries of a tile
const uint TILE = BATCHING_WINDOW + 1u - REACH; // triangles a tile
const uint LENGTH_WORDS = (TILE + 1u) / 2u;    // a tile's batch lengths, two a word

// Where a draw's triangles are. One more ends the list, at the stream's length.
struct DrawRange {
    uint firstTriangle; // place of its first triangle in the whole stream
    uint firstIndex;    // into indices[]
};

// What the passes leave: the arguments of an indirect dispatch over all batches,
// a VkDispatchIndirectCommand, and how many batches there are.
struct BatchState {
    uint groupsX;
    uint groupsY;
    uint groupsZ;
    uint batchCount;
};

layout(push_constant) uniform Push { ChunkPush push; }; // triangleCount: of the stream; batchCount: places in batches[]

uint batching_tiles() { return (push.triangleCount + TILE - 1u) / TILE; }
uint batching_groups() { return (batching_tiles() + BATCHING_GROUP_TILES - 1u) / BATCHING_GROUP_TILES; }

// A tile's map, or a group's: what follows from an entry. x: the entry of the next
// tile or group; y: batches begun.
uvec2 batching_follow(uint map) {
    return uvec2(map & ((1u << BATCHING_EXIT_BITS) - 1u), map >> BATCHING_EXIT_BITS);
}

#endif
