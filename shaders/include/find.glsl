// Finds a triangle of a chunk in batches[], which the shader declares, by its number.
#ifndef FIND_GLSL
#define FIND_GLSL

struct Found {
    uint draw;
    uint firstIndex; // into indices[]: its first corner
};

// push may select some of the chunk's batches; the triangle must belong to one of them.
Found find_triangle(uint triangle) {
    uint number = push.firstTriangle + triangle;
    uint low = push.firstBatch;
    uint high = low + push.batchCount;
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (batches[middle].firstTriangle <= number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return Found(batches[low].draw, batches[low].firstIndex + 3u * (number - batches[low].firstTriangle));
}

#endif
