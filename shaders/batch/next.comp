#version 450
#extension GL_GOOGLE_include_directive : require

// batch:next finds for every triangle of the stream how long a dynamic batch would be
// that began there, and for every entry of a tile the next tile's entry.
//
// Input   indices[], drawRanges[]; push.triangleCount
// Output  batchLengths[tiles * LENGTH_WORDS]: triangles, 16 bits each
//         tileMaps[tiles * REACH], as batching_follow reads them
// Source  definition in the paper, section 3.3: a batch is the longest run of
//         triangles of one draw with at most UNIQUE vertices and BATCH indices. A
//         vertex is new to the batch from s if its previous occurrence lies before
//         s, so one search for previous occurrences serves the batches from all s.
//         An occurrence in another draw lies before s too, so that draws need not
//         be told apart.
// Dispatch one workgroup per tile. Its time is bounded whatever the indices are.

#include "include/ranges.glsl"
#include "include/dispatch.glsl"

layout(local_size_x = BATCHING_WORKGROUP) in;

layout(binding = BINDING_INDICES, std430) readonly buffer Indices { uint indices[]; };
layout(binding = BINDING_BATCH_LENGTHS, std430) writeonly buffer BatchLengths { uint batchLengths[]; };
layout(binding = BINDING_TILE_MAPS, std430) writeonly buffer TileMaps { uint tileMaps[]; };

const uint POSITIONS = 3u * BATCHING_WINDOW;
const uint ROUNDS = (POSITIONS + BATCHING_WORKGROUP - 1u) / BATCHING_WORKGROUP;
const uint MASK_WORDS = BATCHING_WORKGROUP / 32u;
const uint WALKERS = 64u; // invocations that look for ends: few, so that each has many starts in a row
const uint STARTS = (TILE + WALKERS - 1u) / WALKERS;
const uint NONE = 0xffffu; // the distance where there is no other occurrence

// Masks of packed triangles: three fields of 9 bits, each with a guard bit.
const uint GUARDS = 0x20080200u;
const uint FIELDS = 0x1ff7fdffu;
const uint ONES = 0x00100401u;

shared uint shId[POSITIONS];               // ids; then distances to the previous occurrence; then lengths
shared uint shTable[BATCHING_TABLE];       // 1 + last position of an id; then shPacked and shNext below
shared uint shMask[BATCHING_WORKGROUP * MASK_WORDS]; // [r]: the invocations of a round whose id is that of invocation r, the last of them

// shPacked(t): distances to the previous occurrences of the vertices of triangle t,
// packed for next_count. shNext(k): triangles from position k to its id's next occurrence.
#define shPacked(t) shTable[t]
#define shNext(k) shTable[BATCHING_WINDOW + (k)]

// The entry of the id at a position. held is 1 + the position that the entry had, or
// 0. The table has room for every id of a window.
uint next_find(uint position, out uint held) {
    uint id = shId[position];
    uint entry = id * 2654435769u >> 20;
    for (uint probe = 0u; probe < BATCHING_TABLE; probe++) {
        held = atomicCompSwap(shTable[entry], 0u, position + 1u);
        if (held == 0u || shId[held - 1u] == id) break;
        entry = (entry + 1u) & (BATCHING_TABLE - 1u);
    }
    return entry;
}

// Each invocation has one position of the round. Returns 1 + the position where its
// id occurs before, or 0. The masks tell of occurrences in this round, the table of
// those in earlier rounds. All invocations must call it.
uint next_previous(uint first, uint tid, bool valid) {
    uint held = 0u;
    uint entry = valid ? next_find(first + tid, held) : 0u;
    barrier();
    for (uint w = 0u; w < MASK_WORDS; w++) shMask[MASK_WORDS * tid + w] = 0u;
    if (valid) atomicMax(shTable[entry], first + tid + 1u);
    barrier();
    uint word = tid / 32u;
    uint mask = valid ? MASK_WORDS * (shTable[entry] - 1u - first) : 0u;
    if (valid) atomicOr(shMask[mask + word], 1u << (tid & 31u));
    barrier();
    if (!valid) return 0u;
    uint before = shMask[mask + word] & ((1u << (tid & 31u)) - 1u);
    while (before == 0u && word > 0u) before = shMask[mask + --word];
    if (before != 0u) return first + 32u * word + uint(findMSB(before)) + 1u;
    return held <= first ? held : 0u;
}

// Counts the vertices of n triangles from t on that are new to the batch that began
// at start: their previous occurrence lies before start. Each field is a distance
// less 1. It is 511 where there is no previous occurrence, and where an earlier
// corner of the same triangle has the id; the top bits count the latter.
uint next_count(uint t, uint n, uint start) {
    uint sums = 0u;
    uint repeats = 0u;
    for (uint i = 0u; i < n; i++) {
        uint packed = shPacked(t + i);
        sums += (((packed & FIELDS) | GUARDS) - (t + i - start) * ONES & GUARDS) >> 9;
        repeats += packed >> 30;
    }
    return (sums * ONES >> 20 & 1023u) - repeats;
}

// Counts the vertices that the batch start..end has only in its first triangle.
uint next_leaving(uint start, uint end) {
    uint sum = 0u;
    for (uint corner = 0u; corner < 3u; corner++) sum += shNext(3u * start + corner) >= end - start ? 1u : 0u;
    return sum;
}

// Finds the ends of the batches that begin at STARTS triangles in a row. From one to
// the next, start and end only move forward, and unique is kept up to date with both.
void next_walk(uint firstStart, uint starts, uint window, uint tileFirst, uint firstDraw, uint lastDraw) {
    uint end = firstStart;
    uint drawEnd = firstStart; // in the window
    uint unique = 0u;
    for (uint start = firstStart; start < min(firstStart + STARTS, starts); start++) {
        if (start >= drawEnd) drawEnd = drawRanges[ranges_draw(tileFirst + start, firstDraw, lastDraw) + 1u].firstTriangle - tileFirst;
        uint limit = min(min(start + REACH, drawEnd), window);
        while (end + 8u <= limit) {
            uint more = next_count(end, 8u, start);
            if (unique + more > UNIQUE) break;
            unique += more;
            end += 8u;
        }
        while (end < limit) {
            uint more = next_count(end, 1u, start);
            if (unique + more > UNIQUE) break;
            unique += more;
            end++;
        }
        shId[start] = end - start;
        unique -= next_leaving(start, end);
    }
}

void main() {
    uint tid = gl_LocalInvocationID.x;
    uint tile = dispatch_workgroup();
    uint tileFirst = min(tile, batching_tiles() - 1u) * TILE;
    bool mine = tile < batching_tiles();
    uint window = min(push.triangleCount - tileFirst, BATCHING_WINDOW);
    uint starts = min(window, TILE);
    uint firstDraw = ranges_draw(tileFirst, 0u, ranges_lastDraw());
    uint lastDraw = ranges_draw(tileFirst + window - 1u, firstDraw, ranges_lastDraw());

    for (uint entry = tid; entry < BATCHING_TABLE; entry += BATCHING_WORKGROUP) shTable[entry] = 0u;
    for (uint k = tid; k < 3u * window; k += BATCHING_WORKGROUP) {
        uint triangle = tileFirst + k / 3u;
        shId[k] = indices[ranges_firstIndex(triangle, ranges_draw(triangle, firstDraw, lastDraw)) + k % 3u];
    }
    barrier();
    uint previous[ROUNDS];
    for (uint i = 0u; i < ROUNDS; i++) previous[i] = next_previous(i * BATCHING_WORKGROUP, tid, i * BATCHING_WORKGROUP + tid < 3u * window);
    barrier(); // ids and table are no longer needed
    for (uint i = 0u; i < ROUNDS; i++) {
        uint k = i * BATCHING_WORKGROUP + tid;
        if (k >= 3u * window) continue;
        shId[k] = previous[i] == 0u ? NONE : k / 3u - (previous[i] - 1u) / 3u;
        shNext(k) = NONE;
    }
    barrier();
    for (uint i = 0u; i < ROUNDS; i++) {
        uint k = i * BATCHING_WORKGROUP + tid;
        if (k < 3u * window && previous[i] != 0u) shNext(previous[i] - 1u) = shId[k];
    }
    for (uint t = tid; t < window; t += BATCHING_WORKGROUP) {
        uvec3 distance = uvec3(shId[3u * t], shId[3u * t + 1u], shId[3u * t + 2u]);
        uvec3 field = min(distance - 1u, uvec3(511u));
        uint repeats = uint(distance.y == 0u) + uint(distance.z == 0u);
        shPacked(t) = field.x | field.y << 10 | field.z << 20 | repeats << 30;
    }
    barrier();
    if (tid < WALKERS) next_walk(tid * STARTS, starts, window, tileFirst, firstDraw, lastDraw);
    barrier();
    for (uint w = tid; mine && w < (starts + 1u) / 2u; w += BATCHING_WORKGROUP) {
        batchLengths[tile * LENGTH_WORDS + w] = shId[2u * w] | shId[min(2u * w + 1u, starts - 1u)] << 16;
    }
    for (uint entry = tid; mine && entry < REACH; entry += BATCHING_WORKGROUP) {
        uint t = entry;
        uint batchCount = 0u;
        for (; t < starts; batchCount++) t += shId[t];
        tileMaps[tile * REACH + entry] = (t < TILE ? 0u : t - TILE) | batchCount << BATCHING_EXIT_BITS;
    }
}
