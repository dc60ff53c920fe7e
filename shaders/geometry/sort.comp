#version 450
#extension GL_GOOGLE_include_directive : require

// sort: a workgroup sorts its batch's indices; equal ones are then neighbours.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  at most UNIQUE vertices per batch, and a record per triangle (indexed) or
//         3 vertices per triangle (expanded)
// Source  paper, Algorithm 2: ids that differ from their predecessor are marked, the
//         first too. The prefix sum of the marks numbers the ids, in ascending order.
//         Marks are bits, so that the sum runs over words.
// Dispatch one workgroup per batch

#define EMIT_VERTICES UNIQUE
#define STRATEGY_NO_MESH
#include "include/unique.glsl"

const uint WORDS = (BATCH + 31u) / 32u;

shared uint shId[BATCH];        // ids, finally in ascending order
shared uint shMap[BATCH];       // low half [i]: position in the batch of shId[i]; high half [k]: slot of index k
shared uint shMark[WORDS];      // one bit per element of shId: whether it is the first with its id
shared uint shRank[WORDS + 1u]; // marks in the words before

void sort_exchange(uint i, uint j) {
    uint idI = shId[i];
    uint idJ = shId[j];
    if (idI <= idJ) return;
    shId[i] = idJ;
    shId[j] = idI;
    uint positionI = shMap[i];
    shMap[i] = shMap[j];
    shMap[j] = positionI;
}

// Bitonic sort of shId[0..count), which also moves shMap. A merge compares one half with the
// other half reversed, so that every comparison puts the smaller id first. Elements beyond
// count would be the largest and never move, so they need not exist.
void sort_bitonic(uint count, uint tid) {
    uint whole = count <= 1u ? 1u : 2u << findMSB(count - 1u); // the next power of two
    for (uint size = 2u; size <= whole; size *= 2u) {
        for (uint stride = size / 2u; stride > 0u; stride /= 2u) {
            barrier();
            uint reversed = 2u * stride == size ? size - 1u : stride;
            for (uint pair = tid; pair < whole / 2u; pair += WORKGROUP) {
                uint i = 2u * pair - (pair & (stride - 1u));
                uint j = i ^ reversed;
                if (j < count) sort_exchange(i, j);
            }
        }
    }
    barrier();
}

// Whether element i of shId is the first with its id.
bool sort_isFirst(uint i) { return i == 0u || shId[i] != shId[i - 1u]; }

// Marks the first element with each id, sums the marks and returns their number.
uint sort_rank(uint count, uint tid) {
    for (uint i = tid; i < count; i += WORKGROUP) {
        if (sort_isFirst(i)) atomicOr(shMark[i / 32u], 1u << (i & 31u));
    }
    barrier();
    for (uint word = tid; word <= WORDS; word += WORKGROUP) {
        uint sum = 0u;
        for (uint before = 0u; before < word; before++) sum += uint(bitCount(shMark[before]));
        shRank[word] = sum;
    }
    barrier();
    return min(shRank[WORDS], UNIQUE);
}

// The slot of element i of shId: the number of marks up to it, minus 1.
uint sort_slot(uint i) {
    uint upTo = 0xffffffffu >> (31u - (i & 31u));
    return shRank[i / 32u] + uint(bitCount(shMark[i / 32u] & upTo)) - 1u;
}

void main() {
    uint tid = gl_LocalInvocationID.x;
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    BatchInput batchInput = shade_begin(batch.draw);

    for (uint word = tid; word < WORDS; word += WORKGROUP) shMark[word] = 0u;
    for (uint i = tid; i < batch.indexCount; i += WORKGROUP) {
        shId[i] = stream_index(batch.firstIndex + i);
        shMap[i] = i;
    }
    sort_bitonic(batch.indexCount, tid);
    uint unique = sort_rank(batch.indexCount, tid);
    for (uint i = tid; i < batch.indexCount; i += WORKGROUP) {
        uint slot = min(sort_slot(i), UNIQUE - 1u);
        if (sort_isFirst(i)) shUnique[slot] = shId[i];
        atomicOr(shMap[shMap[i] & 0xffffu], slot << 16);
    }
    uint base = unique_emit(batchInput, batchIndex, unique);
    if (!WRITE) return;
    for (uint t = tid; t < batch.indexCount / 3u; t += WORKGROUP) {
        uint place = sink_place(batch.firstTriangle + t);
        sink_triangle(batchInput, place, base, uvec3(shMap[3u * t], shMap[3u * t + 1u], shMap[3u * t + 2u]) >> 16);
    }
    sink_end(batchInput, unique);
}
